/* The rates of multiply-adds that a device reaches: cl/common/flops.cl, timed by its events. */
#include "math/limits.h"

#include <stdio.h>
#include <string.h>

static const char *const name = "penta_multiply_adds";
/* Runs are lengthened to `lasting` so that launch times and clocks do not matter; the best of `runs` is taken. */
static const double lasting = 5e-3; /* s */
enum { RUNS = 20, MOST_ROUNDS = 1 << 24 };

/* As in cl/common/flops.cl. */
enum { GROUP = 256, GPU_CHAINS = 16, CPU_CHAINS = 12, CPU_BYTES = 64, REPEATS = 8 };

/* By penta_limit; number: NUMBER of the kernel. */
static const struct {
    int number;
    size_t size;
} types[] = {[PENTA_LIMIT_SINGLE] = {1, 4}, [PENTA_LIMIT_DOUBLE] = {2, 8}, [PENTA_LIMIT_INT32] = {3, 4}};

typedef struct {
    penta_context *ctx;
    penta_kernel kernel;
    penta_buffer out;
    penta_grid grid;
    float factor, term;
    double flop_a_round; /* of all work-items */
} peak_state;

static penta_status setup(penta_context *ctx, penta_limit limit, peak_state *p)
{
    penta_status status = PENTA_OK;
    bool cpu = penta_is_cpu(ctx);
    size_t units = penta_context_device(ctx)->compute_units, items = cpu ? 2 * units : 8 * GROUP * units;
    size_t lanes = CPU_BYTES / types[limit].size;
    char defines[32];

    p->ctx = ctx;
    p->factor = 0.999f;
    p->term = limit == PENTA_LIMIT_INT32 ? 5.0f : 0.001f;
    p->flop_a_round = 2.0 * REPEATS * (double)items * (double)(cpu ? CPU_CHAINS * lanes : GPU_CHAINS);
    snprintf(defines, sizeof defines, "-DNUMBER=%d", types[limit].number);
    p->grid = penta_grid_groups(penta_grid_1d(items), cpu ? 1 : GROUP, 1, 1);
    TRY(penta_buffer_create(ctx, items * sizeof(float), &p->out));
    TRY(penta_kernel_get(ctx, "common/flops.cl", name, defines, &p->kernel));
cleanup:
    return status;
}

double penta_profiled_kernel(penta_context *ctx, const char *kernel)
{
    const penta_profile_entry *entries;
    size_t count = penta_profile(ctx, &entries);

    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].name, kernel) == 0)
            return entries[i].seconds;
    return 0;
}

static penta_status run(peak_state *p, int rounds, double *seconds)
{
    penta_status status = PENTA_OK;
    double before = penta_profiled_kernel(p->ctx, name);

    TRY(penta_launch(&p->kernel, p->grid, ARGS(rounds, p->factor, p->term, &p->out)));
    TRY(penta_finish(p->ctx));
    *seconds = penta_profiled_kernel(p->ctx, name) - before;
cleanup:
    return status;
}

penta_status penta_multiply_add_rate(penta_context *ctx, penta_limit limit, double *rate)
{
    penta_status status = PENTA_OK;
    peak_state p = {0};
    double seconds = 0;
    int rounds = 64;

    *rate = 0;
    TRY(setup(ctx, limit, &p));
    TRY(run(&p, rounds, &seconds)); /* loads the kernel */
    do {
        rounds *= 2;
        TRY(run(&p, rounds, &seconds));
    } while (seconds < lasting && rounds < MOST_ROUNDS);
    for (int k = 0; k < RUNS; k++) {
        double reached;

        TRY(run(&p, rounds, &seconds));
        reached = seconds > 0 ? p.flop_a_round * rounds / seconds : 0;
        if (reached > *rate)
            *rate = reached;
    }
    if (!(*rate > 0))
        status = penta_fail(ctx, PENTA_DEVICE, "the device reports no times of its kernels");
cleanup:
    penta_kernel_release(&p.kernel);
    penta_buffer_release(&p.out);
    return status;
}

penta_status penta_peak_flops(penta_context *ctx, double *flops)
{
    return penta_multiply_add_rate(ctx, PENTA_LIMIT_SINGLE, flops);
}
