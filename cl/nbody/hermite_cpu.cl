/*
 * Accelerations and jerks, form for CPUs. A vector holds LANES sources. No barriers.
 *
 * nbody_hermite_evaluate: of the active bodies in `list`. Work-items: (`each` bodies, parts of the sources); part p is
 * the `chunk` bodies from p chunk on, a multiple of 16. Two bodies share the loads of a vector; all bodies of an item
 * use a segment of sources while it is in the fastest cache. partial[part][6][active].
 * nbody_hermite_pairs: of all bodies, in double, each pair computed once.
 *
 * Where terms are float the sources come as pairs of floats, packed[12][pitch]: the six of `predicted` rounded, and
 * the rest. Their differences are as accurate as those of doubles. Otherwise packed is `predicted`.
 */
#include "nbody/hermite_pair.clh"
#include "nbody/sum_lanes.clh"

#define MOST_EACH 16
#define SUM_OF    PASTE(SUM_LANES, LANES)

/* Sources whose terms are added before they become one double. */
#if HERMITE_TERMS == 1
#define SEGMENT 128
#else
#define SEGMENT 512
#endif

typedef struct {
    REAL x, y, z, vx, vy, vz;
#if HERMITE_TERMS
    REAL x_low, y_low, z_low, vx_low, vy_low, vz_low;
#endif
} body_t;

typedef struct {
    terms x, y, z, vx, vy, vz, m;
#if HERMITE_TERMS
    terms x_low, y_low, z_low, vx_low, vy_low, vz_low;
#endif
} sources_t;

#if HERMITE_TERMS
#define MINUS(from, b, field) ((from)->field - (b)->field + ((from)->field##_low - (b)->field##_low))
#else
#define MINUS(from, b, field) ((from)->field - (b)->field)
#endif

static inline body_t body_at(__global const REAL *packed, int i, long pitch)
{
    __global const REAL *p = packed + i;

    return (body_t){p[0], p[pitch], p[2 * pitch], p[3 * pitch], p[4 * pitch], p[5 * pitch],
#if HERMITE_TERMS
                    p[6 * pitch], p[7 * pitch], p[8 * pitch], p[9 * pitch], p[10 * pitch], p[11 * pitch]
#endif
    };
}

static inline terms masses_at(__global const number *mass)
{
#ifdef PENTA_FP64
    return TO(REAL)(LOAD(mass));
#else
    __global const float *p = (__global const float *)mass;

    return (terms)(vload16(0, p).even, vload16(1, p).even);
#endif
}

static inline sources_t sources_at(__global const number *mass, __global const REAL *packed, int j, long pitch)
{
    __global const REAL *p = packed + j;

    return (sources_t){LOAD(p), LOAD(p + pitch), LOAD(p + 2 * pitch), LOAD(p + 3 * pitch), LOAD(p + 4 * pitch),
                       LOAD(p + 5 * pitch), masses_at(mass + j),
#if HERMITE_TERMS
                       LOAD(p + 6 * pitch), LOAD(p + 7 * pitch), LOAD(p + 8 * pitch), LOAD(p + 9 * pitch),
                       LOAD(p + 10 * pitch), LOAD(p + 11 * pitch)
#endif
    };
}

static inline void add_sources(pair_sums *s, const body_t *b, const sources_t *from, REAL eps2)
{
    add_pair(s, MINUS(from, b, x), MINUS(from, b, y), MINUS(from, b, z), MINUS(from, b, vx), MINUS(from, b, vy),
             MINUS(from, b, vz), from->m, eps2);
}

static inline void add_lanes(const pair_sums *s, number *sum)
{
    sum[0] = plus(sum[0], SUM_OF(s->ax));
    sum[1] = plus(sum[1], SUM_OF(s->ay));
    sum[2] = plus(sum[2], SUM_OF(s->az));
    sum[3] = plus(sum[3], SUM_OF(s->jx));
    sum[4] = plus(sum[4], SUM_OF(s->jy));
    sum[5] = plus(sum[5], SUM_OF(s->jz));
}

/* Adds the contributions of the sources from .. end - 1 to two bodies: to sum[0..5] and sum[6..11]. */
static inline void add_segment(__global const number *mass, __global const REAL *packed, long pitch, int from, int end,
                               REAL eps2, const body_t *body, number *sum)
{
    body_t    a = body[0], b = body[1];
    pair_sums sums_a = {0, 0, 0, 0, 0, 0}, sums_b = {0, 0, 0, 0, 0, 0};

    for (int j = from; j < end; j += LANES) {
        sources_t sources = sources_at(mass, packed, j, pitch);

        add_sources(&sums_a, &a, &sources, eps2);
        add_sources(&sums_b, &b, &sources, eps2);
    }
    add_lanes(&sums_a, sum);
    add_lanes(&sums_b, sum + 6);
}

/* each: even, at most MOST_EACH. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void nbody_hermite_evaluate(__global const number *restrict mass, __global const REAL *restrict packed,
                            __global const int *restrict list, int active, int pitch, int chunk, int each, number eps2,
                            __global number *restrict partial)
{
    int    slot = each * get_global_id(0), part = get_global_id(1), end = min((part + 1) * chunk, pitch);
    body_t bodies[MOST_EACH];
    number sums[6 * MOST_EACH];

    for (int b = 0; b < each; b++)
        bodies[b] = body_at(packed, list[min(slot + b, active - 1)], pitch);
    for (int k = 0; k < 6 * each; k++)
        sums[k] = number_of(0);
    for (int from = part * chunk; from < end; from += SEGMENT)
        for (int b = 0; b < each && slot + b < active; b += 2)
            add_segment(mass, packed, pitch, from, min(from + SEGMENT, end), real_of(eps2), bodies + b, sums + 6 * b);
    for (int b = 0; b < each && slot + b < active; b++)
        for (int k = 0; k < 6; k++)
            partial[((long)part * 6 + k) * active + slot + b] = sums[6 * b + k];
}

#if HERMITE_TERMS
/* One work-item per sixteen numbers of `predicted`. */
__kernel void nbody_hermite_pack(__global const number *restrict predicted, int pitch, __global float *restrict packed)
{
    long at = 16L * get_global_id(0);
#ifdef PENTA_FP64
    double16 v = vload16(0, predicted + at);
    float16  high = convert_float16(v);

    vstore16(high, 0, packed + at);
    vstore16(convert_float16(v - convert_double16(high)), 0, packed + 6L * pitch + at);
#else
    for (long i = at; i < at + 16; i++) {
        packed[i] = float_of(predicted[i]);
        packed[6L * pitch + i] = rest_of(predicted[i]);
    }
#endif
}
#endif

#if HERMITE_TERMS == 0

/* ---- all bodies, each pair computed once for both bodies ---- */

#include "nbody/triangle.clh"

#define BLOCK   256 /* bodies; PAIR_BLOCK of hermite_device.c. Pairs of two blocks meet in the fastest cache. */
#define VECTORS (BLOCK / LANES)

static inline void add_scaled(pair_sums *s, terms f, terms dx, terms dy, terms dz, terms tx, terms ty, terms tz)
{
    s->ax = fma(f, dx, s->ax);
    s->ay = fma(f, dy, s->ay);
    s->az = fma(f, dz, s->az);
    s->jx = fma(f, tx, s->jx);
    s->jy = fma(f, ty, s->jy);
    s->jz = fma(f, tz, s->jz);
}

/* As add_pair, and also the contribution of the body of `mass` to the sources. */
static inline void add_both(pair_sums *s, pair_sums *pull, const body_t *b, double mass, const sources_t *from,
                            double eps2)
{
    terms dx = from->x - b->x, dy = from->y - b->y, dz = from->z - b->z;
    terms wx = from->vx - b->vx, wy = from->vy - b->vy, wz = from->vz - b->vz;
    terms r2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, (terms)eps2))), y = positive_root(r2), y2 = y * y, f = y * y2;
    terms q = -3.0 * y2 * fma(dx, wx, fma(dy, wy, dz * wz));
    terms tx = fma(q, dx, wx), ty = fma(q, dy, wy), tz = fma(q, dz, wz);

    add_scaled(s, f * from->m, dx, dy, dz, tx, ty, tz);
    add_scaled(pull, f * -mass, dx, dy, dz, tx, ty, tz);
}

static inline void put_body(const pair_sums *s, __global double *sums, long pitch)
{
    sums[0] += PENTA_SUM8(s->ax);
    sums[pitch] += PENTA_SUM8(s->ay);
    sums[2 * pitch] += PENTA_SUM8(s->az);
    sums[3 * pitch] += PENTA_SUM8(s->jx);
    sums[4 * pitch] += PENTA_SUM8(s->jy);
    sums[5 * pitch] += PENTA_SUM8(s->jz);
}

/* The mutual contributions of the bodies i and i + 1 and the sources column .. end - 1. */
static inline void meet_block(__global const double *mass, __global const double *packed, long pitch, int i, int column,
                              int end, double eps2, pair_sums *pulls, __global double *sums)
{
    body_t    a = body_at(packed, i, pitch), b = body_at(packed, i + 1, pitch);
    double    mass_a = mass[i], mass_b = mass[i + 1];
    pair_sums sums_a = {0, 0, 0, 0, 0, 0}, sums_b = {0, 0, 0, 0, 0, 0};

    for (int j = column, v = 0; j < end; j += LANES, v++) {
        sources_t from = sources_at(mass, packed, j, pitch);
        pair_sums pull = pulls[v];

        add_both(&sums_a, &pull, &a, mass_a, &from, eps2);
        add_both(&sums_b, &pull, &b, mass_b, &from, eps2);
        pulls[v] = pull;
    }
    put_body(&sums_a, sums + i, pitch);
    put_body(&sums_b, sums + i + 1, pitch);
}

static inline void add_pulls(const pair_sums *pulls, int column, int end, long pitch, __global double *sums)
{
    for (int j = column, v = 0; j < end; j += LANES, v++) {
        __global double *to = sums + j;

        vstore8(vload8(0, to) + pulls[v].ax, 0, to);
        vstore8(vload8(0, to + pitch) + pulls[v].ay, 0, to + pitch);
        vstore8(vload8(0, to + 2 * pitch) + pulls[v].az, 0, to + 2 * pitch);
        vstore8(vload8(0, to + 3 * pitch) + pulls[v].jx, 0, to + 3 * pitch);
        vstore8(vload8(0, to + 4 * pitch) + pulls[v].jy, 0, to + 4 * pitch);
        vstore8(vload8(0, to + 5 * pitch) + pulls[v].jz, 0, to + 5 * pitch);
    }
}

/* The pairs within one block, each computed twice. */
static inline void meet_itself(__global const double *mass, __global const double *packed, long pitch, int first,
                               int end, double eps2, __global double *sums)
{
    for (int i = first; i < end; i += 2) {
        body_t bodies[2] = {body_at(packed, i, pitch), body_at(packed, i + 1, pitch)};
        double own[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

        add_segment(mass, packed, pitch, first, end, eps2, bodies, own);
        for (int k = 0; k < 6; k++) {
            sums[k * pitch + i] += own[k];
            sums[k * pitch + i + 1] += own[6 + k];
        }
    }
}

/* A work-item has a set of rows and a part of their columns (triangle.clh); sums as in simd_pairs.cl:
 * partial[layer][6][pitch]. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void nbody_hermite_pairs(__global const double *restrict mass, __global const double *restrict packed, int pitch,
                         double eps2, int sets, int parts, int turn, int last_turn, int begin, int end,
                         __global double *restrict partial)
{
    int              set = get_global_id(0) / parts, part = get_global_id(0) % parts;
    __global double *columns = partial + 6L * pitch * set, *rows = partial + 6L * pitch * (sets + part);
    pair_sums        pulls[VECTORS];

    if (turn == 0 && begin == 0)
        for (int b = 0, first = 0; first < pitch; b++, first += BLOCK) {
            if (b % parts == part)
                clear_block(columns, 6, pitch, first, min(first + BLOCK, pitch));
            if (set_of_row(b, sets) == set)
                clear_block(rows, 6, pitch, first, min(first + BLOCK, pitch));
        }
    for (; turn <= last_turn; turn++) {
        int row = row_of_set(turn, set, sets), first = row * BLOCK;

        if (row % parts == part && row >= begin && row < end)
            meet_itself(mass, packed, pitch, first, min(first + BLOCK, pitch), eps2, rows);
        for (int column = first_column(row, begin, part, parts); column < end; column += parts) {
            int from = column * BLOCK, to = min(from + BLOCK, pitch);

            for (int v = 0; v < VECTORS; v++)
                pulls[v] = (pair_sums){0, 0, 0, 0, 0, 0};
            for (int i = first; i < first + BLOCK; i += 2)
                meet_block(mass, packed, pitch, i, from, to, eps2, pulls, rows);
            add_pulls(pulls, from, to, pitch, columns);
        }
    }
}
#endif
