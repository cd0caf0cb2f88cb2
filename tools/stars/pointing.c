#include "stars/pointing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/fits.h>

#define RADIAN 57.295779513082320877 /* deg */

/* ---- optics ---- */

static void take_wcs(const penta_io_fits_wcs_cards *cards, penta_wcs *wcs)
{
    penta_wcs_init(wcs);
    memcpy(wcs->crval, cards->crval, sizeof wcs->crval);
    memcpy(wcs->crpix, cards->crpix, sizeof wcs->crpix);
    memcpy(wcs->cd, cards->cd, sizeof wcs->cd);
    if (!cards->sip)
        return;
    wcs->a_order = cards->a_order;
    wcs->b_order = cards->b_order;
    memcpy(wcs->a, cards->a, sizeof wcs->a);
    memcpy(wcs->b, cards->b, sizeof wcs->b);
    if (!cards->inverse)
        return;
    wcs->ap_order = cards->ap_order;
    wcs->bp_order = cards->bp_order;
    memcpy(wcs->ap, cards->ap, sizeof wcs->ap);
    memcpy(wcs->bp, cards->bp, sizeof wcs->bp);
}

static bool read_wcs(const star_request *r, star_optics *out, penta_io_error *err)
{
    penta_io_fits_wcs_cards cards;

    if (!penta_io_fits_wcs(r->pointing_path, &cards, err))
        return false;
    take_wcs(&cards, &out->wcs);
    if (penta_wcs_check(&out->wcs) != PENTA_OK)
        return penta_io_fail(err, "%s: %.500s", r->pointing_path, penta_last_error(NULL));
    out->fixed = true;
    out->fk5 = cards.fk5;
    if (out->width == 0) {
        out->width = cards.width;
        out->height = cards.height;
    }
    if (out->width == 0 || out->height == 0)
        return penta_io_fail(err, "%s: does not say how large its image is; give --size WxH", r->pointing_path);
    if (out->width > STAR_MOST_SIDE || out->height > STAR_MOST_SIDE)
        return penta_io_fail(err, "%s: its image has %zu x %zu px; at most %d px a side are possible; give --size WxH",
                             r->pointing_path, out->width, out->height, STAR_MOST_SIDE);
    return true;
}

static bool make_camera(const star_request *r, penta_camera *c, penta_io_error *err)
{
    double focal = r->focal;

    if ((r->fov > 0 && penta_camera_focal_from_fov(r->width, r->fov, &focal) != PENTA_OK) ||
        penta_camera_init(r->width, r->height, focal, c) != PENTA_OK)
        return penta_io_fail(err, "%.500s", penta_last_error(NULL));
    if (r->off_centre) {
        c->cx = r->principal[0];
        c->cy = r->principal[1];
    }
    c->k1 = r->distortion[0];
    c->k2 = r->distortion[1];
    c->k3 = r->distortion[2];
    c->p1 = r->distortion[3];
    c->p2 = r->distortion[4];
    return true;
}

bool star_optics_open(const star_request *r, star_optics *out, penta_io_error *err)
{
    *out = (star_optics){.on_sky = r->pointing != STAR_POINTS_NOWHERE, .width = r->width, .height = r->height};
    if (!out->on_sky)
        return true;
    return r->pointing == STAR_POINTS_WCS ? read_wcs(r, out, err) : make_camera(r, &out->camera, err);
}

bool star_view(const star_optics *optics, const penta_attitude *attitude, penta_sky_view *out, penta_io_error *err)
{
    penta_status status = optics->fixed ? penta_sky_view_from_wcs(&optics->wcs, optics->width, optics->height, out)
                                        : penta_sky_view_from_camera(attitude, &optics->camera, out);

    return status == PENTA_OK || penta_io_fail(err, "%.500s", penta_last_error(NULL));
}

/* ---- folds ---- */

#define ASTRAY 0.01 /* px from a pixel to the image of its direction */

/* One row of the frame: the pixels whose direction is elsewhere in the picture, or nowhere. */
static size_t folded_in_row(const penta_sky_view *view, size_t n, double row)
{
    enum { MOST = 128 };
    double x[MOST], y[MOST], ra[MOST], dec[MOST];
    size_t folded = 0;

    for (size_t i = 0; i < n; i++) {
        x[i] = -0.5 + (double)view->width * ((double)i + 0.5) / (double)n;
        y[i] = row;
    }
    if (penta_sky_unproject(view, n, x, y, ra, dec) != PENTA_OK)
        return 0;
    for (size_t i = 0; i < n; i++) {
        double back_x = NAN, back_y = NAN;

        if (isfinite(ra[i]))
            penta_sky_project(view, 1, &ra[i], &dec[i], INFINITY, &back_x, &back_y, NULL);
        folded += !(hypot(back_x - x[i], back_y - y[i]) <= ASTRAY);
    }
    return folded;
}

double star_optics_folded(const star_optics *optics)
{
    enum { SIDE = 101 }; /* points, those at the rim half a step inside */
    static const penta_attitude any = {1, 0, 0, 0};
    size_t folded = 0;
    penta_sky_view view;
    penta_io_error ignored;

    if (!star_view(optics, &any, &view, &ignored))
        return 0;
    for (int j = 0; j < SIDE; j++)
        folded += folded_in_row(&view, SIDE, -0.5 + (double)view.height * (j + 0.5) / SIDE);
    return (double)folded / ((double)SIDE * SIDE);
}

/* ---- paths ---- */

static bool new_path(size_t n, star_path *out, penta_io_error *err)
{
    *out = (star_path){.n = n, .time = calloc(n, sizeof *out->time), .attitude = calloc(n, sizeof *out->attitude)};
    if (out->time && out->attitude)
        return true;
    star_path_close(out);
    return penta_io_fail(err, "out of memory for %zu attitudes of an exposure", n);
}

/*
 * The attitude after the camera has turned by the angle (rad) about an axis of its own: what stands still turns the
 * other way in its axes, so the turn stands left of the attitude, with the angle reversed.
 */
static penta_attitude turned(const penta_attitude *q, const double axis[3], double angle)
{
    double w = cos(angle / 2), s = -sin(angle / 2), x = s * axis[0], y = s * axis[1], z = s * axis[2];

    return (penta_attitude){w * q->w - x * q->x - y * q->y - z * q->z, w * q->x + x * q->w + y * q->z - z * q->y,
                            w * q->y - x * q->z + y * q->w + z * q->x, w * q->z + x * q->y - y * q->x + z * q->w};
}

bool star_path_turn(const star_request *r, const penta_attitude *middle, star_path *out, penta_io_error *err)
{
    double speed = sqrt(r->rate[0] * r->rate[0] + r->rate[1] * r->rate[1] + r->rate[2] * r->rate[2]);
    double angle = r->turning ? speed * r->detector.exposure / RADIAN : 0, axis[3] = {0};
    size_t steps = r->turning ? 1 + (size_t)angle : 0; /* below 1 rad each: the shorter way round is the right one */

    if (!new_path(steps + 1, out, err))
        return false;
    for (int i = 0; i < 3 && r->turning; i++)
        axis[i] = r->rate[i] / speed;
    out->attitude[0] = *middle;
    for (size_t i = 0; i <= steps && r->turning; i++) {
        out->time[i] = (double)i / (double)steps;
        out->attitude[i] = turned(middle, axis, (out->time[i] - 0.5) * angle);
    }
    return true;
}

bool star_path_follow(const star_track *track, star_path *out, penta_io_error *err)
{
    double begin = track->time[0], length = track->time[track->n - 1] - begin;

    if (!new_path(track->n, out, err))
        return false;
    for (size_t i = 0; i < track->n; i++) {
        out->time[i] = (track->time[i] - begin) / length;
        out->attitude[i] = track->attitude[i];
    }
    return true;
}

void star_path_close(star_path *path)
{
    free(path->time);
    free(path->attitude);
    *path = (star_path){0};
}

penta_attitude star_path_at(const star_path *path, double time)
{
    size_t low = 0, high = path->n - 1;
    penta_attitude out = path->attitude[0];

    if (path->n == 1)
        return out;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        *(path->time[middle] <= time ? &low : &high) = middle;
    }
    penta_attitude_slerp(&path->attitude[low], &path->attitude[high],
                         (time - path->time[low]) / (path->time[high] - path->time[low]), &out);
    return out;
}

/* Angle of the turn from one attitude to another, deg. */
static double angle_between(const penta_attitude *a, const penta_attitude *b)
{
    double dot = fabs(a->w * b->w + a->x * b->x + a->y * b->y + a->z * b->z);

    return 2 * acos(dot < 1 ? dot : 1) * RADIAN;
}

double *star_path_angles(const star_path *path)
{
    double *angle = calloc(path->n, sizeof *angle);

    for (size_t i = 0; angle && i + 1 < path->n; i++)
        angle[i] = angle_between(&path->attitude[i], &path->attitude[i + 1]) / RADIAN;
    return angle;
}

double star_path_swing(const star_path *path)
{
    penta_attitude middle = star_path_at(path, 0.5);
    double most = 0;

    for (size_t i = 0; i < path->n && path->n > 1; i++)
        most = fmax(most, angle_between(&path->attitude[i], &middle));
    return most;
}
