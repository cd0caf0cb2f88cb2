/*
 * Accelerations on CPU devices: a_i = sum over j of m_j (r_j - r_i) (|r_j - r_i|^2 + eps^2)^(-3/2), LANES sources at
 * once. nbody_simd: work-item g has the bodies g EACH .. . No barriers.
 */
#include "nbody/simd_segments.clh"

/* One work-item per body, those of the padding included. */
__kernel void nbody_simd_pack(__global const number *restrict mass, __global const number *restrict position, int n,
                              long pitch, long length, __global real *restrict packed)
{
    pack(mass, position, n, pitch, length, get_global_id(0), packed);
}

__kernel void nbody_simd(__global const real *restrict packed, long length, long pitch, number eps2,
                         __global number *restrict acceleration)
{
    add_all(packed, length, (long)get_global_id(0) * EACH, pitch, eps2, acceleration);
}
