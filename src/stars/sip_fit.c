/*
 * FITS headers of views. A camera's undistorted pixel offsets from its principal point, U = focal x and V = focal y,
 * are linear in standard coordinates. SIP's A and B map pixel offsets (u, v) to U - u and V - v, AP and BP map (U, V)
 * back.
 */
#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "math/lsq.h"
#include "stars/sky.h"

enum { NODES = 40, CHECKS = 61 }; /* points a side for the fit and for the residual */
enum { LEAST_ORDER = 3 };         /* of a fit; the most is PENTA_SIP_ORDER */

/* ---- the linear header ---- */

static penta_status linear_of_camera(const penta_sky_view *view, penta_wcs *wcs)
{
    double ra, dec, roll, s, c, scale = SKY_RADIAN / view->camera.focal;
    penta_status status = penta_attitude_to_radec(&view->attitude, &ra, &dec, &roll);

    if (status != PENTA_OK)
        return status;
    sky_sincos(roll, &s, &c);
    penta_wcs_init(wcs);
    wcs->crval[0] = ra;
    wcs->crval[1] = dec;
    wcs->crpix[0] = view->camera.cx + 1;
    wcs->crpix[1] = view->camera.cy + 1;
    wcs->cd[0][0] = -scale * c;
    wcs->cd[0][1] = -scale * s;
    wcs->cd[1][0] = scale * s;
    wcs->cd[1][1] = -scale * c;
    return penta_wcs_check(wcs);
}

penta_status penta_sky_linear_wcs(const penta_sky_view *view, penta_wcs *out)
{
    penta_status status = PENTA_OK;
    sky_sight sight;

    if (!out)
        return penta_fail(NULL, PENTA_INVALID, "a WCS needs a place to go");
    TRY(sky_sight_init(view, &sight));
    if (view->kind == PENTA_SKY_CAMERA) {
        TRY(linear_of_camera(view, out));
    } else {
        *out = view->wcs;
        out->a_order = out->b_order = out->ap_order = out->bp_order = 0;
    }
cleanup:
    return status;
}

/* ---- points of the frame ---- */

/* The offsets from the principal point of n points, on the frame (u, v) and without distortion (flat_u, flat_v), px. */
typedef struct {
    size_t n;
    double *u, *v, *flat_u, *flat_v, *memory;
} points;

static penta_status points_alloc(size_t n, points *p)
{
    penta_status status = penta_calloc(NULL, 4 * n, sizeof *p->memory, &p->memory);

    if (status != PENTA_OK)
        return status;
    p->n = n;
    p->u = p->memory;
    p->v = p->u + n;
    p->flat_u = p->v + n;
    p->flat_v = p->flat_u + n;
    return PENTA_OK;
}

/* side x side points at the shares 0 to 1 of the frame that `share` gives for 0 to side - 1. */
static penta_status points_fill(const penta_camera *camera, int side, double (*share)(int), points *p)
{
    double fold = sky_fold(camera);
    size_t at = 0;

    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++, at++) {
            double x = share(i) * (double)camera->width - 0.5 - camera->cx;
            double y = share(j) * (double)camera->height - 0.5 - camera->cy;

            if (!sky_undistort(camera, fold, x / camera->focal, y / camera->focal, p->flat_u + at, p->flat_v + at))
                return penta_fail(NULL, PENTA_INVALID,
                                  "the distortion folds back within the frame, at the pixel (%g, %g): no TAN-SIP "
                                  "header describes that",
                                  x + camera->cx, y + camera->cy);
            p->u[at] = x;
            p->v[at] = y;
            p->flat_u[at] *= camera->focal;
            p->flat_v[at] *= camera->focal;
        }
    return PENTA_OK;
}

/* Chebyshev's nodes, which keep a fit from swinging at the edges. */
static double node_share(int i)
{
    return (1 - cos((i + 0.5) / NODES * 3.14159265358979323846)) / 2;
}

static double check_share(int i)
{
    return (double)i / (CHECKS - 1);
}

/* ---- the fit ---- */

/* Fits value = sum over lowest <= p + q <= order of c[p][q] x^p y^q. Coordinates are scaled to within [-1, 1]. */
static penta_status fit_polynomial(size_t n, const double *x, const double *y, const double *value, int lowest,
                                   int order, double c[][PENTA_SIP_ORDER + 1])
{
    penta_status status = PENTA_OK;
    double *matrix = NULL, *rhs, solution[PENTA_LSQ_MAX], scale = 0;
    size_t terms = (size_t)((order + 1) * (order + 2) - lowest * (lowest + 1)) / 2, term = 0;
    penta_lsq_result result;

    TRY(penta_calloc(NULL, n * (terms + 1), sizeof *matrix, &matrix));
    rhs = matrix + n * terms;
    for (size_t i = 0; i < n; i++) {
        scale = fmax(scale, fmax(fabs(x[i]), fabs(y[i])));
        rhs[i] = value[i];
    }
    for (int p = 0; p <= order; p++)
        for (int q = p < lowest ? lowest - p : 0; p + q <= order; q++, term++)
            for (size_t i = 0; i < n; i++)
                matrix[term * n + i] = pow(x[i] / scale, p) * pow(y[i] / scale, q);
    TRY(penta_lsq_linear(n, terms, matrix, rhs, solution, NULL, &result));
    if (!result.ok) {
        status = penta_fail(NULL, PENTA_INVALID, "the distortion has no TAN-SIP fit of order %d", order);
        goto cleanup;
    }
    term = 0;
    for (int p = 0; p <= order; p++)
        for (int q = p < lowest ? lowest - p : 0; p + q <= order; q++)
            c[p][q] = solution[term++] / pow(scale, p + q);
cleanup:
    free(matrix);
    return status;
}

static penta_status fit_distortion(const points *p, int order, penta_wcs *wcs)
{
    penta_status status = PENTA_OK;
    double *shift = NULL, *shift_v;

    TRY(penta_calloc(NULL, 2 * p->n, sizeof *shift, &shift));
    shift_v = shift + p->n;
    for (size_t i = 0; i < p->n; i++) {
        shift[i] = p->flat_u[i] - p->u[i];
        shift_v[i] = p->flat_v[i] - p->v[i];
    }
    TRY(fit_polynomial(p->n, p->u, p->v, shift, 2, order, wcs->a));
    TRY(fit_polynomial(p->n, p->u, p->v, shift_v, 2, order, wcs->b));
    for (size_t i = 0; i < 2 * p->n; i++)
        shift[i] = -shift[i];
    TRY(fit_polynomial(p->n, p->flat_u, p->flat_v, shift, 1, order, wcs->ap));
    TRY(fit_polynomial(p->n, p->flat_u, p->flat_v, shift_v, 1, order, wcs->bp));
    wcs->a_order = wcs->b_order = wcs->ap_order = wcs->bp_order = order;
cleanup:
    free(shift);
    return status;
}

static penta_sip_residual residual_of(const penta_wcs *wcs, const points *p)
{
    penta_sip_residual worst = {0, 0};

    for (size_t i = 0; i < p->n; i++) {
        double u = p->u[i], v = p->v[i], flat_u = p->flat_u[i], flat_v = p->flat_v[i];

        worst.forward = fmax(worst.forward, hypot(u + sky_sip(wcs->a_order, wcs->a, u, v) - flat_u,
                                                  v + sky_sip(wcs->b_order, wcs->b, u, v) - flat_v));
        worst.inverse = fmax(worst.inverse, hypot(flat_u + sky_sip(wcs->ap_order, wcs->ap, flat_u, flat_v) - u,
                                                  flat_v + sky_sip(wcs->bp_order, wcs->bp, flat_u, flat_v) - v));
    }
    return worst;
}

static bool is_distorted(const penta_camera *c)
{
    return c->k1 != 0 || c->k2 != 0 || c->k3 != 0 || c->p1 != 0 || c->p2 != 0;
}

static penta_status fit_camera(const penta_camera *camera, int order, penta_wcs *wcs, penta_sip_residual *residual)
{
    penta_status status = PENTA_OK;
    points nodes = {0}, checks = {0};

    TRY(points_alloc(NODES * NODES, &nodes));
    TRY(points_alloc(CHECKS * CHECKS, &checks));
    TRY(points_fill(camera, CHECKS, check_share, &checks)); /* first: these reach the corners */
    TRY(points_fill(camera, NODES, node_share, &nodes));
    TRY(fit_distortion(&nodes, order, wcs));
    *residual = residual_of(wcs, &checks);
cleanup:
    free(nodes.memory);
    free(checks.memory);
    return status;
}

penta_status penta_sky_fit_sip(const penta_sky_view *view, int order, penta_wcs *out, penta_sip_residual *residual)
{
    penta_status status = PENTA_OK;
    penta_sip_residual worst = {0, 0};
    penta_wcs wcs;

    if (!out)
        return penta_fail(NULL, PENTA_INVALID, "a WCS needs a place to go");
    if (order < LEAST_ORDER || order > PENTA_SIP_ORDER)
        return penta_fail(NULL, PENTA_INVALID, "the order of a TAN-SIP fit is %d: it must lie within %d and %d", order,
                          LEAST_ORDER, PENTA_SIP_ORDER);
    TRY(penta_sky_linear_wcs(view, &wcs));
    if (view->kind == PENTA_SKY_WCS)
        wcs = view->wcs;
    else if (is_distorted(&view->camera))
        TRY(fit_camera(&view->camera, order, &wcs, &worst));
    *out = wcs;
    if (residual)
        *residual = worst;
cleanup:
    return status;
}

penta_status penta_sky_fit_sip_within(const penta_sky_view *view, double error, penta_wcs *out,
                                      penta_sip_residual *residual)
{
    double best = INFINITY;
    penta_status status = PENTA_OK;

    if (!out)
        return penta_fail(NULL, PENTA_INVALID, "a header needs a place to go");
    for (int order = LEAST_ORDER; order <= PENTA_SIP_ORDER && !(best <= error); order++) {
        penta_sip_residual r;
        penta_wcs wcs;
        double worst;

        status = penta_sky_fit_sip(view, order, &wcs, &r);
        if (status != PENTA_OK)
            break;
        worst = fmax(r.forward, r.inverse);
        if (worst < best) {
            best = worst;
            *out = wcs;
            if (residual)
                *residual = r;
        }
    }
    return best < INFINITY ? PENTA_OK : status;
}
