/*
 * Accelerations and jerks of the active bodies in `list`, form for CPUs. Work-items: (`each` bodies, parts of the
 * sources); part p is the `chunk` bodies from p chunk on, a multiple of 16. A vector holds LANES sources. Two bodies
 * share its loads; all bodies of an item meet a segment of sources while it is in the fastest cache.
 * partial[part][6][active].
 *
 * Where terms are float the sources come as pairs of floats, packed[12][pitch]: the six of `predicted` rounded, and what
 * that left out. Their differences are as good as those of doubles. Otherwise packed is `predicted`.
 */
#include "nbody/hermite_pair.clh"

#define MOST_EACH 16
#define LOAD(p)   VECTOR(vload, LANES)(0, p)

/* Sources whose terms are added before they become one double. */
#if HERMITE_TERMS == 1
#define SEGMENT 128
#else
#define SEGMENT 512
#endif

static inline double sum8(double8 v)
{
    double4 a = v.lo + v.hi;
    double2 b = a.lo + a.hi;

    return b.x + b.y;
}

#if LANES == 8
#define SUM_LANES(v) sum8(v)
#else
#define SUM_LANES(v) sum8(convert_double8((v).lo) + convert_double8((v).hi))
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

static inline sources_t sources_at(__global const double *mass, __global const REAL *packed, int j, long pitch)
{
    __global const REAL *p = packed + j;

    return (sources_t){LOAD(p), LOAD(p + pitch), LOAD(p + 2 * pitch), LOAD(p + 3 * pitch), LOAD(p + 4 * pitch),
                       LOAD(p + 5 * pitch), TO_TERMS(LOAD(mass + j)),
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

static inline void add_lanes(const pair_sums *s, double *sum)
{
    sum[0] += SUM_LANES(s->ax);
    sum[1] += SUM_LANES(s->ay);
    sum[2] += SUM_LANES(s->az);
    sum[3] += SUM_LANES(s->jx);
    sum[4] += SUM_LANES(s->jy);
    sum[5] += SUM_LANES(s->jz);
}

/* Adds what the sources from .. end - 1 do to two bodies: to sum[0..5] and sum[6..11]. */
static inline void add_segment(__global const double *mass, __global const REAL *packed, long pitch, int from, int end,
                               REAL eps2, const body_t *body, double *sum)
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
void nbody_hermite_evaluate(__global const double *restrict mass, __global const REAL *restrict packed,
                            __global const int *restrict list, int active, int pitch, int chunk, int each, double eps2,
                            __global double *restrict partial)
{
    int    slot = each * get_global_id(0), part = get_global_id(1), end = min((part + 1) * chunk, pitch);
    body_t bodies[MOST_EACH];
    double sums[6 * MOST_EACH];

    for (int b = 0; b < each; b++)
        bodies[b] = body_at(packed, list[min(slot + b, active - 1)], pitch);
    for (int k = 0; k < 6 * each; k++)
        sums[k] = 0;
    for (int from = part * chunk; from < end; from += SEGMENT)
        for (int b = 0; b < each && slot + b < active; b += 2)
            add_segment(mass, packed, pitch, from, min(from + SEGMENT, end), (REAL)eps2, bodies + b, sums + 6 * b);
    for (int b = 0; b < each && slot + b < active; b++)
        for (int k = 0; k < 6; k++)
            partial[((long)part * 6 + k) * active + slot + b] = sums[6 * b + k];
}

#if HERMITE_TERMS
/* A work-item sixteen numbers of `predicted`. */
__kernel void nbody_hermite_pack(__global const double *restrict predicted, int pitch, __global float *restrict packed)
{
    long     at = 16L * get_global_id(0);
    double16 v = vload16(0, predicted + at);
    float16  high = convert_float16(v);

    vstore16(high, 0, packed + at);
    vstore16(convert_float16(v - convert_double16(high)), 0, packed + 6L * pitch + at);
}
#endif
