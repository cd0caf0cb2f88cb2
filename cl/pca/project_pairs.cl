/*
 * pca_project (project.clh) in pairs of floats (project_pairs.clh). A work-item has EACH pixels (2 or 4) and OUTS results of
 * theirs. Groups of GROUP, grid (pixels / EACH, blocks of results). partial: least and largest as order_of has them.
 */
#define LANES EACH
#include "common/vectors.clh"
#include "pca/project_pairs.clh"

#define INLINED static inline __attribute__((always_inline))
#define AHEAD   8 /* bands between roundings; BLOCK, the bands in local memory at a time, is a multiple of it */

typedef VECTOR(TYPE) types;
typedef VECTOR(float) floats;

INLINED void centre_some(types x, centre_t from, floats *high, floats *low)
{
    TYPE each[EACH];
    float highs[EACH], lows[EACH];

    STORE(x, each);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        pair d = centred(each[k], from);

        highs[k] = d.x;
        lows[k] = d.y;
    }
    *high = LOAD(highs);
    *low = LOAD(lows);
}

/* The least and the largest of the work-group. */
INLINED void put_range(long least, long largest, int groups, __local long *room, __global long *partial)
{
    int item = get_local_id(0);

    room[item] = least;
    room[GROUP + item] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_of = GROUP / 2; half_of > 0; half_of /= 2) {
        if (item < half_of) {
            room[item] = min(room[item], room[item + half_of]);
            room[GROUP + item] = max(room[GROUP + item], room[GROUP + item + half_of]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0 && partial) {
        partial[get_group_id(0)] = room[0];
        partial[groups + get_group_id(0)] = room[GROUP];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void pca_project(__global const TYPE *restrict data, long pitch, int bands, int outs, int pixels,
                 __global const uchar *restrict flags, int masked, __global const float2 *restrict matrix,
                 __global const ulong *restrict before, __global const ulong *restrict after,
                 __global const int *restrict exponents, __global const int *restrict scales, long out_pitch, long first,
                 __global ulong *restrict results, __global long *restrict partial)
{
    __local float    rows[2][BLOCK * OUTS];
    __local centre_t offsets[BLOCK];
    __local long     room[2 * GROUP];
    int              item = get_local_id(0), at = EACH * get_global_id(0), first_out = get_group_id(1) * OUTS;
    floats           sums[OUTS], rests[OUTS];

    data += at;
    matrix += (long)first_out * bands;
#pragma unroll
    for (int o = 0; o < OUTS; o++) {
        sums[o] = 0;
        rests[o] = 0;
    }
    for (int begin = 0; begin < bands; begin += BLOCK) {
        int count = min(BLOCK, bands - begin);

        for (int i = item; i < count * OUTS; i += GROUP) {
            float2 m = matrix[begin * OUTS + i];

            rows[0][i] = m.x;
            rows[1][i] = m.y;
        }
        for (int i = item; i < count; i += GROUP)
            offsets[i] = centre_of(before[begin + i], scale_of(exponents[begin + i]));
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int b = 0; b < count; b++) {
            floats x, x_low;

            centre_some(LOAD(data + (begin + b) * pitch), offsets[b], &x, &x_low);
#pragma unroll
            for (int o = 0; o < OUTS; o++)
                ADD_PAIRS(floats, sums[o], rests[o], (floats)rows[0][b * OUTS + o], (floats)rows[1][b * OUTS + o], x,
                          x_low);
            if (b % AHEAD == AHEAD - 1)
#pragma unroll
                for (int o = 0; o < OUTS; o++) {
                    floats sum = sums[o] + rests[o];

                    rests[o] -= sum - sums[o];
                    sums[o] = sum;
                }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    /* The pairs are kept where the results go, so that the code that makes doubles of them is there once, not OUTS times. */
    results += (long)first_out * out_pitch + first + at;
    outs = min(outs - first_out, OUTS);
#pragma unroll
    for (int o = 0; o < OUTS; o++) {
        float high[EACH], low[EACH];

        STORE(sums[o], high);
        STORE(rests[o], low);
        if (o < outs)
#pragma unroll
            for (int k = 0; k < EACH; k++)
                results[o * out_pitch + k] = as_ulong((pair)(high[k], low[k]));
    }
#pragma unroll 1
    for (int o = 0; o < outs; o++) {
        long least = order_of(DOUBLE_INFINITY), largest = order_of(DOUBLE_INFINITY | DOUBLE_SIGN);

        for (int k = 0; k < EACH; k++) {
            __global ulong *result = results + o * out_pitch + k;
            ulong value = result_of(as_float2(*result), scales[first_out + o], after[first_out + o]);
            bool  counts = at + k < pixels && (!masked || flags[at + k] != 0) && !is_nan_double(value);

            *result = value;
            least = counts ? min(least, order_of(value)) : least;
            largest = counts ? max(largest, order_of(value)) : largest;
        }
        put_range(least, largest, get_num_groups(0), room, partial + 2L * (first_out + o) * get_num_groups(0));
    }
}
