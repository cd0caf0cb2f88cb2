/* The celestial coordinates of a FITS header: TAN and TAN-SIP, for every form of the matrix. */
#include <pentacl/io/image.h>
#include "io/fits_hdu.h"

#ifndef PENTA_HAVE_FITS

bool penta_io_fits_wcs(const char *path, penta_io_fits_wcs_cards *out, penta_io_error *err)
{
    (void)out;
    return penta_io_fail(err, "%s: this build cannot read FITS headers: install libcfitsio-dev and rebuild", path);
}

#else

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEGREE 0.017453292519943295 /* rad */

static bool need_number(const io_fits_hdu *hdu, const char *key, double *out, penta_io_error *err)
{
    bool there;

    if (!io_fits_number(hdu, key, out, &there, err))
        return false;
    return there || io_fits_hdu_fail(hdu, err, "its coordinates lack %s; solve the frame again", key);
}

/* Reads KEY1 and KEY2, which must exist. */
static bool need_pair(const io_fits_hdu *hdu, const char *name, double out[2], penta_io_error *err)
{
    for (int i = 0; i < 2; i++) {
        char key[32];

        snprintf(key, sizeof key, "%s%d", name, i + 1);
        if (!need_number(hdu, key, &out[i], err))
            return false;
    }
    return true;
}

/* ---- kind and frame ---- */

/* *sip: CTYPE ends in -SIP. */
static bool read_kind(const io_fits_hdu *hdu, bool *sip, penta_io_error *err)
{
    char x[FLEN_VALUE], y[FLEN_VALUE], unit[FLEN_VALUE];

    if (!io_fits_text(hdu, "CTYPE1", x, err) || !io_fits_text(hdu, "CTYPE2", y, err))
        return false;
    *sip = strcmp(x, "RA---TAN-SIP") == 0 && strcmp(y, "DEC--TAN-SIP") == 0;
    if (!*sip && (strcmp(x, "RA---TAN") != 0 || strcmp(y, "DEC--TAN") != 0))
        return io_fits_hdu_fail(hdu, err,
                                "its coordinates are CTYPE1 = '%s', CTYPE2 = '%s'; only RA---TAN with DEC--TAN, and "
                                "both with -SIP, can be used: solve or resample the frame so",
                                x, y);
    for (int i = 1; i <= 2; i++) {
        char key[32];

        snprintf(key, sizeof key, "CUNIT%d", i);
        if (!io_fits_text(hdu, key, unit, err))
            return false;
        if (*unit && strncmp(unit, "deg", 3) != 0)
            return io_fits_hdu_fail(hdu, err, "%s is '%s'; only degrees can be used: convert the cards", key, unit);
    }
    return true;
}

/* Reads the frame: ICRS, or FK5 of 2000. Without RADESYS the standard (4.0, table 28) takes FK4 before 1984, otherwise
 * FK5. */
static bool read_frame(const io_fits_hdu *hdu, penta_io_fits_wcs_cards *w, penta_io_error *err)
{
    char frame[FLEN_VALUE];
    double equinox = 2000;
    bool stated;

    if (!io_fits_text(hdu, "RADESYS", frame, err) || (!*frame && !io_fits_text(hdu, "RADECSYS", frame, err)) ||
        !io_fits_number(hdu, "EQUINOX", &equinox, &stated, err) ||
        (!stated && !io_fits_number(hdu, "EPOCH", &equinox, &stated, err)))
        return false;
    if (strcmp(frame, "ICRS") == 0 || (!*frame && !stated))
        return true;
    if (*frame && strcmp(frame, "FK5") != 0)
        return io_fits_hdu_fail(hdu, err,
                                "its coordinates are in RADESYS = '%s'; only ICRS and FK5 can be used: "
                                "precess them to J2000",
                                frame);
    if (equinox != 2000)
        return io_fits_hdu_fail(
            hdu, err, "its coordinates are of equinox %g; only J2000 and ICRS can be used: precess them", equinox);
    w->fk5 = true;
    return true;
}

/* ---- the matrix ---- */

static bool read_matrix(const io_fits_hdu *hdu, const char *name, double m[2][2], penta_io_error *err)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            char key[32];

            snprintf(key, sizeof key, "%s%d_%d", name, i + 1, j + 1);
            if (!io_fits_number(hdu, key, &m[i][j], NULL, err))
                return false;
        }
    return true;
}

static bool read_scaled_matrix(const io_fits_hdu *hdu, bool has_pc, double cd[2][2], penta_io_error *err)
{
    double scale[2];
    double angle = 0; /* CROTA2, degrees */

    if (!need_pair(hdu, "CDELT", scale, err))
        return false;
    if (has_pc) {
        cd[0][0] = cd[1][1] = 1; /* defaults of missing cards */
        if (!read_matrix(hdu, "PC", cd, err))
            return false;
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                cd[i][j] *= scale[i];
        return true;
    }
    if (!io_fits_number(hdu, "CROTA2", &angle, NULL, err))
        return false;
    cd[0][0] = scale[0] * cos(angle * DEGREE);
    cd[0][1] = -scale[1] * sin(angle * DEGREE);
    cd[1][0] = scale[0] * sin(angle * DEGREE);
    cd[1][1] = scale[1] * cos(angle * DEGREE);
    return true;
}

static bool read_linear(const io_fits_hdu *hdu, penta_io_fits_wcs_cards *w, penta_io_error *err)
{
    bool has_cd = io_fits_has(hdu, "CD#_#");
    bool has_pc = io_fits_has(hdu, "PC#_#");
    double sum, difference;

    if (has_cd && has_pc)
        return io_fits_hdu_fail(hdu, err, "its coordinates have a CD and a PC matrix; delete one of them");
    if (!(has_cd ? read_matrix(hdu, "CD", w->wcs.cd, err) : read_scaled_matrix(hdu, has_pc, w->wcs.cd, err)))
        return false;
    sum = fabs(w->wcs.cd[0][0] * w->wcs.cd[1][1]) + fabs(w->wcs.cd[0][1] * w->wcs.cd[1][0]);
    difference = fabs(w->wcs.cd[0][0] * w->wcs.cd[1][1] - w->wcs.cd[0][1] * w->wcs.cd[1][0]);
    if (!isfinite(sum) || !(difference > 1e-12 * sum))
        return io_fits_hdu_fail(hdu, err, "the matrix of its coordinates (%g %g; %g %g) cannot be inverted; correct it",
                                w->wcs.cd[0][0], w->wcs.cd[0][1], w->wcs.cd[1][0], w->wcs.cd[1][1]);
    return true;
}

/*
 * LONPOLE is 180 unless stated, but 0 when the reference point is the north pole (Calabretta & Greisen 2002, section
 * 2.4). At 0 the tangent plane is rotated by 180 degrees; the matrix takes over that rotation.
 */
static bool read_pole(const io_fits_hdu *hdu, penta_io_fits_wcs_cards *w, penta_io_error *err)
{
    double lonpole = w->wcs.crval[1] < 90 ? 180 : 0;

    if (!io_fits_number(hdu, "LONPOLE", &lonpole, NULL, err))
        return false;
    if (lonpole != 180 && lonpole != 0)
        return io_fits_hdu_fail(
            hdu, err, "LONPOLE is %g; only 180 (the usual) and 0 can be used: solve the frame again", lonpole);
    for (int i = 0; lonpole == 0 && i < 4; i++)
        w->wcs.cd[i / 2][i % 2] = -w->wcs.cd[i / 2][i % 2];
    return true;
}

/* ---- distortion ---- */

/* Reads A_ORDER and A_p_q, p + q <= order. An order that is not stated is 0. */
static bool read_polynomial(const io_fits_hdu *hdu, const char *name, int *order, bool *stated,
                            double c[PENTA_SIP_ORDER + 1][PENTA_SIP_ORDER + 1], penta_io_error *err)
{
    double value = 0;
    char key[32];

    snprintf(key, sizeof key, "%s_ORDER", name);
    if (!io_fits_number(hdu, key, &value, stated, err))
        return false;
    if (!(value >= 0 && value <= PENTA_SIP_ORDER) || value != floor(value))
        return io_fits_hdu_fail(hdu, err, "%s is %g; SIP orders are 0 to %d: solve the frame again", key, value,
                                PENTA_SIP_ORDER);
    *order = (int)value;
    for (int p = 0; *stated && p <= *order; p++)
        for (int q = 0; q <= *order - p; q++) {
            snprintf(key, sizeof key, "%s_%d_%d", name, p, q);
            if (!io_fits_number(hdu, key, &c[p][q], NULL, err))
                return false;
        }
    return true;
}

static bool read_sip(const io_fits_hdu *hdu, penta_io_fits_wcs_cards *w, penta_io_error *err)
{
    bool a, b, ap, bp;

    if (!read_polynomial(hdu, "A", &w->wcs.a_order, &a, w->wcs.a, err) ||
        !read_polynomial(hdu, "B", &w->wcs.b_order, &b, w->wcs.b, err) ||
        !read_polynomial(hdu, "AP", &w->wcs.ap_order, &ap, w->wcs.ap, err) ||
        !read_polynomial(hdu, "BP", &w->wcs.bp_order, &bp, w->wcs.bp, err))
        return false;
    if (a && b && ap == bp)
        return true;
    return io_fits_hdu_fail(hdu, err, "its SIP coordinates lack %s; solve the frame again",
                            !a    ? "A_ORDER"
                            : !b  ? "B_ORDER"
                            : !ap ? "AP_ORDER, but have BP_ORDER"
                                  : "BP_ORDER, but have AP_ORDER");
}

/* Refuses other distortions: ignoring one would silently put stars in wrong places. */
static bool refuse_others(const io_fits_hdu *hdu, bool sip, penta_io_error *err)
{
    if (io_fits_has(hdu, "PV#_#"))
        return io_fits_hdu_fail(hdu, err,
                                "its coordinates have PV cards (a distortion as SCAMP writes it), which are "
                                "not supported; convert them to SIP");
    if (io_fits_has(hdu, "CPDIS#") || io_fits_has(hdu, "D2IMDIS#") || io_fits_has(hdu, "CQDIS#"))
        return io_fits_hdu_fail(hdu, err,
                                "its coordinates have a distortion table, which is not supported; convert it "
                                "to SIP");
    if (!sip && (io_fits_has(hdu, "A_ORDER") || io_fits_has(hdu, "B_ORDER")))
        return io_fits_hdu_fail(hdu, err,
                                "it has SIP polynomials (A_ORDER, B_ORDER), but CTYPE1 does not end in -SIP; "
                                "correct CTYPE1 and CTYPE2 or delete the polynomials");
    return true;
}

/* ---- all cards ---- */

static bool read_size(const io_fits_hdu *hdu, penta_io_fits_wcs_cards *w, penta_io_error *err)
{
    double size[2] = {0, 0};

    if (!io_fits_number(hdu, "IMAGEW", &size[0], NULL, err) || !io_fits_number(hdu, "IMAGEH", &size[1], NULL, err))
        return false;
    if (size[0] >= 1 && size[1] >= 1 && size[0] <= INT32_MAX && size[1] <= INT32_MAX) {
        w->width = (size_t)size[0];
        w->height = (size_t)size[1];
    } else if (hdu->axes >= 2 && hdu->axis[0] <= INT32_MAX && hdu->axis[1] <= INT32_MAX) {
        w->width = (size_t)hdu->axis[0];
        w->height = (size_t)hdu->axis[1];
    }
    return true;
}

static bool read_cards(const io_fits_hdu *hdu, penta_io_fits_wcs_cards *w, penta_io_error *err)
{
    bool sip;

    if (!read_kind(hdu, &sip, err) || !refuse_others(hdu, sip, err) || !read_frame(hdu, w, err) ||
        !need_pair(hdu, "CRVAL", w->wcs.crval, err) || !need_pair(hdu, "CRPIX", w->wcs.crpix, err))
        return false;
    if (fabs(w->wcs.crval[1]) > 90)
        return io_fits_hdu_fail(hdu, err, "CRVAL2 is %g, but a declination is between -90 and 90 degrees; correct it",
                                w->wcs.crval[1]);
    return read_linear(hdu, w, err) && read_pole(hdu, w, err) && (!sip || read_sip(hdu, w, err)) &&
           read_size(hdu, w, err);
}

static bool find_coordinates(const io_input *in, io_fits_hdu *hdu, penta_io_error *err)
{
    bool end = false;

    if (!io_fits_first(in, hdu, err))
        return false;
    while (!end) {
        if ((hdu->image || hdu->compressed) && io_fits_has(hdu, "CTYPE1")) {
            if (!hdu->compressed || io_fits_describe_packed(hdu, err))
                return true;
            io_fits_close(hdu);
            return false;
        }
        if (!io_fits_next(hdu, &end, err))
            return false;
    }
    return penta_io_fail(err, "%s: has no celestial coordinates (no CTYPE1 in its headers); solve the frame first",
                         in->path);
}

bool penta_io_fits_wcs(const char *path, penta_io_fits_wcs_cards *out, penta_io_error *err)
{
    static const char magic[] = "SIMPLE  =";
    char head[sizeof magic - 1];
    io_input in = {0};
    io_fits_hdu hdu = {0};
    bool ok = false;

    *out = (penta_io_fits_wcs_cards){.wcs = {.lonpole = 180}};
    if (!io_fits_open_input(path, &in, err))
        return false;
    if (!io_input_read(&in, 0, head, sizeof head) || memcmp(head, magic, sizeof head) != 0) {
        penta_io_fail(
            err, "%s: is not a FITS file; name one with the coordinates of a frame (.fits, .fits.gz, .fz, .wcs)", path);
        goto cleanup;
    }
    ok = find_coordinates(&in, &hdu, err) && read_cards(&hdu, out, err);
    io_fits_close(&hdu);
cleanup:
    io_input_close(&in);
    return ok;
}

#endif
