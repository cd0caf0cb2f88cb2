/* The formulas of cl/optmap/literal_traces.cl, literal_spectra.cl and literal_search.cl with -DPHASE, in double. */
#include "optmap/literal_host.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double complex number;

static const double pi = 3.14159265358979323846;

typedef struct {
    const literal_state *s;
    const optmap_traces *band;
    size_t bins;     /* frequencies within the camera's band */
    number *turns;   /* exp(-2 pi i k / z), k < z / 2 */
    number *spectra; /* pixels x bins */
    int32_t *shifts;
} job;

/* ---- transforms ---- */

static void reorder(number *x, size_t n)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n / 2;

        for (; j & bit; bit /= 2)
            j ^= bit;
        j |= bit;
        if (i < j) {
            number swap = x[i];

            x[i] = x[j];
            x[j] = swap;
        }
    }
}

/* In place, a power of two; back: the conjugate factors. Not scaled. */
static void transform(const job *j, number *x, bool back)
{
    size_t n = j->s->sizes.z;

    reorder(x, n);
    for (size_t half = 1; half < n; half *= 2)
        for (size_t first = 0; first < n; first += 2 * half)
            for (size_t k = 0; k < half; k++) {
                number turn = j->turns[k * (n / (2 * half))], *at = x + first + k;
                number far = at[half] * (back ? conj(turn) : turn);

                at[half] = at[0] - far;
                at[0] += far;
            }
}

/* ---- spectra ---- */

/* Sample i of a trace, continued by repeated odd reflection about its first and last sample. */
static double sample(const double *v, int frames, int i)
{
    double sum = 0, sign = 1;

    while (i < 0 || i >= frames) {
        int about = i < 0 ? 0 : frames - 1;

        sum += sign * 2 * v[about];
        sign = -sign;
        i = 2 * about - i;
    }
    return sum + sign * v[i];
}

/* Interpolates v less its mean. */
static void interpolate(const literal_state *s, const double *v, double mean, number *y)
{
    const optmap_filter *f = s->shape.filter;
    int frames = (int)s->shape.frames;

    for (int j = 0; j < frames * f->interp; j++) {
        const double *w = f->weights + j % f->interp * f->length;
        double sum = 0;

        for (int k = 0; k < f->length; k++)
            sum += w[k] * (sample(v, frames, j / f->interp + f->first + k) - mean);
        y[j] = sum;
    }
}

static bool fill_spectrum(void *data, size_t pixel)
{
    const job *j = data;
    const literal_state *s = j->s;
    number *work, *out = j->spectra + pixel * j->bins;

    if (!j->band->host.valid[pixel])
        return true;
    work = calloc(s->sizes.z, sizeof *work);
    if (!work)
        return false;
    interpolate(s, j->band->host.v + pixel * s->shape.pitch, j->band->host.mean[pixel], work);
    transform(j, work, false);
    for (size_t k = 0; k < j->bins; k++)
        out[k] = cabs(work[k]) > 0 ? work[k] / cabs(work[k]) : 0;
    free(work);
    return true;
}

/* ---- pairs ---- */

static bool has_result(const job *j, long x, long y)
{
    const literal_state *s = j->s;
    long r = s->shape.options->border == PENTA_OPTMAP_FULL ? s->shape.options->window / 2 : 0;

    return x >= r && y >= r && x + r < (long)s->shape.width && y + r < (long)s->shape.height;
}

/* The neighbour of the pixel at x, y of the movie as a pixel of the band; -1: the pair has no shift. */
static long partner(const job *j, long x, long y, long k)
{
    long window = j->s->shape.options->window, width = (long)j->s->shape.width;
    long u = x + k % window - window / 2, v = y + k / window - window / 2, q;

    if (u < 0 || v < 0 || u >= width || v >= (long)j->s->shape.height)
        return -1;
    q = (v - (long)j->band->first) * width + u;
    return j->band->host.valid[q] ? q : -1;
}

/* Lag of the largest value; of values within `tie` of one another the first in the order 0, 1, .., -2, -1. */
static int32_t search(const job *j, const number *c, bool imaginary, double tie)
{
    long z = (long)j->s->sizes.z, most = (long)j->s->sizes.most, at = 0;
    double best = -INFINITY;

    for (long place = 0; place < 2 * most + 1; place++) {
        long lag = place <= most ? place : place - (2 * most + 1);
        number value = c[lag & (z - 1)];
        double here = imaginary ? cimag(value) : creal(value);

        if (here > best + tie)
            at = lag;
        best = fmax(best, here);
    }
    return (int32_t)at;
}

/* Adds conj(P) Q, times 1 or i, to both halves of the transform of a real correlation. */
static void add_pair(const job *j, const number *p, const number *q, number unit, number *work)
{
    size_t z = j->s->sizes.z;

    for (size_t k = 0; k < j->bins; k++) {
        number product = conj(p[k]) * q[k];

        work[k] += unit * product;
        if (k > 0 && k < z / 2)
            work[z - k] += unit * conj(product);
    }
}

/* Two neighbours of a pixel in one transform. */
static void correlate(const job *j, const number *p, const long *q, number *work, int32_t **out)
{
    double tie = 1e-12 * (double)j->s->sizes.z / j->s->shape.options->interp;

    memset(work, 0, j->s->sizes.z * sizeof *work);
    for (int i = 0; i < 2; i++)
        if (q[i] >= 0)
            add_pair(j, p, j->spectra + (size_t)q[i] * j->bins, i ? (number)I : 1, work);
    transform(j, work, true);
    for (int i = 0; i < 2; i++)
        if (q[i] >= 0)
            *out[i] = search(j, work, i == 1, tie);
}

static bool correlate_pixel(void *data, size_t result)
{
    const job *j = data;
    const literal_state *s = j->s;
    size_t width = s->shape.width, neighbours = s->sizes.neighbours, own = neighbours / 2;
    long x = (long)(result % width), y = (long)(result / width + j->band->from);
    size_t p = ((size_t)y - j->band->first) * width + (size_t)x;
    int32_t *out = j->shifts + result * neighbours;
    number *work;

    for (size_t k = 0; k < neighbours; k++)
        out[k] = INT32_MIN;
    if (!j->band->host.valid[p] || !has_result(j, x, y))
        return true;
    work = calloc(s->sizes.z, sizeof *work);
    if (!work)
        return false;
    out[own] = 0;
    for (size_t k = 0; k < own; k++) { /* neighbours before and after the pixel, in the same places from it */
        long q[2] = {partner(j, x, y, (long)k), partner(j, x, y, (long)(own + 1 + k))};

        if (q[0] >= 0 || q[1] >= 0)
            correlate(j, j->spectra + p * j->bins, q, work, (int32_t *[]){out + k, out + own + 1 + k});
    }
    free(work);
    return true;
}

/* ---- the band ---- */

static penta_status run_pieces(job *j)
{
    penta_context *ctx = j->s->resources.ctx;
    size_t pixels = literal_pixels(j->s, j->band), results = literal_results(j->s, j->band);

    if (penta_parallel_until(pixels, fill_spectrum, j) < pixels ||
        penta_parallel_until(results, correlate_pixel, j) < results)
        return penta_fail(ctx, PENTA_MEMORY, "out of memory for transforms of %zu numbers", j->s->sizes.z);
    return PENTA_OK;
}

penta_status literal_host_run(literal_state *s, const optmap_traces *band, penta_buffer *shifts)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = s->resources.ctx;
    size_t z = s->sizes.z, count = literal_results(s, band) * s->sizes.neighbours;
    job j = {.s = s, .band = band, .bins = z / (2 * (size_t)s->shape.options->interp) + 1};

    TRY(penta_calloc(ctx, z / 2, sizeof *j.turns, &j.turns));
    for (size_t k = 0; k < z / 2; k++)
        j.turns[k] = cexp(-2 * pi * I * (double)k / (double)z);
    TRY(penta_calloc(ctx, literal_pixels(s, band), j.bins * sizeof *j.spectra, &j.spectra));
    TRY(penta_calloc(ctx, count, sizeof *j.shifts, &j.shifts));
    TRY(run_pieces(&j));
    TRY(penta_buffer_write(shifts, 0, j.shifts, count * sizeof *j.shifts));
cleanup:
    free(j.turns);
    free(j.spectra);
    free(j.shifts);
    return status;
}
