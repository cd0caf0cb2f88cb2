/*
 * Pinhole cameras with Brown-Conrady distortion. Its matrix of derivatives is symmetric. With a = g'(r) and b = g(r) /
 * r of the radial part g, and P = |(p1, p2)|, the eigenvalues of the radial part are a and b, and those of the
 * tangential part are -6 P r at the least. So while a and b are over 6 P r the matrix is positive definite, and on a
 * disc (it is convex) the distortion is then one-to-one.
 */
#include <math.h>

#include "core/core.h"
#include "stars/sky.h"

enum { DEGREE = 6, MOST_STEPS = 200 };

/* ---- making cameras ---- */

penta_status sky_check_camera(const penta_camera *camera)
{
    const double lens[] = {camera->k1, camera->k2, camera->k3, camera->p1, camera->p2};
    static const char *const names[] = {"k1", "k2", "k3", "p1", "p2"};

    if (camera->width == 0 || camera->height == 0)
        return penta_fail(NULL, PENTA_INVALID, "a frame of %zu x %zu px has no pixels", camera->width, camera->height);
    if (!isfinite(camera->focal) || !(camera->focal > 0))
        return penta_fail(NULL, PENTA_INVALID, "the focal length is %g px: it must be finite and over 0",
                          camera->focal);
    if (!isfinite(camera->cx) || !isfinite(camera->cy))
        return penta_fail(NULL, PENTA_INVALID, "the principal point is (%g, %g) px: it must be finite", camera->cx,
                          camera->cy);
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++)
        if (!(fabs(lens[i]) < 1e100)) /* so that nothing below overflows */
            return penta_fail(NULL, PENTA_INVALID, "the distortion has %s = %g: it must be finite", names[i], lens[i]);
    return PENTA_OK;
}

penta_status penta_camera_init(size_t width, size_t height, double focal, penta_camera *out)
{
    if (!out)
        return penta_fail(NULL, PENTA_INVALID, "a camera needs a place to go");
    *out = (penta_camera){.width = width,
                          .height = height,
                          .focal = focal,
                          .cx = ((double)width - 1) / 2,
                          .cy = ((double)height - 1) / 2};
    return sky_check_camera(out);
}

penta_status penta_camera_focal_from_fov(size_t width, double fov, double *focal)
{
    if (!focal || width == 0)
        return penta_fail(NULL, PENTA_INVALID, "a focal length needs a frame with pixels and a place to go");
    if (!(fov > 0 && fov < 180))
        return penta_fail(NULL, PENTA_INVALID, "`fov` is %g deg; it must be above 0 and below 180", fov);
    *focal = (double)width / 2 / tan(fov / 2 / SKY_RADIAN);
    return PENTA_OK;
}

penta_status penta_camera_focal_from_lens(double focal_mm, double pitch_um, double *focal)
{
    if (!focal)
        return penta_fail(NULL, PENTA_INVALID, "a focal length needs a place to go");
    if (!(focal_mm > 0 && focal_mm < INFINITY))
        return penta_fail(NULL, PENTA_INVALID, "`focal` is %g mm; it must be finite and above 0", focal_mm);
    if (!(pitch_um > 0 && pitch_um < INFINITY))
        return penta_fail(NULL, PENTA_INVALID, "`pitch` is %g um; it must be finite and above 0", pitch_um);
    *focal = focal_mm * 1000 / pitch_um;
    return PENTA_OK;
}

/* ---- the fold ---- */

/* First zero in [low, high] of the polynomial with these Bernstein coefficients there; INFINITY for none. Where they
 * are all positive the polynomial is; else halves are looked at, the lower one first. */
static double first_zero(size_t degree, const double *bernstein, double low, double high)
{
    double lower[DEGREE + 1], upper[DEGREE + 1], middle = low + (high - low) / 2, found;
    bool positive = true;

    for (size_t i = 0; i <= degree; i++) {
        positive = positive && bernstein[i] > 0;
        upper[i] = bernstein[i];
    }
    if (positive)
        return INFINITY;
    if (!(low < middle && middle < high))
        return low;
    for (size_t i = 0; i <= degree; i++) { /* de Casteljau */
        lower[i] = upper[0];
        for (size_t j = 0; j + i < degree; j++)
            upper[j] = (upper[j] + upper[j + 1]) / 2;
    }
    found = first_zero(degree, lower, low, middle);
    return found < INFINITY ? found : first_zero(degree, upper, middle, high);
}

/* First r > 0 where sum c[i] r^i = 0, c[0] = 1. With t = r / (1 + r), from 0 to 1, it is the zero of
 * sum c[i] t^i (1 - t)^(degree - i), a Bernstein form but for the binomials. */
static double first_radius(const double c[DEGREE + 1])
{
    size_t degree = DEGREE;
    double bernstein[DEGREE + 1], binomial = 1, t;

    while (degree > 0 && c[degree] == 0)
        degree--;
    for (size_t i = 0; i <= degree; i++) {
        bernstein[i] = c[i] / binomial;
        binomial = binomial * (double)(degree - i) / (double)(i + 1);
    }
    t = first_zero(degree, bernstein, 0, 1);
    return t < 1 ? t / (1 - t) : INFINITY;
}

double sky_fold(const penta_camera *camera)
{
    double lean = -6 * hypot(camera->p1, camera->p2), k1 = camera->k1, k2 = camera->k2, k3 = camera->k3;

    return fmin(first_radius((double[]){1, lean, 3 * k1, 0, 5 * k2, 0, 7 * k3}),
                first_radius((double[]){1, lean, k1, 0, k2, 0, k3}));
}

penta_status penta_camera_fold(const penta_camera *camera, double *radius)
{
    penta_status status;

    if (!camera || !radius)
        return penta_fail(NULL, PENTA_INVALID, "the fold needs a camera and a place to go");
    status = sky_check_camera(camera);
    if (status == PENTA_OK)
        *radius = sky_fold(camera);
    return status;
}

/* ---- distortion ---- */

static bool nowhere(double *x, double *y)
{
    *x = *y = NAN;
    return false;
}

/* The distorted point and, where not NULL, the derivatives xx, xy, yy. */
static void distorted(const penta_camera *lens, double x, double y, double point[2], double derivative[3])
{
    double r2 = x * x + y * y, p1 = lens->p1, p2 = lens->p2;
    double scale = 1 + r2 * (lens->k1 + r2 * (lens->k2 + r2 * lens->k3));
    double slope = 2 * (lens->k1 + r2 * (2 * lens->k2 + r2 * 3 * lens->k3)); /* d scale / dx = slope x */

    point[0] = x * scale + 2 * p1 * x * y + p2 * (r2 + 2 * x * x);
    point[1] = y * scale + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y;
    if (!derivative)
        return;
    derivative[0] = scale + x * x * slope + 2 * p1 * y + 6 * p2 * x;
    derivative[1] = x * y * slope + 2 * p1 * x + 2 * p2 * y;
    derivative[2] = scale + y * y * slope + 6 * p1 * y + 2 * p2 * x;
}

static bool is_within(double fold, double x, double y)
{
    return hypot(x, y) < fold; /* false for NaN */
}

bool sky_distort(const penta_camera *camera, double fold, double x, double y, double *xd, double *yd)
{
    double point[2];

    if (!is_within(fold, x, y))
        return nowhere(xd, yd);
    distorted(camera, x, y, point, NULL);
    if (!isfinite(point[0]) || !isfinite(point[1]))
        return nowhere(xd, yd);
    *xd = point[0];
    *yd = point[1];
    return true;
}

/* ---- its inverse ---- */

/* r in [0, fold) with g(r) = rd by Newton's iteration inside a bracket; fold where there is none. g rises up to fold.
 */
static double undistorted_radius(const penta_camera *lens, double fold, double rd)
{
    double low = 0, high = fold, r = rd < fold ? rd : fold / 2;

    for (int i = 0; i < MOST_STEPS; i++) {
        double r2 = r * r, g, slope, next;

        g = r * (1 + r2 * (lens->k1 + r2 * (lens->k2 + r2 * lens->k3)));
        slope = 1 + r2 * (3 * lens->k1 + r2 * (5 * lens->k2 + r2 * 7 * lens->k3));
        if (fabs(g - rd) <= 0x1p-53 * r * slope)
            return r;
        if (g < rd)
            low = r;
        else
            high = r;
        next = r - (g - rd) / slope;
        if (!(next > low && next < high)) /* NaN too */
            next = high < INFINITY ? low + (high - low) / 2 : 2 * r;
        if (fabs(next - r) <= 0x1p-53 * r)
            return next;
        r = next;
    }
    return r;
}

/* Newton's iteration for the whole distortion from point[]; a step is halved until it stays within the fold and brings
 * the image closer. */
static bool refine(const penta_camera *lens, double fold, double xd, double yd, double point[2])
{
    double image[2], slope[3], error, size = hypot(xd, yd);

    distorted(lens, point[0], point[1], image, slope);
    error = hypot(image[0] - xd, image[1] - yd);
    for (int i = 0; i < MOST_STEPS; i++) {
        double determinant = slope[0] * slope[2] - slope[1] * slope[1], u = image[0] - xd, v = image[1] - yd;
        double dx = (slope[1] * v - slope[2] * u) / determinant, dy = (slope[1] * u - slope[0] * v) / determinant;
        double step = hypot(dx, dy), share = 1, x, y, closer;

        if (step <= 0x1p-50 * hypot(point[0], point[1]))
            return true;
        do {
            x = point[0] + share * dx;
            y = point[1] + share * dy;
            distorted(lens, x, y, image, slope);
            closer = hypot(image[0] - xd, image[1] - yd);
            share /= 2;
        } while (!(is_within(fold, x, y) && closer < error) && share > 0x1p-40);
        if (!(is_within(fold, x, y) && closer < error))
            return error <= 1e-14 * size; /* no closer because of rounding, or because there is no answer */
        point[0] = x;
        point[1] = y;
        error = closer;
    }
    return error <= 1e-14 * size;
}

bool sky_undistort(const penta_camera *camera, double fold, double xd, double yd, double *x, double *y)
{
    double rd = hypot(xd, yd), r = rd, point[2], inside = 1 - 0x1p-50;
    bool tangential = camera->p1 != 0 || camera->p2 != 0;

    if (!(rd < INFINITY))
        return nowhere(x, y);
    if (rd > 0)
        r = undistorted_radius(camera, fold, rd);
    if (!(r < inside * fold)) {
        if (!tangential)
            return nowhere(x, y);
        r = 0.99 * fold;
    }
    point[0] = rd > 0 ? xd * (r / rd) : 0;
    point[1] = rd > 0 ? yd * (r / rd) : 0;
    if (tangential && !refine(camera, fold, xd, yd, point))
        return nowhere(x, y);
    *x = point[0];
    *y = point[1];
    return true;
}

/* ---- arrays ---- */

typedef bool mapping(const penta_camera *camera, double fold, double x, double y, double *out_x, double *out_y);

static penta_status map_points(const penta_camera *camera, mapping *map, size_t n, const double *x, const double *y,
                               double *out_x, double *out_y)
{
    penta_status status = PENTA_OK;
    double fold;

    if (!camera || (n > 0 && (!out_x || !out_y)))
        return penta_fail(NULL, PENTA_INVALID, "distortion needs a camera, points and places for their images");
    TRY(sky_check_camera(camera));
    TRY(sky_check_points(n, x, y));
    fold = sky_fold(camera);
    for (size_t i = 0; i < n; i++)
        map(camera, fold, x[i], y[i], out_x + i, out_y + i);
cleanup:
    return status;
}

penta_status penta_camera_distort(const penta_camera *camera, size_t n, const double *x, const double *y, double *xd,
                                  double *yd)
{
    return map_points(camera, sky_distort, n, x, y, xd, yd);
}

penta_status penta_camera_undistort(const penta_camera *camera, size_t n, const double *xd, const double *yd, double *x,
                                    double *y)
{
    return map_points(camera, sky_undistort, n, xd, yd, x, y);
}
