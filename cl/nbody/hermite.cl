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

/* ---- prediction, and the bodies that move ---- */

#define BLOCK 256 /* bodies of a count: HERMITE_BLOCK */

#ifdef PENTA_CPU
#define LANES 8
#else
#define LANES 1
#endif
#include "common/vectors.clh"

typedef VECTOR(double) reals;
typedef VECTOR(long) ticks;

/* Bodies i .. i + LANES - 1 at `tick`. */
static inline void predict(__global const double *position, __global const double *velocity,
                           __global const double *acceleration, __global const double *jerk, __global const int *level,
                           int i, int pitch, double dt, long tick, int least, int most, __global double *predicted)
{
    ticks shift = DEEPEST - clamp(TO(long)(LOAD(level + i)), (ticks)(long)least, (ticks)(long)most);
    ticks since = tick == 0 ? (ticks)0L : (ticks)tick - ((ticks)(tick - 1) >> shift << shift);
    reals h = dt * TO(double)(since) * 0x1p-40;

    for (int k = 0; k < 3; k++) {
        long  at = (long)k * pitch + i;
        reals v = LOAD(velocity + at), a = LOAD(acceleration + at), j = LOAD(jerk + at);

        STORE(LOAD(position + at) + h * (v + h * (0.5 * a + h * (1.0 / 6) * j)), predicted + at);
        STORE(v + h * (a + h * 0.5 * j), predicted + 3L * pitch + at);
    }
}

#define STATE                                                                                                          \
    __global const double *restrict position, __global const double *restrict velocity,                               \
        __global const double *restrict acceleration, __global const double *restrict jerk,                           \
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
void nbody_hermite_predict(STATE, int n, int pitch, double dt, long tick, int least, int most, int due,
                           __global double *restrict predicted, __global int *restrict counts)
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
void nbody_hermite_predict(STATE, int n, int pitch, double dt, long tick, int least, int most, int due,
                           __global double *restrict predicted, __global int *restrict counts)
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

typedef struct {
    double3 a, j;
} field_t;

/* The sum of a slot's parts, partial[part][6][stride], in their order. */
static inline field_t sum_parts(__global const double *partial, int parts, int stride, int slot)
{
    double sums[6] = {0, 0, 0, 0, 0, 0};

    for (int p = 0; p < parts; p++)
        for (int k = 0; k < 6; k++)
            sums[k] += partial[((long)p * 6 + k) * stride + slot];
    return (field_t){(double3)(sums[0], sums[1], sums[2]), (double3)(sums[3], sums[4], sums[5])};
}

static inline double3 vector_of(__global const double *p, int i, int pitch)
{
    return (double3)(p[i], p[i + (long)pitch], p[i + 2L * pitch]);
}

static inline void put_vector(__global double *p, int i, int pitch, double3 v)
{
    p[i] = v.x;
    p[i + (long)pitch] = v.y;
    p[i + 2L * pitch] = v.z;
}

/* h^2 s and h^3 c at the start of the step. */
static inline void derive(field_t from, field_t to, double h, double3 *snap, double3 *crackle)
{
    double3 da = from.a - to.a;

    *snap = -6.0 * da - h * (4.0 * from.j + 2.0 * to.j);
    *crackle = 12.0 * da + 6.0 * h * (from.j + to.j);
}

/* The level that the criterion gives; TOO_DEEP also where it is NaN. */
static inline int level_for(field_t f, double3 snap, double3 crackle, double dt, double eta)
{
    double aa = dot(f.a, f.a), jj = dot(f.j, f.j), ss = dot(snap, snap), cc = dot(crackle, crackle);
    double above = eta * eta * (sqrt(aa * ss) + jj), below = (sqrt(jj * cc) + ss) * dt * dt;
    int    level = 0;

    while (level < TOO_DEEP && !(below <= above)) {
        below *= 0.25;
        level++;
    }
    return level;
}

static inline void set_level(__global int *level, volatile __global int *bodies_of, int i, int before, int after)
{
    if (after == before)
        return;
    level[i] = after;
    atomic_dec(bodies_of + before);
    atomic_inc(bodies_of + after);
}

/* Accelerations and jerks of all bodies; all are of level 0 now. */
__kernel void nbody_hermite_start(__global const double *restrict partial, int parts, int stride, int n, int pitch,
                                  __global double *restrict acceleration, __global double *restrict jerk,
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
__kernel void nbody_hermite_trial(__global const double *restrict partial, int parts, int stride, int n, int pitch,
                                  double dt, int trial, int before, double eta,
                                  __global const double *restrict acceleration, __global const double *restrict jerk,
                                  __global int *restrict level, __global int *restrict bodies_of)
{
    int     i = get_global_id(0);
    double  h = time_of(dt, 1L << (DEEPEST - trial));
    double3 snap, crackle;
    field_t from, to;

    if (i >= n || level[i] <= before)
        return;
    from.a = vector_of(acceleration, i, pitch);
    from.j = vector_of(jerk, i, pitch);
    to = sum_parts(partial, parts, stride, i);
    derive(from, to, h, &snap, &crackle);
    set_level(level, bodies_of, i, level[i],
              level_for(from, snap / (h * h), crackle / (h * h * h), dt, eta));
}

/*
 * Ends a step of the active bodies in `list`. A level becomes as deep as necessary; it rises by one where the next
 * longer step could begin now. eta 0: levels stay.
 */
__kernel void nbody_hermite_correct(__global const int *restrict list, int active,
                                    __global const double *restrict partial, int parts, int stride, int pitch,
                                    double dt, long tick, int least, int most, double eta,
                                    __global double *restrict position, __global double *restrict velocity,
                                    __global double *restrict acceleration, __global double *restrict jerk,
                                    __global int *restrict level, __global int *restrict bodies_of)
{
    int     slot = get_global_id(0), i, now, next;
    double  h;
    double3 x, v, snap, crackle;
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
    put_vector(position, i, pitch,
               x + h * (v + h * (0.5 * from.a + (h * from.j) / 6.0 + snap / 24.0 + crackle / 120.0)));
    put_vector(velocity, i, pitch, v + h * (from.a + 0.5 * (h * from.j) + snap / 6.0 + crackle / 24.0));
    put_vector(acceleration, i, pitch, to.a);
    put_vector(jerk, i, pitch, to.j);
    if (eta > 0) {
        next = level_for(to, (snap + crackle) / (h * h), crackle / (h * h * h), dt, eta);
        if (next < now)
            next = (tick >> (DEEPEST - now) & 1) == 0 ? now - 1 : now;
        set_level(level, bodies_of, i, level[i], next);
    }
}
