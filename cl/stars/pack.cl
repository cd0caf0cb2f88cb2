/*
 * Packs the caller's stars (star.clh), and sums what a run reports.
 * weight = norm flux, flux = level[i], or amplitude exp(-ln_base level[i]) when level holds magnitudes.
 * One work-item packs `each` stars that lie next to one another (a GPU takes 1 and reduces over its group of 64, a CPU
 * device many); sums[3 g ..] of work-group g: flux of its drawn stars, how many, and the number of its first bad star
 * (n or more: none). The order of the additions does not depend on the device's timing.
 *
 * With PENTA_VECTORS, on CPU devices, few_cpu.clh is in this program too, since a driver takes as long for a small one.
 */
#include "stars/pack.clh"

#define BLOCK 64 /* stars at a time on a CPU device */

#ifdef PENTA_CPU
/* pack_star of `count` stars from `first` on, at most BLOCK. Loops over arrays, without branches and sums of floats,
 * become vector code: five times as quick. */
static inline total_t pack_block(int first, int count, __global const double *x, __global const double *y,
                                 __global const double *level, int magnitudes, double amplitude, double ln_base,
                                 double norm, int width, int first_row, int rows, int roi, __global star_t *stars,
                                 __global uint *cells)
{
    double  flux[BLOCK], counted[BLOCK];
    real    rx[BLOCK], ry[BLOCK];
    uint    cell[BLOCK];
    int     drawn = 0, bad = count;
    total_t total = {0, 0, INFINITY};

    for (int k = 0; k < count; k++)
        flux[k] = level[first + k];
    for (int k = 0; magnitudes && k < count; k++)
        flux[k] = amplitude * penta_exp(-ln_base * flux[k]);
    for (int k = 0; k < count; k++) {
        double px = x[first + k], py = y[first + k], column = ceil(px - 0.5 * roi);
        double row = ceil(py - 0.5 * roi) - first_row;
        int    visible = (column > -roi) & (column < width) & (row > -roi) & (row < rows);
        int    counts = visible & ((row >= 0) | (first_row == 0));
        int    place_x = (int)(visible ? column : 0) + STAR_MARGIN, place_y = (int)(visible ? row : 0) + STAR_MARGIN;
        int    good = (fabs(px) < INFINITY) & (fabs(py) < INFINITY) & (fabs(level[first + k]) < INFINITY) &
                   (fabs(flux[k]) <= MOST_FLUX);

        rx[k] = (real)(px - column - roi / 2);
        ry[k] = (real)(py - (row + first_row) - roi / 2);
        cell[k] = visible ? (uint)place_y << 16 | (uint)place_x : STAR_NOT_DRAWN;
        counted[k] = counts ? flux[k] : 0;
        drawn += counts;
        bad = min(bad, good ? count : k);
    }
    for (int k = 0; k < count; k++) {
        star_t s = {.x = rx[k], .y = ry[k], .weight = (real)(flux[k] * norm), .cell = cell[k]};

        stars[first + k] = s;
        cells[first + k] = cell[k];
        total.flux += counted[k];
    }
    total.drawn = drawn;
    total.bad = bad < count ? (double)(first + bad) : (double)INFINITY;
    return total;
}
#endif

__kernel void stars_pack(__global const double *restrict x, __global const double *restrict y,
                         __global const double *restrict level, int n, int each, int magnitudes, double amplitude,
                         double ln_base, double norm, int width, int first_row, int rows, int roi,
                         __global star_t *restrict stars, __global double *restrict sums,
                         __global uint *restrict cells)
{
    int     first = get_global_id(0) * each, end = min(first + each, n);
    total_t total = {0, 0, INFINITY};

#ifdef PENTA_CPU
    int group = get_global_id(0);

    for (int i = first; i < end; i += BLOCK)
        total = total_of(total, pack_block(i, min(BLOCK, end - i), x, y, level, magnitudes, amplitude, ln_base, norm,
                                           width, first_row, rows, roi, stars, cells));
    sums[3 * group] = total.flux;
    sums[3 * group + 1] = total.drawn;
    sums[3 * group + 2] = total.bad;
#else
    __local total_t shared[PACK_GROUP];

    for (int i = first; i < end; i++)
        total = total_of(total, pack_star(i, x, y, level, magnitudes, amplitude, ln_base, norm, width, first_row, rows,
                                          roi, stars, cells));
    report(total, get_group_id(0), shared, sums);
#endif
}

#ifdef PENTA_VECTORS
#include "stars/few_cpu.clh"
#endif
