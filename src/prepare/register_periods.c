/*
 * Finds alternative shifts that fit a frame as well as the one found. A regular pattern fits wherever it has moved by
 * its periods, and one that is the same all along a line anywhere along it. Periods and line are found once, in the
 * autocorrelation of the key; each frame is then tried at them.
 */
#include <math.h>
#include <string.h>

#include "prepare/register_parts.h"

enum { MIDDLE = 4, MOVES = 6, MOST_PLACES = PREPARE_CANDIDATES + 1 };
#define APART     3.0  /* px, least distance between positions */
#define HILL      1.5  /* least distance, in correlation lengths */
#define ALIKE     0.25 /* least coefficient of the key with itself at a period */
#define AS_GOOD   0.85 /* an alternative needs this fraction of the found coefficient, */
#define LACKS     1.5  /* and lacks at most this times what the found one lacks to 1, */
#define LACKS_TOO 0.02 /* plus this, the loss that dust causes at alternatives, because it does not move */
#define LINE      6.0  /* px along a line, beyond the noise of single pixels; */
#define SHARE     0.25 /* of the shorter side, to which the key is as much like itself as there */
#define PI        3.14159265358979323846

/* A hill climb of a shift to where it fits best. */
typedef struct {
    prepare_trial trial;
    double r[9], top;
    double x, y;           /* position of the peak, px */
    bool settled, on_line; /* on_line: does not climb, as it need not end on a maximum */
} place;

/* Computes the coefficients of the places that are not settled. */
static penta_status sum_places(const prepare_pair *of, size_t n, place *places)
{
    penta_status status = PENTA_OK;
    prepare_trial trial[MOST_PLACES];
    double r[9 * MOST_PLACES];
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        if (!places[i].settled)
            trial[count++] = places[i].trial;
    if (count > 0)
        TRY(prepare_sums_try(of, count, trial, r));
    for (size_t i = n; i > 0; i--)
        if (!places[i - 1].settled)
            memcpy(places[i - 1].r, r + 9 * --count, sizeof places->r);
cleanup:
    return status;
}

static int best_of(const double *r)
{
    int best = MIDDLE;

    for (int k = 0; k < 9; k++)
        if (r[k] > r[best])
            best = k;
    return best;
}

/* Moves a place to the best neighbouring shift, or settles it; top stays NaN if there is no peak. */
static void move(place *p)
{
    int best = best_of(p->r);
    double x, y;

    p->top = NAN;
    if (best != MIDDLE && !p->on_line) {
        p->trial.dx += (float)(best % 3 - 1);
        p->trial.dy += (float)(best / 3 - 1);
        return;
    }
    p->settled = true;
    if (p->on_line) {
        p->top = p->r[best];
        p->x = (double)p->trial.dx + best % 3 - 1;
        p->y = (double)p->trial.dy + best / 3 - 1;
    } else if (prepare_peak(p->r, &x, &y, &p->top)) {
        p->x = (double)p->trial.dx + x;
        p->y = (double)p->trial.dy + y;
    }
}

/* Moves places to local maxima; a place that does not reach one gets top NaN. */
static penta_status settle(const prepare_pair *of, size_t n, place *places)
{
    penta_status status = PENTA_OK;

    for (int i = 0; i < MOVES; i++) {
        TRY(sum_places(of, n, places));
        for (size_t k = 0; k < n; k++)
            if (!places[k].settled)
                move(&places[k]);
    }
cleanup:
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
    if (!p->on_line && hypot((p->x - others[0].x) / hill_x, (p->y - others[0].y) / hill_y) < 1)
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

/* Follows the direction in which the key falls off least; a line leads to where it is as much like itself as near. */
static penta_status find_line(const prepare_pair *of, const prepare_shape *shape, prepare_periods *out)
{
    penta_status status = PENTA_OK;
    double end = fmax(LINE, SHARE * (double)prepare_shorter_side(shape)), near = 0, angle, x, y;
    place p = {.trial = {.b = 1, .limit = INFINITY}};

    TRY(sum_places(of, 1, &p));
    angle = 0.5 * atan2((p.r[0] + p.r[8] - p.r[2] - p.r[6]) / 4, (p.r[3] + p.r[5] - p.r[1] - p.r[7]) / 2);
    x = cos(angle);
    y = sin(angle);
    for (double far = isfinite(angle) ? LINE : 2 * end; far <= end; far = far < end ? fmin(1.5 * far, end) : 2 * end) {
        int best;

        p.trial.dx = (float)round(far * x);
        p.trial.dy = (float)round(far * y);
        TRY(sum_places(of, 1, &p));
        best = best_of(p.r);
        if (!(p.r[best] >= fmax(ALIKE, AS_GOOD * near)))
            return PENTA_OK;
        near = near > 0 ? near : p.r[best];
        angle = atan2((double)p.trial.dy + best / 3 - 1, (double)p.trial.dx + best % 3 - 1);
        x = cos(angle);
        y = sin(angle);
    }
    if (near > 0)
        *out = (prepare_periods){2, true, {end * x, -end * x}, {end * y, -end * y}};
cleanup:
    return status;
}

penta_status prepare_periods_find(const prepare_pair *of, const prepare_shape *shape, const prepare_candidates *at,
                                  prepare_periods *out)
{
    penta_status status = PENTA_OK;
    size_t n = (size_t)at->count + 1, count;
    place places[MOST_PLACES] = {0};

    *out = (prepare_periods){0};
    TRY(find_line(of, shape, out));
    if (at->count == 0)
        return PENTA_OK;
    for (size_t i = 0; i < n; i++)
        places[i].trial = (prepare_trial){
            .dx = i > 0 ? (float)at->x[i - 1] : 0, .dy = i > 0 ? (float)at->y[i - 1] : 0, .b = 1, .limit = INFINITY};
    TRY(settle(of, n, places));
    count = isnan(places[0].top) ? 1 : sort_out(n, places, ALIKE);
    for (size_t i = 1; i < count && out->count < PENTA_DRIFT_OTHERS; i++) {
        out->x[out->count] = places[i].x;
        out->y[out->count++] = places[i].y;
    }
cleanup:
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

        bool on_line = periods->line && i <= 2;

        if (i > 0 && !on_line && !is_allowed(shape, dx, dy))
            continue;
        places[i > 0 ? n : 0].on_line = on_line;
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
    TRY(settle(of, n, places));
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
