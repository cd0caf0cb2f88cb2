/*
 * Accelerations on CPU devices: a_i = sum over j of m_j (r_j - r_i) (|r_j - r_i|^2 + eps^2)^(-3/2), LANES sources at once.
 *
 * nbody_simd_pack: from the state in double to arrays of coordinates of LANES-fold length: x, y, z, mass (-DNBODY_DS: the
 * parts of x, y, z that one float does not hold, behind); bodies n .. length-1 have mass 0 and lie where body 0 lies.
 * nbody_simd: work-item g has the bodies g EACH .. , PAIR of them at a time. They meet the sources in segments, which stay
 * in the cache for all of the item's bodies; sums of a segment are real, those over segments double. No barriers.
 *
 * r^-3 without a root or a division: y is a guess of 1/r by integer arithmetic, q = r^2 y^2 is near 1, and r^-3 is
 * y^3 q^(-3/2) with a polynomial in q - 1 for the power; in double after two steps of Newton's.
 *
 * Defines: NBODY_DOUBLE or NBODY_DS or neither (single); NBODY_SOFTENED: no two bodies are at r^2 + eps^2 = 0.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define PAIR 2 /* bodies that share a load of the sources */

#ifdef NBODY_DOUBLE
#define LANES   8
#define SEGMENT 512
typedef double  real;
typedef double8 reals;
typedef long8   bits;
#define AS_BITS  as_long8
#define AS_REALS as_double8
#define LOAD     vload8
#else
#define LANES   16
typedef float   real;
typedef float16 reals;
typedef int16   bits;
#define AS_BITS  as_int16
#define AS_REALS as_float16
#define LOAD     vload16
#ifdef NBODY_DS
#define SEGMENT 128 /* short: their float sums have fewer roundings */
#else
#define SEGMENT 1024
#endif
#endif

#ifdef NBODY_DS
#define ARRAYS 7
#else
#define ARRAYS 4
#endif

__kernel void nbody_simd_pack(__global const double *restrict mass, __global const double *restrict position, int n,
                              long pitch, long length, __global real *restrict packed)
{
    int    i = get_global_id(0);
    int    from = i < n ? i : 0;
    double x = position[from], y = position[pitch + from], z = position[2 * pitch + from];

    packed[i] = (real)x;
    packed[length + i] = (real)y;
    packed[2 * length + i] = (real)z;
    packed[3 * length + i] = i < n ? (real)mass[i] : 0;
#ifdef NBODY_DS
    packed[4 * length + i] = (real)(x - (real)x);
    packed[5 * length + i] = (real)(y - (real)y);
    packed[6 * length + i] = (real)(z - (real)z);
#endif
}

/* m r^-3 for r2 = r^2. Relative error: single 1.2e-7 (polynomial 8e-9), double 4e-16. */
static inline reals force_over_distance(reals r2, reals m)
{
#ifdef NBODY_DOUBLE
    reals y = AS_REALS(0x5fe6eb50c7b537a9L - (AS_BITS(r2) >> 1)), half_r2 = 0.5 * r2, d, p;

    y = y * fma(-half_r2 * y, y, (reals)1.5);
    y = y * fma(-half_r2 * y, y, (reals)1.5);
    d = fma(-r2 * y, y, (reals)1); /* 1 - q */
    p = fma(fma(fma((reals)2.1875, d, (reals)1.875), d, (reals)1.5), d, (reals)1);
    y = y * y * y * m * p;
#else
    reals y = AS_REALS(0x5f360000 - (AS_BITS(r2) >> 1)), s = y * y, d = fma(r2, s, (reals)-1.0f), p;

    p = fma((reals)-2.965493684726121f, d, (reals)2.472610384150528f);
    p = fma(p, d, (reals)-2.186574241808691f);
    p = fma(p, d, (reals)1.874986608856572f);
    p = fma(p, d, (reals)-1.5000006713117378f);
    p = fma(p, d, (reals)1.000000003024544f);
    y = s * y * (m * p);
#endif
#ifdef NBODY_SOFTENED
    return y;
#else
    return r2 > 0 ? y : (reals)0;
#endif
}

static inline double sum_of(reals v)
{
#ifdef NBODY_DOUBLE
    double4 a = v.lo + v.hi;
#else
    double8 b = convert_double8(v.lo) + convert_double8(v.hi);
    double4 a = b.lo + b.hi;
#endif
    double2 c = a.lo + a.hi;

    return c.lo + c.hi;
}

typedef struct {
    real x, y, z;
#ifdef NBODY_DS
    real x_low, y_low, z_low;
#endif
} place_t;

static inline place_t place_of(__global const real *packed, long length, long i)
{
    place_t p;

    p.x = packed[i];
    p.y = packed[length + i];
    p.z = packed[2 * length + i];
#ifdef NBODY_DS
    p.x_low = packed[4 * length + i];
    p.y_low = packed[5 * length + i];
    p.z_low = packed[6 * length + i];
#endif
    return p;
}

/* Adds what the sources from..end-1 (multiples of LANES) do to PAIR bodies: sum[0..2] of the first, [3..5] of the next. */
static inline void add_segment(__global const real *packed, long length, long from, long end, real eps2,
                               const place_t *body, double *sum)
{
    reals ax[PAIR], ay[PAIR], az[PAIR];

#pragma unroll
    for (int b = 0; b < PAIR; b++)
        ax[b] = ay[b] = az[b] = 0;
    for (long j = from; j < end; j += LANES) {
        reals x = LOAD(0, packed + j), y = LOAD(0, packed + length + j), z = LOAD(0, packed + 2 * length + j);
        reals m = LOAD(0, packed + 3 * length + j);
#ifdef NBODY_DS
        reals x_low = LOAD(0, packed + 4 * length + j), y_low = LOAD(0, packed + 5 * length + j);
        reals z_low = LOAD(0, packed + 6 * length + j);
#endif

#pragma unroll
        for (int b = 0; b < PAIR; b++) {
            reals dx = x - body[b].x, dy = y - body[b].y, dz = z - body[b].z, w;

#ifdef NBODY_DS
            dx += x_low - body[b].x_low;
            dy += y_low - body[b].y_low;
            dz += z_low - body[b].z_low;
#endif
            w = force_over_distance(fma(dx, dx, fma(dy, dy, fma(dz, dz, (reals)eps2))), m);
            ax[b] = fma(w, dx, ax[b]);
            ay[b] = fma(w, dy, ay[b]);
            az[b] = fma(w, dz, az[b]);
        }
    }
#pragma unroll
    for (int b = 0; b < PAIR; b++) {
        sum[3 * b] += sum_of(ax[b]);
        sum[3 * b + 1] += sum_of(ay[b]);
        sum[3 * b + 2] += sum_of(az[b]);
    }
}

/* Items have EACH bodies; the last one's may reach into the padding, whose accelerations are finite too. */
__kernel void nbody_simd(__global const real *restrict packed, long length, long pitch, double eps2,
                         __global double *restrict acceleration)
{
    long    first = (long)get_global_id(0) * EACH;
    double  sums[3 * EACH];
    place_t bodies[EACH];

    for (int b = 0; b < EACH; b++)
        bodies[b] = place_of(packed, length, first + b);
    for (int k = 0; k < 3 * EACH; k++)
        sums[k] = 0;
    for (long from = 0; from < length; from += SEGMENT)
        for (int b = 0; b < EACH; b += PAIR)
            add_segment(packed, length, from, min(from + SEGMENT, length), (real)eps2, bodies + b, sums + 3 * b);
    for (int b = 0; b < EACH; b++)
        for (int k = 0; k < 3; k++)
            acceleration[k * pitch + first + b] = sums[3 * b + k];
}
