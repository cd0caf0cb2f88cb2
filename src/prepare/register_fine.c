/*
 * Shifts to parts of a pixel: the correlation coefficient over the overlap at 3 x 3 whole shifts, and the maximum of
 * the quadratic in its logarithm. Rounds after the first leave out the pixels that fit worst, which are dust that
 * stayed where it was.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prepare/register.h"

enum { MOVES = 3, TURNED_MOVES = 8, ROUNDS = 3, TRIAL_SUMS = 9 * 6, MIDDLE = 4 };
#define CLIP       3.0  /* residual standard deviations */
#define LEAST      16.0 /* an overlap of one part in so many of the frame */
#define LEAST_REST 1e-4 /* of the variance: what is left of a frame that fits, so that rounding is not dust */
#define PI         3.14159265358979323846
#define NOT_FOUND  (-1.0)

/* A frame on its way. */
typedef struct {
    prepare_trial trial;
    double total[TRIAL_SUMS], r[9];
    double px, py, top;
    size_t asked; /* number of its last trial */
    bool open;    /* there is more to do */
    bool moved;   /* its last trial was the better one */
} course;

typedef struct {
    prepare_sums *sums;
    penta_buffer *f, *f_mask, *g, *g_mask;
    size_t tiles;
    double least; /* pixels */
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

/* Of the trials of a course that with the largest coefficient stays. */
static void keep_better(course *c, const prepare_trial *trial, const double *total, double least)
{
    double r[9];

    prepare_coefficients(total, least, r);
    if (c->r[MIDDLE] >= r[MIDDLE] || isnan(r[MIDDLE]))
        return;
    c->moved = true;
    c->trial = *trial;
    memcpy(c->total, total, sizeof c->total);
    memcpy(c->r, r, sizeof c->r);
}

/* Sums what was asked for. anew: what was summed before does not compete. */
static penta_status answer(summing *w, bool anew)
{
    penta_status status = PENTA_OK;
    double total[TRIAL_SUMS];

    TRY(prepare_sums_run(w->sums, w->f, w->f_mask, w->g, w->g_mask, w->trials, w->trial, w->tile_sums));
    for (size_t t = 0; t < w->trials && anew; t++)
        w->of[t]->r[MIDDLE] = NAN;
    for (size_t t = 0; t < w->trials; t++) {
        const float *sums = w->tile_sums + t * w->tiles * TRIAL_SUMS;

        memset(total, 0, sizeof total);
        for (size_t i = 0; i < w->tiles * TRIAL_SUMS; i++)
            total[i % TRIAL_SUMS] += (double)sums[i];
        keep_better(w->of[t], &w->trial[t], total, w->least);
    }
cleanup:
    w->trials = 0;
    return status;
}

static void ask_candidates(summing *w, course *c, const prepare_match *m)
{
    c->open = m->at.count > 0;
    c->r[MIDDLE] = NAN;
    for (int k = 0; k < m->at.count; k++)
        ask(w, c,
            (prepare_trial){.frame = m->frame,
                            .dx = (float)m->at.x[k],
                            .dy = (float)m->at.y[k],
                            .angle = (float)(m->drift.angle * PI / 180),
                            .b = 1,
                            .limit = INFINITY});
}

/* Asks for the neighbouring shift that fits better; false where there is none. */
static bool ask_move(summing *w, course *c)
{
    prepare_trial next = c->trial;
    int best = MIDDLE;

    for (int k = 0; k < 9; k++)
        if (c->r[k] > c->r[best])
            best = k;
    if (!c->open || !c->moved || best == MIDDLE)
        return false;
    c->moved = false;
    next.dx += (float)(best % 3 - 1);
    next.dy += (float)(best / 3 - 1);
    ask(w, c, next);
    return true;
}

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

static penta_status find_whole(summing *w, size_t n, course *courses, const prepare_match *match)
{
    penta_status status = PENTA_OK;
    bool turned = false;

    for (size_t i = 0; i < n; i++) {
        ask_candidates(w, &courses[i], &match[i]);
        turned = turned || match[i].drift.angle != 0;
    }
    TRY(answer(w, false));
    for (int move = 0; move < (turned ? TURNED_MOVES : MOVES); move++) {
        bool any = false;

        for (size_t i = 0; i < n; i++)
            any = ask_move(w, &courses[i]) || any;
        if (!any)
            break;
        TRY(answer(w, false));
    }
cleanup:
    return status;
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
            TRY(prepare_rigid_grows(shape, w->tile_sums + courses[i].asked * w->tiles * TRIAL_SUMS, &match[i].grows));
cleanup:
    return status;
}

static penta_status find_parts(summing *w, size_t n, course *courses, prepare_match *match)
{
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < n; i++) {
        course *c = &courses[i];

        c->px = c->py = 0;
        c->top = isnan(c->r[MIDDLE]) ? NOT_FOUND : c->r[MIDDLE];
        take_peak(c);
        match[i].drift.score = fmin(c->top, 1); /* the fit may go beyond */
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < n; i++)
            if (courses[i].open)
                ask_clipped(w, &courses[i]);
        TRY(answer(w, true));
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
    size_t trials = n * PREPARE_CANDIDATES;
    size_t tiles_x = (shape->width + PREPARE_TILE - 1) / PREPARE_TILE;
    size_t tiles_y = (shape->height + PREPARE_TILE - 1) / PREPARE_TILE;
    summing w = {.sums = s, .f = f, .f_mask = f_mask, .g = g, .g_mask = g_mask, .tiles = tiles_x * tiles_y};
    course *courses = NULL;

    w.least = (double)shape->width * (double)shape->height / LEAST;
    TRY(penta_calloc(ctx, n, sizeof *courses, &courses));
    TRY(penta_calloc(ctx, trials, sizeof *w.trial, &w.trial));
    TRY(penta_calloc(ctx, trials, sizeof(course *), &w.of));
    TRY(penta_calloc(ctx, trials, w.tiles * TRIAL_SUMS * sizeof *w.tile_sums, &w.tile_sums));
    TRY(find_whole(&w, n, courses, match));
    TRY(find_parts(&w, n, courses, match));
    TRY(find_growth(&w, shape, n, courses, match));
cleanup:
    free(courses);
    release(&w);
    return status;
}
