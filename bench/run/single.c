/* Runs without double precision, and how much longer they take. */

#include <pentacl/opencl.h>

#include "run.h"

bool bench_single_begin(bench *b)
{
    penta_context *ctx = NULL;

    if (bench_is_brief(b) || !penta_context_device(b->ctx)->fp64)
        return false;
    if (penta_context_from_opencl(penta_opencl_context(b->ctx), penta_opencl_device(b->ctx), &ctx) != PENTA_OK)
        bench_fail(b, "without double precision: %s", penta_last_error(NULL));
    penta_context_without_double(ctx);
    b->single_mark = bench_mark(b);
    b->with_double = b->ctx;
    b->ctx = ctx;
    return true;
}

void bench_single_end(bench *b)
{
    bench_release(b, b->single_mark);
    penta_context_destroy(b->ctx);
    b->ctx = b->with_double;
    b->with_double = NULL;
}

static double median(const bench_samples *s, bench_clock clock)
{
    return bench_spread_of(s->seconds[clock], s->runs).median;
}

void bench_slowdown(bench *b, const char *what, const char *how, bench_clock clock, const bench_samples *with,
                    const bench_samples *without)
{
    bench_note(b, "without double precision %s takes %.2f times as long (%s)", what,
               median(without, clock) / median(with, clock), how);
}
