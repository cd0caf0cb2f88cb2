/*
 * Steps of the leapfrog. Arrays of `count` doubles: all x, all y, all z of all bodies, so a work-item has one
 * coordinate of one body (straight-line code: PoCL makes vectors of it).
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* v += a kick; x += v drift */
__kernel void nbody_kick_drift(__global const double *restrict acceleration, long count, double kick, double drift,
                               __global double *restrict velocity, __global double *restrict position)
{
    long i = get_global_id(0);

    if (i < count) {
        double v = fma(acceleration[i], kick, velocity[i]);

        velocity[i] = v;
        position[i] = fma(v, drift, position[i]);
    }
}

/* v += a kick */
__kernel void nbody_kick(__global const double *restrict acceleration, long count, double kick,
                         __global double *restrict velocity)
{
    long i = get_global_id(0);

    if (i < count)
        velocity[i] = fma(acceleration[i], kick, velocity[i]);
}
