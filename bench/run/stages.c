/* Time of kernels by what they are for. */
#include <string.h>

#include "bench.h"

static int stage_of(const bench_stages *s, const char *kernel)
{
    for (const bench_stage_kernels *k = s->kernels; k->prefix; k++)
        if (strncmp(kernel, k->prefix, strlen(k->prefix)) == 0)
            return k->stage;
    return s->others;
}

double bench_stages_add(bench *b, bench_stages *s)
{
    const penta_profile_entry *entries;
    size_t count = penta_profile(bench_context(b), &entries); /* waits */
    size_t run;
    double all = 0;

    if (!bench_times_kernels())
        return 0;
    run = s->runs < BENCH_MAX_RUNS ? s->runs++ : BENCH_MAX_RUNS - 1;
    memset(s->seconds[run], 0, sizeof s->seconds[run]);
    for (size_t i = 0; i < count; i++)
        if (!entries[i].transfer) {
            s->seconds[run][stage_of(s, entries[i].name)] += entries[i].seconds;
            all += entries[i].seconds;
        }
    return all;
}

void bench_stages_samples(const bench_stages *s, int stage, bench_samples *out)
{
    *out = (bench_samples){.runs = s->runs};
    for (size_t i = 0; i < s->runs; i++)
        out->seconds[BENCH_DEVICE][i] = s->seconds[i][stage];
}
