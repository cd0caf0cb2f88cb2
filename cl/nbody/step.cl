/*
 * Steps of the leapfrog. Vectors are `pitch` long: all x, all y, all z of all bodies; one work-item a body (straight-line
 * code: PoCL makes vectors of it). A step of `step` is checked where it ends (check.clh): its first kick keeps the
 * acceleration in `before`, its last one compares. step 0: this kick neither begins nor ends one.
 */
#include "nbody/number.clh"
#include "nbody/check.clh"

/* v += a kick; x += v drift */
__kernel void nbody_kick_drift(__global const number *restrict acceleration, int pitch, number kick, number drift,
                               __global number *restrict before, __global number *restrict velocity,
                               __global number *restrict position)
{
    int i = get_global_id(0);

    if (i < pitch)
        for (int k = i; k < 3 * pitch; k += pitch) {
            number a = acceleration[k], v = kept(fused(a, kick, velocity[k]));

            before[k] = a;
            velocity[k] = v;
            position[k] = kept(fused(v, drift, position[k]));
        }
}

/* v += a last, v += a kick; x += v drift: the end of one step and the beginning of the next */
__kernel void nbody_kick_kick_drift(__global const number *restrict acceleration, int pitch, number last, number kick,
                                    number drift, number step, __global const number *restrict scale,
                                    __global number *restrict before, __global number *restrict worst,
                                    __global number *restrict velocity, __global number *restrict position)
{
    int    i = get_global_id(0);
    number a[3], from[3], v[3];

    if (i >= pitch)
        return;
    for (int k = 0; k < 3; k++) {
        a[k] = acceleration[i + k * pitch];
        v[k] = kept(fused(a[k], last, velocity[i + k * pitch]));
    }
    if (REAL_OF(step) != 0) {
        for (int k = 0; k < 3; k++)
            from[k] = before[i + k * pitch];
        check_step(from, a, v, step, scale, worst, i);
        for (int k = 0; k < 3; k++)
            before[i + k * pitch] = a[k];
    }
    for (int k = 0; k < 3; k++) {
        v[k] = kept(fused(a[k], kick, v[k]));
        velocity[i + k * pitch] = v[k];
        position[i + k * pitch] = kept(fused(v[k], drift, position[i + k * pitch]));
    }
}

/* v += a kick: the end of a step */
__kernel void nbody_kick(__global const number *restrict acceleration, int pitch, number kick, number step,
                         __global const number *restrict scale, __global const number *restrict before,
                         __global number *restrict worst, __global number *restrict velocity)
{
    int    i = get_global_id(0);
    number a[3], from[3], v[3];

    if (i >= pitch)
        return;
    for (int k = 0; k < 3; k++) {
        a[k] = acceleration[i + k * pitch];
        from[k] = before[i + k * pitch];
        v[k] = kept(fused(a[k], kick, velocity[i + k * pitch]));
        velocity[i + k * pitch] = v[k];
    }
    check_step(from, a, v, step, scale, worst, i);
}
