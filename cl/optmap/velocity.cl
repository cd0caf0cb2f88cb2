/*
 * Conduction velocity v = g / |g|^2 from activation times T (ms, NaN unknown), g = grad T. out: x, then y, in px/ms
 * times `scale`. timing: ms, independent error of each time; v is NaN if the resulting error along g exceeds UNKNOWN of
 * g. share: if above 0, slopes are of degree 3 where at least this part of the window is known. One work-item per
 * pixel. On CPU devices the host does this (src/optmap/velocity_host.c): the formulas take longer to compile for them
 * than to compute.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#include "optmap/velocity.clh"

#ifdef ROBUST
#define IS_ROBUST true
#else
#define IS_ROBUST false
#endif

#define GROUP 64

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
optmap_velocity(__global const float *restrict t, int width, int height, int radius, double share, double timing,
                double scale, __global float *restrict out)
{
    int x = get_global_id(0), row = get_global_id(1);
    double v[2];

    if (x >= width)
        return;
#ifdef BAYLY
    fitted_velocity(t, width, height, x, row, radius, share, timing, IS_ROBUST, v);
#else
    central_velocity(t, width, height, x, row, v);
#endif
    out[row * width + x] = v[0] * scale;
    out[(height + row) * width + x] = v[1] * scale;
}

/*
 * The robust surface at each pixel with a time, for consecutive maps: its value and the standard deviation from it, ms;
 * NaN if there is none. One work-item per pixel; z is the map.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void optmap_surfaces(__global const float *restrict times,
                                                                                 int width, int height, int radius,
                                                                                 __global float *restrict values,
                                                                                 __global float *restrict spreads)
{
    int x = get_global_id(0), row = get_global_id(1);
    ulong map = (ulong)get_global_id(2) * width * height, at = map + (ulong)row * width + x;
    double b[TERMS], errors[3], spread, middle;
    bool known;

    if (x >= width)
        return;
    middle = times[at];
    known =
        isfinite(middle) && fit_surface(times + map, width, height, x, row, radius, middle, true, b, errors, &spread);
    values[at] = known ? middle + b[5] : NAN;
    spreads[at] = known ? spread : NAN;
}
