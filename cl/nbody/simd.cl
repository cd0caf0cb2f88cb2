/*
 * Accelerations on CPU devices: a_i = sum over j of m_j (r_j - r_i) (|r_j - r_i|^2 + eps^2)^(-3/2), LANES sources at
 * once.
 *
 * nbody_simd: work-item g has the bodies g EACH .. , PAIR of them at a time. Sources come in segments, which
 * stay in the cache for all of the item's bodies; sums of a segment are real, those over segments numbers. No barriers.
 */
#include "nbody/simd.clh"

/*
 * Adds what the sources from..end-1 (multiples of LANES) do to PAIR bodies: sum[0..2] of the first, [3..5] of the
 * next.
 */
static inline void add_segment(__global const real *packed, long length, long from, long end, real eps2,
                               const place_t *body, number *sum)
{
    vectors_t a[PAIR];

#pragma unroll
    for (int b = 0; b < PAIR; b++)
        a[b] = (vectors_t){0, 0, 0};
    for (long j = from; j < end; j += LANES) {
        places_t sources = places_of(packed, length, j);
        reals    m = LOAD(packed + 3 * length + j);

#pragma unroll
        for (int b = 0; b < PAIR; b++)
            add_pull(&a[b], pull_of(difference(&sources, &body[b]), eps2), m);
    }
#pragma unroll
    for (int b = 0; b < PAIR; b++)
        add_lanes(a[b], sum + 3 * b);
}

/* Items have EACH bodies; the last one's may reach into the padding, whose accelerations are finite too. */
__kernel void nbody_simd(__global const real *restrict packed, long length, long pitch, number eps2,
                         __global number *restrict acceleration)
{
    long    first = (long)get_global_id(0) * EACH;
    number  sums[3 * EACH];
    place_t bodies[EACH];

    for (int b = 0; b < EACH; b++)
        bodies[b] = place_of(packed, length, first + b);
    for (int k = 0; k < 3 * EACH; k++)
        sums[k] = number_of(0);
    for (long from = 0; from < length; from += SEGMENT)
        for (int b = 0; b < EACH; b += PAIR)
            add_segment(packed, length, from, min(from + SEGMENT, length), real_of(eps2), bodies + b, sums + 3 * b);
    for (int b = 0; b < EACH; b++)
        for (int k = 0; k < 3; k++)
            acceleration[k * pitch + first + b] = sums[3 * b + k];
}
