/*
 * Finds alternative shifts that fit a frame as well as the one found. A regular pattern fits wherever it has moved by
 * its periods. The periods are found once, in the autocorrelation of the key; each frame is then tried at them.
 */
#include <math.h>
#include <stdlib.h>

#include "prepare/register_parts.h"

enum { TRIAL_SUMS = 9 * 6, MIDDLE = 4, MOVES = 6, BEYOND = 2 };
#define LEAST     100.0 /* least overlap: the frame's area divided by this */
#define APART     3.0   /* px, least distance between positions */
#define HILL      1.5   /* least distance, in correlation lengths */
#define ALIKE     0.25  /* least coefficient of the key with itself at a period */
#define AS_GOOD   0.85  /* an alternative needs this fraction of the found coefficient, */
#define LACKS     1.5   /* and lacks at most this times what the found one lacks to 1, */
#define LACKS_TOO 0.02  /* plus this, the loss that dust causes at alternatives, because it does not move */
#define PI        3.14159265358979323846

/* A hill climb of a shift to where it fits best. */
typedef struct {
    prepare_trial trial;
    double r[9], top, pixels;
    double x, y; /* position of the peak, px */
    bool settled;
} place;

typedef struct {
    const prepare_pair *of;
    const prepare_shape *shape;
    size_t tiles;
    prepare_trial *trial; /* room for all places */
    size_t *whose;
    float *sums;
} trying;

static void release(trying *t)
{
    free(t->trial);
    free(t->whose);
    free(t->sums);
}

static penta_status open_trying(penta_context *ctx, const prepare_pair *of, const prepare_shape *shape, size_t n,
                                trying *t)
{
    penta_status status = PENTA_OK;
    size_t tiles_x = (shape->width + PREPARE_TILE - 1) / PREPARE_TILE;
    size_t tiles_y = (shape->height + PREPARE_TILE - 1) / PREPARE_TILE;

    *t = (trying){.of = of, .shape = shape, .tiles = tiles_x * tiles_y};
    TRY(penta_calloc(ctx, n, sizeof *t->trial, &t->trial));
    TRY(penta_calloc(ctx, n, sizeof *t->whose, &t->whose));
    TRY(penta_calloc(ctx, n * t->tiles, TRIAL_SUMS * sizeof *t->sums, &t->sums));
cleanup:
    return status;
}

/* Computes the coefficients of the places that are not settled. */
static penta_status sum_places(trying *t, size_t n, place *places)
{
    penta_status status = PENTA_OK;
    size_t count = 0;
    double least = (double)t->shape->width * (double)t->shape->height / LEAST;

    for (size_t i = 0; i < n; i++)
        if (!places[i].settled) {
            t->trial[count] = places[i].trial;
            t->whose[count++] = i;
        }
    if (count == 0)
        return PENTA_OK;
    TRY(prepare_sums_run(t->of->sums, t->of->f, t->of->f_mask, t->of->g, t->of->g_mask, count, t->trial, t->sums));
    for (size_t i = 0; i < count; i++) {
        double total[TRIAL_SUMS] = {0};
        place *p = &places[t->whose[i]];

        for (size_t k = 0; k < t->tiles * TRIAL_SUMS; k++)
            total[k % TRIAL_SUMS] += (double)t->sums[i * t->tiles * TRIAL_SUMS + k];
        prepare_coefficients(total, least, p->r);
        p->pixels = total[6 * MIDDLE];
    }
cleanup:
    return status;
}

/* Moves a place to the best neighbouring shift, or settles it; top stays NaN if there is no peak. */
static void move(place *p)
{
    int best = MIDDLE;
    double x, y;

    p->top = NAN;
    for (int k = 0; k < 9; k++)
        if (p->r[k] > p->r[best])
            best = k;
    if (best != MIDDLE) {
        p->trial.dx += (float)(best % 3 - 1);
        p->trial.dy += (float)(best / 3 - 1);
        return;
    }
    p->settled = true;
    if (prepare_peak(p->r, &x, &y, &p->top)) {
        p->x = (double)p->trial.dx + x;
        p->y = (double)p->trial.dy + y;
    }
}

/* Moves places to local maxima; a place that does not reach one gets top NaN. */
static penta_status settle(penta_context *ctx, const prepare_pair *of, const prepare_shape *shape, size_t n,
                           place *places)
{
    penta_status status = PENTA_OK;
    trying t;

    TRY(open_trying(ctx, of, shape, n, &t));
    for (int i = 0; i < MOVES; i++) {
        TRY(sum_places(&t, n, places));
        for (size_t k = 0; k < n; k++)
            if (!places[k].settled)
                move(&places[k]);
    }
cleanup:
    release(&t);
    return status;
}

/* Half-widths of the hill around a place, from the fall of the coefficient to the sides; stripes give a long hill. */
static void hill_of(const place *p, double *x, double *y)
{
    double here = log(fmax(p->r[MIDDLE], 1e-3));
    double fall_x = here - 0.5 * (log(fmax(p->r[3], 1e-3)) + log(fmax(p->r[5], 1e-3)));
    double fall_y = here - 0.5 * (log(fmax(p->r[1], 1e-3)) + log(fmax(p->r[7], 1e-3)));

    *x = fmax(APART, HILL * sqrt(PI / (2 * fmax(fall_x, 1e-6))));
    *y = fmax(APART, HILL * sqrt(PI / (2 * fmax(fall_y, 1e-6))));
}

static double away(const place *p, const place *from)
{
    return hypot(p->x - from->x, p->y - from->y);
}

/* Whether p is on the hill of others[0], or at one of the other n - 1 places. */
static bool is_at(const place *p, size_t n, const place *others)
{
    double hill_x, hill_y;

    hill_of(&others[0], &hill_x, &hill_y);
    if (hypot((p->x - others[0].x) / hill_x, (p->y - others[0].y) / hill_y) < 1)
        return true;
    for (size_t i = 1; i < n; i++)
        if (away(p, &others[i]) < APART)
            return true;
    return false;
}

/* Moves the places that fit to the front, nearest to the first one first; returns their number, with the first. */
static size_t sort_out(size_t n, place *places, double least)
{
    size_t kept = 1;

    for (size_t i = 1; i < n; i++) {
        place p = places[i];
        size_t at;

        if (!(p.top >= least) || is_at(&p, kept, places))
            continue;
        for (at = kept++; at > 1 && away(&places[at - 1], places) > away(&p, places); at--)
            places[at] = places[at - 1];
        places[at] = p;
    }
    return kept;
}

penta_status prepare_periods_find(penta_context *ctx, const prepare_pair *of, const prepare_shape *shape,
                                  const prepare_candidates *at, prepare_periods *out)
{
    penta_status status = PENTA_OK;
    size_t n = (size_t)at->count + 1, count;
    place *places = NULL;

    out->count = 0;
    if (at->count == 0)
        return PENTA_OK;
    TRY(penta_calloc(ctx, n, sizeof *places, &places));
    for (size_t i = 0; i < n; i++)
        places[i].trial = (prepare_trial){
            .dx = i > 0 ? (float)at->x[i - 1] : 0, .dy = i > 0 ? (float)at->y[i - 1] : 0, .b = 1, .limit = INFINITY};
    TRY(settle(ctx, of, shape, n, places));
    count = isnan(places[0].top) ? 1 : sort_out(n, places, ALIKE);
    for (size_t i = 1; i < count && out->count < PENTA_DRIFT_OTHERS; i++) {
        out->x[out->count] = places[i].x;
        out->y[out->count++] = places[i].y;
    }
cleanup:
    free(places);
    return status;
}

/* Whether max_drift allows a shift. */
static bool is_allowed(const prepare_shape *shape, double x, double y)
{
    int most = shape->settings->o.max_drift;

    return fabs(x) <= prepare_most_shift(most, shape->width) + 0.5 &&
           fabs(y) <= prepare_most_shift(most, shape->height) + 0.5;
}

penta_status prepare_periods_try(const prepare_pair *of, const prepare_shape *shape, const prepare_periods *periods,
                                 int frame, double grow, penta_drift *drift)
{
    penta_status status = PENTA_OK;
    place places[PENTA_DRIFT_OTHERS + 1] = {0};
    double a = drift->angle * PI / 180, c = (1 + grow) * cos(a), s = (1 + grow) * sin(a), lacks;
    bool whole = drift->angle == 0 && grow == 0;
    size_t n = 1, count;

    for (size_t i = 0; i <= periods->count; i++) {
        double x = i > 0 ? periods->x[i - 1] : 0, y = i > 0 ? periods->y[i - 1] : 0;
        double dx = drift->dx + c * x - s * y, dy = drift->dy + s * x + c * y;

        if (i > 0 && !is_allowed(shape, dx, dy))
            continue;
        places[i > 0 ? n++ : 0].trial = (prepare_trial){.frame = frame,
                                                        .dx = (float)(whole ? round(dx) : dx),
                                                        .dy = (float)(whole ? round(dy) : dy),
                                                        .angle = (float)a,
                                                        .grow = (float)grow,
                                                        .b = 1,
                                                        .limit = INFINITY};
    }
    if (n < 2)
        return PENTA_OK;
    TRY(settle(of->f->ctx, of, shape, n, places));
    if (isnan(places[0].top))
        return PENTA_OK;
    lacks = LACKS * (1 - fmin(places[0].top, 1)) + LACKS_TOO;
    count = sort_out(n, places, fmax(AS_GOOD * places[0].top, 1 - lacks));
    drift->others = count - 1;
    for (size_t i = 1; i < count; i++) {
        drift->other_dx[i - 1] = places[i].x;
        drift->other_dy[i - 1] = places[i].y;
    }
cleanup:
    return status;
}
