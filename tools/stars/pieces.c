#include "stars/pieces.h"

#include <math.h>
#include <stdlib.h>

/* ---- the array ---- */

static bool grow(double **array, size_t room)
{
    double *grown = realloc(*array, room * sizeof *grown);

    if (grown)
        *array = grown;
    return grown != NULL;
}

static bool make_room(star_pieces *p)
{
    size_t room = p->room ? 2 * p->room : 1024, *owner;

    if (p->n < p->room)
        return true;
    if (!grow(&p->x, room) || !grow(&p->y, room) || !grow(&p->motion_x, room) || !grow(&p->motion_y, room) ||
        !grow(&p->flux, room) || !(owner = realloc(p->owner, room * sizeof *owner)))
        return false;
    p->owner = owner;
    p->room = room;
    return true;
}

static bool add(star_pieces *p, const star_frame_size *frame, size_t owner, double x, double y, double mx, double my,
                double share)
{
    if (!star_touches(frame, x, y))
        return true;
    if (!make_room(p))
        return false;
    p->x[p->n] = x;
    p->y[p->n] = y;
    p->motion_x[p->n] = mx;
    p->motion_y[p->n] = my;
    p->flux[p->n] = share;
    p->owner[p->n++] = owner;
    return true;
}

void star_pieces_weigh(star_pieces *pieces, const double *flux)
{
    for (size_t i = 0; i < pieces->n; i++)
        pieces->flux[i] *= flux[pieces->owner[i]];
}

void star_pieces_free(star_pieces *pieces)
{
    free(pieces->x);
    free(pieces->y);
    free(pieces->motion_x);
    free(pieces->motion_y);
    free(pieces->flux);
    free(pieces->owner);
    *pieces = (star_pieces){0};
}

bool star_touches(const star_frame_size *frame, double x, double y)
{
    double column = ceil(x - 0.5 * frame->roi), row = ceil(y - 0.5 * frame->roi);

    return column + frame->roi > 0 && row + frame->roi > 0 && column < (double)frame->width &&
           row < (double)frame->height;
}

/* ---- a straight way ---- */

/* Narrows [*from, *to] to where a + t d lies in [low, high]. */
static void clip(double a, double d, double low, double high, double *from, double *to)
{
    double t0 = (low - a) / d, t1 = (high - a) / d;

    if (fabs(d) <= 0) {
        if (a < low || a > high)
            *to = *from - 1;
        return;
    }
    *from = fmax(*from, fmin(t0, t1));
    *to = fmin(*to, fmax(t0, t1));
}

bool star_pieces_line(star_pieces *pieces, const star_frame_size *frame, size_t owner, double x, double y, double mx,
                      double my)
{
    double count = fmax(1, ceil(hypot(mx, my) / (0.5 * frame->roi))), step = 1 / count, from = 0, to = 1;
    double x0 = x - mx / 2, y0 = y - my / 2;

    clip(x0, mx, -frame->roi, (double)frame->width + frame->roi, &from, &to);
    clip(y0, my, -frame->roi, (double)frame->height + frame->roi, &from, &to);
    for (double i = floor(from * count); i < count && i * step <= to; i++) {
        double t = (i + 0.5) * step;

        if (!add(pieces, frame, owner, x0 + t * mx, y0 + t * my, mx * step, my * step, step))
            return false;
    }
    return true;
}

/* ---- a path ---- */

typedef struct {
    star_pieces *pieces;
    const star_frame_size *frame;
    const star_optics *optics;
    const star_path *path;
    /* the star at hand: its positions, px, at the path's attitudes are x[k * stride] */
    size_t owner, stride;
    double ra, dec;
    const double *x, *y;
} cutter;

typedef struct {
    double time, x, y; /* x NaN: no image */
} moment;

enum { MOST_DEPTH = 24 };

static moment at_attitude(const cutter *c, size_t k)
{
    return (moment){c->path->time[k], c->x[k * c->stride], c->y[k * c->stride]};
}

static moment at_time(const cutter *c, double time)
{
    penta_attitude attitude = star_path_at(c->path, time);
    moment m = {time, NAN, NAN};
    penta_sky_view view;

    if (penta_sky_view_from_camera(&attitude, &c->optics->camera, &view) == PENTA_OK)
        penta_sky_project(&view, 1, &c->ra, &c->dec, INFINITY, &m.x, &m.y, NULL);
    return m;
}

/* px from m to where the star would be at that time on the straight way from a to b; NaN where one has no image. */
static double distance_off(moment a, moment b, moment m)
{
    double t = (m.time - a.time) / (b.time - a.time);

    return hypot(a.x + t * (b.x - a.x) - m.x, a.y + t * (b.y - a.y) - m.y);
}

static bool is_short(const cutter *c, moment a, moment b)
{
    return hypot(b.x - a.x, b.y - a.y) <= 0.5 * c->frame->roi;
}

/* A smooth way stays within its chord's length of the chord. */
static bool is_far(const cutter *c, moment a, moment b)
{
    double reach = hypot(b.x - a.x, b.y - a.y) + c->frame->roi, width = (double)c->frame->width,
           height = (double)c->frame->height;

    return fmax(a.x, b.x) < -reach || fmin(a.x, b.x) > width + reach || fmax(a.y, b.y) < -reach ||
           fmin(a.y, b.y) > height + reach;
}

static bool add_piece(const cutter *c, moment a, moment b)
{
    return add(c->pieces, c->frame, c->owner, (a.x + b.x) / 2, (a.y + b.y) / 2, b.x - a.x, b.y - a.y, b.time - a.time);
}

/* Between two neighbouring attitudes, where the camera turns at a constant rate. */
static bool cut_turn(const cutter *c, moment a, moment b, int depth)
{
    moment m;

    if (depth > 4 && isnan(a.x) && isnan(b.x))
        return true;
    if (is_far(c, a, b))
        return true;
    m = at_time(c, (a.time + b.time) / 2);
    if ((is_short(c, a, b) && distance_off(a, b, m) <= STAR_STRAIGHT) || depth == MOST_DEPTH)
        return isnan(a.x) || isnan(b.x) || add_piece(c, a, b);
    return cut_turn(c, a, m, depth + 1) && cut_turn(c, m, b, depth + 1);
}

static bool is_straight(const cutter *c, size_t first, size_t last)
{
    moment a = at_attitude(c, first), b = at_attitude(c, last);

    if (!is_short(c, a, b))
        return false;
    for (size_t k = first + 1; k < last; k++)
        if (!(distance_off(a, b, at_attitude(c, k)) <= STAR_STRAIGHT))
            return false;
    return true;
}

static bool cut_path(const cutter *c, size_t first, size_t last)
{
    if (last - first == 1)
        return cut_turn(c, at_attitude(c, first), at_attitude(c, last), 0);
    if (is_straight(c, first, last))
        return add_piece(c, at_attitude(c, first), at_attitude(c, last));
    return cut_path(c, first, (first + last) / 2) && cut_path(c, (first + last) / 2, last);
}

/* Positions of n stars at every attitude of the path. */
static bool project_all(const star_optics *optics, const star_path *path, size_t n, const double *ra, const double *dec,
                        size_t stride, double *x, double *y, io_error *err)
{
    for (size_t k = 0; k < path->n; k++) {
        penta_sky_view view;

        if (!star_view(optics, &path->attitude[k], &view, err))
            return false;
        if (penta_sky_project(&view, n, ra, dec, INFINITY, x + k * stride, y + k * stride, NULL) != PENTA_OK)
            return io_fail(err, "%.500s", penta_last_error(NULL));
    }
    return true;
}

bool star_pieces_path(star_pieces *pieces, const star_frame_size *frame, const star_optics *optics,
                      const star_path *path, size_t n, const double *ra, const double *dec, io_error *err)
{
    enum { POSITIONS = 1 << 21 }; /* at a time */
    size_t most = path->n < POSITIONS ? POSITIONS / path->n : 1, stride = n < most ? n : most;
    double *x = malloc((stride * path->n + 1) * sizeof *x), *y = malloc((stride * path->n + 1) * sizeof *y);
    bool ok = (x && y) || io_fail(err, "out of memory for the ways of the stars");

    for (size_t first = 0; ok && first < n; first += stride) {
        size_t count = n - first < stride ? n - first : stride;

        ok = project_all(optics, path, count, ra + first, dec + first, stride, x, y, err);
        for (size_t i = 0; ok && i < count; i++) {
            cutter c = {pieces, frame, optics, path, first + i, stride, ra[first + i], dec[first + i], x + i, y + i};

            ok = cut_path(&c, 0, path->n - 1) || io_fail(err, "out of memory for the ways of the stars");
        }
    }
    free(x);
    free(y);
    return ok;
}
