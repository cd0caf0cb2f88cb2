/*
 * The forces of tiled.cl for few bodies, on GPUs, in one launch: a work-group of GROUP has TARGETS bodies and all sources,
 * every GROUP-th of which a work-item adds up for all of these targets. Then LANES items add a coordinate of a target
 * up, each its share of what the items have, and one adds theirs. The order is fixed: the same bodies give the same
 * bits, whichever targets a launch has. Grid: GROUP items for TARGETS bodies.
 */
#include "nbody/pair.clh"

#define COORDINATES (3 * TARGETS)
#define LANES       (GROUP / COORDINATES >= 8 ? 8 : GROUP / COORDINATES >= 4 ? 4 : 2)
#define LINE        (GROUP + LANES) /* no conflicts of banks */

INLINED body_t body_at(__global const number *mass, __global const number *position, int pitch, int i)
{
    return make_body(position[i], position[(long)pitch + i], position[2 * (long)pitch + i],
                     mass ? mass[i] : number_of(0));
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void nbody_few(__global const number *restrict mass, __global const number *restrict position, real eps2, int n,
               int pitch, __global number *restrict acceleration)
{
    __local real   parts[COORDINATES * LINE];
    __local number sums[COORDINATES * LANES];
    int            item = get_local_id(0), first = (int)(get_global_id(0) / GROUP) * TARGETS, lane = item % LANES;
    body_t         targets[TARGETS];
    real3          pulls[TARGETS];
    total_t        total = {0};

#pragma unroll
    for (int t = 0; t < TARGETS; t++) {
        targets[t] = body_at(0, position, pitch, first + t);
        pulls[t] = (real3)(0);
    }
    for (int at = 0; at < n; at += GROUP) {
        int    j = min(at + item, n - 1);
        body_t source = body_at(mass, position, pitch, j);
        real   m = at + item < n ? mass_of(source) : 0;

#pragma unroll
        for (int t = 0; t < TARGETS; t++)
            add_pull(&pulls[t], difference(source, targets[t]), m, eps2);
    }
#pragma unroll
    for (int t = 0; t < TARGETS; t++) {
        parts[3 * t * LINE + item] = pulls[t].x;
        parts[(3 * t + 1) * LINE + item] = pulls[t].y;
        parts[(3 * t + 2) * LINE + item] = pulls[t].z;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < COORDINATES * LANES) {
        for (int k = lane; k < GROUP; k += LANES)
            total = add_up(total, parts[item / LANES * LINE + k]);
        sums[item] = value_of(total);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < COORDINATES) {
        number sum = sums[item * LANES];

        for (int l = 1; l < LANES; l++)
            sum = plus(sum, sums[item * LANES + l]);
        acceleration[(long)(item % 3) * pitch + first + item / 3] = sum;
    }
}
