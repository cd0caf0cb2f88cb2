/*
 * Shifts to parts of a pixel: the correlation coefficient over the overlap at 3 x 3 whole shifts, and the maximum of
 * the quadratic in its logarithm. Rounds after the first leave out the pixels that fit worst, which are dust that
 * stayed where it was.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prepare/register_parts.h"

enum { MOVES = 16, ROUNDS = 3, TRIAL_SUMS = 9 * 6, MIDDLE = 4 };
enum { BEYOND = 2 };     /* px that a shift may go beyond what the transforms may find, as they are that coarse */
#define CLIP       3.0   /* residual standard deviations */
#define LEAST      100.0 /* an overlap, without what is left out at the sides, of one part in so many of the frame */
#define LEAST_REST 1e-4  /* of the variance: what is left of a frame that fits, so that rounding is not dust */
#define PI         3.14159265358979323846
#define NOT_FOUND  (-1.0)
#define SURE       0.7 /* a coefficient beyond which no other place is asked for, */
#define POOR       0.5 /* and one below which a place is in doubt */
#define AS_GOOD    0.6 /* of the significance of another place: then none is known to be it */
#define APART      3.0 /* px between places, */
#define HILL       1.5 /* at least, and lengths over which the pattern is like itself */
#define CHANCE     5.0 /* standard deviations, of what has nothing in common, that a place must have */
#define LIKE       0.9 /* a coefficient that is enough however small the overlap is */

/* A place of a frame on its way to where it fits best. */
typedef struct {
    prepare_trial trial;
    double total[TRIAL_SUMS], r[9];
    double px, py, top;
    size_t asked; /* number of its last trial */
    int from;     /* of the nine shifts that where it came from; MIDDLE at first */
    bool open;    /* there is more to do */
} course;

typedef struct {
    prepare_sums *sums;
    penta_buffer *f, *f_mask, *g, *g_mask;
    size_t tiles;
    double least;          /* pixels */
    double most_x, most_y; /* of a shift */
    size_t trials;
    prepare_trial *trial; /* those to be summed now: room for all candidates */
    course **of;          /* whose they are */
    float *tile_sums;
} summing;

static void release(summing *w)
{
    free(w->trial);
    free((void *)w->of);
    free(w->tile_sums);
}

static void ask(summing *w, course *c, prepare_trial trial)
{
    c->asked = w->trials;
    w->trial[w->trials] = trial;
    w->of[w->trials++] = c;
}

/* Sums what was asked for. Of a course that has no coefficients there nothing changes but that it ends. */
static penta_status answer(summing *w)
{
    penta_status status = PENTA_OK;

    TRY(prepare_sums_run(w->sums, w->f, w->f_mask, w->g, w->g_mask, w->trials, w->trial, w->tile_sums));
    for (size_t t = 0; t < w->trials; t++) {
        const float *sums = w->tile_sums + t * w->tiles * TRIAL_SUMS;
        double total[TRIAL_SUMS] = {0}, r[9];
        course *c = w->of[t];

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

/* Asks for the likely candidates, or for the less likely ones. */
static void ask_candidates(summing *w, course *places, const prepare_match *m, bool likely)
{
    for (int k = 0; k < m->at.count; k++) {
        if (m->at.likely[k] != likely)
            continue;
        places[k] = (course){.from = MIDDLE};
        places[k].r[MIDDLE] = NAN;
        ask(w, &places[k],
            (prepare_trial){.frame = m->frame,
                            .dx = (float)m->at.x[k],
                            .dy = (float)m->at.y[k],
                            .angle = (float)(m->drift.angle * PI / 180),
                            .b = 1,
                            .limit = INFINITY});
    }
}

/* The shift that fits best among the nine of a course. */
static int best_of(const summing *w, const course *c)
{
    int best = MIDDLE;

    for (int k = 0; k < 9; k++)
        if (c->r[k] > c->r[best] && fabs((double)c->trial.dx + k % 3 - 1) <= w->most_x &&
            fabs((double)c->trial.dy + k / 3 - 1) <= w->most_y)
            best = k;
    return best;
}

/* Asks for the neighbouring shift that fits better; false where there is none, or only that from which it came: of two
 * places that each send to the other, as the pixels that they compare differ, either will do. */
static bool ask_move(summing *w, course *c)
{
    prepare_trial next = c->trial;
    int best = c->open ? best_of(w, c) : MIDDLE;

    c->open = c->open && best != MIDDLE && best != c->from;
    if (!c->open)
        return false;
    c->from = 8 - best;
    next.dx += (float)(best % 3 - 1);
    next.dy += (float)(best / 3 - 1);
    ask(w, c, next);
    return true;
}

/* Courses to where they fit best. */
static penta_status walk(summing *w, size_t n, course *courses)
{
    penta_status status = PENTA_OK;

    TRY(answer(w));
    for (int move = 0; move < MOVES; move++) {
        bool any = false;

        for (size_t i = 0; i < n; i++)
            any = ask_move(w, &courses[i]) || any;
        if (!any)
            break;
        TRY(answer(w));
    }
    /* still on the way after so many moves: there is no match near */
    for (size_t i = 0; i < n; i++)
        if (courses[i].open && best_of(w, &courses[i]) != MIDDLE)
            courses[i].r[MIDDLE] = NAN;
cleanup:
    return status;
}

/* By how many standard deviations of a chance fit, up to a factor: a large coefficient of few pixels is no match yet.
 */
static double significance(const course *c)
{
    return c->r[MIDDLE] * sqrt(c->total[6 * MIDDLE]);
}

/* The most significant of the places of a frame; NULL: none was found. */
static course *choose(course *places, int count)
{
    course *best = NULL;

    for (int k = 0; k < count; k++)
        if (!isnan(places[k].r[MIDDLE]) && (!best || significance(&places[k]) > significance(best)))
            best = &places[k];
    return best;
}

/* The standard deviation of the significance of frames with nothing in common, which is the root of the area over which
 * the pattern is like itself, by how the coefficient falls to the sides. */
static double chance(const course *c)
{
    double here = log(c->r[MIDDLE]);
    double fall_x = here - 0.5 * (log(fmax(c->r[3], 1e-3)) + log(fmax(c->r[5], 1e-3)));
    double fall_y = here - 0.5 * (log(fmax(c->r[1], 1e-3)) + log(fmax(c->r[7], 1e-3)));

    return sqrt(PI / (2 * sqrt(fmax(fall_x, 1e-6) * fmax(fall_y, 1e-6))));
}

/* Another place of the frame, not on the same hill, fits about as well, and none fits well. */
static bool is_in_doubt(const course *best, const course *places, int count)
{
    double apart = fmax(APART, HILL * chance(best)), least = AS_GOOD * significance(best);

    for (int k = 0; k < count; k++)
        if (best->r[MIDDLE] < POOR && significance(&places[k]) > least &&
            hypot((double)places[k].trial.dx - (double)best->trial.dx,
                  (double)places[k].trial.dy - (double)best->trial.dy) > apart)
            return true;
    return false;
}

/* The places of n frames, PREPARE_CANDIDATES each. Those that the transforms found less likely are tried where the
 * first ones do not fit well. */
static penta_status find_whole(summing *w, size_t n, course *courses, const prepare_match *match)
{
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < n * PREPARE_CANDIDATES; i++)
        courses[i].r[MIDDLE] = NAN;
    for (size_t i = 0; i < n; i++)
        ask_candidates(w, courses + i * PREPARE_CANDIDATES, &match[i], true);
    TRY(walk(w, n * PREPARE_CANDIDATES, courses));
    for (size_t i = 0; i < n; i++) {
        course *places = courses + i * PREPARE_CANDIDATES, *best = choose(places, match[i].at.count);

        if (!best || best->r[MIDDLE] < SURE)
            ask_candidates(w, places, &match[i], false);
    }
    TRY(walk(w, n * PREPARE_CANDIDATES, courses));
cleanup:
    return status;
}

/* ---- parts of a pixel ---- */

/* The share of its variance that g keeps when it is interpolated linearly at p between pixels whose coefficients are
 * before, here, after. */
static double kept(double p, double before, double here, double after)
{
    double fall = (2 * here - before - after) / (2 * fabs(here)), a = fabs(p);

    return 1 - 2 * a * (1 - a) * fmin(fmax(fall, 0), 1);
}

/* The coefficient with g interpolated linearly at the peak, not divided by what the interpolation takes from g. */
static double between(const course *c)
{
    double across[3] = {fmax(-c->px, 0), 1 - fabs(c->px), fmax(c->px, 0)}, sum = 0;
    double down[3] = {fmax(-c->py, 0), 1 - fabs(c->py), fmax(c->py, 0)};

    for (int k = 0; k < 9; k++)
        sum += across[k % 3] * down[k / 3] * c->r[k];
    return sum;
}

/* The same trial without the pixels that are far from the regression of g on f. */
static void ask_clipped(summing *w, course *c)
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
    ask(w, c, next);
}

/* Where the last sums have a peak it replaces the one before. */
static void take_peak(course *c)
{
    double x, y, top;

    c->open = c->open && prepare_peak(c->r, &x, &y, &top);
    if (!c->open)
        return;
    c->px = x;
    c->py = y;
    c->top = top;
}

/* From the tiles' sums of the last round. */
static penta_status find_growth(const summing *w, const prepare_shape *shape, size_t n, const course *courses,
                                prepare_match *match)
{
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < n; i++)
        if (courses[i].open && match[i].drift.angle == 0)
            TRY(prepare_rigid_grows(w->f->ctx, shape, w->tile_sums + courses[i].asked * w->tiles * TRIAL_SUMS,
                                    &match[i].grows));
cleanup:
    return status;
}

/* Whether it, or a neighbouring place that fits better, is farther off than allowed. */
static bool is_beyond(const summing *w, const course *c)
{
    double most_x = w->most_x - BEYOND + 0.5, most_y = w->most_y - BEYOND + 0.5;
    bool beyond = fabs((double)c->trial.dx + c->px) > most_x || fabs((double)c->trial.dy + c->py) > most_y;

    for (int k = 0; k < 9; k++)
        if (c->r[k] > c->r[MIDDLE])
            beyond = beyond || fabs((double)c->trial.dx + k % 3 - 1) > w->most_x ||
                     fabs((double)c->trial.dy + k / 3 - 1) > w->most_y;
    return beyond;
}

/* The first round: where a frame is, if anywhere. */
static void judge(const summing *w, course *places, course *c, prepare_match *m)
{
    course *best = choose(places, m->at.count);
    double by_chance;

    *c = (course){.top = NOT_FOUND};
    if (best && best->r[MIDDLE] > 0 && !is_in_doubt(best, places, m->at.count)) {
        *c = *best;
        c->px = c->py = 0;
        c->open = true;
        c->top = c->r[MIDDLE];
        by_chance = CHANCE * chance(c) / sqrt(c->total[6 * MIDDLE]);
        take_peak(c);
        if ((!c->open && best_of(w, c) != MIDDLE) || is_beyond(w, c) || c->top < fmin(by_chance, LIKE)) {
            c->open = false;
            c->top = NOT_FOUND;
        }
    }
    m->drift.score = fmin(c->top, 1); /* the fit may go beyond */
}

static penta_status find_parts(summing *w, size_t n, course *courses, prepare_match *match)
{
    penta_status status = PENTA_OK;

    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < n; i++)
            if (courses[i].open)
                ask_clipped(w, &courses[i]);
        TRY(answer(w));
        for (size_t i = 0; i < n; i++)
            take_peak(&courses[i]);
    }
    for (size_t i = 0; i < n; i++) {
        match[i].drift.dx = (double)courses[i].trial.dx + courses[i].px;
        match[i].drift.dy = (double)courses[i].trial.dy + courses[i].py;
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
    course *courses = NULL, *chosen = NULL;

    w.least = (double)shape->width * (double)shape->height / LEAST;
    w.most_x = prepare_most_shift(shape->settings->o.max_drift, shape->width) + BEYOND;
    w.most_y = prepare_most_shift(shape->settings->o.max_drift, shape->height) + BEYOND;
    TRY(penta_calloc(ctx, places, sizeof *courses, &courses));
    TRY(penta_calloc(ctx, n, sizeof *chosen, &chosen));
    TRY(penta_calloc(ctx, places, sizeof *w.trial, &w.trial));
    TRY(penta_calloc(ctx, places, sizeof(course *), &w.of));
    TRY(penta_calloc(ctx, places, w.tiles * TRIAL_SUMS * sizeof *w.tile_sums, &w.tile_sums));
    TRY(find_whole(&w, n, courses, match));
    for (size_t i = 0; i < n; i++)
        judge(&w, courses + i * PREPARE_CANDIDATES, &chosen[i], &match[i]);
    TRY(find_parts(&w, n, chosen, match));
    TRY(find_growth(&w, shape, n, chosen, match));
cleanup:
    free(courses);
    free(chosen);
    release(&w);
    return status;
}
