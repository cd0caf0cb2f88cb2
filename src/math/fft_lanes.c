/* Radices, twiddles and digit-reversed order for cl/common/fft_lanes.clh. */
#include "math/fft_lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_RADIX = 2, MOST_RADIX = 10, PASS = FFT_LANES_STAGES / 2 /* stages of a pass */ };

/* Time of a stage per element by radix, and of a pass whose elements lie a multiple of 4 KB apart and so compete for
 * few cache lines: ns on one core with AVX-512 in double precision. Only their ratios matter. */
static const double stage_cost[MOST_RADIX + 1] = {0, 0, 0.25, 0.30, 0.30, 0.26, 0.35, 0.40, 0.41, 0.40, 0.38};
static const double conflict_cost = 0.25;
static const size_t conflict_step = 32;

typedef struct {
    int count, radix[FFT_LANES_STAGES]; /* descending */
    double cost;
} factors;

/* Tries every product of at most six radices <= most that equals rest. */
static void search(size_t rest, int most, factors *current, factors *best)
{
    if (rest == 1) {
        if (best->count == 0 || current->cost < best->cost)
            *best = *current;
        return;
    }
    if (current->count == FFT_LANES_STAGES)
        return;
    for (int r = most; r >= LEAST_RADIX; r--)
        if (rest % (size_t)r == 0) {
            current->radix[current->count++] = r;
            current->cost += stage_cost[r];
            search(rest / (size_t)r, r, current, best);
            current->cost -= stage_cost[r];
            current->count--;
        }
}

static size_t product(const int *factor, int count)
{
    size_t n = 1;

    for (int i = 0; i < count; i++)
        n *= (size_t)factor[i];
    return n;
}

/*
 * The strided pass (stages from a on) gets the smaller half of the factors, the contiguous one (up to f) the larger
 * half, which makes their tiles about equally long; the other way round if that avoids elements 4 KB apart.
 */
static void arrange(const factors *f, int *radix)
{
    int half = f->count / 2, rest = f->count - half;
    bool swap =
        half > 0 && product(f->radix, rest) % conflict_step == 0 && product(f->radix + rest, half) % conflict_step != 0;

    for (int i = 0; i < FFT_LANES_STAGES; i++)
        radix[i] = 1;
    for (int i = 0; i < f->count; i++) {
        bool large = i < rest;
        int at = large ? i : i - rest, count = large ? rest : half;

        radix[large != swap ? FFT_LANES_STAGES - count + at : at] = f->radix[i];
    }
}

bool fft_lanes_plan(size_t n, fft_lanes_length *out)
{
    factors current = {0}, best = {0};

    memset(out, 0, sizeof *out);
    if (n < LEAST_RADIX || n > FFT_LANES_MOST)
        return false;
    search(n, MOST_RADIX, &current, &best);
    if (best.count == 0)
        return false;
    out->n = n;
    arrange(&best, out->radix);
    if (out->radix[0] > 1 && product(out->radix + PASS, PASS) % conflict_step == 0)
        best.cost += conflict_cost;
    out->cost = best.cost * (double)n;
    return true;
}

size_t fft_lanes_twiddle_count(const fft_lanes_length *length)
{
    size_t m = length->n, count = 0;

    for (int s = 0; s < FFT_LANES_STAGES - 1; s++) {
        m /= (size_t)length->radix[s];
        count += m * (size_t)(length->radix[s] - 1);
    }
    return count;
}

/* exp(-2 pi i k / n), k < n, from an angle in the first octant. */
static void unit_root(size_t k, size_t n, double *re, double *im)
{
    const long double turn = 6.283185307179586476925286766559005768L;
    size_t whole = 8 * n, part = 8 * k;
    bool lower = part > whole / 2, left, steep;
    double c, s;

    if (lower)
        part = whole - part;
    left = part > whole / 4;
    if (left)
        part = whole / 2 - part;
    steep = part > whole / 8;
    if (steep)
        part = whole / 4 - part;
    c = (double)cosl(turn * (long double)part / (long double)whole);
    s = (double)sinl(turn * (long double)part / (long double)whole);
    *re = steep ? s : c;
    *im = steep ? c : s;
    if (left)
        *re = -*re;
    if (!lower)
        *im = -*im;
}

void fft_lanes_twiddles(const fft_lanes_length *length, double *out)
{
    size_t block = length->n;

    for (int s = 0; s < FFT_LANES_STAGES - 1; s++) {
        size_t radix = (size_t)length->radix[s], m = block / radix;

        for (size_t i = 0; i < m; i++)
            for (size_t q = 1; q < radix; q++, out += 2)
                unit_root(i * q % block, block, out, out + 1);
        block = m;
    }
}

size_t fft_lanes_position(const fft_lanes_length *length, size_t k)
{
    size_t m = length->n, position = 0;

    for (int s = 0; s < FFT_LANES_STAGES; s++) {
        size_t radix = (size_t)length->radix[s];

        m /= radix;
        position += k % radix * m;
        k /= radix;
    }
    return position;
}

penta_status fft_lanes_upload_twiddles(penta_context *ctx, const fft_lanes_length *length, bool dbl, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    size_t count = 2 * fft_lanes_twiddle_count(length);
    double *w = NULL;
    float *single = NULL;

    TRY(penta_calloc(ctx, count + 1, sizeof *w, &w));
    TRY(penta_calloc(ctx, count + 1, sizeof *single, &single));
    fft_lanes_twiddles(length, w);
    for (size_t i = 0; i < count; i++)
        single[i] = (float)w[i];
    TRY(penta_buffer_upload(ctx, dbl ? (const void *)w : single, count * (dbl ? sizeof *w : sizeof *single), out));
cleanup:
    free(single);
    free(w);
    return status;
}

penta_status fft_lanes_upload_order(penta_context *ctx, const fft_lanes_length *length, size_t count, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    size_t n = length->n;
    int32_t(*order)[2] = NULL;

    TRY(penta_calloc(ctx, count, sizeof *order, &order));
    for (size_t k = 0; k < count; k++) {
        order[k][0] = (int32_t)fft_lanes_position(length, k % n);
        order[k][1] = (int32_t)fft_lanes_position(length, (n - k % n) % n);
    }
    TRY(penta_buffer_upload(ctx, order, count * sizeof *order, out));
cleanup:
    free(order);
    return status;
}
