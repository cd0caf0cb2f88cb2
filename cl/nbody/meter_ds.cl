/*
 * What the meter needs of a device without double precision; numbers are pairs of floats. The other sums are the host's
 * (src/nbody/meter_host.c). The steps of the leapfrog are here too, as in meter.cl.
 *
 * nbody_meter_field: as in meter_field.clh, with the same arguments, for GPUs and CPUs. With y about 1 / r in a float
 * and e = 1 - r^2 y^2, 1 / r is y (1 + e / 2 + 3 e^2 / 8). One work-item per point and piece, no barriers.
 */
#include "nbody/number.clh" /* first: a file is included once, here in either form */
#ifndef NBODY_ACCELERATION
#include "nbody/step.clh"
#endif

#ifdef NBODY_ACCELERATION
#define COMPONENTS 4
#else
#define COMPONENTS 1
#endif

NUMBER_FUNCTION number squared(number d)
{
    number product = exact_product(d.x, d.x);

    return ordered_sum(product.x, product.y + 2 * d.x * d.y);
}

NUMBER_FUNCTION number inverse_root(number r2)
{
    float  y = rsqrt(r2.x), e;
    number y2 = exact_product(y, y), product = exact_product(r2.x, y2.x);

    e = ((1 - product.x) - product.y) - (r2.x * y2.y + r2.y * y2.x);
    return ordered_sum(y, y * e * (0.5f + 0.375f * e));
}

__kernel void nbody_meter_field(__global const number *restrict at, uint stride, int first,
                                __global const number *restrict mass, __global const number *restrict position,
                                uint pitch, uint piece, number eps2, __global number *restrict out)
{
    uint   me = get_global_id(0), begin = get_global_id(1) * piece, end = min(begin + piece, pitch);
    number x, y, z, sums[COMPONENTS];
    long   self = first < 0 ? -1 : (long)first + me;

    if (me >= stride)
        return;
    x = at[me];
    y = at[stride + me];
    z = at[2 * stride + me];
    for (int c = 0; c < COMPONENTS; c++)
        sums[c] = number_of(0);
    for (uint j = begin; j < end; j++) {
        number dx = minus(position[j], x), dy = minus(position[pitch + j], y), dz = minus(position[2 * pitch + j], z);
        number r2 = plus(squared(dx), plus(squared(dy), plus(squared(dz), eps2))), inverse, w;

        if (!(r2.x > 0) || j == self)
            continue;
        inverse = inverse_root(r2);
        w = times(mass[j], inverse);
        sums[0] = minus(sums[0], w);
#ifdef NBODY_ACCELERATION
        w = times(w, times(inverse, inverse));
        sums[1] = fused(w, dx, sums[1]);
        sums[2] = fused(w, dy, sums[2]);
        sums[3] = fused(w, dz, sums[3]);
#endif
    }
    out += (ulong)get_global_id(1) * COMPONENTS * stride;
    for (int c = 0; c < COMPONENTS; c++)
        out[(ulong)c * stride + me] = sums[c];
}

/* As in meter.cl. */
__kernel void nbody_meter_join(__global const number *restrict partial, uint rows, uint n,
                               __global number *restrict out)
{
    uint   e = get_global_id(0);
    number sum = number_of(0);

    if (e >= n)
        return;
    for (uint row = 0; row < rows; row++)
        sum = plus(sum, partial[(ulong)row * n + e]);
    out[e] = sum;
}

/* Sets *bad where one of n numbers is not finite. */
__kernel void nbody_meter_finite(__global const number *restrict values, uint n, __global int *bad)
{
    uint i = get_global_id(0);

    if (i < n && (!isfinite(values[i].x) || !isfinite(values[i].y)))
        atomic_or(bad, 1);
}
