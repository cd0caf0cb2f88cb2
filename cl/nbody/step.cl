/*
 * Steps of the leapfrog. Vectors are `pitch` long: all x, all y, all z of all bodies; a work-item has LANES bodies. A
 * step of `step` is checked where it ends (check.clh): its first kick keeps the acceleration in `before`, its last one
 * compares. step 0: this kick neither begins nor ends one.
 */
#include "nbody/number.clh"
#if defined(PENTA_CPU) && defined(PENTA_FP64)
#define LANES 8
#else
#define LANES 1
#endif
#include "common/vectors.clh"
#include "nbody/check.clh"

#ifdef PENTA_FP64
typedef VECTOR(double) numbers;
typedef VECTOR(double) reals;
#else
typedef number numbers;
typedef float reals;
#endif

CHECK_FUNCTION(check, reals)

static inline void check_step(const numbers before[3], const numbers after[3], const numbers velocity[3], number step,
                              __global const number *restrict scale, __global number *restrict worst)
{
    reals change[3], a[3], v[3];

    for (int k = 0; k < 3; k++) {
        change[k] = DIFFERENCE(after[k], before[k]);
        a[k] = REAL_OF(after[k]);
        v[k] = DIFFERENCE(velocity[k], scale[k]);
    }
#ifdef PENTA_FP64
    STORE(check(change, a, v, (reals)step, (reals)scale[3], LOAD(worst)), worst);
#else
    *worst = number_of(check(change, a, v, step.x, scale[3].x, worst->x));
#endif
}

/* v += a kick; x += v drift */
__kernel void nbody_kick_drift(__global const number *restrict acceleration, int pitch, number kick, number drift,
                               __global number *restrict before, __global number *restrict velocity,
                               __global number *restrict position)
{
    int i = get_global_id(0) * LANES;

    if (i >= pitch)
        return;
    for (int k = 0; k < 3; k++, i += pitch) {
        numbers a = LOAD(acceleration + i), v = kept(fused(a, (numbers)kick, LOAD(velocity + i)));

        STORE(a, before + i);
        STORE(v, velocity + i);
        STORE(kept(fused(v, (numbers)drift, LOAD(position + i))), position + i);
    }
}

/* v += a last, v += a kick; x += v drift: the end of one step and the beginning of the next */
__kernel void nbody_kick_kick_drift(__global const number *restrict acceleration, int pitch, number last, number kick,
                                    number drift, number step, __global const number *restrict scale,
                                    __global number *restrict before, __global number *restrict worst,
                                    __global number *restrict velocity, __global number *restrict position)
{
    int     i = get_global_id(0) * LANES;
    numbers a[3], from[3], v[3];

    if (i >= pitch)
        return;
    for (int k = 0; k < 3; k++) {
        a[k] = LOAD(acceleration + i + k * pitch);
        from[k] = LOAD(before + i + k * pitch);
        v[k] = kept(fused(a[k], (numbers)last, LOAD(velocity + i + k * pitch)));
    }
    if (REAL_OF(step) != 0)
        check_step(from, a, v, step, scale, worst + i);
    for (int k = 0; k < 3; k++) {
        if (REAL_OF(step) != 0)
            STORE(a[k], before + i + k * pitch);
        v[k] = kept(fused(a[k], (numbers)kick, v[k]));
        STORE(v[k], velocity + i + k * pitch);
        STORE(kept(fused(v[k], (numbers)drift, LOAD(position + i + k * pitch))), position + i + k * pitch);
    }
}

/* v += a kick: the end of a step */
__kernel void nbody_kick(__global const number *restrict acceleration, int pitch, number kick, number step,
                         __global const number *restrict scale, __global const number *restrict before,
                         __global number *restrict worst, __global number *restrict velocity)
{
    int     i = get_global_id(0) * LANES;
    numbers a[3], from[3], v[3];

    if (i >= pitch)
        return;
    for (int k = 0; k < 3; k++) {
        a[k] = LOAD(acceleration + i + k * pitch);
        from[k] = LOAD(before + i + k * pitch);
        v[k] = kept(fused(a[k], (numbers)kick, LOAD(velocity + i + k * pitch)));
        STORE(v[k], velocity + i + k * pitch);
    }
    check_step(from, a, v, step, scale, worst + i);
}
