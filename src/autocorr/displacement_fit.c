/*
 * C2D of band-limited images is band-limited, so it can be interpolated between its offsets (Lanczos, radius 8). The
 * grid of a fit is centred on where it is made, so that no position within a pixel is preferred.
 */
#include "displacement_fit.h"

#include <math.h>

#include "math/solve.h"

enum { RADIUS = 8, TAPS = 2 * RADIUS, TERMS = 6, PLACES = 24 };
static const double pi = 3.14159265358979323846;

double penta_offsets_at(const penta_offsets *c, long x, long y)
{
    return x < 0 || y < 0 || x >= c->side || y >= c->side ? (double)NAN : c->values[y * c->side + x];
}

/* ---- between the offsets ---- */

static double kernel(double t)
{
    double u = pi * t;

    if (fabs(t) >= RADIUS)
        return 0;
    return fabs(t) < 1e-9 ? 1 : RADIUS * sin(u) * sin(u / RADIUS) / (u * u);
}

/* The first of the offsets about t that count, and what each counts. */
static long taps(double t, double weights[TAPS])
{
    long first = (long)floor(t) - RADIUS + 1;

    for (int i = 0; i < TAPS; i++)
        weights[i] = kernel(t - (double)(first + i));
    return first;
}

/* Offsets without a value take no part. */
static double interpolate(const penta_offsets *c, double x, double y)
{
    double across[TAPS], down[TAPS], sum = 0, weight = 0;
    long x0 = taps(x, across), y0 = taps(y, down);

    for (int j = 0; j < TAPS; j++)
        for (int i = 0; i < TAPS && down[j] != 0; i++) {
            double value = penta_offsets_at(c, x0 + i, y0 + j), w = down[j] * across[i];

            if (!isnan(value)) {
                sum += w * value;
                weight += w;
            }
        }
    return sum / weight;
}

/* ---- the quadratic ---- */

bool penta_quadratic_fit(const penta_offsets *c, double x, double y, double width, penta_quadratic *q)
{
    double step = width > 1.5 ? width / 6 : 0.25, a[TERMS][TERMS] = {{0}}, terms[TERMS] = {0};
    int reach = (int)ceil(2 * width / step);

    for (int j = -reach; j <= reach; j++)
        for (int i = -reach; i <= reach; i++) {
            double u = i * step, v = j * step, w = exp(-(u * u + v * v) / (2 * width * width));
            double value = interpolate(c, x + u, y + v), row[TERMS] = {1, u, v, u * u, u * v, v * v};

            if (isnan(value))
                continue;
            for (int r = 0; r < TERMS; r++) {
                terms[r] += w * row[r] * value;
                for (int s = 0; s < TERMS; s++)
                    a[r][s] += w * row[r] * row[s];
            }
        }
    if (!penta_solve_positive(TERMS, TERMS, a[0], terms, 0))
        return false;
    *q = (penta_quadratic){terms[0], terms[1], terms[2], terms[3], terms[4], terms[5]};
    return true;
}

/* ---- the error of the place ---- */

/*
 * C2D of an image and its copy that moved is symmetric about the displacement, but for noise and for what enters and
 * leaves the frame. So what is odd about the peak, at offsets where that is not the same noise as at the peak, says how
 * large slopes are that move it: those at two opposite offsets add up to sqrt 2 times the one at the peak. With the
 * curvature H and the covariance S of the slopes the place has the covariance H^-1 S H^-1.
 */
void penta_displacement_error(const penta_offsets *c, double x, double y, double width, double *x_se, double *y_se)
{
    double room = fmin(fmin(x, y), fmin((double)c->side - 1 - x, (double)c->side - 1 - y)) - 2 * width;
    double xx = 0, xy = 0, yy = 0, n = 0, determinant;
    penta_quadratic here, there, opposite;

    *x_se = *y_se = (double)NAN;
    for (int k = 0; k < PLACES; k++) { /* half an annulus, in golden angles */
        double r = room * sqrt(0.25 + 0.75 * (k + 0.5) / PLACES), angle = pi * fmod(k * 0.6180339887498949, 1);
        double u = r * cos(angle), v = r * sin(angle), sx, sy;

        if (!(r > width) || !penta_quadratic_fit(c, x + u, y + v, width, &there) ||
            !penta_quadratic_fit(c, x - u, y - v, width, &opposite))
            continue;
        sx = there.x + opposite.x;
        sy = there.y + opposite.y;
        xx += sx * sx / 2;
        xy += sx * sy / 2;
        yy += sy * sy / 2;
        n++;
    }
    if (n < PLACES / 2 || !penta_quadratic_fit(c, x, y, width, &here))
        return;
    determinant = 4 * here.xx * here.yy - here.xy * here.xy;
    if (!(determinant > 0) || !(here.xx < 0))
        return;
    /* Rows of H^-1: (2 yy, -xy) and (-xy, 2 xx), over the determinant. */
    *x_se = sqrt(fmax(0, 4 * here.yy * here.yy * xx - 4 * here.yy * here.xy * xy + here.xy * here.xy * yy) / n) /
            determinant;
    *y_se = sqrt(fmax(0, 4 * here.xx * here.xx * yy - 4 * here.xx * here.xy * xy + here.xy * here.xy * xx) / n) /
            determinant;
}
