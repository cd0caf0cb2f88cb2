/*
 * Subpixel shifts: the correlation coefficient over the overlap at 3 x 3 whole-pixel shifts, and the maximum of a
 * quadratic fitted to its logarithm. Rounds after the first leave out the pixels that fit worst: dust that did not
 * move.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prepare/register_parts.h"

enum { MOVES = 16, ROUNDS = 3, TRIAL_SUMS = 9 * 6, MIDDLE = 4 };
enum { BEYOND = 2 };     /* px: candidates of the transforms are this coarse, so a shift may exceed the limit by this */
#define CLIP       3.0   /* clip limit, residual standard deviations */
#define LEAST      100.0 /* least overlap, without the sides left out: the frame's area divided by this */
#define LEAST_REST 1e-4  /* least residual variance, relative, so that rounding does not count as dust */
#define PI         3.14159265358979323846
#define NOT_FOUND  (-1.0)
#define SURE       0.7 /* at this coefficient or above, skip the less likely candidates */
#define POOR       0.5 /* below this coefficient a position may be ambiguous */
#define AS_GOOD    0.6 /* fraction of the best significance at which another position makes it ambiguous */
#define APART      3.0 /* px, least distance between positions */
#define HILL       1.5 /* least distance, in correlation lengths */
#define CHANCE     5.0 /* standard deviations of a chance match that a position must reach */
#define LIKE       0.9 /* a coefficient that suffices for any overlap */

/* A hill climb of a frame's coefficient over shifts, from one candidate. */
typedef struct {
    prepare_trial trial;
    double total[TRIAL_SUMS], r[9];
    double px, py, top;
    size_t last_trial; /* index of its last trial */
    int came_from;     /* shift of the nine from which it came; MIDDLE at first */
    bool open;         /* not finished */
} climb;

typedef struct {
    prepare_sums *sums;
    penta_buffer *f, *f_mask, *g, *g_mask;
    size_t tiles;
    double least;          /* least overlap, pixels */
    double most_x, most_y; /* largest shift, px */
    size_t trials;
    prepare_trial *trial; /* queued trials: room for all candidates */
    climb **owner;        /* the climb of each trial */
    float *tile_sums;
} summing;

static void release(summing *w)
{
    free(w->trial);
    free((void *)w->owner);
    free(w->tile_sums);
}

static void queue_trial(summing *w, climb *c, prepare_trial trial)
{
    c->last_trial = w->trials;
    w->trial[w->trials] = trial;
    w->owner[w->trials++] = c;
}

/* Sums the queued trials. A climb without coefficients at its trial keeps its state and ends. */
static penta_status sum_queued(summing *w)
{
    penta_status status = PENTA_OK;

    TRY(prepare_sums_run(w->sums, w->f, w->f_mask, w->g, w->g_mask, w->trials, w->trial, w->tile_sums));
    for (size_t t = 0; t < w->trials; t++) {
        const float *sums = w->tile_sums + t * w->tiles * TRIAL_SUMS;
        double total[TRIAL_SUMS] = {0}, r[9];
        climb *c = w->owner[t];

        for (size_t i = 0; i < w->tiles * TRIAL_SUMS; i++)
            total[i % TRIAL_SUMS] += (double)sums[i];
        prepare_coefficients(total, w->least, r);
        c->open = !isnan(r[MIDDLE]);
        if (!c->open)
            continue;
        c->trial = w->trial[t];
        memcpy(c->total, total, sizeof total);
        memcpy(c->r, r, sizeof r);
    }
cleanup:
    w->trials = 0;
    return status;
}

/* ---- whole shifts ---- */

/* Queues the likely candidates, or the less likely ones. */
static void queue_candidates(summing *w, climb *places, const prepare_match *m, bool likely)
{
    for (int k = 0; k < m->at.count; k++) {
        if (m->at.likely[k] != likely)
            continue;
        places[k] = (climb){.came_from = MIDDLE};
        places[k].r[MIDDLE] = NAN;
        queue_trial(w, &places[k],
                    (prepare_trial){.frame = m->frame,
                                    .dx = (float)m->at.x[k],
                                    .dy = (float)m->at.y[k],
                                    .angle = (float)(m->drift.angle * PI / 180),
                                    .b = 1,
                                    .limit = INFINITY});
    }
}

/* The best of the nine shifts of a climb, among those allowed. */
static int best_of(const summing *w, const climb *c)
{
    int best = MIDDLE;

    for (int k = 0; k < 9; k++)
        if (c->r[k] > c->r[best] && fabs((double)c->trial.dx + k % 3 - 1) <= w->most_x &&
            fabs((double)c->trial.dy + k / 3 - 1) <= w->most_y)
            best = k;
    return best;
}

/* Queues the neighbouring shift that fits better. False if there is none, or if the climb came from it: two positions
 * can each prefer the other, because they compare different pixels, and either will do. */
static bool queue_move(summing *w, climb *c)
{
    prepare_trial next = c->trial;
    int best = c->open ? best_of(w, c) : MIDDLE;

    c->open = c->open && best != MIDDLE && best != c->came_from;
    if (!c->open)
        return false;
    c->came_from = 8 - best;
    next.dx += (float)(best % 3 - 1);
    next.dy += (float)(best / 3 - 1);
    queue_trial(w, c, next);
    return true;
}

/* Moves climbs to their local maxima. */
static penta_status climb_all(summing *w, size_t n, climb *climbs)
{
    penta_status status = PENTA_OK;

    TRY(sum_queued(w));
    for (int move = 0; move < MOVES; move++) {
        bool any = false;

        for (size_t i = 0; i < n; i++)
            any = queue_move(w, &climbs[i]) || any;
        if (!any)
            break;
        TRY(sum_queued(w));
    }
    /* not at a maximum after MOVES steps: no match near */
    for (size_t i = 0; i < n; i++)
        if (climbs[i].open && best_of(w, &climbs[i]) != MIDDLE)
            climbs[i].r[MIDDLE] = NAN;
cleanup:
    return status;
}

/* Proportional to the standard deviations above a chance match: a large coefficient of few pixels means little. */
static double significance(const climb *c)
{
    return c->r[MIDDLE] * sqrt(c->total[6 * MIDDLE]);
}

/* The most significant climb of a frame; NULL: none. */
static climb *choose(climb *places, int count)
{
    climb *best = NULL;

    for (int k = 0; k < count; k++)
        if (!isnan(places[k].r[MIDDLE]) && (!best || significance(&places[k]) > significance(best)))
            best = &places[k];
    return best;
}

/* Standard deviation of the significance of unrelated frames: the square root of the pattern's correlation area, from
 * how the coefficient falls to the sides. */
static double chance_deviation(const climb *c)
{
    double here = log(c->r[MIDDLE]);
    double fall_x = here - 0.5 * (log(fmax(c->r[3], 1e-3)) + log(fmax(c->r[5], 1e-3)));
    double fall_y = here - 0.5 * (log(fmax(c->r[1], 1e-3)) + log(fmax(c->r[7], 1e-3)));

    return sqrt(PI / (2 * sqrt(fmax(fall_x, 1e-6) * fmax(fall_y, 1e-6))));
}

/* Whether the best position fits poorly and another one, off its hill, fits about as well. */
static bool is_in_doubt(const climb *best, const climb *places, int count)
{
    double apart = fmax(APART, HILL * chance_deviation(best)), least = AS_GOOD * significance(best);

    for (int k = 0; k < count; k++)
        if (best->r[MIDDLE] < POOR && significance(&places[k]) > least &&
            hypot((double)places[k].trial.dx - (double)best->trial.dx,
                  (double)places[k].trial.dy - (double)best->trial.dy) > apart)
            return true;
    return false;
}

/* Runs the climbs of n frames, PREPARE_CANDIDATES each. Tries less likely candidates only where the likely ones do not
 * fit well. */
static penta_status find_whole(summing *w, size_t n, climb *climbs, const prepare_match *match)
{
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < n * PREPARE_CANDIDATES; i++)
        climbs[i].r[MIDDLE] = NAN;
    for (size_t i = 0; i < n; i++)
        queue_candidates(w, climbs + i * PREPARE_CANDIDATES, &match[i], true);
    TRY(climb_all(w, n * PREPARE_CANDIDATES, climbs));
    for (size_t i = 0; i < n; i++) {
        climb *places = climbs + i * PREPARE_CANDIDATES, *best = choose(places, match[i].at.count);

        if (!best || best->r[MIDDLE] < SURE)
            queue_candidates(w, places, &match[i], false);
    }
    TRY(climb_all(w, n * PREPARE_CANDIDATES, climbs));
cleanup:
    return status;
}

/* ---- subpixel shifts ---- */

/* Fraction of its variance that g keeps under linear interpolation at p; before, here, after: coefficients at adjacent
 * pixels. */
static double kept(double p, double before, double here, double after)
{
    double fall = (2 * here - before - after) / (2 * fabs(here)), a = fabs(p);

    return 1 - 2 * a * (1 - a) * fmin(fmax(fall, 0), 1);
}

/* The coefficient with g interpolated linearly at the peak, without correction for the variance that interpolation
 * removes. */
static double between(const climb *c)
{
    double across[3] = {fmax(-c->px, 0), 1 - fabs(c->px), fmax(c->px, 0)}, sum = 0;
    double down[3] = {fmax(-c->py, 0), 1 - fabs(c->py), fmax(c->py, 0)};

    for (int k = 0; k < 9; k++)
        sum += across[k % 3] * down[k / 3] * c->r[k];
    return sum;
}

/* Queues the same trial without the pixels far from the regression of g on f. */
static void queue_clipped(summing *w, climb *c)
{
    const double *s = c->total + 6 * MIDDLE;
    double n = s[0], mean_f = s[1] / n, mean_g = s[2] / n;
    double ff = s[3] / n - mean_f * mean_f, gg = s[4] / n - mean_g * mean_g, r = between(c);
    double left = kept(c->px, c->r[3], c->r[4], c->r[5]) * kept(c->py, c->r[1], c->r[4], c->r[7]) - r * r;
    double slope = r * sqrt(gg / ff);
    prepare_trial next = c->trial;

    next.px = (float)c->px;
    next.py = (float)c->py;
    next.b = (float)slope;
    next.a = (float)(mean_g - slope * mean_f);
    next.limit = (float)(CLIP * sqrt(fmax(left, LEAST_REST) * gg));
    queue_trial(w, c, next);
}

/* Takes the peak of the last sums, if there is one. */
static void take_peak(climb *c)
{
    double x, y, top;

    c->open = c->open && prepare_peak(c->r, &x, &y, &top);
    if (!c->open)
        return;
    c->px = x;
    c->py = y;
    c->top = top;
}

/* Sets match.grows from the tile sums of the last round. */
static penta_status find_growth(const summing *w, const prepare_shape *shape, size_t n, const climb *climbs,
                                prepare_match *match)
{
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < n; i++)
        if (climbs[i].open && match[i].drift.angle == 0)
            TRY(prepare_rigid_grows(w->f->ctx, shape, w->tile_sums + climbs[i].last_trial * w->tiles * TRIAL_SUMS,
                                    &match[i].grows));
cleanup:
    return status;
}

/* Whether the climb, or a better neighbouring shift, is beyond the largest allowed shift. */
static bool is_beyond(const summing *w, const climb *c)
{
    double most_x = w->most_x - BEYOND + 0.5, most_y = w->most_y - BEYOND + 0.5;
    bool beyond = fabs((double)c->trial.dx + c->px) > most_x || fabs((double)c->trial.dy + c->py) > most_y;

    for (int k = 0; k < 9; k++)
        if (c->r[k] > c->r[MIDDLE])
            beyond = beyond || fabs((double)c->trial.dx + k % 3 - 1) > w->most_x ||
                     fabs((double)c->trial.dy + k / 3 - 1) > w->most_y;
    return beyond;
}

/* Chooses the position of a frame, if any, after the first round. */
static void choose_place(const summing *w, climb *places, climb *c, prepare_match *m)
{
    climb *best = choose(places, m->at.count);
    double by_chance;

    *c = (climb){.top = NOT_FOUND};
    if (best && best->r[MIDDLE] > 0 && !is_in_doubt(best, places, m->at.count)) {
        *c = *best;
        c->px = c->py = 0;
        c->open = true;
        c->top = c->r[MIDDLE];
        by_chance = CHANCE * chance_deviation(c) / sqrt(c->total[6 * MIDDLE]);
        take_peak(c);
        if ((!c->open && best_of(w, c) != MIDDLE) || is_beyond(w, c) || c->top < fmin(by_chance, LIKE)) {
            c->open = false;
            c->top = NOT_FOUND;
        }
    }
    m->drift.score = fmin(c->top, 1); /* the fitted peak may exceed 1 */
}

static penta_status find_parts(summing *w, size_t n, climb *climbs, prepare_match *match)
{
    penta_status status = PENTA_OK;

    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < n; i++)
            if (climbs[i].open)
                queue_clipped(w, &climbs[i]);
        TRY(sum_queued(w));
        for (size_t i = 0; i < n; i++)
            take_peak(&climbs[i]);
    }
    for (size_t i = 0; i < n; i++) {
        match[i].drift.dx = (double)climbs[i].trial.dx + climbs[i].px;
        match[i].drift.dy = (double)climbs[i].trial.dy + climbs[i].py;
    }
cleanup:
    return status;
}

penta_status prepare_fine_run(penta_context *ctx, prepare_sums *s, const prepare_shape *shape, penta_buffer *f,
                              penta_buffer *f_mask, penta_buffer *g, penta_buffer *g_mask, size_t n,
                              prepare_match *match)
{
    penta_status status = PENTA_OK;
    size_t places = n * PREPARE_CANDIDATES;
    size_t tiles_x = (shape->width + PREPARE_TILE - 1) / PREPARE_TILE;
    size_t tiles_y = (shape->height + PREPARE_TILE - 1) / PREPARE_TILE;
    summing w = {.sums = s, .f = f, .f_mask = f_mask, .g = g, .g_mask = g_mask, .tiles = tiles_x * tiles_y};
    climb *climbs = NULL, *chosen = NULL;

    w.least = (double)shape->width * (double)shape->height / LEAST;
    w.most_x = prepare_most_shift(shape->settings->o.max_drift, shape->width) + BEYOND;
    w.most_y = prepare_most_shift(shape->settings->o.max_drift, shape->height) + BEYOND;
    TRY(penta_calloc(ctx, places, sizeof *climbs, &climbs));
    TRY(penta_calloc(ctx, n, sizeof *chosen, &chosen));
    TRY(penta_calloc(ctx, places, sizeof *w.trial, &w.trial));
    TRY(penta_calloc(ctx, places, sizeof(climb *), &w.owner));
    TRY(penta_calloc(ctx, places, w.tiles * TRIAL_SUMS * sizeof *w.tile_sums, &w.tile_sums));
    TRY(find_whole(&w, n, climbs, match));
    for (size_t i = 0; i < n; i++)
        choose_place(&w, climbs + i * PREPARE_CANDIDATES, &chosen[i], &match[i]);
    TRY(find_parts(&w, n, chosen, match));
    TRY(find_growth(&w, shape, n, chosen, match));
cleanup:
    free(climbs);
    free(chosen);
    release(&w);
    return status;
}
