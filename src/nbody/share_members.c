/* Whether members of a group can share forces. */
#include "nbody/nbody.h"

/* What decides how forces are divided and added up. */
typedef struct {
    char name[256];
    uint64_t memory, max_allocation, local_memory, split_units, fp64;
} kind_of_device;

penta_status nbody_share_members(nbody_share *share, size_t n, const penta_nbody_options *o)
{
    penta_status status = PENTA_OK;
    const penta_device *d = penta_context_device(share->ctx);
    const double numbers[] = {(double)n, o->kernel, o->precision, o->eps, o->dt, o->integrator, o->step_mode, o->eta};
    kind_of_device kind = {.memory = d->memory,
                           .max_allocation = d->max_allocation,
                           .local_memory = d->local_memory,
                           .split_units = penta_split_units(share->ctx),
                           .fp64 = d->fp64};

    penta_snprintf(kind.name, sizeof kind.name, "%s", d->name);
    TRY(nbody_share_compare(share, numbers, sizeof numbers, "number of bodies and options"));
    TRY(nbody_share_compare(share, &kind, sizeof kind,
                            "kind of device, so that their sums would differ; take devices of one kind"));
cleanup:
    return status;
}
