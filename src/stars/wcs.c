/* TAN and TAN-SIP: (x, y) in px, (U, V) = (u + A, v + B) in px, (X, Y) = cd (U, V) on the plane that touches the sky at
 * the reference point. */
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "stars/sky.h"

enum { MOST_STEPS = 25 };
static const double converged = 1e-11;  /* px, of the last step */
static const double least_sine = 1e-12; /* of the angle between the rows of cd, and between its columns */

void penta_wcs_init(penta_wcs *wcs)
{
    if (!wcs)
        return;
    memset(wcs, 0, sizeof *wcs);
    wcs->lonpole = 180;
}

/* ---- checks ---- */

static penta_status check_polynomial(const char *name, int order, const double c[][PENTA_SIP_ORDER + 1])
{
    if (order < 0 || order > PENTA_SIP_ORDER)
        return penta_fail(NULL, PENTA_INVALID, "the WCS has %s_ORDER = %d: it must lie within 0 and %d", name, order,
                          PENTA_SIP_ORDER);
    for (int p = 0; p <= order; p++)
        for (int q = 0; p + q <= order; q++)
            if (!isfinite(c[p][q]))
                return penta_fail(NULL, PENTA_INVALID, "the WCS has %s_%d_%d = %g: it must be finite", name, p, q,
                                  c[p][q]);
    return PENTA_OK;
}

static penta_status check_linear(const penta_wcs *wcs)
{
    const double(*cd)[2] = wcs->cd;
    double determinant = cd[0][0] * cd[1][1] - cd[0][1] * cd[1][0];
    double rows = hypot(cd[0][0], cd[0][1]) * hypot(cd[1][0], cd[1][1]);
    double columns = hypot(cd[0][0], cd[1][0]) * hypot(cd[0][1], cd[1][1]);

    for (int i = 0; i < 2; i++) {
        if (!isfinite(wcs->crval[i]) || !isfinite(wcs->crpix[i]))
            return penta_fail(NULL, PENTA_INVALID, "the WCS has CRVAL%d = %g, CRPIX%d = %g: both must be finite", i + 1,
                              wcs->crval[i], i + 1, wcs->crpix[i]);
        for (int j = 0; j < 2; j++)
            if (!isfinite(cd[i][j]))
                return penta_fail(NULL, PENTA_INVALID, "the WCS has CD%d_%d = %g: it must be finite", i + 1, j + 1,
                                  cd[i][j]);
    }
    if (fabs(wcs->crval[1]) > 90)
        return penta_fail(NULL, PENTA_INVALID, "the WCS has CRVAL2 = %.17g: a declination lies within -90 and 90",
                          wcs->crval[1]);
    if (!isfinite(wcs->lonpole))
        return penta_fail(NULL, PENTA_INVALID, "the WCS has LONPOLE = %g: it must be finite", wcs->lonpole);
    if (!isnormal(determinant) || !(fabs(determinant) > least_sine * rows) ||
        !(fabs(determinant) > least_sine * columns))
        return penta_fail(NULL, PENTA_INVALID, "the WCS has a singular CD matrix, [%g %g; %g %g]: it has no inverse",
                          cd[0][0], cd[0][1], cd[1][0], cd[1][1]);
    return PENTA_OK;
}

penta_status penta_wcs_check(const penta_wcs *wcs)
{
    penta_status status = PENTA_OK;

    if (!wcs)
        return penta_fail(NULL, PENTA_INVALID, "the WCS is NULL");
    TRY(check_linear(wcs));
    TRY(check_polynomial("A", wcs->a_order, wcs->a));
    TRY(check_polynomial("B", wcs->b_order, wcs->b));
    TRY(check_polynomial("AP", wcs->ap_order, wcs->ap));
    TRY(check_polynomial("BP", wcs->bp_order, wcs->bp));
cleanup:
    return status;
}

/* ---- polynomials ---- */

double sky_sip(int order, const double c[][PENTA_SIP_ORDER + 1], double u, double v)
{
    double sum = 0;

    for (int p = order; p >= 0; p--) {
        double row = 0;

        for (int q = order - p; q >= 0; q--)
            row = row * v + c[p][q];
        sum = sum * u + row;
    }
    return sum;
}

/* Adds the derivatives by u and by v to slope[0] and slope[1]; returns the value. */
static double sip_slopes(int order, const double c[][PENTA_SIP_ORDER + 1], double u, double v, double slope[2])
{
    double sum = 0, by_u = 0, by_v = 0;

    for (int p = order; p >= 0; p--) {
        double row = 0, row_by_v = 0;

        for (int q = order - p; q >= 0; q--) {
            row_by_v = row_by_v * v + row;
            row = row * v + c[p][q];
        }
        by_u = by_u * u + sum;
        sum = sum * u + row;
        by_v = by_v * u + row_by_v;
    }
    slope[0] += by_u;
    slope[1] += by_v;
    return sum;
}

/* miss = (u + A, v + B) - target and its derivatives; returns |miss|, NaN or infinite far outside the frame. */
static double sip_miss(const penta_wcs *wcs, const double target[2], const double at[2], double miss[2],
                       double slope[2][2])
{
    double u = at[0], v = at[1];

    slope[0][0] = slope[1][1] = 1;
    slope[0][1] = slope[1][0] = 0;
    miss[0] = u + sip_slopes(wcs->a_order, wcs->a, u, v, slope[0]) - target[0];
    miss[1] = v + sip_slopes(wcs->b_order, wcs->b, u, v, slope[1]) - target[1];
    return hypot(miss[0], miss[1]);
}

/* Newton's iteration from at[]; a step is halved until it brings the polynomials closer to the target. */
static bool invert_from(const penta_wcs *wcs, const double target[2], double at[2])
{
    double miss[2], slope[2][2], size = hypot(target[0], target[1]), error = sip_miss(wcs, target, at, miss, slope);

    for (int i = 0; i < MOST_STEPS && error < INFINITY; i++) {
        double determinant = slope[0][0] * slope[1][1] - slope[0][1] * slope[1][0];
        double du = (slope[0][1] * miss[1] - slope[1][1] * miss[0]) / determinant;
        double dv = (slope[1][0] * miss[0] - slope[0][0] * miss[1]) / determinant;
        double share = 1, closer, next[2];

        if (hypot(du, dv) <= converged + 0x1p-48 * size) {
            at[0] += du;
            at[1] += dv;
            return true;
        }
        do {
            next[0] = at[0] + share * du;
            next[1] = at[1] + share * dv;
            closer = sip_miss(wcs, target, next, miss, slope);
            share /= 2;
        } while (!(closer < error) && share > 0x1p-20);
        if (!(closer < error))
            return false;
        at[0] = next[0];
        at[1] = next[1];
        error = closer;
    }
    return false;
}

static bool invert_sip(const penta_wcs *wcs, double target[2])
{
    double at[2] = {target[0], target[1]};

    if (wcs->ap_order > 0 && wcs->bp_order > 0) {
        at[0] += sky_sip(wcs->ap_order, wcs->ap, target[0], target[1]);
        at[1] += sky_sip(wcs->bp_order, wcs->bp, target[0], target[1]);
    }
    if (!invert_from(wcs, target, at)) {
        memcpy(at, target, sizeof at);
        if (!invert_from(wcs, target, at))
            return false;
    }
    memcpy(target, at, sizeof at);
    return true;
}

/* ---- one point ---- */

/* lonpole other than 180 turns the plane about the reference point. */
void sky_plane_init(const penta_wcs *wcs, sky_plane *plane)
{
    double east[3], north[3], s, c, determinant;

    plane->wcs = wcs;
    sky_direction(wcs->crval[0], wcs->crval[1], plane->z_axis, east, north);
    sky_sincos(180 - wcs->lonpole, &s, &c);
    for (int i = 0; i < 3; i++) {
        plane->x_axis[i] = c * east[i] + s * north[i];
        plane->y_axis[i] = c * north[i] - s * east[i];
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            plane->cd[i][j] = wcs->cd[i][j] / SKY_RADIAN;
    determinant = plane->cd[0][0] * plane->cd[1][1] - plane->cd[0][1] * plane->cd[1][0];
    plane->inverse[0][0] = plane->cd[1][1] / determinant;
    plane->inverse[0][1] = -plane->cd[0][1] / determinant;
    plane->inverse[1][0] = -plane->cd[1][0] / determinant;
    plane->inverse[1][1] = plane->cd[0][0] / determinant;
}

bool sky_plane_pixel(const sky_plane *plane, const double v[3], double *x, double *y)
{
    const penta_wcs *wcs = plane->wcs;
    double depth = sky_dot(v, plane->z_axis);
    double across = sky_dot(v, plane->x_axis) / depth, up = sky_dot(v, plane->y_axis) / depth;
    double at[2] = {plane->inverse[0][0] * across + plane->inverse[0][1] * up,
                    plane->inverse[1][0] * across + plane->inverse[1][1] * up};
    bool ok = depth > 0 && isfinite(at[0]) && isfinite(at[1]);

    if (ok && (wcs->a_order > 0 || wcs->b_order > 0))
        ok = invert_sip(wcs, at);
    *x = ok ? at[0] + wcs->crpix[0] - 1 : NAN;
    *y = ok ? at[1] + wcs->crpix[1] - 1 : NAN;
    return ok;
}

void sky_plane_direction(const sky_plane *plane, double x, double y, double v[3])
{
    const penta_wcs *wcs = plane->wcs;
    double u[2] = {x + 1 - wcs->crpix[0], y + 1 - wcs->crpix[1]}, flat[2] = {u[0], u[1]}, across, up;

    if (wcs->a_order > 0)
        flat[0] += sky_sip(wcs->a_order, wcs->a, u[0], u[1]);
    if (wcs->b_order > 0)
        flat[1] += sky_sip(wcs->b_order, wcs->b, u[0], u[1]);
    across = plane->cd[0][0] * flat[0] + plane->cd[0][1] * flat[1];
    up = plane->cd[1][0] * flat[0] + plane->cd[1][1] * flat[1];
    for (int i = 0; i < 3; i++)
        v[i] = plane->z_axis[i] + across * plane->x_axis[i] + up * plane->y_axis[i];
}

/* ---- arrays ---- */

penta_status penta_wcs_to_pixel(const penta_wcs *wcs, size_t n, const double *ra, const double *dec, double *x,
                                double *y)
{
    penta_status status = PENTA_OK;
    sky_plane plane;

    if (n > 0 && (!x || !y))
        return penta_fail(NULL, PENTA_INVALID, "pixel positions need places to go");
    TRY(penta_wcs_check(wcs));
    TRY(sky_check_positions(n, ra, dec));
    sky_plane_init(wcs, &plane);
    for (size_t i = 0; i < n; i++) {
        double v[3];

        sky_direction(ra[i], dec[i], v, NULL, NULL);
        sky_plane_pixel(&plane, v, x + i, y + i);
    }
cleanup:
    return status;
}

penta_status penta_wcs_to_sky(const penta_wcs *wcs, size_t n, const double *x, const double *y, double *ra, double *dec)
{
    penta_status status = PENTA_OK;
    sky_plane plane;

    if (n > 0 && (!ra || !dec))
        return penta_fail(NULL, PENTA_INVALID, "positions on the sky need places to go");
    TRY(penta_wcs_check(wcs));
    TRY(sky_check_points(n, x, y));
    sky_plane_init(wcs, &plane);
    for (size_t i = 0; i < n; i++) {
        double v[3];

        sky_plane_direction(&plane, x[i], y[i], v);
        sky_angles(v, ra + i, dec + i);
    }
cleanup:
    return status;
}
