#include "stars/optics.h"

#include <pentacl/io/image.h>

static bool read_wcs(const stars_request *r, stars_optics *out, penta_io_error *err)
{
    penta_io_fits_wcs_cards cards;

    if (!penta_io_fits_wcs(r->pointing_path, &cards, err))
        return false;
    if (penta_wcs_check(&cards.wcs) != PENTA_OK)
        return stars_refused(r->pointing_path, err);
    out->fk5 = cards.fk5;
    if (out->width == 0) {
        out->width = cards.width;
        out->height = cards.height;
    }
    if (out->width == 0 || out->height == 0)
        return penta_io_fail(err, "%s: does not say how large its image is; give --size WxH", r->pointing_path);
    if (out->width > PENTA_STARS_MOST_SIDE || out->height > PENTA_STARS_MOST_SIDE)
        return penta_io_fail(err, "%s: its image has %zu x %zu px; at most %d px a side are possible; give --size WxH",
                             r->pointing_path, out->width, out->height, PENTA_STARS_MOST_SIDE);
    return penta_sky_view_from_wcs(&cards.wcs, out->width, out->height, &out->view) == PENTA_OK ||
           stars_refused(NULL, err);
}

static bool make_camera(const stars_request *r, penta_sky_view *out, penta_io_error *err)
{
    static const penta_attitude any = {1, 0, 0, 0};
    penta_camera c;

    if (penta_camera_init(r->width, r->height, r->focal, &c) != PENTA_OK)
        return stars_refused(NULL, err);
    if (r->off_centre) {
        c.cx = r->principal[0];
        c.cy = r->principal[1];
    }
    c.k1 = r->distortion[0];
    c.k2 = r->distortion[1];
    c.k3 = r->distortion[2];
    c.p1 = r->distortion[3];
    c.p2 = r->distortion[4];
    return penta_sky_view_from_camera(&any, &c, out) == PENTA_OK || stars_refused(NULL, err);
}

bool stars_optics_open(const stars_request *r, stars_optics *out, penta_io_error *err)
{
    *out = (stars_optics){.on_sky = r->pointing != STARS_POINTS_NOWHERE, .width = r->width, .height = r->height};
    if (!out->on_sky)
        return true;
    return r->pointing == STARS_POINTS_WCS ? read_wcs(r, out, err) : make_camera(r, &out->view, err);
}

bool stars_optics_look(const stars_optics *optics, const penta_attitude *attitude, penta_sky_view *out,
                       penta_io_error *err)
{
    if (optics->view.kind == PENTA_SKY_CAMERA)
        return penta_sky_view_from_camera(attitude, &optics->view.camera, out) == PENTA_OK || stars_refused(NULL, err);
    *out = optics->view;
    return true;
}
