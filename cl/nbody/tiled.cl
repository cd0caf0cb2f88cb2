/*
 * a_i = sum over j of m_j d / (d^2 + eps^2)^(3/2), d = r_j - r_i, the form for GPUs (pair.clh: one pair, precisions).
 *
 * nbody_tiled_pack: bodies from arrays of numbers to records, followed by bodies of mass 0 at the position of body 0.
 * nbody_tiled: a work-item holds BODIES targets in registers; a work-group of GROUP takes the sources through local
 * memory, TILE at a time. Grid (blocks of GROUP * BODIES targets, slices of the sources): slice s has the sources
 * s * slice .. , `slice` being a multiple of UNROLL, and writes sums[s][axis][pitch].
 * nbody_tiled_add: adds the sums of the slices in order.
 *
 * Every sum has a fixed order: the same bodies give the same bits.
 */
#include "nbody/pair.clh"

#define TILE 512
#ifndef UNROLL
#define UNROLL 32
#endif
/* Sources between two additions to the totals. */
#ifdef NBODY_DS
#define BLOCK UNROLL
#else
#define BLOCK TILE
#endif

__kernel void nbody_tiled_pack(__global const number *restrict mass, __global const number *restrict position, int n,
                               int pitch, int count, __global body_t *restrict out)
{
    int i = get_global_id(0), from = i < n ? i : 0;

    if (i >= count)
        return;
    out[i] = make_body(position[from], position[(long)pitch + from], position[2 * (long)pitch + from],
                       i < n ? mass[from] : number_of(0));
}

/* The sources tile[0 .. count-1], count being a multiple of UNROLL. */
INLINED void add_tile(__local const body_t *tile, int count, const body_t *targets, real eps2, total3_t *totals)
{
#pragma unroll 1
    for (int first = 0; first < count; first += BLOCK) {
        real3 sums[BODIES];
        int   end = min(first + BLOCK, count);

#pragma unroll
        for (int b = 0; b < BODIES; b++)
            sums[b] = (real3)(0);
#pragma unroll 1
        for (int j = first; j < end; j += UNROLL)
#pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                body_t source = tile[j + k];

#pragma unroll
                for (int b = 0; b < BODIES; b++)
                    add_pull(&sums[b], difference(source, targets[b]), mass_of(source), eps2);
            }
#pragma unroll
        for (int b = 0; b < BODIES; b++)
            add_up3(&totals[b], sums[b]);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void nbody_tiled(__global const body_t *restrict bodies, real eps2, int sources, int slice, int pitch,
                 __global number *restrict sums)
{
    __local body_t tile[TILE];
    int            item = get_local_id(0), first = (int)(get_global_id(0) / GROUP) * GROUP * BODIES + item;
    int            begin = (int)get_group_id(1) * slice, end = min(begin + slice, sources);
    body_t         targets[BODIES];
    total3_t       totals[BODIES] = {{0}};

#pragma unroll
    for (int b = 0; b < BODIES; b++)
        targets[b] = bodies[first + b * GROUP];
    for (int at = begin; at < end; at += TILE) {
        int count = min(TILE, end - at);

        for (int k = item; k < count; k += GROUP)
            tile[k] = bodies[at + k];
        barrier(CLK_LOCAL_MEM_FENCE);
        add_tile(tile, count, targets, eps2, totals);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sums += (long)get_group_id(1) * 3 * pitch;
#pragma unroll
    for (int b = 0; b < BODIES; b++) {
        int i = first + b * GROUP;

        if (i < pitch) {
            sums[i] = value_of(totals[b].x);
            sums[(long)pitch + i] = value_of(totals[b].y);
            sums[2 * (long)pitch + i] = value_of(totals[b].z);
        }
    }
}

/* count: numbers of a slice. */
__kernel void nbody_tiled_add(__global const number *restrict sums, int slices, long count,
                              __global number *restrict acceleration)
{
    long   i = get_global_id(0);
    number total = number_of(0);

    if (i >= count)
        return;
    for (int s = 0; s < slices; s++)
        total = plus(total, sums[s * count + i]);
    acceleration[i] = total;
}
