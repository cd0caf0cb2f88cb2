/*
 * Rough growth of a frame's content, for frames that resemble the key little: the coefficient at growths of either sign
 * about the middle, with the shift fixed.
 */
#include <math.h>

#include "prepare/register_parts.h"

enum { MIDDLE = 4, FINER = 2, NEAR = 3, FEW = 3, MOST_TRIALS = 256 };
#define MOST       0.1  /* largest growth */
#define STEP       0.5  /* step of growth: mean displacement of pixels, in correlation lengths */
#define BETTER     0.75 /* growth must reduce 1 - coefficient to less than this fraction */
#define QUITE_LIKE 0.7  /* above this coefficient, search only FEW steps */
#define SHALLOW    1e-3 /* a fall of the log coefficient over one pixel below this is rounding */

typedef struct {
    const prepare_pair *of;
    const prepare_match *match;
    double r[9 * MOST_TRIALS]; /* of the last trials */
} scan;

/* Computes the coefficients at n growths from `from` on. */
static penta_status sum_growths(scan *s, size_t n, double from, double step)
{
    prepare_trial trial[MOST_TRIALS];
    const penta_drift *d = &s->match->drift;

    for (size_t i = 0; i < n; i++) {
        float grow = (float)(from + (double)i * step);

        trial[i] = (prepare_trial){.frame = s->match->frame,
                                   .dx = (float)d->dx,
                                   .dy = (float)d->dy,
                                   .grow = fabsf(grow) < 1e-7F ? 1e-7F : grow, /* so that all are interpolated alike */
                                   .b = 1,
                                   .limit = INFINITY};
    }
    return prepare_sums_try(s->of, n, trial, s->r);
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

/* Root mean square distance from the middle along both axes, px. */
static double spread_of(const prepare_shape *shape)
{
    return sqrt(((double)shape->width * (double)shape->width + (double)shape->height * (double)shape->height) / 12);
}

penta_status prepare_grow_run(const prepare_pair *of, const prepare_shape *shape, const prepare_match *match,
                              double *grow)
{
    scan s = {.of = of, .match = match};

    return search(&s, spread_of(shape), grow);
}

penta_status prepare_grow_refine(const prepare_pair *of, const prepare_shape *shape, const prepare_match *match,
                                 double *grow)
{
    penta_status status = PENTA_OK;
    scan s = {.of = of, .match = match};

    TRY(sum_growths(&s, 1, *grow, 0));
    TRY(approach(&s, STEP * correlation_length(s.r) / spread_of(shape), grow));
cleanup:
    return status;
}
