/* Star trails along a path of attitudes: short turns are joined into one piece, others are cut (turn.c). */
#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "stars/sky.h"
#include "stars/turn.h"

#define SMALL_TURN 0.02 /* rad: Simpson's rule is good enough for the mean of a trail outside the frame */

typedef struct {
    stars_pieces *pieces;
    const stars_frame *frame;
    const penta_camera *camera;
    const penta_attitude_path *path;
    const double *angle; /* rad, of each turn */
    double sum[2];       /* integral of the position over the time, px */
    /* the star at hand: its positions, px, at the path's attitudes and halfway between are x[k * stride] */
    size_t owner, stride;
    double ra, dec;
    const double *x, *y;
} cutter;

typedef struct {
    double x, y; /* NaN: no image */
} point;

/* Position 2 k is that at attitude k, 2 k + 1 that in the middle of turn k. */
static point position(const cutter *c, size_t k)
{
    return (point){c->x[k * c->stride], c->y[k * c->stride]};
}

static double length_of(const cutter *c, size_t k)
{
    return c->path->time[k + 1] - c->path->time[k];
}

static double distance(point a, point b)
{
    return hypot(b.x - a.x, b.y - a.y);
}

/* ---- one turn ---- */

/* px from the middle of a turn to the middle of its chord. */
static double sag(point a, point m, point b)
{
    return hypot((a.x + b.x) / 2 - m.x, (a.y + b.y) / 2 - m.y);
}

/* Whether one piece will do. False for NaN. */
static bool is_simple(const cutter *c, size_t turn)
{
    point a = position(c, 2 * turn), m = position(c, 2 * turn + 1), b = position(c, 2 * turn + 2);

    return distance(a, b) <= c->frame->longest && sag(a, m, b) <= stars_straight(c->frame);
}

/* By Simpson's rule. */
static point mean_of(const cutter *c, size_t turn)
{
    point a = position(c, 2 * turn), m = position(c, 2 * turn + 1), b = position(c, 2 * turn + 2);

    return (point){(a.x + 4 * m.x + b.x) / 6, (a.y + 4 * m.y + b.y) / 6};
}

static void add_sum(cutter *c, size_t turn)
{
    point mean = mean_of(c, turn);

    c->sum[0] += length_of(c, turn) * mean.x;
    c->sum[1] += length_of(c, turn) * mean.y;
}

/* False for NaN. */
static bool passes_by(const cutter *c, size_t turn)
{
    point a = position(c, 2 * turn), m = position(c, 2 * turn + 1), b = position(c, 2 * turn + 2);
    double reach = distance(a, m) + distance(m, b) + c->frame->roi, width = (double)c->frame->width,
           height = (double)c->frame->height;

    return c->angle[turn] <= SMALL_TURN && sag(a, m, b) <= 0.01 * distance(a, b) &&
           (fmax(fmax(a.x, b.x), m.x) < -reach || fmin(fmin(a.x, b.x), m.x) > width + reach ||
            fmax(fmax(a.y, b.y), m.y) < -reach || fmin(fmin(a.y, b.y), m.y) > height + reach);
}

static penta_status cut_turn(cutter *c, size_t turn)
{
    const penta_attitude *attitude = c->path->attitude + turn;
    const double *time = c->path->time + turn;
    stars_turn t = {.frame = c->frame,
                    .camera = c->camera,
                    .from = attitude,
                    .to = attitude + 1,
                    .angle = c->angle[turn],
                    .begin = time[0],
                    .end = time[1],
                    .ra = c->ra,
                    .dec = c->dec,
                    .owner = c->owner};

    if (!passes_by(c, turn) && !is_simple(c, turn))
        return stars_turn_cut(&t, c->pieces, c->sum);
    add_sum(c, turn);
    if (is_simple(c, turn)) {
        point a = position(c, 2 * turn), b = position(c, 2 * turn + 2), mean = mean_of(c, turn);

        return stars_pieces_add(c->pieces, c->frame, c->owner, mean.x, mean.y, b.x - a.x, b.y - a.y, time[1] - time[0]);
    }
    return PENTA_OK;
}

/* ---- several turns as one piece ---- */

typedef struct {
    double begin, time; /* of the exposure */
    point mean, motion;
} join;

/* The best straight line through turns first to last - 1: the mean, and the motion by least squares. */
static join fit_line(const cutter *c, size_t first, size_t last)
{
    join j = {.begin = c->path->time[first], .time = c->path->time[last] - c->path->time[first]};
    double middle = j.begin + j.time / 2, scale = 12 / (j.time * j.time);

    for (size_t k = first; k < last; k++) {
        point a = position(c, 2 * k), b = position(c, 2 * k + 2), mean = mean_of(c, k);
        double dt = length_of(c, k), t = c->path->time[k] + dt / 2 - middle;

        j.mean.x += mean.x * dt / j.time;
        j.mean.y += mean.y * dt / j.time;
        j.motion.x += scale * dt * (t * mean.x + dt * (b.x - a.x) / 12);
        j.motion.y += scale * dt * (t * mean.y + dt * (b.y - a.y) / 12);
    }
    return j;
}

static point off_line(const join *j, double time, point p)
{
    double u = (time - j->begin) / j->time - 0.5;

    return (point){p.x - j->mean.x - u * j->motion.x, p.y - j->mean.y - u * j->motion.y};
}

/*
 * How much of a trail's brightness changes when it is drawn as this line instead. A star that is e(t) off makes
 * -grad(integral of e G), at most 0.6 |e| / sigma; and, integrated by parts, at most |integral of e| speed / sigma^2.
 * The second order, e^2 / 2 sigma^2, remains where e only trembles.
 */
static double error_of(const cutter *c, const join *j, size_t first, size_t last)
{
    double sigma = c->frame->light, most = 0, most_sum = 0, square = 0;
    point sum = {0, 0};

    for (size_t k = first; k < last; k++) {
        double dt = length_of(c, k) / j->time, time = c->path->time[k];
        point a = off_line(j, time, position(c, 2 * k)), mean = off_line(j, time + length_of(c, k) / 2, mean_of(c, k)),
              b = off_line(j, c->path->time[k + 1], position(c, 2 * k + 2));

        sum.x += dt * mean.x;
        sum.y += dt * mean.y;
        most_sum = fmax(most_sum, hypot(sum.x, sum.y));
        most = fmax(most, fmax(hypot(a.x, a.y), hypot(b.x, b.y)));
        square += dt * (a.x * a.x + a.y * a.y + b.x * b.x + b.y * b.y + a.x * b.x + a.y * b.y) / 3;
    }
    return fmin(0.6 * most / sigma, most_sum * hypot(j->motion.x, j->motion.y) / (sigma * sigma)) +
           square / (2 * sigma * sigma);
}

static bool join_turns(const cutter *c, size_t first, size_t last, join *out)
{
    if (!(distance(position(c, 2 * first), position(c, 2 * last)) <= c->frame->longest))
        return false;
    for (size_t k = first; k < last; k++)
        if (!is_simple(c, k))
            return false;
    *out = fit_line(c, first, last);
    return hypot(out->motion.x, out->motion.y) <= c->frame->longest && error_of(c, out, first, last) <= STARS_OFF;
}

static penta_status cut_path(cutter *c, size_t first, size_t last)
{
    join j;

    if (last - first == 1)
        return cut_turn(c, first);
    if (!join_turns(c, first, last, &j)) {
        penta_status status = cut_path(c, first, (first + last) / 2);

        return status == PENTA_OK ? cut_path(c, (first + last) / 2, last) : status;
    }
    for (size_t k = first; k < last; k++)
        add_sum(c, k);
    return stars_pieces_add(c->pieces, c->frame, c->owner, j.mean.x, j.mean.y, j.motion.x, j.motion.y, j.time);
}

/* ---- all stars ---- */

/* Positions of n stars at every attitude of the path and halfway between. */
static penta_status project_all(const penta_camera *camera, const penta_attitude_path *path, size_t n, const double *ra,
                                const double *dec, size_t stride, double *x, double *y)
{
    penta_status status = PENTA_OK;

    for (size_t k = 0; k < 2 * path->n - 1; k++) {
        penta_attitude attitude = path->attitude[k / 2];
        penta_sky_view view;

        if (k % 2)
            TRY(penta_attitude_slerp(&path->attitude[k / 2], &path->attitude[k / 2 + 1], 0.5, &attitude));
        TRY(penta_sky_view_from_camera(&attitude, camera, &view));
        TRY(penta_sky_project(&view, n, ra, dec, INFINITY, x + k * stride, y + k * stride, NULL));
    }
cleanup:
    return status;
}

static penta_star_trail trail_of(const cutter *c)
{
    point start = position(c, 0), end = position(c, 2 * c->path->n - 2);

    return (penta_star_trail){c->sum[0], c->sum[1], start.x, start.y, end.x, end.y};
}

penta_status stars_pieces_path(stars_pieces *pieces, const stars_frame *frame, const penta_camera *camera,
                               const penta_attitude_path *path, size_t n, const double *ra, const double *dec,
                               penta_star_trail *trails)
{
    enum { POSITIONS = 1 << 22 }; /* at a time */
    size_t moments = 2 * path->n - 1, most = moments < POSITIONS ? POSITIONS / moments : 1,
           stride = n < most ? n : most;
    double *x = NULL, *y = NULL, *angle = NULL;
    penta_status status = PENTA_OK;

    TRY(penta_calloc(NULL, stride * moments, sizeof *x, &x));
    TRY(penta_calloc(NULL, stride * moments, sizeof *y, &y));
    TRY(penta_calloc(NULL, path->n, sizeof *angle, &angle));
    for (size_t k = 0; k + 1 < path->n; k++)
        angle[k] = sky_attitude_angle(&path->attitude[k], &path->attitude[k + 1]) / SKY_RADIAN;
    for (size_t first = 0; first < n; first += stride) {
        size_t count = n - first < stride ? n - first : stride;

        TRY(project_all(camera, path, count, ra + first, dec + first, stride, x, y));
        for (size_t i = 0; i < count; i++) {
            cutter c = {.pieces = pieces,
                        .frame = frame,
                        .camera = camera,
                        .path = path,
                        .angle = angle,
                        .owner = first + i,
                        .stride = stride,
                        .ra = ra[first + i],
                        .dec = dec[first + i],
                        .x = x + i,
                        .y = y + i};

            TRY(cut_path(&c, 0, path->n - 1));
            trails[first + i] = trail_of(&c);
        }
    }
cleanup:
    free(x);
    free(y);
    free(angle);
    return status;
}
