#include "reference/smooth.h"

double reference_smooth(const float *in, int width, int height, int radius, int zero, int x, int y)
{
    double sum = 0, count = 0;

    for (int v = y - radius; v <= y + radius; v++)
        for (int u = x - radius; u <= x + radius; u++) {
            int inside = u >= 0 && u < width && v >= 0 && v < height;

            sum += inside ? (double)in[v * width + u] : 0;
            count += inside || zero;
        }
    return sum / count;
}
