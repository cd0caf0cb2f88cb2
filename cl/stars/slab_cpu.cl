/*
 * The engines `pixel` and `star` for CPU devices, which sum a whole slab: rows of `stride` doubles, the slab's first
 * column at ROI - 1, so that stars at the left and right edge need no masks.
 *
 * pixel: one work-item owns a row of pixels and looks at all stars. star: one work-item takes a slice of the list and
 * has a copy of the slab of its own, as there are no atomic additions of doubles.
 */
#include "stars/rows_cpu.clh"

/* Grid: rows. */
__kernel SINGLE_ITEM void stars_pixel_cpu(__global const star_t *restrict stars, __global const uint *restrict cells,
                                          __global const double *restrict motion_x,
                                          __global const double *restrict motion_y, int n, PSF_ARGUMENTS, int stride,
                                          __global double *restrict sums)
{
    int y = get_global_id(0);

    sums += (long)y * stride + roi - 1;
    for (int first = 0; first < n; first += 16) {
        uint16 row = first + 16 <= n ? vload16(0, cells + first) >> 16 : 0xFFFFu; /* plus STAR_MARGIN */
        int end = min(first + 16, n);

        if (end == first + 16 && !any((uint)(y + STAR_MARGIN) - row < (uint)roi))
            continue;
        for (int i = first; i < end; i++) {
            star_t star = stars[i];
            int j = y - star_row(star.cell);
            double mx = 0, my = 0;

            if (star.cell == STAR_NOT_DRAWN || j < 0 || j >= roi)
                continue;
#ifdef PSF_MOVING
            mx = motion_x[i];
            my = motion_y[i];
#endif
            add_star(star, mx, my, 1, j, j + 1, PSF_PASS, sums + star_column(star.cell), stride);
        }
    }
}

/* Grid: copies. */
__kernel SINGLE_ITEM void stars_star_cpu(__global const star_t *restrict stars,
                                         __global const double *restrict motion_x,
                                         __global const double *restrict motion_y, int n, int slice, PSF_ARGUMENTS,
                                         int rows, int stride, __global double *restrict sums)
{
    int first = get_global_id(0) * slice;

    sums += get_global_id(0) * ((long)rows * stride) + roi - 1;
    for (int i = first; i < min(first + slice, n); i++) {
        star_t star = stars[i];
        int row = star_row(star.cell);
        double mx = 0, my = 0;

        if (star.cell == STAR_NOT_DRAWN)
            continue;
#ifdef PSF_MOVING
        mx = motion_x[i];
        my = motion_y[i];
#endif
        add_star(star, mx, my, 1, max(-row, 0), min(rows - row, roi), PSF_PASS,
                 sums + (long)max(row, 0) * stride + star_column(star.cell), stride);
    }
}

/* image = sum of the copies, in their order. Grid: rows. */
__kernel SINGLE_ITEM void stars_slab_sum(__global const double *restrict sums, int copies, int roi, int width, int rows,
                                         int stride, __global real *restrict image)
{
    int y = get_global_id(0);

    sums += (long)y * stride + roi - 1;
    image += (long)y * width;
    for (int x = 0; x < width; x += LANES) {
        double8 sum = vload8(0, sums + x);
        double pixels[LANES];

        for (int c = 1; c < copies; c++)
            sum += vload8(0, sums + c * ((long)rows * stride) + x);
        vstore8(sum, 0, pixels);
        for (int k = 0; k < min(LANES, width - x); k++)
            image[x + k] = (real)pixels[k];
    }
}
