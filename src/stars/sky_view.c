/* Frames on the sky, by attitude and camera or by WCS. */
#include <math.h>

#include "core/core.h"
#include "stars/sky.h"

/* ---- making views ---- */

static penta_status check_frame(size_t width, size_t height)
{
    if (width == 0 || height == 0)
        return penta_fail(NULL, PENTA_INVALID, "a frame of %zu x %zu px has no pixels", width, height);
    return PENTA_OK;
}

penta_status penta_sky_view_from_camera(const penta_attitude *attitude, const penta_camera *camera, penta_sky_view *out)
{
    penta_status status = PENTA_OK;
    penta_attitude unit;

    if (!attitude || !camera || !out)
        return penta_fail(NULL, PENTA_INVALID, "a view needs an attitude, a camera and a place to go");
    TRY(penta_attitude_from_quaternion(attitude->w, attitude->x, attitude->y, attitude->z, &unit));
    TRY(sky_check_camera(camera));
    *out = (penta_sky_view){.kind = PENTA_SKY_CAMERA,
                            .width = camera->width,
                            .height = camera->height,
                            .attitude = unit,
                            .camera = *camera};
cleanup:
    return status;
}

penta_status penta_sky_view_from_wcs(const penta_wcs *wcs, size_t width, size_t height, penta_sky_view *out)
{
    penta_status status = PENTA_OK;

    if (!out)
        return penta_fail(NULL, PENTA_INVALID, "a view needs a place to go");
    TRY(penta_wcs_check(wcs));
    TRY(check_frame(width, height));
    *out = (penta_sky_view){.kind = PENTA_SKY_WCS, .width = width, .height = height, .wcs = *wcs};
cleanup:
    return status;
}

/* ---- one point ---- */

static penta_status ready_camera(const penta_sky_view *view, sky_sight *sight)
{
    penta_status status = PENTA_OK;
    penta_attitude unit;

    TRY(penta_attitude_from_quaternion(view->attitude.w, view->attitude.x, view->attitude.y, view->attitude.z, &unit));
    TRY(sky_check_camera(&view->camera));
    sky_matrix(&unit, sight->rows);
    sight->fold = sky_fold(&view->camera);
cleanup:
    return status;
}

penta_status sky_sight_init(const penta_sky_view *view, sky_sight *sight)
{
    penta_status status = PENTA_OK;

    if (!view)
        return penta_fail(NULL, PENTA_INVALID, "the view is NULL");
    TRY(check_frame(view->width, view->height));
    sight->view = view;
    if (view->kind == PENTA_SKY_CAMERA) {
        TRY(ready_camera(view, sight));
    } else {
        TRY(penta_wcs_check(&view->wcs));
        sky_plane_init(&view->wcs, &sight->plane);
    }
cleanup:
    return status;
}

/* False, and NaN, where the direction has no image. */
static bool sky_sight_pixel(const sky_sight *sight, const double v[3], double *x, double *y)
{
    const penta_camera *camera = &sight->view->camera;
    double depth, xd, yd;

    if (sight->view->kind == PENTA_SKY_WCS)
        return sky_plane_pixel(&sight->plane, v, x, y);
    *x = *y = NAN;
    depth = sky_dot(sight->rows[2], v);
    if (!(depth > 0) || !sky_distort(camera, sight->fold, sky_dot(sight->rows[0], v) / depth,
                                     sky_dot(sight->rows[1], v) / depth, &xd, &yd))
        return false;
    *x = camera->cx + camera->focal * xd;
    *y = camera->cy + camera->focal * yd;
    return true;
}

/* v is not a unit vector; false, and NaN, where the pixel has no direction. */
static bool sky_sight_direction(const sky_sight *sight, double x, double y, double v[3])
{
    const penta_camera *camera = &sight->view->camera;
    double u, w;

    if (sight->view->kind == PENTA_SKY_WCS) {
        sky_plane_direction(&sight->plane, x, y, v);
        return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
    }
    if (!sky_undistort(camera, sight->fold, (x - camera->cx) / camera->focal, (y - camera->cy) / camera->focal, &u,
                       &w)) {
        v[0] = v[1] = v[2] = NAN;
        return false;
    }
    for (int i = 0; i < 3; i++)
        v[i] = u * sight->rows[0][i] + w * sight->rows[1][i] + sight->rows[2][i];
    return true;
}

/* ---- arrays ---- */

/* False for NaN. */
static bool is_near_frame(const penta_sky_view *view, double x, double y, double margin)
{
    double low = -0.5 - margin;

    return x >= low && y >= low && x < (double)view->width - 0.5 + margin && y < (double)view->height - 0.5 + margin;
}

static penta_status check_margin(double margin)
{
    if (!(margin >= 0))
        return penta_fail(NULL, PENTA_INVALID, "the margin is %g px: it must not be negative", margin);
    return PENTA_OK;
}

penta_status penta_sky_project(const penta_sky_view *view, size_t n, const double *ra, const double *dec, double margin,
                               double *x, double *y, bool *visible)
{
    penta_status status = PENTA_OK;
    sky_sight sight;

    if (n > 0 && (!x || !y))
        return penta_fail(NULL, PENTA_INVALID, "pixel positions need places to go");
    TRY(check_margin(margin));
    TRY(sky_sight_init(view, &sight));
    TRY(sky_check_positions(n, ra, dec));
    for (size_t i = 0; i < n; i++) {
        double v[3];
        bool imaged;

        sky_direction(ra[i], dec[i], v, NULL, NULL);
        imaged = sky_sight_pixel(&sight, v, x + i, y + i);
        if (visible)
            visible[i] = imaged && is_near_frame(view, x[i], y[i], margin);
    }
cleanup:
    return status;
}

penta_status penta_sky_project_turn(const penta_camera *camera, const penta_attitude *from, const penta_attitude *to,
                                    double ra, double dec, size_t n, const double *t, double *x, double *y)
{
    penta_status status = PENTA_OK;
    penta_sky_view view;
    sky_sight sight;
    double v[3];

    if (n > 0 && (!t || !x || !y))
        return penta_fail(NULL, PENTA_INVALID, "pixel positions need moments and places to go");
    TRY(penta_sky_view_from_camera(from, camera, &view));
    TRY(sky_sight_init(&view, &sight));
    TRY(sky_check_position(0, ra, dec));
    sky_direction(ra, dec, v, NULL, NULL);
    for (size_t i = 0; i < n; i++) {
        penta_attitude attitude;

        TRY(penta_attitude_slerp(from, to, t[i], &attitude));
        sky_matrix(&attitude, sight.rows);
        sky_sight_pixel(&sight, v, x + i, y + i);
    }
cleanup:
    return status;
}

penta_status penta_sky_unproject(const penta_sky_view *view, size_t n, const double *x, const double *y, double *ra,
                                 double *dec)
{
    penta_status status = PENTA_OK;
    sky_sight sight;

    if (n > 0 && (!ra || !dec))
        return penta_fail(NULL, PENTA_INVALID, "positions on the sky need places to go");
    TRY(sky_sight_init(view, &sight));
    TRY(sky_check_points(n, x, y));
    for (size_t i = 0; i < n; i++) {
        double v[3];

        if (sky_sight_direction(&sight, x[i], y[i], v))
            sky_angles(v, ra + i, dec + i);
        else
            ra[i] = dec[i] = NAN;
    }
cleanup:
    return status;
}

/* ---- the cap around a frame ---- */

enum { PIECES = 128 }; /* a side of the frame */

/* Point i of 4 PIECES on the rim of the frame and its margin. */
static bool rim_direction(const sky_sight *sight, double margin, int i, double v[3])
{
    double low = -0.5 - margin, right = (double)sight->view->width - 0.5 + margin;
    double bottom = (double)sight->view->height - 0.5 + margin, share = (double)(i % PIECES) / PIECES;

    switch (i / PIECES % 4) {
    case 0:
        return sky_sight_direction(sight, low + share * (right - low), low, v);
    case 1:
        return sky_sight_direction(sight, right, low + share * (bottom - low), v);
    case 2:
        return sky_sight_direction(sight, right - share * (right - low), bottom, v);
    default:
        return sky_sight_direction(sight, low, bottom - share * (bottom - low), v);
    }
}

/* Radius around `centre` of the cap that holds the rim: its farthest point, and most of the widest gap between
 * neighbours, since between two points the rim stays within about half their distance from the nearer one. False where
 * the rim is not wholly on the sky. */
static bool rim_radius(const sky_sight *sight, double margin, const double centre[3], double *radius)
{
    double before[3], v[3], farthest = 0, gap = 0;

    if (!rim_direction(sight, margin, 0, before))
        return false;
    for (int i = 1; i <= 4 * PIECES; i++) {
        if (!rim_direction(sight, margin, i, v))
            return false;
        farthest = fmax(farthest, sky_angle(centre, v));
        gap = fmax(gap, sky_angle(before, v));
        before[0] = v[0];
        before[1] = v[1];
        before[2] = v[2];
    }
    *radius = fmin(farthest + 0.6 * gap, 180);
    return true;
}

penta_status penta_sky_bounds(const penta_sky_view *view, double margin, double *ra, double *dec, double *radius)
{
    penta_status status = PENTA_OK;
    double centre[3];
    sky_sight sight;

    if (!ra || !dec || !radius)
        return penta_fail(NULL, PENTA_INVALID, "the cap of a view needs places to go");
    TRY(check_margin(margin));
    TRY(sky_sight_init(view, &sight));
    if (margin < INFINITY &&
        sky_sight_direction(&sight, ((double)view->width - 1) / 2, ((double)view->height - 1) / 2, centre) &&
        rim_radius(&sight, margin, centre, radius)) {
        sky_angles(centre, ra, dec);
    } else if (view->kind == PENTA_SKY_CAMERA) { /* all that has an image */
        sky_angles(sight.rows[2], ra, dec);
        *radius = SKY_RADIAN * atan(sight.fold);
    } else {
        sky_angles(sight.plane.z_axis, ra, dec);
        *radius = 90;
    }
cleanup:
    return status;
}

/* ---- folds ---- */

enum { FOLD_POINTS = 101 }; /* a side of the frame; those at the rim lie half a step inside */

#define ASTRAY 0.01 /* px from a pixel to the image of its direction */

/* Whether a pixel's direction is elsewhere in the picture, or nowhere. */
static bool is_folded(const sky_sight *sight, double x, double y)
{
    double v[3], ra, dec, back_x = NAN, back_y = NAN;

    if (sky_sight_direction(sight, x, y, v)) {
        sky_angles(v, &ra, &dec);
        sky_direction(ra, dec, v, NULL, NULL);
        sky_sight_pixel(sight, v, &back_x, &back_y);
    }
    return !(hypot(back_x - x, back_y - y) <= ASTRAY);
}

penta_status penta_sky_folded(const penta_sky_view *view, double *fraction)
{
    penta_status status = PENTA_OK;
    size_t folded = 0;
    sky_sight sight;

    if (!fraction)
        return penta_fail(NULL, PENTA_INVALID, "a fraction needs a place to go");
    TRY(sky_sight_init(view, &sight));
    for (int j = 0; j < FOLD_POINTS; j++)
        for (int i = 0; i < FOLD_POINTS; i++)
            folded += is_folded(&sight, -0.5 + (double)view->width * (i + 0.5) / FOLD_POINTS,
                                -0.5 + (double)view->height * (j + 0.5) / FOLD_POINTS);
    *fraction = (double)folded / ((double)FOLD_POINTS * FOLD_POINTS);
cleanup:
    return status;
}
