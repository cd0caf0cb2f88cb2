/* The timing loop. */
#include <math.h>
#include <time.h>

#include "run.h"
#include "shared/cli.h"

/* Enough runs for a median, enough time to smooth out scheduling; slow work stops after a few seconds. */
static double least_seconds = 0.5;
static const double most_times = 10; /* as long */
static const size_t least_runs = 5;
static double until; /* cli_seconds(), 0: for ever */
static bool apart;

void bench_measure_at_least(double seconds)
{
    least_seconds = seconds;
}

void bench_measure_until(double time)
{
    until = time;
}

void bench_measure_apart(bool wanted)
{
    apart = wanted;
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

/* ---- a run for the device's clock, and one for the host's ---- */

static bool by_host;

void bench_time_kernels(bench *b)
{
    if (by_host)
        penta_profile_pause(bench_context(b));
    else
        penta_profile_reset(bench_context(b));
}

bool bench_times_kernels(void)
{
    return !by_host;
}

double bench_kernel_seconds(bench *b)
{
    double seconds = penta_profile_seconds(bench_context(b), true, false);

    return by_host ? 0 : seconds;
}

static double time_work(bench_work work, void *data, double *device)
{
    double start = bench_now();

    work(data, device);
    return bench_now() - start;
}

void bench_measure(bench_work work, void *data, bench_samples *samples)
{
    double total = 0;

    samples->runs = 0;
    while (goes_on(samples->runs, total)) {
        double device = 0, none = 0, wall = time_work(work, data, &device);

        total += wall;
        if (device > 0 && apart) {
            by_host = true;
            wall = time_work(work, data, &none);
            by_host = false;
            total += wall;
        }
        samples->seconds[BENCH_WALL][samples->runs] = wall;
        samples->seconds[BENCH_DEVICE][samples->runs] = device;
        samples->runs++;
    }
}

void bench_work_row(bench *b, const char *variant, bench_kind kind, bench_clock clock, bench_work work,
                    bench_check check, void *data, bench_samples *samples)
{
    bench_samples own;
    double device = 0, error;

    samples = samples ? samples : &own;
    work(data, &device);
    error = check ? check(data, variant) : NAN;
    bench_measure(work, data, samples);
    bench_row(b, variant, kind, clock, samples);
    b->rows[b->count - 1].error = error;
}
