/*
 * Exact correlation sums by number-theoretic transforms: the columns, between the lines' transforms (ntt_lines.cl, where
 * the method and the spectra are described).
 *
 * factors: for each prime those of Y_TRANSFORM, of Y_TRANSFORM_BACK and of Y_TRANSFORM again: a second reading from the same
 * place would have the compiler keep the first in registers.
 *
 * Build-time: NY, its radices Y1..Y4 (1 where there are fewer), Y_STAGES, Y_LAST; Y_ITEMS; Y_HELD (values that an item
 * holds); LANES columns of a work-group, of which fold is a multiple.
 */
#include "common/ntt.clh"

#define Y_GAP 4
#define Y_TRANSFORM(f, w, item, cells, v)                                                                              \
    NTT_PASTE(NTT_STAGES_, Y_STAGES)(NY, Y1, Y2, Y3, Y4, f, w, Y_ITEMS, item, LANES, Y_GAP, cells, v)

/* The same with the radices backwards: its input is distributed over the items as the results of Y_TRANSFORM are. */
#if Y_STAGES == 1
#define Y_TRANSFORM_BACK Y_TRANSFORM
#elif Y_STAGES == 2
#define Y_TRANSFORM_BACK(f, w, item, cells, v) NTT_STAGES_2(NY, Y2, Y1, 1, 1, f, w, Y_ITEMS, item, LANES, Y_GAP, cells, v)
#elif Y_STAGES == 3
#define Y_TRANSFORM_BACK(f, w, item, cells, v) NTT_STAGES_3(NY, Y3, Y2, Y1, 1, f, w, Y_ITEMS, item, LANES, Y_GAP, cells, v)
#else
#define Y_TRANSFORM_BACK(f, w, item, cells, v) NTT_STAGES_4(NY, Y4, Y3, Y2, Y1, f, w, Y_ITEMS, item, LANES, Y_GAP, cells, v)
#endif

/*
 * products[frame][prime][Y + R][columns] from lines_a and lines_b[frame][prime][y][2 fold] (the same buffer for one image):
 * the columns of A(-kx, -ky) B(kx, ky), transformed again along y. Reading the lines of a backwards changes the sign of ky.
 * Grid (columns, Y_ITEMS, frames * residues), group (LANES, Y_ITEMS, 1).
 */
__kernel __attribute__((reqd_work_group_size(LANES, Y_ITEMS, 1)))
void autocorr_ntt_columns(__global const float *restrict lines_a, __global const float *restrict lines_b,
                          __global const ntt_field *restrict fields, __global const float *restrict factors, int residues,
                          int height, int fold, int max_offset, __global float *restrict products)
{
    __local float cells[NTT_CELLS(NY, LANES, Y_GAP)];
    int   item = get_local_id(1), column = get_global_id(0), columns = get_global_size(0), plane = get_group_id(2);
    int   pitch = 2 * fold; /* at most 2^14, and columns have at most 2^13 elements */
    ntt_field f = fields[plane % residues];
    __local float *own = cells + get_local_id(0);
    float v[Y_HELD], mirrored[Y_HELD];

    factors += plane % residues * 3 * NY;
    lines_a += (long)plane * height * pitch + (column < fold ? column + fold : column - fold);
    lines_b += (long)plane * height * pitch + column;
    NTT_ENDS(NY, Y1, Y_ITEMS, item, slot, n)
    {
        int y = n == 0 ? 0 : NY - n;

        mirrored[slot] = y < height ? lines_a[y * pitch] : 0.0f;
    }
    Y_TRANSFORM(&f, factors + 2 * NY, item, own, mirrored)
    NTT_ENDS(NY, Y1, Y_ITEMS, item, slot, y) v[slot] = y < height ? lines_b[y * pitch] : 0.0f;
    Y_TRANSFORM(&f, factors, item, own, v)
    NTT_ENDS(NY, Y_LAST, Y_ITEMS, item, slot, k) v[slot] = ntt_times(&f, v[slot], ntt_rest(&f, mirrored[slot]));
    Y_TRANSFORM_BACK(&f, factors + NY, item, own, v)
    products += (long)plane * (2 * max_offset + 1) * columns + column;
    NTT_ENDS(NY, Y1, Y_ITEMS, item, slot, n)
    {
        int Y = ntt_offset(n, NY, max_offset);

        if (Y <= max_offset)
            products[(Y + max_offset) * columns] = ntt_rest(&f, v[slot]);
    }
}
