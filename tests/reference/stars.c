#include "reference/stars.h"

#include <math.h>

#define PI 3.14159265358979323846

/* Integral of the Gaussian over [d - 1/2, d + 1/2]; by the tails, where they do not cancel. */
static double over_pixel(double d, double sigma)
{
    double near = fabs(d) - 0.5, far = fabs(d) + 0.5, root = sigma * sqrt(2.0);

    if (near < 0)
        return 1 - 0.5 * erfc(far / root) - 0.5 * erfc(-near / root);
    return 0.5 * erfc(near / root) - 0.5 * erfc(far / root);
}

static double psf(const reference_stars *r, double dx, double dy)
{
    double a = r->angle_deg * PI / 180, u = dx * cos(a) + dy * sin(a), v = dy * cos(a) - dx * sin(a);

    if (r->integrated)
        return over_pixel(dx, r->sigma_x) * over_pixel(dy, r->sigma_y);
    if (r->moffat_beta > 0) {
        double b = r->moffat_beta, to_half = 2 * sqrt(2 * log(2.0)) / 2 / sqrt(pow(2, 1 / b) - 1);
        double ax = r->sigma_x * to_half, ay = r->sigma_y * to_half;

        return (b - 1) / (PI * ax * ay) * pow(1 + u * u / ax / ax + v * v / ay / ay, -b);
    }
    return exp(-0.5 * (u * u / r->sigma_x / r->sigma_x + v * v / r->sigma_y / r->sigma_y)) /
           (2 * PI * r->sigma_x * r->sigma_y);
}

/* The region of interest lies about (x, y), the light at (x + ox, y + oy). */
static void add(const reference_stars *r, double x, double y, double ox, double oy, double flux, double *image)
{
    double left = ceil(x - r->roi / 2.0), top = ceil(y - r->roi / 2.0);

    for (int j = 0; j < r->roi; j++)
        for (int i = 0; i < r->roi; i++) {
            double px = left + i, py = top + j;

            if (px >= 0 && py >= 0 && px < (double)r->width && py < (double)r->height)
                image[(size_t)py * r->width + (size_t)px] += flux * psf(r, px - x - ox, py - y - oy);
        }
}

void reference_stars_draw(const reference_stars *r, size_t n, const double *x, const double *y, const double *m,
                          double *image)
{
    for (size_t i = 0; i < r->width * r->height; i++)
        image[i] = 0;
    for (size_t i = 0; i < n; i++)
        add(r, x[i], y[i], 0, 0, r->amplitude * pow(r->base, -m[i]), image);
}

void reference_stars_add_moving(const reference_stars *r, double x, double y, double m, double mx, double my,
                                double *image)
{
    enum { PLACES = 2000 };

    for (int k = 0; k < PLACES; k++) {
        double t = (k + 0.5) / PLACES - 0.5;

        add(r, x, y, t * mx, t * my, r->amplitude * pow(r->base, -m) / PLACES, image);
    }
}
