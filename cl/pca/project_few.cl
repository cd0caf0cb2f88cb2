/*
 * pca_project for few results (project.clh): a work-item has EACH pixels (2 or 4) and all OUTS results of theirs in
 * registers, so that the pixels pass once, at the speed of memory. matrix: bands x OUTS, transposed. Work-groups of
 * GROUP.
 */
#include "pca/project.clh"

/* BLOCK: bands of the matrix in local memory at a time, a multiple of AHEAD. */
#ifndef AHEAD
#define AHEAD 8 /* bands that are read before they are needed */
#endif

INLINED void add_band(REALS x, __local const REAL *row, REALS *sums)
{
#pragma unroll
    for (int o = 0; o < OUTS; o++)
        sums[o] = fma((REALS)row[o], x, sums[o]);
}

INLINED TYPES read_band(__global const TYPE *data, long pitch, int band)
{
    return *(__global const TYPES *)(data + band * pitch);
}

/* The least and the largest of the work-group. */
INLINED void put_range(REAL least, REAL largest, int groups, __local REAL *room, __global REAL *partial)
{
    int item = get_local_id(0);

    room[item] = least;
    room[GROUP + item] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_of = GROUP / 2; half_of > 0; half_of /= 2) {
        if (item < half_of) {
            room[item] = fmin(room[item], room[item + half_of]);
            room[GROUP + item] = fmax(room[GROUP + item], room[GROUP + item + half_of]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        partial[get_group_id(0)] = room[0];
        partial[groups + get_group_id(0)] = room[GROUP];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pca_project(__global const TYPE *restrict data, long pitch, int bands, int outs, int pixels,
                 __global const uchar *restrict flags, int masked, __global const REAL *restrict matrix,
                 __global const number *restrict before, __global const number *restrict after,
                 long out_pitch, long first, __global REAL *restrict results, __global REAL *restrict partial)
{
    __local REAL   rows[BLOCK * OUTS > 2 * GROUP ? BLOCK * OUTS : 2 * GROUP];
    __local centre_t offsets[BLOCK];
    int            item = get_local_id(0), at = EACH * get_global_id(0);
    REALS          sums[OUTS];
    TYPES          next[AHEAD];
    bool           valid[EACH];

    data += at;
#pragma unroll
    for (int o = 0; o < OUTS; o++)
        sums[o] = 0;
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
        next[k] = read_band(data, pitch, min(k, bands - 1));
    for (int begin = 0; begin < bands; begin += BLOCK) {
        int count = min(BLOCK, bands - begin);

        for (int i = item; i < count * OUTS; i += GROUP)
            rows[i] = matrix[begin * OUTS + i];
        for (int i = item; i < count; i += GROUP)
            offsets[i] = CENTRE_OF(before[begin + i]);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int b = 0; b < count; b += AHEAD)
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                TYPES now = next[k];

                next[k] = read_band(data, pitch, min(begin + b + k + AHEAD, bands - 1));
                if (b + k < count)
                    add_band(CENTRED(now, offsets[b + k]), rows + (b + k) * OUTS, sums);
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
        valid[k] = at + k < pixels && (!masked || flags[at + k] != 0);
#pragma unroll
    for (int o = 0; o < OUTS; o++) {
        REALS           value = sums[o] + REAL_OF(after[o]);
        REAL            least = INFINITY, largest = -INFINITY, one[EACH];
        __global REAL  *to = results + o * out_pitch + first + at;

        STORE(value, one);
#pragma unroll
        for (int k = 0; k < EACH; k++)
            widen(&least, &largest, one[k], valid[k]);
        if (first % EACH == 0)
            *(__global REALS *)to = value;
        else
            STORE(value, to);
        put_range(least, largest, get_num_groups(0), rows, partial + 2L * o * get_num_groups(0));
    }
}
