/*
 * Conduction velocity v = g / |g|^2 from activation times T (ms, NaN unknown), g = grad T. out: x, then y, in px/ms
 * times `scale`. timing: ms, independent error of each time; v is NaN if the resulting error along g exceeds UNKNOWN of
 * g. share: if above 0, slopes are of degree 3 where at least this part of the window is known. One work-item per
 * pixel, on CPU devices per row.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#include "optmap/surface.clh"

/* The pixels of a work-item: one, on CPU devices a row. */
#ifdef PENTA_CPU
#define GROUP        1
#define FROM         0
#define BELOW(width) (width)
#else
#define GROUP        64
#define FROM         (int)get_global_id(0)
#define BELOW(width) min(FROM + 1, width)
#endif

static inline double2 velocity_of(double2 slope)
{
    double square = dot(slope, slope);

    return square > 0 ? slope / square : (double2)NAN;
}

#ifdef BAYLY

#define UNKNOWN  0.5
#define ROUNDING 1e-4 /* ms, rounding error of times */

#ifdef ROBUST
#define IS_ROBUST true
#else
#define IS_ROBUST false
#endif

static inline double2 velocity_at(__global const float *restrict t, int width, int height, int x, int y, int radius,
                                  double share, double timing)
{
    double b[TERMS], errors[3], middle = t[y * width + x], spread, square, along;

    if (!isfinite(middle) || !fit_surface(t, width, height, x, y, radius, middle, IS_ROBUST, b, errors, &spread))
        return (double2)NAN;
    if (share > 0 &&
        !fit_slopes(t, width, height, x, y, radius, middle, share, b, fmax(spread, ROUNDING), b + 3, errors))
        return (double2)NAN;
    square = b[3] * b[3] + b[4] * b[4];
    along = (b[3] * b[3] * errors[0] + b[4] * b[4] * errors[1] + 2 * b[3] * b[4] * errors[2]) / square;
    if (timing * timing * along > UNKNOWN * UNKNOWN * square)
        return (double2)NAN;
    return velocity_of((double2)(b[3], b[4]) / radius);
}

#else

static inline double difference(__global const float *restrict t, int at, int step, bool inside)
{
    return inside ? ((double)t[at + step] - t[at - step]) / 2 : NAN;
}

static inline double2 velocity_at(__global const float *restrict t, int width, int height, int x, int y, int radius,
                                  double share, double timing)
{
    int at = y * width + x;

    if (!isfinite(t[at]))
        return (double2)NAN;
    return velocity_of(
        (double2)(difference(t, at, 1, x > 0 && x < width - 1), difference(t, at, width, y > 0 && y < height - 1)));
}

#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_velocity(__global const float *restrict t, int width, int height, int radius, double share, double timing,
                double scale, __global float *restrict out)
{
    int row = get_global_id(1);

    for (int x = FROM; x < BELOW(width); x++) {
        double2 v = velocity_at(t, width, height, x, row, radius, share, timing) * scale;

        out[row * width + x] = v.x;
        out[(height + row) * width + x] = v.y;
    }
}

/*
 * The robust surface at each pixel with a time, for consecutive maps: its value and the standard deviation from it, ms;
 * NaN if there is none. One work-item per pixel, on CPU devices per row; z is the map.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void optmap_surfaces(__global const float *restrict times,
                                                                                 int width, int height, int radius,
                                                                                 __global float *restrict values,
                                                                                 __global float *restrict spreads)
{
    int row = get_global_id(1);
    ulong map = (ulong)get_global_id(2) * width * height;

    for (int x = FROM; x < BELOW(width); x++) {
        ulong at = map + (ulong)row * width + x;
        double b[TERMS], errors[3], spread, middle = times[at];
        bool known = isfinite(middle) &&
                     fit_surface(times + map, width, height, x, row, radius, middle, true, b, errors, &spread);

        values[at] = known ? middle + b[5] : NAN;
        spreads[at] = known ? spread : NAN;
    }
}
