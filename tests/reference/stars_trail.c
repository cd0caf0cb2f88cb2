#include "reference/stars_trail.h"

#include <math.h>

#define DEGREE 0.017453292519943295769
#define PI     3.14159265358979323846

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

reference_attitude reference_attitude_of(double ra, double dec, double roll)
{
    double a = ra * DEGREE, d = dec * DEGREE, r = roll * DEGREE;
    double north[3] = {-sin(d) * cos(a), -sin(d) * sin(a), cos(d)}, east[3] = {-sin(a), cos(a), 0};
    reference_attitude out;

    out.m[2][0] = cos(d) * cos(a);
    out.m[2][1] = cos(d) * sin(a);
    out.m[2][2] = sin(d);
    for (int i = 0; i < 3; i++)
        out.m[1][i] = -(cos(r) * north[i] + sin(r) * east[i]); /* down */
    cross(out.m[1], out.m[2], out.m[0]);
    return out;
}

/* Each row turns about the unit vector `axis` (ICRS) by the angle, rad (Rodrigues). */
static reference_attitude rotated(const reference_attitude *from, const double axis[3], double angle)
{
    reference_attitude out;

    for (int i = 0; i < 3; i++) {
        const double *v = from->m[i];
        double across[3], along = dot(axis, v);

        cross(axis, v, across);
        for (int k = 0; k < 3; k++)
            out.m[i][k] = v[k] * cos(angle) + across[k] * sin(angle) + axis[k] * along * (1 - cos(angle));
    }
    return out;
}

reference_attitude reference_attitude_turned(const reference_attitude *from, const double rate[3], double seconds)
{
    double speed = sqrt(dot(rate, rate)), axis[3] = {0, 0, 0};

    if (speed == 0)
        return *from;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            axis[k] += rate[i] / speed * from->m[i][k];
    return rotated(from, axis, speed * seconds * DEGREE);
}

reference_attitude reference_attitude_between(const reference_attitude *from, const reference_attitude *to, double t)
{
    double axis[3] = {0, 0, 0}, trace = 0, size;

    /* The turn takes each row of `from` to that of `to`: twice its sine times its axis is the sum of from x to. */
    for (int i = 0; i < 3; i++) {
        double part[3];

        cross(from->m[i], to->m[i], part);
        trace += dot(from->m[i], to->m[i]);
        for (int k = 0; k < 3; k++)
            axis[k] += part[k];
    }
    size = sqrt(dot(axis, axis));
    if (size == 0)
        return *from;
    for (int k = 0; k < 3; k++)
        axis[k] /= size;
    return rotated(from, axis, t * atan2(size, trace - 1));
}

bool reference_project(const reference_camera *c, const reference_attitude *attitude, double ra, double dec, double *x,
                       double *y)
{
    double a = ra * DEGREE, d = dec * DEGREE, v[3] = {cos(d) * cos(a), cos(d) * sin(a), sin(d)};
    double z = dot(attitude->m[2], v), u = dot(attitude->m[0], v) / z, w = dot(attitude->m[1], v) / z;
    double r2 = u * u + w * w, radial = 1 + c->k1 * r2 + c->k2 * r2 * r2 + c->k3 * r2 * r2 * r2;

    *x = c->cx + c->focal * (u * radial + 2 * c->p1 * u * w + c->p2 * (r2 + 2 * u * u));
    *y = c->cy + c->focal * (w * radial + c->p1 * (r2 + 2 * w * w) + 2 * c->p2 * u * w);
    return z > 0;
}

static double factor(double sigma, bool integrated, double d)
{
    if (integrated)
        return 0.5 * (erf((d + 0.5) / (sigma * sqrt(2))) - erf((d - 0.5) / (sigma * sqrt(2))));
    return exp(-d * d / (2 * sigma * sigma)) / (sqrt(2 * PI) * sigma);
}

void reference_add_star(double sigma, bool integrated, double x, double y, double flux, size_t width, size_t height,
                        double *image)
{
    double reach = 9 * sigma + 1; /* beyond, a double has no digits left for it */
    double left = fmax(0, ceil(x - reach)), right = fmin((double)width - 1, floor(x + reach));
    double top = fmax(0, ceil(y - reach)), bottom = fmin((double)height - 1, floor(y + reach));

    for (double row = top; row <= bottom; row++) {
        double light = flux * factor(sigma, integrated, row - y);

        for (double column = left; column <= right; column++)
            image[(size_t)row * width + (size_t)column] += light * factor(sigma, integrated, column - x);
    }
}
