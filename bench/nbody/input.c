/* Bodies of the nbody benchmark and the checks of every variant. */
#include "input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 1, MOST_SAMPLES = 512 };

static size_t sample(const nbody_input *in, size_t s)
{
    return in->samples > 1 ? s * (in->n - 1) / (in->samples - 1) : 0;
}

static void add_up(const nbody_input *in, size_t i, double acceleration[3])
{
    const double *p = in->bodies + 7 * i + 1;
    double a[3] = {0, 0, 0};

    for (size_t j = 0; j < in->n; j++) {
        const double *q = in->bodies + 7 * j;
        double dx = q[1] - p[0], dy = q[2] - p[1], dz = q[3] - p[2];
        double r2 = dx * dx + dy * dy + dz * dz + NBODY_EPS * NBODY_EPS, s = q[0] / (r2 * sqrt(r2));

        a[0] += dx * s;
        a[1] += dy * s;
        a[2] += dz * s;
    }
    memcpy(acceleration, a, sizeof a);
}

void nbody_input_create(bench *b, size_t n, nbody_input *in)
{
    *in = (nbody_input){.b = b, .n = n, .samples = n < MOST_SAMPLES ? n : MOST_SAMPLES};
    in->bodies = bench_alloc(b, n, 7 * sizeof *in->bodies);
    in->expected = bench_alloc(b, in->samples, 3 * sizeof *in->expected);
    in->ours = bench_alloc(b, n, 3 * sizeof *in->ours);
    in->peers = bench_alloc(b, n, 3 * sizeof *in->peers);
    in->peers_double = bench_alloc(b, n, 3 * sizeof *in->peers_double);
    if (penta_nbody_initial(PENTA_NBODY_PLUMMER, SEED, n, in->bodies) != PENTA_OK)
        bench_fail(b, "no Plummer sphere of %zu bodies", n);
    for (size_t k = 0; k < 4; k++) {
        in->single[k] = bench_alloc(b, n, sizeof *in->single[k]);
        in->dbl[k] = bench_alloc(b, n, sizeof *in->dbl[k]);
        for (size_t i = 0; i < n; i++) {
            in->dbl[k][i] = in->bodies[7 * i + k];
            in->single[k][i] = (float)in->dbl[k][i];
        }
    }
    for (size_t s = 0; s < in->samples; s++)
        add_up(in, sample(in, s), in->expected + 3 * s);
}

double nbody_interactions(const nbody_input *in)
{
    return (double)in->n * (double)in->n;
}

/* ---- checks ---- */

/* |got - want| / |want|, infinite rather than NaN. */
static double relative_error(const double got[3], const double want[3])
{
    double difference = 0, size = 0, error;

    for (int k = 0; k < 3; k++) {
        difference += (got[k] - want[k]) * (got[k] - want[k]);
        size += want[k] * want[k];
    }
    error = size > 0 ? sqrt(difference / size) : sqrt(difference);
    return error >= 0 ? error : HUGE_VAL;
}

double nbody_check(const nbody_input *in, const char *variant, double tolerance)
{
    size_t n = in->samples;
    double errors[MOST_SAMPLES];

    for (size_t s = 0; s < n; s++)
        errors[s] = relative_error(in->ours + 3 * sample(in, s), in->expected + 3 * s);
    qsort(errors, n, sizeof *errors, bench_by_value);
    if (!(errors[n / 2] <= tolerance && errors[n - 1 - n / 100] <= 10 * tolerance))
        bench_fail(in->b, "%s: WRONG RESULT: relative errors of %.2g (median) and %.2g (99 %%) against double", variant,
                   errors[n / 2], errors[n - 1 - n / 100]);
    return errors[n - 1];
}

double nbody_check_peer(const nbody_input *in, const char *variant, bool dbl)
{
    const double plain_sums = 1e-4; /* all sources in one float */

    for (size_t i = 0; i < 3 * in->n; i++)
        in->ours[3 * (i % in->n) + i / in->n] = dbl ? in->peers_double[i] : (double)in->peers[i];
    return nbody_check(in, variant, dbl ? NBODY_DOUBLE : plain_sums);
}
