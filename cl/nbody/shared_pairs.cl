/*
 * The forces of tiled.cl in single precision, each pair of bodies computed once and applied to both (Newton's third
 * law): 17 operations for two interactions, where tiled.cl has 13 for one.
 *
 * The bodies make `blocks` blocks of SIDE = GROUP * BODIES, in a ring. nbody_pairs: a work-group holds the bodies of
 * block I in registers, BODIES a work-item, and meets the blocks I + offset, offset = first .. first + offsets - 1, in
 * runs of `run`. Grid (blocks groups, runs). Offsets 0 .. blocks/2 make each pair of blocks meet once; with an even
 * number of blocks the last offset is for the first half of them only. At offset 0 a block meets itself, in both
 * orders: the sums of its sources are not used.
 *
 * Sources wait in local memory, GROUP at a time. Of 32 of them each of 32 work-items has one at a time, with the sum of
 * what it has received so far; both sum and source move on by one work-item after each step, and are back after 32.
 * The sums of a source from the warps of a group are added in local memory. A source receives sums over SIDE bodies,
 * in float; a target sums over GROUP bodies in float, then in pairs of floats.
 *
 * target_sums[run][axis][body] and source_sums[offset][axis][body] are all written, then added by nbody_pairs_add.
 * Every sum has a fixed order: the same bodies give the same bits.
 */
#include "common/shuffle.clh"
#include "nbody/pair.clh"

#define WARP  32
#define WARPS (GROUP / WARP)
#define SIDE  (GROUP * BODIES)
#ifndef UNROLL
#define UNROLL (BODIES > 4 ? 8 : 16)
#endif

typedef struct {
    body_t sources[2 * GROUP];         /* each 32 twice: no wrap-around in the index */
    float  received[3][WARPS][GROUP];  /* by a source from a warp */
} memory_t;

/* One step: a source meets the work-item's targets. */
INLINED void meet(body_t source, const body_t *targets, float eps2, real3 *sums, real3 *received)
{
#pragma unroll
    for (int b = 0; b < BODIES; b++) {
        real3 d = difference(source, targets[b]);
        float y = inverse_root(squared(d, eps2)), w = power(y);

        d = arm(d, y);
        add_product(&sums[b], d, bounded(mass_of(source) * w));
        add_product(received, d, -bounded(mass_of(targets[b]) * w));
    }
}

/* The sources in local memory, or none of them. */
INLINED void meet_sources(__local memory_t *m, __local float4 *exchange, bool none, const body_t *targets, float eps2,
                          total3_t *totals)
{
    int   item = get_local_id(0), lane = item % WARP, warp = item / WARP, end = none ? 0 : GROUP;
    real3 sums[BODIES];

#pragma unroll
    for (int b = 0; b < BODIES; b++)
        sums[b] = (real3)(0);
#pragma unroll 1
    for (int first = 0; first < end; first += WARP) {
        real3 received = (real3)(0);

#pragma unroll 1
        for (int step = 0; step < WARP; step += UNROLL)
#pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                meet(m->sources[2 * first + lane + step + k], targets, eps2, sums, &received);
                received = penta_from_next(received, exchange);
            }
        m->received[0][warp][first + lane] = received.x;
        m->received[1][warp][first + lane] = received.y;
        m->received[2][warp][first + lane] = received.z;
    }
#pragma unroll
    for (int b = 0; b < BODIES; b++)
        add_up3(&totals[b], sums[b]);
}

/* Adds the sums of the work-item's source from all warps, axis by axis; 0 when they do not count. */
INLINED void write_received(__local const memory_t *m, bool counts, long bodies, __global float *sums)
{
    int item = get_local_id(0);

#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
        float sum = 0;

        for (int warp = 0; warp < WARPS; warp++)
            sum += m->received[axis][warp][item];
        sums[axis * bodies + item] = counts ? sum : 0;
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void nbody_pairs(__global const body_t *restrict bodies, float eps2, int blocks, int first, int offsets, int run,
                 __global number *restrict target_sums, __global float *restrict source_sums)
{
    __local memory_t m;
    PENTA_EXCHANGE(exchange, GROUP);
    int      item = get_local_id(0), block = get_global_id(0) / GROUP, begin = (int)get_group_id(1) * run;
    long     count = (long)blocks * SIDE;
    body_t   targets[BODIES];
    total3_t totals[BODIES] = {{{0}}};

#pragma unroll
    for (int b = 0; b < BODIES; b++)
        targets[b] = bodies[block * SIDE + b * GROUP + item];
    for (int at = begin; at < min(begin + run, offsets); at++) {
        int  offset = first + at, other = (block + offset) % blocks;
        bool none = 2 * offset == blocks && other < block;

        for (int part = 0; part < SIDE; part += GROUP) {
            int    place = item / WARP * 2 * WARP + item % WARP, source = other * SIDE + part;
            body_t body = bodies[source + item];

            m.sources[place] = body;
            m.sources[place + WARP] = body;
            barrier(CLK_LOCAL_MEM_FENCE);
            meet_sources(&m, exchange, none, targets, eps2, totals);
            barrier(CLK_LOCAL_MEM_FENCE);
            write_received(&m, offset > 0 && !none, count, source_sums + 3 * at * count + source);
        }
    }
    target_sums += 3 * get_group_id(1) * count + block * SIDE + item;
#pragma unroll
    for (int b = 0; b < BODIES; b++) {
        target_sums[b * GROUP] = value_of(totals[b].x);
        target_sums[count + b * GROUP] = value_of(totals[b].y);
        target_sums[2 * count + b * GROUP] = value_of(totals[b].z);
    }
}

/* Grid (pitch, 3). count: bodies of all blocks. fresh: the acceleration holds nothing yet. */
__kernel void nbody_pairs_add(__global const number *restrict target_sums, __global const float *restrict source_sums,
                              int runs, int offsets, long count, int pitch, int fresh,
                              __global number *restrict acceleration)
{
    int    i = get_global_id(0), axis = get_global_id(1);
    number total;

    if (i >= pitch)
        return;
    acceleration += (long)axis * pitch + i;
    target_sums += axis * count + i;
    source_sums += axis * count + i;
    total = fresh ? number_of(0) : *acceleration;
    for (int run = 0; run < runs; run++)
        total = plus(total, target_sums[3 * run * count]);
    for (int offset = 0; offset < offsets; offset++)
        total = plus_float(total, source_sums[3 * offset * count]);
    *acceleration = total;
}
