/*
 * C2D of band-limited images is band-limited, so it can be interpolated between its offsets (Lanczos, radius 8). The
 * grid of a fit is centred on where it is made, so that no position within a pixel is preferred.
 */
#include "displacement_fit.h"

#include <math.h>

#include "math/solve.h"

enum { RADIUS = 8, TAPS = 2 * RADIUS, TERMS = 6 };
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
