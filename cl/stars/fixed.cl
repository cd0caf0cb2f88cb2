/*
 * Fixed-point images (fixed.clh): star-centric, GPU form.
 *
 * stars_fixed_add: a work-group of GROUP items takes EACH stars. Its items first put the stars' factors into local
 * memory (separable PSF), then walk the pixels of all its regions of interest, and add each share atomically.
 * stars_fixed_store: a work-item a pixel turns a sum into the image's number.
 */
#include "stars/fixed.clh"
#include "common/atomics.clh"

#define GROUP 128
#define EACH  8 /* stars of a group */

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void stars_fixed_add(__global const star_t *restrict stars, __global const wide_t *restrict motion_x,
                     __global const wide_t *restrict motion_y, int n, PSF_ARGUMENTS, int width, int rows, double scale,
                     __global long *restrict sums)
{
    int            item = get_local_id(0), first = get_group_id(0) * EACH, count = min(EACH, n - first);
    __local star_t chunk[EACH];

    if (item < count)
        chunk[item] = stars[first + item];
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef PSF_SEPARABLE
    __local double factors[EACH][2][64]; /* of x and, with the weight, of y */

    for (int f = item; f < count * 2 * roi; f += GROUP) {
        int    s = f / (2 * roi), axis = f / roi % 2, k = f % roi;
        double value = fixed_factor(axis, k, axis ? chunk[s].y : chunk[s].x, PSF_PASS);

        factors[s][axis][k] = axis ? fixed_weight(chunk[s], scale) * value : value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (int p = item; p < count * roi * roi; p += GROUP) {
        int s = p / (roi * roi), j = p / roi % roi, i = p % roi;
        int x = star_column(chunk[s].cell) + i, y = star_row(chunk[s].cell) + j;

        if (chunk[s].cell == STAR_NOT_DRAWN || x < 0 || y < 0 || x >= width || y >= rows)
            continue;
#ifdef PSF_SEPARABLE
        long share = fixed_value(factors[s][1][j], factors[s][0][i]);
#else
        long share = fixed_value(fixed_weight(chunk[s], scale),
                                 psf_value(i, j, chunk[s].x, chunk[s].y, PSF_MOTION(first + s), PSF_PASS));
#endif
        if (share != 0)
            penta_atomic_add_long(sums + (long)y * width + x, share);
    }
}

__kernel void stars_fixed_store(__global const long *restrict sums, int width, int rows, double unit,
                                __global real *restrict image)
{
    int  x = get_global_id(0), y = get_global_id(1);
    long at = (long)y * width + x;

    if (x < width && y < rows)
        image[at] = fixed_to_real(sums[at], unit);
}
