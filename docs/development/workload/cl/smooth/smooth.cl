/*
 * out(x,y) = mean of in over |dx|, |dy| <= radius; beyond the image lies nothing (border 0) or zeros (border 1).
 * GPU: one work-item a pixel, grid (width, height). CPU: one a line, grid (height).
 */
static inline float mean_around(__global const float *in, int x, int y, int width, int height, int radius, int border)
{
    int   x0 = max(x - radius, 0), x1 = min(x + radius, width - 1);
    int   y0 = max(y - radius, 0), y1 = min(y + radius, height - 1), side = 2 * radius + 1;
    int   count = border == 1 ? side * side : (x1 - x0 + 1) * (y1 - y0 + 1);
    float sum = 0;

    for (int v = y0; v <= y1; v++)
        for (int u = x0; u <= x1; u++)
            sum += in[(long)v * width + u];
    return sum / count;
}

#ifdef PENTA_CPU
__kernel void smooth_mean(__global const float *restrict in, int width, int height, int radius, int border,
                          __global float *restrict out)
{
    int y = get_global_id(0);

    for (int x = 0; x < width; x++)
        out[(long)y * width + x] = mean_around(in, x, y, width, height, radius, border);
}
#else
__kernel void smooth_mean(__global const float *restrict in, int width, int height, int radius, int border,
                          __global float *restrict out)
{
    int x = get_global_id(0), y = get_global_id(1);

    out[(long)y * width + x] = mean_around(in, x, y, width, height, radius, border);
}
#endif
