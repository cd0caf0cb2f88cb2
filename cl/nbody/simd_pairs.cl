/*
 * Accelerations on CPU devices, each pair of bodies computed once for both bodies.
 *
 * The bodies (packed: simd.clh) are cut into blocks of BLOCK, `blocks` of them. nbody_simd_pairs: a work-item has a set
 * of rows of the triangle of pairs of blocks, alternately short and long ones, and of them every parts'th column
 * (triangle.clh). Sums in double, partial[layer][3][length]: in layer `set` what the bodies of the set's rows do to
 * those of the columns, in layer sets + part what the bodies of the part's columns do to those of the rows. Sums
 * within a pair of blocks are real: of a body over BLOCK others along a row, over at most RUN others along a column.
 * nbody_simd_reduce: adds the layers, in their order. One work-item per sixteen numbers.
 */
#include "nbody/simd.clh"
#include "nbody/triangle.clh"

#define VECTORS (BLOCK / LANES)
#define RUN     (BLOCK < 128 ? BLOCK : 128)

#define ADD_TO(sums, v) STORE(LOAD(sums) + TO(double)(v), sums)

/* What the bodies of block `column` do to PAIR bodies from `first` on and, with `both`, these to them: into `pulls`. */
static inline void meet_pair(__global const real *packed, long length, long first, long column, real eps2, int both,
                             vectors_t *pulls, __global double *sums)
{
    vectors_t a[PAIR];
    place_t   body[PAIR];
    real      mass[PAIR];

#pragma unroll
    for (int b = 0; b < PAIR; b++) {
        a[b] = (vectors_t){0, 0, 0};
        body[b] = place_of(packed, length, first + b);
        mass[b] = packed[3 * length + first + b];
    }
    for (int v = 0; v < VECTORS; v++) {
        long      j = column + v * LANES;
        places_t  sources = places_of(packed, length, j);
        reals     m = LOAD(packed + 3 * length + j);
        vectors_t back = {0, 0, 0};

        if (both)
            back = pulls[v];
#pragma unroll
        for (int b = 0; b < PAIR; b++) {
            pull_t p = pull_of(difference(&sources, &body[b]), eps2);

            add_pull(&a[b], p, m);
            if (both)
                add_pull(&back, p, (reals)-mass[b]);
        }
        if (both)
            pulls[v] = back;
    }
#pragma unroll
    for (int b = 0; b < PAIR; b++) {
        sums[first + b] += SUM_OF(a[b].x);
        sums[length + first + b] += SUM_OF(a[b].y);
        sums[2 * length + first + b] += SUM_OF(a[b].z);
    }
}

/* rows, columns: sums of the bodies of the row, of the column. */
static inline void meet_blocks(__global const real *packed, long length, long row, long column, real eps2,
                               __global double *rows, __global double *columns)
{
    vectors_t pulls[VECTORS];

    for (long from = row; from < row + BLOCK; from += RUN) {
        for (int v = 0; v < VECTORS; v++)
            pulls[v] = (vectors_t){0, 0, 0};
        for (long i = from; i < from + RUN; i += PAIR)
            meet_pair(packed, length, i, column, eps2, 1, pulls, rows);
        for (int v = 0; v < VECTORS; v++) {
            __global double *to = columns + column + v * LANES;

            ADD_TO(to, pulls[v].x);
            ADD_TO(to + length, pulls[v].y);
            ADD_TO(to + 2 * length, pulls[v].z);
        }
    }
}

/* One work-item per body, those of the padding included. */
__kernel void nbody_simd_pack(__global const number *restrict mass, __global const number *restrict position, int n,
                              long pitch, long length, __global real *restrict packed)
{
    pack(mass, position, n, pitch, length, get_global_id(0), packed);
}

__kernel void nbody_simd_pairs(__global const real *restrict packed, long length, int blocks, double eps2, int sets,
                               int parts, int turn, int last_turn, int begin, int end, __global double *restrict partial)
{
    int              set = get_global_id(0) / parts, part = get_global_id(0) % parts;
    __global double *columns = partial + set * 3 * length, *rows = partial + (sets + part) * 3 * length;

    if (turn == 0 && begin == 0)
        for (int b = 0; b < blocks; b++) {
            if (b % parts == part)
                clear_block(columns, 3, length, (long)b * BLOCK, (long)(b + 1) * BLOCK);
            if (set_of_row(b, sets) == set)
                clear_block(rows, 3, length, (long)b * BLOCK, (long)(b + 1) * BLOCK);
        }
    for (; turn <= last_turn; turn++) {
        int  row = row_of_set(turn, set, sets);
        long first = (long)row * BLOCK;

        for (long i = first; row % parts == part && row >= begin && row < end && i < first + BLOCK; i += PAIR)
            meet_pair(packed, length, i, first, (real)eps2, 0, 0, rows);
        for (int column = first_column(row, begin, part, parts); column < end; column += parts)
            meet_blocks(packed, length, first, (long)column * BLOCK, (real)eps2, rows, columns);
    }
}

__kernel void nbody_simd_reduce(__global const double *restrict partial, int layers, long length, long pitch,
                                __global double *restrict acceleration)
{
    long     at = (long)get_global_id(0) * 16, from = at / pitch * length + at % pitch;
    double16 sum = vload16(0, partial + from);

    for (int layer = 1; layer < layers; layer++)
        sum += vload16(0, partial + layer * 3 * length + from);
    vstore16(sum, 0, acceleration + at);
}
