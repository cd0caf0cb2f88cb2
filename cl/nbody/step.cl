/*
 * Steps of the leapfrog. Arrays of `count` numbers: all x, all y, all z of all bodies, so a work-item has one
 * coordinate of one body (straight-line code: PoCL makes vectors of it).
 */
#include "nbody/number.clh"

/* v += a kick; x += v drift */
__kernel void nbody_kick_drift(__global const number *restrict acceleration, long count, number kick, number drift,
                               __global number *restrict velocity, __global number *restrict position)
{
    long i = get_global_id(0);

    if (i < count) {
        number v = kept(fused(acceleration[i], kick, velocity[i]));

        velocity[i] = v;
        position[i] = kept(fused(v, drift, position[i]));
    }
}

/* v += a last, v += a kick; x += v drift: the end of one step and the beginning of the next */
__kernel void nbody_kick_kick_drift(__global const number *restrict acceleration, long count, number last, number kick,
                                    number drift, __global number *restrict velocity, __global number *restrict position)
{
    long i = get_global_id(0);

    if (i < count) {
        number v = kept(fused(acceleration[i], last, velocity[i]));

        v = kept(fused(acceleration[i], kick, v));
        velocity[i] = v;
        position[i] = kept(fused(v, drift, position[i]));
    }
}

/* v += a kick */
__kernel void nbody_kick(__global const number *restrict acceleration, long count, number kick,
                         __global number *restrict velocity)
{
    long i = get_global_id(0);

    if (i < count)
        velocity[i] = kept(fused(acceleration[i], kick, velocity[i]));
}
