/*
 * Exact correlation sums of integer images by number-theoretic transforms (cl/common/ntt.clh), modulo several primes: the
 * lines, before and after ntt_columns.cl; ntt_join.cl makes the integers. Lines of NX and columns of NY elements, padded
 * with zeros so that offsets up to R do not wrap. With A(k) = sum_x a(x) w^(k x), the sums c(X) = sum_x a(x) b(x + X) have
 * the transform A(-k) B(k), and a second forward transform gives NX c(-X).
 *
 * Build-time: the pixel type; NX, its radices X1..X4 (1 where there are fewer), X_STAGES, X_LAST; X_ITEMS; X_HELD (values
 * that an item holds).
 *
 * A spectrum of a line has 2 `fold` values: element kx <= NX/2 at kx, and element -kx at fold + kx, so that the columns kx
 * and -kx of a work-group are neighbours alike. residues: how many primes.
 */
#include "common/types.clh"
#include "common/ntt.clh"

#define X_GAP 5
#define X_TRANSFORM(f, w, item, cells, v)                                                                              \
    NTT_PASTE(NTT_STAGES_, X_STAGES)(NX, X1, X2, X3, X4, f, w, X_ITEMS, item, 1, X_GAP, cells, v)

/* lines[frame][prime][y][2 fold] from images from, from+1, ... Grid (X_ITEMS, height, frames * residues). */
__kernel __attribute__((reqd_work_group_size(X_ITEMS, 1, 1)))
void autocorr_ntt_lines(__global const pixel_t *restrict image, __global const ntt_field *restrict fields,
                        __global const float *restrict factors, int residues, int width, int fold, long from,
                        __global float *restrict lines)
{
    __local float cells[NTT_CELLS(NX, 1, X_GAP)];
    int   item = get_local_id(0), y = get_group_id(1), height = get_num_groups(1), plane = get_group_id(2);
    ntt_field f = fields[plane % residues];
    float v[X_HELD];

    image += ((from + plane / residues) * height + y) * width;
    factors += plane % residues * NX;
    lines += ((long)plane * height + y) * 2 * fold;
    NTT_ENDS(NX, X1, X_ITEMS, item, slot, x) v[slot] = x < width ? (float)image[x] : 0.0f;
    X_TRANSFORM(&f, factors, item, cells, v)
    NTT_ENDS(NX, X_LAST, X_ITEMS, item, slot, k)
    {
        float value = ntt_rest(&f, v[slot]);

        if (k <= NX / 2)
            lines[k] = value;
        if (k == 0 || NX - k <= NX / 2)
            lines[fold + (k == 0 ? 0 : NX - k)] = value;
    }
}

/*
 * rests[frame][prime][Y - y0][X + R], N(X,Y) modulo the prime, within p on either side of 0, from
 * products[frame][prime][Y + R][columns]; columns = fold for one image, whose c(-X,-Y) = c(X,Y), and 2 fold for two.
 * Grid (X_ITEMS, R - y0 + 1, frames * residues).
 */
__kernel __attribute__((reqd_work_group_size(X_ITEMS, 1, 1)))
void autocorr_ntt_back(__global const float *restrict products, __global const ntt_field *restrict fields,
                       __global const float *restrict factors, int residues, int fold, int columns, int max_offset, int y0,
                       __global float *restrict rests)
{
    __local float cells[NTT_CELLS(NX, 1, X_GAP)];
    int   item = get_local_id(0), row = get_group_id(1), rows = get_num_groups(1), plane = get_group_id(2), Y = row + y0;
    ntt_field f = fields[plane % residues];
    float v[X_HELD];

    factors += plane % residues * NX;
    products += ((long)plane * (2 * max_offset + 1) + max_offset) * columns;
    __global const float *line = products + Y * columns;
    __global const float *mirror = columns > fold ? line + fold : products - Y * columns;
    NTT_ENDS(NX, X1, X_ITEMS, item, slot, k) v[slot] = k <= NX / 2 ? line[k] : mirror[NX - k];
    X_TRANSFORM(&f, factors, item, cells, v)
    rests += ((long)plane * rows + row) * (2 * max_offset + 1);
    NTT_ENDS(NX, X_LAST, X_ITEMS, item, slot, n)
    {
        int X = ntt_offset(n, NX, max_offset);

        if (X <= max_offset)
            rests[X + max_offset] = ntt_times(&f, v[slot], f.scale);
    }
}
