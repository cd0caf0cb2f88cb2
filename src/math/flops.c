/* The rate of multiply-adds that a device reaches: cl/common/flops.cl, timed by its events. */
#include <pentacl/flops.h>

#include <string.h>

#include "core/core.h"

static const char *const name = "penta_multiply_adds";
/* Runs are lengthened to `lasting` so that launch times and clocks do not matter; the best of `runs` is taken. */
static const double lasting = 5e-3; /* s */
enum { RUNS = 20, MOST_ROUNDS = 1 << 24 };

/* As in cl/common/flops.cl. */
enum { GROUP = 256, GPU_CHAINS = 16, CPU_CHAINS = 12, CPU_LANES = 16, REPEATS = 8 };

typedef struct {
    penta_context *ctx;
    penta_kernel kernel;
    penta_buffer out;
    penta_grid grid;
    double flop_a_round; /* of all work-items */
} peak_state;

static penta_status setup(penta_context *ctx, peak_state *p)
{
    penta_status status = PENTA_OK;
    bool cpu = penta_is_cpu(ctx);
    size_t units = penta_context_device(ctx)->compute_units, items = cpu ? 2 * units : 8 * GROUP * units;

    p->ctx = ctx;
    p->flop_a_round = 2.0 * REPEATS * (double)items * (cpu ? CPU_CHAINS * CPU_LANES : GPU_CHAINS);
    p->grid = penta_grid_groups(penta_grid_1d(items), cpu ? 1 : GROUP, 1, 1);
    TRY(penta_buffer_create(ctx, items * sizeof(float), &p->out));
    TRY(penta_kernel_get(ctx, "common/flops.cl", name, "", &p->kernel));
cleanup:
    return status;
}

/* Time of the kernel since the last reset of the profile. */
static double profiled(penta_context *ctx)
{
    const penta_profile_entry *entries;
    size_t count = penta_profile(ctx, &entries);

    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].name, name) == 0)
            return entries[i].seconds;
    return 0;
}

static penta_status run(peak_state *p, int rounds, double *seconds)
{
    penta_status status = PENTA_OK;
    double before = profiled(p->ctx);

    TRY(penta_launch(&p->kernel, p->grid, ARGS(rounds, 0.999f, 0.001f, &p->out)));
    TRY(penta_finish(p->ctx));
    *seconds = profiled(p->ctx) - before;
cleanup:
    return status;
}

penta_status penta_peak_flops(penta_context *ctx, double *flops)
{
    penta_status status = PENTA_OK;
    peak_state p = {0};
    double seconds = 0;
    int rounds = 64;

    *flops = 0;
    TRY(setup(ctx, &p));
    TRY(run(&p, rounds, &seconds)); /* loads the kernel */
    do {
        rounds *= 2;
        TRY(run(&p, rounds, &seconds));
    } while (seconds < lasting && rounds < MOST_ROUNDS);
    for (int k = 0; k < RUNS; k++) {
        double rate;

        TRY(run(&p, rounds, &seconds));
        rate = seconds > 0 ? p.flop_a_round * rounds / seconds : 0;
        if (rate > *flops)
            *flops = rate;
    }
    if (!(*flops > 0))
        status = penta_fail(ctx, PENTA_DEVICE, "the device reports no times of its kernels");
cleanup:
    penta_kernel_release(&p.kernel);
    penta_buffer_release(&p.out);
    return status;
}
