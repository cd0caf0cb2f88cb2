#include "stars/pieces.h"

#include <math.h>
#include <stdlib.h>

#include "core/core.h"

#define ROOT_HALF  0.70710678118654752440
#define LEAST_LONG 0.05 /* px: with a ROI that cuts stars hard nothing is gained below */

/* ---- how long and how straight ---- */

/* Share of a Gaussian's light on one side of a line at this many standard deviations. */
static double beyond(double z)
{
    return 0.5 * erfc(z * ROOT_HALF);
}

/*
 * The ROI goes with a piece's middle, not with the star. What that changes in a pixel, as a share of the trail's
 * brightness: the light of the half piece that is on the other side of the ROI's edge.
 */
static double longest_piece(int roi, double sigma, double edge, double tolerance)
{
    double low = 0, high = 0.5 * roi, kept = beyond(edge / sigma);

    for (int i = 0; i < 40; i++) {
        double length = (low + high) / 2;

        *(beyond((edge - length / 2) / sigma) - kept <= tolerance ? &low : &high) = length;
    }
    return fmax(low, LEAST_LONG);
}

stars_frame stars_frame_make(size_t width, size_t height, int roi, const penta_stars_options *o)
{
    bool integrated = o->psf == PENTA_STARS_INTEGRATED;
    double tolerance = o->flux_tolerance > 0 ? fmin(fmax(o->flux_tolerance / 4, 1e-6), STARS_OFF) : STARS_OFF;

    return (stars_frame){.width = width,
                         .height = height,
                         .roi = roi,
                         .light = integrated ? hypot(o->sigma, 0.29) : fmax(o->sigma, 0.1),
                         .longest = longest_piece(roi, o->sigma, 0.5 * roi - (integrated ? 0.5 : 0), tolerance)};
}

double stars_straight(const stars_frame *frame)
{
    return 1.25 * STARS_OFF * frame->light;
}

/* ---- the array ---- */

static bool grow(double **array, size_t room)
{
    double *grown = realloc(*array, room * sizeof *grown);

    if (grown)
        *array = grown;
    return grown != NULL;
}

static penta_status make_room(stars_pieces *p)
{
    size_t room = p->room ? 2 * p->room : 1024, *owner;

    if (p->n < p->room)
        return PENTA_OK;
    if (!grow(&p->x, room) || !grow(&p->y, room) || !grow(&p->motion_x, room) || !grow(&p->motion_y, room) ||
        !grow(&p->flux, room) || !(owner = realloc(p->owner, room * sizeof *owner)))
        return penta_fail(NULL, PENTA_MEMORY, "out of memory for star trails");
    p->owner = owner;
    p->room = room;
    return PENTA_OK;
}

penta_status stars_pieces_add(stars_pieces *p, const stars_frame *frame, size_t owner, double x, double y, double mx,
                              double my, double share)
{
    penta_status status;

    if (!stars_touches(frame, x, y))
        return PENTA_OK;
    status = make_room(p);
    if (status != PENTA_OK)
        return status;
    p->x[p->n] = x;
    p->y[p->n] = y;
    p->motion_x[p->n] = mx;
    p->motion_y[p->n] = my;
    p->flux[p->n] = share;
    p->owner[p->n++] = owner;
    return PENTA_OK;
}

void stars_pieces_weigh(stars_pieces *pieces, const double *flux)
{
    for (size_t i = 0; i < pieces->n; i++)
        pieces->flux[i] *= flux[pieces->owner[i]];
}

void stars_pieces_free(stars_pieces *pieces)
{
    free(pieces->x);
    free(pieces->y);
    free(pieces->motion_x);
    free(pieces->motion_y);
    free(pieces->flux);
    free(pieces->owner);
    *pieces = (stars_pieces){0};
}

bool stars_touches(const stars_frame *frame, double x, double y)
{
    double column = ceil(x - 0.5 * frame->roi), row = ceil(y - 0.5 * frame->roi);

    return column + frame->roi > 0 && row + frame->roi > 0 && column < (double)frame->width &&
           row < (double)frame->height;
}

/* ---- a straight trail ---- */

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

penta_status stars_pieces_line(stars_pieces *pieces, const stars_frame *frame, size_t owner, double x, double y,
                               double mx, double my)
{
    double count = fmax(1, ceil(hypot(mx, my) / frame->longest)), step = 1 / count, from = 0, to = 1;
    double x0 = x - mx / 2, y0 = y - my / 2;

    clip(x0, mx, -frame->roi, (double)frame->width + frame->roi, &from, &to);
    clip(y0, my, -frame->roi, (double)frame->height + frame->roi, &from, &to);
    for (double i = floor(from * count); i < count && i * step <= to; i++) {
        double t = (i + 0.5) * step;
        penta_status status =
            stars_pieces_add(pieces, frame, owner, x0 + t * mx, y0 + t * my, mx * step, my * step, step);

        if (status != PENTA_OK)
            return status;
    }
    return PENTA_OK;
}
