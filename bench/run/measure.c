/* The timing loop. */
#define _POSIX_C_SOURCE 200809L

#include <time.h>

#include "run.h"
#include "shared/cli.h"

/* Enough runs for a median, enough time to smooth out scheduling; slow work stops after a few seconds. */
static double least_seconds = 0.5;
static const double most_times = 10; /* as long */
static const size_t least_runs = 5;
static double until; /* cli_seconds(), 0: for ever */

void bench_measure_at_least(double seconds)
{
    least_seconds = seconds;
}

void bench_measure_until(double time)
{
    until = time;
}

double bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool goes_on(size_t runs, double total)
{
    if (runs == BENCH_MAX_RUNS || total >= most_times * least_seconds || (until > 0 && cli_seconds() > until))
        return runs == 0;
    return total < least_seconds || runs < least_runs;
}

void bench_measure(bench_work work, void *data, bench_samples *samples)
{
    double total = 0;

    samples->runs = 0;
    while (goes_on(samples->runs, total)) {
        double device = 0, start = bench_now(), wall;

        work(data, &device);
        wall = bench_now() - start;
        samples->seconds[BENCH_WALL][samples->runs] = wall;
        samples->seconds[BENCH_DEVICE][samples->runs] = device;
        samples->runs++;
        total += wall;
    }
}
