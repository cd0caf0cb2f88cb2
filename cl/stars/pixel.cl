/*
 * image[y][x] += sum over stars of weight PSF(x - star, y - star): pixel-centric. One work-item a pixel of the slab; the
 * work-group's stars pass through local memory, 128 at a time. Work O(pixels * stars): the plain form, for comparison.
 */
#include "stars/star.clh"

#define CHUNK 128

__kernel __attribute__((reqd_work_group_size(16, 8, 1)))
void stars_pixel(__global const star_t *restrict stars, __global const wide_t *restrict motion_x,
                 __global const wide_t *restrict motion_y, int n, PSF_ARGUMENTS, int width, int rows,
                 __global real *restrict image)
{
    int             x = get_global_id(0), y = get_global_id(1), item = get_local_id(1) * 16 + get_local_id(0);
    __local star_t  chunk[CHUNK];
    wide_t          sum = WIDE(0); /* many faint stars on a bright pixel */

    for (int first = 0; first < n; first += CHUNK) {
        int count = min(CHUNK, n - first);

        if (item < count)
            chunk[item] = stars[first + item];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int s = 0; s < count; s++) {
            star_t star = chunk[s];
            int    i = x - star_column(star.cell), j = y - star_row(star.cell);

            if (star.cell == STAR_NOT_DRAWN || i < 0 || j < 0 || i >= roi || j >= roi)
                continue;
#ifdef PSF_SEPARABLE
            sum = WIDE_AND(sum, star.weight *
                                    (psf_factor(0, i, star.x, PSF_PASS) * psf_factor(1, j, star.y, PSF_PASS)));
#else
            sum = WIDE_AND(sum,
                           star.weight * psf_value(i, j, star.x, star.y, PSF_MOTION(first + s), PSF_PASS));
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x < width && y < rows)
        image[(long)y * width + x] += (real)WIDE_VALUE(sum);
}
