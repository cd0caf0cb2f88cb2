/*
 * Rough growth of a frame's content, for frames that resemble the key little: the coefficient at growths of either sign
 * about the middle, with the shift fixed.
 */
#include <math.h>
#include <stdlib.h>

#include "prepare/register_parts.h"

enum { TRIAL_SUMS = 9 * 6, MIDDLE = 4, FINER = 2, NEAR = 3, FEW = 3, MOST_TRIALS = 256 };
#define MOST       0.1  /* largest growth */
#define STEP       0.5  /* step of growth: mean displacement of pixels, in correlation lengths */
#define BETTER     0.75 /* growth must reduce 1 - coefficient to less than this fraction */
#define QUITE_LIKE 0.7  /* above this coefficient, search only FEW steps */
#define SHALLOW    1e-3 /* a fall of the log coefficient over one pixel below this is rounding */

typedef struct {
    const prepare_pair *of;
    size_t tiles;
    double least; /* least overlap, pixels */
    const prepare_match *match;
    prepare_trial *trial; /* room for MOST_TRIALS */
    float *tile_sums;
    double *r; /* 9 per trial */
} scan;

/* Computes the coefficients at n growths from `from` on. */
static penta_status sum_growths(scan *s, size_t n, double from, double step)
{
    penta_status status = PENTA_OK;
    const penta_drift *d = &s->match->drift;

    for (size_t i = 0; i < n; i++)
        s->trial[i] = (prepare_trial){.frame = s->match->frame,
                                      .dx = (float)d->dx,
                                      .dy = (float)d->dy,
                                      .grow = (float)(from + (double)i * step),
                                      .b = 1,
                                      .limit = INFINITY};
    for (size_t i = 0; i < n; i++) /* a tiny growth instead of 0, so that all trials are interpolated alike */
        if (fabs((double)s->trial[i].grow) < 1e-7)
            s->trial[i].grow = 1e-7F;
    TRY(prepare_sums_run(s->of->sums, s->of->f, s->of->f_mask, s->of->g, s->of->g_mask, n, s->trial, s->tile_sums));
    for (size_t i = 0; i < n; i++) {
        const float *sums = s->tile_sums + i * s->tiles * TRIAL_SUMS;
        double total[TRIAL_SUMS] = {0};

        for (size_t k = 0; k < s->tiles * TRIAL_SUMS; k++)
            total[k % TRIAL_SUMS] += (double)sums[k];
        prepare_coefficients(total, s->least, s->r + 9 * i);
    }
cleanup:
    return status;
}

static size_t best_of(const scan *s, size_t n)
{
    size_t best = n / 2;

    for (size_t i = 0; i < n; i++)
        if (s->r[9 * i + MIDDLE] > s->r[9 * best + MIDDLE])
            best = i;
    return best;
}

/* Correlation length from the fall of the coefficient to the sides, px. */
static double correlation_length(const double *r)
{
    double sides = log(fmax(r[1], 1e-3)) + log(fmax(r[3], 1e-3)) + log(fmax(r[5], 1e-3)) + log(fmax(r[7], 1e-3));
    double fall = log(fmax(r[MIDDLE], 1e-3)) - sides / 4;

    return 1 / sqrt(2 * fmax(fall, SHALLOW));
}

/* Top of the parabola through three growths, in steps from the middle one. */
static double parabola_top(const double *r)
{
    double before = r[MIDDLE], here = r[9 + MIDDLE], after = r[18 + MIDDLE], bend = before - 2 * here + after;
    double part = bend < 0 ? 0.5 * (before - after) / bend : 0;

    return fabs(part) <= 1 ? part : 0; /* NaN gives 0 */
}

/* Refines a growth that is within one step of the maximum. */
static penta_status approach(scan *s, double step, double *grow)
{
    penta_status status = PENTA_OK;

    for (int i = 0; i < FINER; i++) {
        TRY(sum_growths(s, NEAR, *grow - step, step));
        *grow += parabola_top(s->r) * step;
        step /= 2;
    }
cleanup:
    return status;
}

static penta_status search(scan *s, double spread, double *grow)
{
    penta_status status = PENTA_OK;
    double step, without;
    size_t half, best;

    *grow = 0;
    TRY(sum_growths(s, 1, 0, 0));
    without = s->r[MIDDLE];
    if (!(without > 0))
        return PENTA_OK;
    step = fmax(STEP * correlation_length(s->r) / spread, 2 * MOST / (MOST_TRIALS - 1));
    half = without > QUITE_LIKE ? FEW : (size_t)ceil(MOST / step);
    half = half < (MOST_TRIALS - 1) / 2 ? half : (MOST_TRIALS - 1) / 2;
    TRY(sum_growths(s, 2 * half + 1, -(double)half * step, step));
    best = best_of(s, 2 * half + 1);
    if (!(1 - s->r[9 * best + MIDDLE] < BETTER * (1 - without)))
        return PENTA_OK;
    *grow = ((double)best - (double)half) * step;
    TRY(approach(s, step, grow));
cleanup:
    return status;
}

static penta_status open_scan(const prepare_pair *of, const prepare_shape *shape, const prepare_match *match, size_t n,
                              scan *s)
{
    penta_status status = PENTA_OK;
    size_t tiles_x = (shape->width + PREPARE_TILE - 1) / PREPARE_TILE;
    size_t tiles_y = (shape->height + PREPARE_TILE - 1) / PREPARE_TILE;

    *s = (scan){.of = of, .match = match, .tiles = tiles_x * tiles_y};
    s->least = (double)shape->width * (double)shape->height / 100;
    TRY(penta_calloc(of->f->ctx, n, sizeof *s->trial, &s->trial));
    TRY(penta_calloc(of->f->ctx, n * s->tiles, TRIAL_SUMS * sizeof *s->tile_sums, &s->tile_sums));
    TRY(penta_calloc(of->f->ctx, n, 9 * sizeof *s->r, &s->r));
cleanup:
    return status;
}

static void close_scan(scan *s)
{
    free(s->trial);
    free(s->tile_sums);
    free(s->r);
}

/* Root mean square distance from the middle along both axes, px. */
static double spread_of(const prepare_shape *shape)
{
    return sqrt(((double)shape->width * (double)shape->width + (double)shape->height * (double)shape->height) / 12);
}

penta_status prepare_grow_run(const prepare_pair *of, const prepare_shape *shape, const prepare_match *match,
                              double *grow)
{
    penta_status status = PENTA_OK;
    scan s;

    TRY(open_scan(of, shape, match, MOST_TRIALS, &s));
    TRY(search(&s, spread_of(shape), grow));
cleanup:
    close_scan(&s);
    return status;
}

penta_status prepare_grow_refine(const prepare_pair *of, const prepare_shape *shape, const prepare_match *match,
                                 double *grow)
{
    penta_status status = PENTA_OK;
    scan s;

    TRY(open_scan(of, shape, match, NEAR, &s));
    TRY(sum_growths(&s, 1, *grow, 0));
    TRY(approach(&s, STEP * correlation_length(s.r) / spread_of(shape), grow));
cleanup:
    close_scan(&s);
    return status;
}
