/*
 * image[y][x] += sum over stars of weight PSF(x - star, y - star): star-centric, after Fig. 5 of Li et al.
 *
 * stars_star_add: the paper gives a star a work-group and a pixel of its region of interest a work-item; brightness and
 * position are worked out once, into local memory. Here a group takes EACH stars, since a small region alone would leave
 * most of a group idle; what is worked out once are the star's factors along x and y; and an item takes four pixels that
 * lie in one aligned quad of the image, since NVIDIA adds four floats in one atomic operation. With -DSTARS_CROWDED the
 * sums are double.
 *
 * stars_star_count: stars in each cell of side x side pixels (where their regions begin), and whether one has over
 * `most`: the pixel that all of them cover would collect too many roundings in float. One work-item a star.
 * stars_star_merge: image += sums. One work-item a pixel.
 */
#include "stars/star.clh"
#include "common/atomic_real.clh"

#define GROUP 128
#define EACH  8 /* stars of a group */

#if defined(PENTA_DOUBLE) || defined(STARS_CROWDED)
typedef double sum_t;
#else
typedef float sum_t;
#endif

/* v[l] to sums[at + l], l = 0 .. 3, where v[l] != 0; `at` is a multiple of 4. */
static inline void add_quad(__global sum_t *sums, long at, long pixels, const sum_t *v)
{
#if !defined(PENTA_DOUBLE) && !defined(STARS_CROWDED)
    if (at >= 0 && at + 4 <= pixels) {
        penta_atomic_add_float4(sums + at, (float4)(v[0], v[1], v[2], v[3]));
        return;
    }
#endif
    for (int l = 0; l < 4; l++) {
        if (v[l] == 0)
            continue;
#if !defined(PENTA_DOUBLE) && !defined(STARS_CROWDED)
        penta_atomic_add_float(sums + at + l, v[l]);
#else
        penta_atomic_add_double(sums + at + l, v[l]);
#endif
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void stars_star_add(__global const star_t *restrict stars, __global const wide_t *restrict motion_x,
                    __global const wide_t *restrict motion_y, int n, PSF_ARGUMENTS, int width, int rows,
                    __global sum_t *restrict sums)
{
    int            item = get_local_id(0), first = get_group_id(0) * EACH, count = min(EACH, n - first);
    int            quads = (roi + 6) / 4; /* of a row of the region, however it is aligned */
    __local star_t chunk[EACH];

    if (item < count)
        chunk[item] = stars[first + item];
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef PSF_SEPARABLE
    __local real factors[EACH][2][64]; /* of x and, with the weight, of y */

    for (int f = item; f < count * 2 * roi; f += GROUP) {
        int  s = f / (2 * roi), axis = f / roi % 2, k = f % roi;
        real value = psf_factor(axis, k, axis ? chunk[s].y : chunk[s].x, PSF_PASS);

        factors[s][axis][k] = axis ? chunk[s].weight * value : value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (int q = item; q < count * roi * quads; q += GROUP) {
        int   s = q / (roi * quads), j = q / quads % roi;
        int   column = star_column(chunk[s].cell), y = star_row(chunk[s].cell) + j;
        long  row = (long)y * width + column, at = (row & ~3L) + 4 * (q % quads);
        sum_t values[4];

        if (chunk[s].cell == STAR_NOT_DRAWN || y < 0 || y >= rows)
            continue;
        for (int l = 0; l < 4; l++) {
            int i = (int)(at + l - row), x = column + i;

            if (i < 0 || i >= roi || x < 0 || x >= width)
                values[l] = 0;
            else
#ifdef PSF_SEPARABLE
                values[l] = factors[s][1][j] * factors[s][0][i];
#else
                values[l] = (sum_t)(chunk[s].weight * psf_value(i, j, chunk[s].x, chunk[s].y, PSF_MOTION(first + s),
                                                                PSF_PASS));
#endif
        }
        if (values[0] != 0 || values[1] != 0 || values[2] != 0 || values[3] != 0)
            add_quad(sums, at, (long)width * rows, values);
    }
}

__kernel void stars_star_count(__global const uint *restrict cells, int n, int side, int across, int most,
                               __global uint *restrict counts, __global uint *restrict crowded)
{
    int star = get_global_id(0);

    if (star < n && cells[star] != STAR_NOT_DRAWN) {
        int x = (cells[star] & 0xFFFFu) / side, y = (cells[star] >> 16) / side;

        if (atomic_inc(counts + (long)y * across + x) >= (uint)most)
            *crowded = 1; /* all work-items write the same */
    }
}

#ifdef PENTA_FP64
__kernel void stars_star_merge(__global const double *restrict sums, int width, int rows, __global real *restrict image)
{
    int  x = get_global_id(0), y = get_global_id(1);
    long at = (long)y * width + x;

    if (x < width && y < rows)
        image[at] = (real)(image[at] + sums[at]);
}
#endif
