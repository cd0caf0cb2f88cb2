/* The outline of a heart: r(angle) around its middle, a sum of a few waves. */
#include <math.h>

#include <pentacl/tissue.h>

/* Radius divided by half the side, in direction `angle` (0 right, growing downwards). */
static double radius(double angle)
{
    double apex = angle - 1.05; /* the apex points down right */

    return 0.84 + 0.10 * cos(apex) - 0.08 * cos(2 * apex + 1.2) + 0.025 * cos(3 * angle + 0.7) +
           0.018 * sin(5 * angle) + 0.010 * cos(9 * angle + 2) + 0.006 * sin(17 * angle);
}

void penta_tissue_heart(size_t width, size_t height, uint8_t *mask)
{
    double half_x = 0.5 * (double)width, half_y = 0.5 * (double)height;

    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            double dx = ((double)x + 0.5) / half_x - 0.97, dy = ((double)y + 0.5) / half_y - 0.95;

            mask[y * width + x] = hypot(dx, dy) <= radius(atan2(dy, dx));
        }
}
