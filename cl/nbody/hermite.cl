/*
 * Hermite's scheme of fourth order (J. Makino, S. J. Aarseth, PASJ 44 (1992) 141) without the sums over pairs, which
 * are in hermite_gpu.cl and hermite_cpu.cl. With a, j at the start of a body's step h and a', j' at its predicted end,
 *   predicted   x + v h + a h^2/2 + j h^3/6,  v + a h + j h^2/2
 *   corrected   the same + s h^4/24 + c h^5/120,  + s h^3/6 + c h^4/24
 *   h^2 s = -6 (a - a') - h (4 j + 2 j'),  h^3 c = 12 (a - a') + 6 h (j + j')
 * and the next step is the largest dt / 2^k with (dt / 2^k)^2 <= eta^2 (|a'||s'| + j'^2) / (|j'||c| + s'^2), s' = s +
 * h c.
 */
#include "nbody/hermite.clh"
#ifdef PENTA_FP64
#include "nbody/hermite_double.clh"
#else
#include "nbody/hermite_ds.clh"
#endif
#include "nbody/check.clh"

/* ---- prediction, and the bodies that move ---- */

#define BLOCK 256 /* bodies of a count: HERMITE_BLOCK */

#define STATE                                                                                                          \
    __global const number *restrict position, __global const number *restrict velocity,                               \
        __global const number *restrict acceleration, __global const number *restrict jerk,                           \
        __global const int *restrict level

static inline int moves(__global const int *level, int i, int least, int most, int due)
{
    return clamp(level[i], least, most) >= due;
}

/*
 * All bodies at `tick`; counts[b]: how many bodies of block b move then, those of level `due` and deeper. One work-item
 * (CPU) or one work-group (GPU) per block.
 */
#ifdef PENTA_CPU
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void nbody_hermite_predict(STATE, int n, int pitch, number dt, long tick, int least, int most, int due,
                           __global number *restrict predicted, __global int *restrict counts)
{
    int block = get_global_id(0), first = block * BLOCK, end = min(first + BLOCK, pitch), count = 0;

    for (int i = first; i < end; i += LANES)
        predict(position, velocity, acceleration, jerk, level, i, pitch, dt, tick, least, most, predicted);
    for (int i = first; i < min(end, n); i++)
        count += moves(level, i, least, most, due);
    counts[block] = count;
}

/* list: the bodies that move, in ascending order. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void nbody_hermite_list(__global const int *restrict level, __global const int *restrict counts, int n, int least,
                        int most, int due, __global int *restrict list)
{
    int block = get_global_id(0), first = block * BLOCK, end = min(first + BLOCK, n), place = 0;

    for (int b = 0; b < block; b++)
        place += counts[b];
    for (int i = first; i < end; i++)
        if (moves(level, i, least, most, due))
            list[place++] = i;
}
#else
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void nbody_hermite_predict(STATE, int n, int pitch, number dt, long tick, int least, int most, int due,
                           __global number *restrict predicted, __global int *restrict counts)
{
    int         i = get_global_id(0), item = get_local_id(0);
    __local int count;

    if (item == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n && moves(level, i, least, most, due))
        atomic_inc(&count);
    if (i < pitch)
        predict(position, velocity, acceleration, jerk, level, i, pitch, dt, tick, least, most, predicted);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0)
        counts[get_group_id(0)] = count;
}

/* A prefix sum over the block's bodies that move (x) beside the sum of the counts of the blocks before (y). */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void nbody_hermite_list(__global const int *restrict level, __global const int *restrict counts, int n, int least,
                        int most, int due, __global int *restrict list)
{
    int          i = get_global_id(0), item = get_local_id(0), block = get_group_id(0);
    int2         own = (int2)(0, 0);
    __local int2 sums[BLOCK];

    if (i < n && moves(level, i, least, most, due))
        own.x = 1;
    for (int b = item; b < block; b += BLOCK)
        own.y += counts[b];
    sums[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int reach = 1; reach < BLOCK; reach *= 2) {
        int2 before = item >= reach ? sums[item - reach] : (int2)(0, 0);

        barrier(CLK_LOCAL_MEM_FENCE);
        sums[item] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (own.x)
        list[sums[BLOCK - 1].y + sums[item].x - 1] = i;
}
#endif

/* ---- correction: one work-item per active body ---- */

static inline void set_level(__global int *level, volatile __global int *bodies_of, int i, int before, int after)
{
    if (after == before)
        return;
    level[i] = after;
    atomic_dec(bodies_of + before);
    atomic_inc(bodies_of + after);
}

/* Sums over the parts, joined[6][stride], of the places first .. end - 1. */
__kernel void nbody_hermite_join(__global const number *restrict partial, int parts, int stride, int first, int end,
                                 __global number *restrict joined)
{
    int     slot = first + (int)get_global_id(0);
    field_t f;

    if (slot >= end)
        return;
    f = sum_parts(partial, parts, stride, slot);
    put_vector(joined, slot, stride, f.a);
    put_vector(joined + 3L * stride, slot, stride, f.j);
}

/* Accelerations and jerks of all bodies; all are of level 0 now. */
__kernel void nbody_hermite_start(__global const number *restrict partial, int parts, int stride, int n, int pitch,
                                  __global number *restrict acceleration, __global number *restrict jerk,
                                  __global int *restrict level)
{
    int     i = get_global_id(0);
    field_t f;

    if (i >= n)
        return;
    f = sum_parts(partial, parts, stride, i);
    put_vector(acceleration, i, pitch, f.a);
    put_vector(jerk, i, pitch, f.j);
    level[i] = 0;
}

/*
 * First levels, from the field of all bodies after dt / 2^trial. A body whose level was no deeper than the previous
 * trial keeps it: finer trials only add rounding errors to its derivatives.
 */
__kernel void nbody_hermite_trial(__global const number *restrict partial, int parts, int stride, int n, int pitch,
                                  number dt, int trial, int before, number eta,
                                  __global const number *restrict acceleration, __global const number *restrict jerk,
                                  __global int *restrict level, __global int *restrict bodies_of)
{
    int     i = get_global_id(0);
    number  h = time_of(dt, 1L << (DEEPEST - trial));
    vector  snap, crackle;
    field_t from, to;

    if (i >= n || level[i] <= before)
        return;
    from.a = vector_of(acceleration, i, pitch);
    from.j = vector_of(jerk, i, pitch);
    to = sum_parts(partial, parts, stride, i);
    derive(from, to, h, &snap, &crackle);
    set_level(level, bodies_of, i, level[i],
              level_for(from, snap, crackle, h, trial, dt, eta));
}

CHECK_FUNCTION(check, REAL)

static inline void check_corrected(vector before, vector after, vector v, number h,
                                   __global const number *restrict scale, __global number *restrict worst, int i)
{
    REAL change[3] = {DIFFERENCE(after.x, before.x), DIFFERENCE(after.y, before.y), DIFFERENCE(after.z, before.z)};
    REAL a[3] = {REAL_OF(after.x), REAL_OF(after.y), REAL_OF(after.z)};
    REAL u[3] = {DIFFERENCE(v.x, scale[0]), DIFFERENCE(v.y, scale[1]), DIFFERENCE(v.z, scale[2])};

    worst[i] = number_of(check(change, a, u, REAL_OF(h), REAL_OF(scale[3]), REAL_OF(worst[i])));
}

/*
 * Ends a step of the active bodies in `list`. A level becomes as deep as necessary; it rises by one where the next
 * longer step could begin now. eta 0: levels stay. Each step is checked (check.clh).
 */
__kernel void nbody_hermite_correct(__global const int *restrict list, int active,
                                    __global const number *restrict partial, int parts, int stride, int pitch,
                                    number dt, long tick, int least, int most, number eta,
                                    __global number *restrict position, __global number *restrict velocity,
                                    __global number *restrict acceleration, __global number *restrict jerk,
                                    __global int *restrict level, __global int *restrict bodies_of,
                                    __global const number *restrict scale, __global number *restrict worst)
{
    int     slot = get_global_id(0), i, now, next;
    number  h;
    vector  x, v, snap, crackle;
    field_t from, to;

    if (slot >= active)
        return;
    i = list[slot];
    now = clamp(level[i], least, most);
    h = time_of(dt, ticks_since(tick, now));
    x = vector_of(position, i, pitch);
    v = vector_of(velocity, i, pitch);
    from.a = vector_of(acceleration, i, pitch);
    from.j = vector_of(jerk, i, pitch);
    to = sum_parts(partial, parts, stride, slot);
    derive(from, to, h, &snap, &crackle);
    put_vector(position, i, pitch, corrected_place(x, v, from, snap, crackle, h));
    v = corrected_velocity(v, from, snap, crackle, h);
    put_vector(velocity, i, pitch, v);
    check_corrected(from.a, to.a, v, h, scale, worst, i);
    put_vector(acceleration, i, pitch, to.a);
    put_vector(jerk, i, pitch, to.j);
    if (float_of(eta) > 0) {
        next = level_for(to, snap_at_end(snap, crackle), crackle, h, now, dt, eta);
        if (next < now)
            next = (tick >> (DEEPEST - now) & 1) == 0 ? now - 1 : now;
        set_level(level, bodies_of, i, level[i], next);
    }
}
