/*
 * The forces of tiled.cl in single precision, each pair of bodies computed once and applied to both (Newton's third
 * law): 17 operations for two interactions, where tiled.cl has 13 for one.
 *
 * The bodies make `blocks` blocks of SIDE = GROUP * BODIES, in a ring. nbody_pairs: a work-group holds the bodies of
 * block I in registers, BODIES a work-item, and meets the blocks I + offset, offset = first .. first + offsets - 1, in
 * runs of `run`. Grid (blocks GROUP, runs), of blocks base .. base + held - 1. Offsets 0 .. blocks/2 make each pair of
 * blocks meet once; with an even number of blocks the last offset is for the first half of them only. At offset 0 a
 * block meets itself, in both orders: the sums of its sources are not used.
 *
 * Sources wait in local memory, GROUP at a time. Of 32 of them each of 32 work-items has one at a time, with the sum of
 * what it has received so far; both sum and source move on by one work-item after each step, and are back after 32.
 * The sums of a source from the warps of a group are added in local memory. A source receives sums over SIDE bodies,
 * in float; a target sums over GROUP bodies in float, then in pairs of floats.
 *
 * target_sums[run][axis][body of a held block] and source_sums[offset][axis][body], in the place of the block that it
 * was met by, are all written. The blocks are cut into PARTS parts, a power of two. What a body receives from the blocks
 * of one part is added by offsets; sums of parts meet in a tree, which is that of nbody_pairs_add below and
 * nbody_pairs_combine above, whoever holds the parts. Every sum has a fixed order: the same bodies give the same bits.
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
void nbody_pairs(__global const body_t *restrict bodies, float eps2, int blocks, int base, int held, int first,
                 int offsets, int run, __global number *restrict target_sums, __global float *restrict source_sums)
{
    __local memory_t m;
    PENTA_EXCHANGE(exchange, GROUP);
    int      item = get_local_id(0), block = get_global_id(0) / GROUP, begin = (int)get_group_id(1) * run;
    long     count = (long)held * SIDE, mine = (long)(block - base) * SIDE;
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
            write_received(&m, offset > 0 && !none, count, source_sums + 3 * at * count + mine + part);
        }
    }
    target_sums += 3 * get_group_id(1) * count + mine + item;
#pragma unroll
    for (int b = 0; b < BODIES; b++) {
        target_sums[b * GROUP] = value_of(totals[b].x);
        target_sums[count + b * GROUP] = value_of(totals[b].y);
        target_sums[2 * count + b * GROUP] = value_of(totals[b].z);
    }
}

/* ---- what bodies receive ---- */

#define LEVELS 11 /* of the tree: PARTS is at most 2^(LEVELS - 1) */

/* What has been kept of a body, along one axis. */
typedef struct {
    __global const number *targets;
    __global const float  *sources;
    long                   count; /* from one axis to the next */
    int                    block, blocks, base, first, offsets, runs;
} received_t;

/* Adds what it received at offsets from .. to - 1, of which some may not be kept. */
INLINED number add_sources(number sum, const received_t *r, int from, int to)
{
    int end = min(to, r->first + r->offsets);

    for (int offset = max(from, r->first); offset < end; offset++) {
        int by = r->block - offset + (r->block < offset ? r->blocks : 0) - r->base;

        sum = plus_float(sum, r->sources[3 * (offset - r->first) * r->count + (long)by * SIDE]);
    }
    return sum;
}

/* Adds what it received from blocks begin .. end - 1, in the order of offsets. */
INLINED number add_blocks(number sum, const received_t *r, int begin, int end)
{
    int from = r->block - end + 1, to;

    from += from < 0 ? r->blocks : 0;
    to = from + end - begin;
    if (r->block >= begin && r->block < end)
        for (int run = 0; run < r->runs; run++)
            sum = plus(sum, r->targets[3 * run * r->count + (long)(r->block - r->base) * SIDE]);
    sum = add_sources(sum, r, 0, to - r->blocks);
    return add_sources(sum, r, from, min(to, r->blocks));
}

/*
 * The sum over parts part .. part + parts - 1, a branch of the tree, of each body: at root[place + block block_step +
 * axis axis_step + where it is in the block], for the first `bodies` of them. Grid (blocks SIDE, 3). fresh 0: adds to that, of one part.
 */
__kernel void nbody_pairs_add(__global const number *restrict target_sums, __global const float *restrict source_sums,
                              int blocks, int base, int held, int part, int parts, int first, int offsets, int runs,
                              int fresh, long block_step, long axis_step, int bodies, long place,
                              __global number *restrict root)
{
    int        i = get_global_id(0), axis = get_global_id(1), block = i / SIDE;
    long       count = (long)held * SIDE, at = axis * count + i % SIDE;
    received_t r = {target_sums + at, source_sums + at, count, block, blocks, base, first, offsets, runs};
    number     sums[LEVELS], sum;

    if (i >= bodies)
        return;
    root += place + block * block_step + axis * axis_step + i % SIDE;
    for (int p = 0; p < parts; p++) {
        int level = 0;

        sum = fresh ? number_of(0) : *root;
        sum = add_blocks(sum, &r, (int)((long)blocks * (part + p) / PARTS), (int)((long)blocks * (part + p + 1) / PARTS));
        for (int above = p; above & 1; above >>= 1)
            sum = plus(sums[level++], sum);
        sums[level] = sum;
    }
    *root = sum;
}

/* Two branches that meet: the first becomes their sum. */
__kernel void nbody_pairs_merge(__global number *restrict roots, long first, long second, long count)
{
    long i = get_global_id(0);

    if (i < count)
        roots[first + i] = plus(roots[first + i], roots[second + i]);
}

/*
 * The tree above the branches of all members, for numbers from .. from + count - 1 of a root. table: of each branch, in
 * the order of parts, the first part, how many, and where it is: in own[place][length], or from 0 on, for -1 - place, in
 * others[place][count]. result: with pitch 0 in the order of roots; otherwise result[axis][pitch], of all bodies.
 */
__kernel void nbody_pairs_combine(__global const number *restrict own, __global const number *restrict others,
                                  __global const int *restrict table, int branches, long length, long from, long count,
                                  long pitch, __global number *restrict result)
{
    long   i = get_global_id(0);
    number sums[LEVELS];
    int    begins[LEVELS], sizes[LEVELS], level = 0;

    if (i >= count)
        return;
    for (int k = 0; k < branches; k++) {
        int    begin = table[3 * k], size = table[3 * k + 1], place = table[3 * k + 2];
        number sum = place >= 0 ? own[place * length + from + i] : others[(-1 - place) * count + i];

        for (; level > 0 && sizes[level - 1] == size && begins[level - 1] % (2 * size) == 0; size *= 2) {
            sum = plus(sums[--level], sum);
            begin = begins[level];
        }
        sums[level] = sum;
        begins[level] = begin;
        sizes[level++] = size;
    }
    i += from;
    if (pitch == 0)
        result[i] = sums[0];
    else if (i / (3 * SIDE) * SIDE + i % SIDE < pitch)
        result[i / SIDE % 3 * pitch + i / (3 * SIDE) * SIDE + i % SIDE] = sums[0];
}

/* From blocks to arrays of coordinates. Grid (bodies, 3). */
__kernel void nbody_pairs_unpack(__global const number *restrict result, int bodies, long pitch,
                                 __global number *restrict acceleration)
{
    int i = get_global_id(0), axis = get_global_id(1);

    if (i < bodies)
        acceleration[axis * pitch + i] = result[(i / SIDE * 3L + axis) * SIDE + i % SIDE];
}
