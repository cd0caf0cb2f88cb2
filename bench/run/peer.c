/* The row of a peer. */
#include <math.h>

#include "bench.h"

void bench_peer_row(bench *b, const char *variant, bench_clock clock, bench_work work, bench_check check, void *data)
{
    bench_samples samples;
    double device = 0, error;

    work(data, &device);
    error = check ? check(data, variant) : NAN;
    bench_measure(work, data, &samples);
    bench_row(b, variant, BENCH_PEER, clock, &samples);
    bench_error(b, error, NULL);
}
