/* Whether members of a group can share forces, and how much memory all have. */
#include <stdlib.h>

#include "core/group.h"
#include "math/sizes.h"
#include "nbody/nbody.h"

/* What decides how forces are divided and added up. */
typedef struct {
    char name[256];
    uint64_t local_memory, split_units, fp64;
} kind_of_device;

nbody_memory nbody_memory_of(const nbody_share *share, const penta_context *ctx)
{
    const penta_device *d = penta_context_device(ctx);

    return share ? share->memory : (nbody_memory){d->memory, d->max_allocation};
}

penta_status nbody_share_compare_memory(nbody_share *share)
{
    penta_status status = PENTA_OK;
    nbody_memory mine = nbody_memory_of(NULL, share->ctx), *all = NULL;

    TRY(penta_explain(share->ctx, penta_group_gather(share->group, &mine, sizeof mine, (void **)&all, NULL)));
    share->memory = mine;
    for (size_t i = 0; i < share->size; i++) {
        share->memory.all = penta_smaller(share->memory.all, all[i].all);
        share->memory.buffer = penta_smaller(share->memory.buffer, all[i].buffer);
    }
cleanup:
    free(all);
    return status;
}

penta_status nbody_share_members(nbody_share *share, size_t n, const penta_nbody_options *o)
{
    penta_status status = PENTA_OK;
    const penta_device *d = penta_context_device(share->ctx);
    const double numbers[] = {(double)n, o->kernel, o->precision, o->eps, o->dt, o->integrator, o->step_mode, o->eta};
    kind_of_device kind = {
        .local_memory = d->local_memory, .split_units = penta_split_units(share->ctx), .fp64 = d->fp64};

    penta_snprintf(kind.name, sizeof kind.name, "%s", d->name);
    TRY(nbody_share_compare(share, numbers, sizeof numbers, "number of bodies and options"));
    TRY(nbody_share_compare(share, &kind, sizeof kind,
                            "kind of device, so that their sums would differ; take devices of one kind"));
cleanup:
    return status;
}
