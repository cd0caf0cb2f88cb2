/* Tips: where two isolines meet. */
#include "optmap/tips.h"

#include <stdbool.h>

/* f at the corners (0, 0), (1, 0), (0, 1), (1, 1) of a square of cells' middles. */
typedef struct {
    double f[4];
} corners;

static corners corners_at(const float *map, size_t width, size_t x, size_t y, double level)
{
    const float *at = map + y * width + x;

    return (corners){{at[0] - level, at[1] - level, at[width] - level, at[width + 1] - level}};
}

static bool crosses(const corners *c)
{
    bool below = false, above = false;

    for (int i = 0; i < 4; i++) {
        below = below || c->f[i] <= 0;
        above = above || c->f[i] > 0;
    }
    return below && above;
}

static double value_at(const corners *c, double x, double y)
{
    return (c->f[0] * (1 - x) + c->f[1] * x) * (1 - y) + (c->f[2] * (1 - x) + c->f[3] * x) * y;
}

static double slope_x(const corners *c, double y)
{
    return (c->f[1] - c->f[0]) * (1 - y) + (c->f[3] - c->f[2]) * y;
}

static double slope_y(const corners *c, double x)
{
    return (c->f[2] - c->f[0]) * (1 - x) + (c->f[3] - c->f[1]) * x;
}

/* Finds where both are 0 in the square, by Newton's method from its middle. */
static bool meet(const corners *u, const corners *v, double *x, double *y, double *det)
{
    const double edge = 1e-9;

    *x = *y = 0.5;
    for (int i = 0; i < 30; i++) {
        double ux = slope_x(u, *y), uy = slope_y(u, *x), vx = slope_x(v, *y), vy = slope_y(v, *x);
        double f = value_at(u, *x, *y), g = value_at(v, *x, *y);

        *det = ux * vy - uy * vx;
        if (*det == 0)
            return false;
        *x -= (f * vy - g * uy) / *det;
        *y -= (g * ux - f * vx) / *det;
    }
    return *x >= -edge && *x < 1 - edge && *y >= -edge && *y < 1 - edge;
}

static bool all_in(const uint8_t *medium, size_t width, size_t x, size_t y)
{
    const uint8_t *at = medium + y * width + x;

    return at[0] && at[1] && at[width] && at[width + 1];
}

size_t optmap_tips(const float *u, const float *v, size_t width, size_t height, const uint8_t *medium, double level_u,
                   double level_v, penta_spiral_tip *tips, size_t most)
{
    size_t count = 0;

    for (size_t y = 0; y + 1 < height; y++)
        for (size_t x = 0; x + 1 < width; x++) {
            corners cu = corners_at(u, width, x, y, level_u), cv = corners_at(v, width, x, y, level_v);
            double dx, dy, det;

            if (!crosses(&cu) || !crosses(&cv) || (medium && !all_in(medium, width, x, y)) ||
                !meet(&cu, &cv, &dx, &dy, &det))
                continue;
            if (count < most)
                tips[count] = (penta_spiral_tip){(double)x + dx, (double)y + dy, det < 0 ? 1 : -1};
            count++;
        }
    return count;
}
