/*
 * The accelerations of simd.cl of at most MOST bodies in one launch: every work-item packs all bodies for itself, which
 * takes less time than another launch.
 */
#define PACKED __private
#include "nbody/simd_segments.clh"

#ifdef NBODY_DS
#define ARRAYS 7
#else
#define ARRAYS 4
#endif

/* LANES numbers of the state, in their order. */
#ifdef PENTA_FP64
typedef VECTOR(double) numbers;
#define NUMBERS(p)    LOAD(p)
#define REALS(v)      TO(REAL)(v)
#define REST_REALS(v) TO(float)((v) - TO(double)(TO(float)(v)))
#else
typedef struct {
    float16 value, rest;
} numbers;

static inline numbers numbers_at(__global const number *p)
{
    float16 left = vload16(0, (__global const float *)p), right = vload16(1, (__global const float *)p);

    return (numbers){(float16)(left.even, right.even), (float16)(left.odd, right.odd)};
}
#define NUMBERS(p)    numbers_at(p)
#define REALS(v)      (v).value
#define REST_REALS(v) (v).rest
#endif

static inline void pack_vector(__global const number *mass, __global const number *position, long pitch, long length,
                               int i, real *packed)
{
    for (int k = 0; k < 3; k++) {
        numbers place = NUMBERS(position + k * pitch + i);

        STORE(REALS(place), packed + k * length + i);
#ifdef NBODY_DS
        STORE(REST_REALS(place), packed + (4 + k) * length + i);
#endif
    }
    numbers masses = NUMBERS(mass + i);

    STORE(REALS(masses), packed + 3 * length + i);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
nbody_simd_few(__global const number *restrict mass, __global const number *restrict position, int n, long pitch,
               number eps2, __global number *restrict acceleration)
{
    real packed[ARRAYS * MOST];
    int  whole = n / LANES * LANES;

    for (int i = 0; i < whole; i += LANES)
        pack_vector(mass, position, pitch, pitch, i, packed);
    for (int i = whole; i < pitch; i++)
        pack(mass, position, n, pitch, pitch, i, packed);
    add_all(packed, pitch, (long)get_global_id(0) * EACH, pitch, eps2, acceleration);
}
