/*
 * The tuning ladder of M. Burtscher, "Writing Efficient CUDA Programs", n-body: each kernel changes one thing in the
 * one above it. a_i = sum over j != i of m_j d / (d^2 + eps^2)^(3/2), d = r_j - r_i, in single precision.
 *
 * Sources are the bodies 0 .. n-1. Accelerations are written for bodies 0 .. pitch-1; bodies from n on have mass 0 and
 * the position of body 0. Except in gpu1, a work-item has one body i, in groups of GROUP. Host side:
 * src/nbody/ladder.c.
 */
#include "nbody/ladder.clh"

#define GROUP 256 /* GROUP of src/nbody/ladder.c */

/* ---- from the state to the layouts of the rungs: `padded` bodies, those from n on as above ---- */

__kernel void nbody_ladder_structs(__global const number *restrict mass, __global const number *restrict position,
                                   __global const number *restrict velocity, int n, int pitch,
                                   __global body_t *restrict bodies)
{
    int  i = get_global_id(0), from = i < n ? i : 0;
    long p = pitch;

    bodies[i] = (body_t){i < n ? float_of(mass[i]) : 0.0f,   float_of(position[from]),
                         float_of(position[p + from]),       float_of(position[2 * p + from]),
                         float_of(velocity[from]),           float_of(velocity[p + from]),
                         float_of(velocity[2 * p + from])};
}

__kernel void nbody_ladder_arrays(__global const number *restrict mass, __global const number *restrict position, int n,
                                  int pitch, __global float *restrict m, __global float *restrict x,
                                  __global float *restrict y, __global float *restrict z)
{
    int i = get_global_id(0), from = i < n ? i : 0;

    m[i] = i < n ? float_of(mass[i]) : 0.0f;
    x[i] = float_of(position[from]);
    y[i] = float_of(position[(long)pitch + from]);
    z[i] = float_of(position[2 * (long)pitch + from]);
}

/* ---- gpu1: one work-item for all pairs ---- */

/* The bodies begin .. last - 1: all of them, unless that takes so long that the launch is cut. */
__kernel void nbody_gpu1(__global const body_t *restrict bodies, int n, int pitch, float eps2, int begin, int last,
                         __global number *restrict acceleration)
{
    for (int i = begin; i < last; i++) {
        float   px = bodies[i].x, py = bodies[i].y, pz = bodies[i].z;
        total_t total = {0};

        for (int first = 0; first < n; first += SEGMENT) {
            int   end = min(first + SEGMENT, n);
            sum_t sum = {0, 0, 0};

            for (int j = first; j < end; j++) {
                if (i != j) {
                    float dx = bodies[j].x - px, dy = bodies[j].y - py, dz = bodies[j].z - pz;
                    float d2 = dx * dx + dy * dy + dz * dz;

                    sum = attract(sum, dx, dy, dz, bodies[j].mass, d2, 1.0f / sqrt(d2 + eps2));
                }
            }
            total = add_sum(total, sum);
        }
        store(acceleration, i, pitch, total);
    }
}

/* ---- aos: one work-item per body ---- */

__kernel void nbody_aos(__global const body_t *restrict bodies, int n, int pitch, float eps2,
                        __global number *restrict acceleration)
{
    int i = get_global_id(0);

    if (i < pitch) {
        float   px = bodies[i].x, py = bodies[i].y, pz = bodies[i].z;
        total_t total = {0};

        for (int first = 0; first < n; first += SEGMENT) {
            int   end = min(first + SEGMENT, n);
            sum_t sum = {0, 0, 0};

            for (int j = first; j < end; j++) {
                if (i != j) {
                    float dx = bodies[j].x - px, dy = bodies[j].y - py, dz = bodies[j].z - pz;
                    float d2 = dx * dx + dy * dy + dz * dz;

                    sum = attract(sum, dx, dy, dz, bodies[j].mass, d2, 1.0f / sqrt(d2 + eps2));
                }
            }
            total = add_sum(total, sum);
        }
        store(acceleration, i, pitch, total);
    }
}

/* ---- soa: arrays of coordinates ---- */

__kernel void nbody_soa(__global const float *restrict m, __global const float *restrict x,
                        __global const float *restrict y, __global const float *restrict z, int n, int pitch,
                        float eps2, __global number *restrict acceleration)
{
    int i = get_global_id(0);

    if (i < pitch) {
        float   px = x[i], py = y[i], pz = z[i];
        total_t total = {0};

        for (int first = 0; first < n; first += SEGMENT) {
            int   end = min(first + SEGMENT, n);
            sum_t sum = {0, 0, 0};

            for (int j = first; j < end; j++) {
                if (i != j) {
                    float dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
                    float d2 = dx * dx + dy * dy + dz * dz;

                    sum = attract(sum, dx, dy, dz, m[j], d2, 1.0f / sqrt(d2 + eps2));
                }
            }
            total = add_sum(total, sum);
        }
        store(acceleration, i, pitch, total);
    }
}

/* ---- const: parameters in constant memory ---- */

#define ARGUMENTS                                                                                                      \
    __global const float *restrict m, __global const float *restrict x, __global const float *restrict y,              \
        __global const float *restrict z, __constant parameters_t *p, __global number *restrict acceleration

__kernel void nbody_const(ARGUMENTS)
{
    int i = get_global_id(0);

    if (i < p->pitch) {
        float   px = x[i], py = y[i], pz = z[i];
        total_t total = {0};

        for (int first = 0; first < p->n; first += SEGMENT) {
            int   end = min(first + SEGMENT, p->n);
            sum_t sum = {0, 0, 0};

            for (int j = first; j < end; j++) {
                if (i != j) {
                    float dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
                    float d2 = dx * dx + dy * dy + dz * dz;

                    sum = attract(sum, dx, dy, dz, m[j], d2, 1.0f / sqrt(d2 + p->eps2));
                }
            }
            total = add_sum(total, sum);
        }
        store(acceleration, i, p->pitch, total);
    }
}

/* ---- rsqrt: the reciprocal square root ---- */

__kernel void nbody_rsqrt(ARGUMENTS)
{
    int i = get_global_id(0);

    if (i < p->pitch) {
        float   px = x[i], py = y[i], pz = z[i];
        total_t total = {0};

        for (int first = 0; first < p->n; first += SEGMENT) {
            int   end = min(first + SEGMENT, p->n);
            sum_t sum = {0, 0, 0};

            for (int j = first; j < end; j++) {
                if (i != j) {
                    float dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
                    float d2 = dx * dx + dy * dy + dz * dz;

                    sum = attract(sum, dx, dy, dz, m[j], d2, rsqrt(d2 + p->eps2));
                }
            }
            total = add_sum(total, sum);
        }
        store(acceleration, i, p->pitch, total);
    }
}

/* ---- split: two loops instead of the test i != j ---- */

__kernel void nbody_split(ARGUMENTS)
{
    int i = get_global_id(0);

    if (i < p->pitch) {
        float   px = x[i], py = y[i], pz = z[i];
        total_t total = {0};

        for (int first = 0; first < p->n; first += SEGMENT) {
            int   end = min(first + SEGMENT, p->n);
            sum_t sum = {0, 0, 0};

            for (int j = first; j < min(end, i); j++) {
                float dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
                float d2 = dx * dx + dy * dy + dz * dz;

                sum = attract(sum, dx, dy, dz, m[j], d2, rsqrt(d2 + p->eps2));
            }
            for (int j = max(first, i + 1); j < end; j++) {
                float dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
                float d2 = dx * dx + dy * dy + dz * dz;

                sum = attract(sum, dx, dy, dz, m[j], d2, rsqrt(d2 + p->eps2));
            }
            total = add_sum(total, sum);
        }
        store(acceleration, i, p->pitch, total);
    }
}

/*
 * ---- local: blocks of GROUP sources in local memory; -DUNROLL=2 .. 32: the inner loop unrolled ----
 *
 * Every item of a group takes part in every block, and the arrays are padded to whole blocks. The second barrier is not
 * on the slides: without it a fast work-item overwrites sources that a slow one still reads. With one loop for all
 * sources a body meets itself again, at d = 0.
 */
#ifndef UNROLL
#define UNROLL 1
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void nbody_local(ARGUMENTS)
{
    __local float sx[GROUP], sy[GROUP], sz[GROUP], sm[GROUP];
    int           i = get_global_id(0), item = get_local_id(0);
    float         px = x[i], py = y[i], pz = z[i];
    total_t       total = {0};

    for (int first = 0; first < p->n; first += GROUP) {
        sum_t sum = {0, 0, 0};

        sx[item] = x[first + item];
        sy[item] = y[first + item];
        sz[item] = z[first + item];
        sm[item] = m[first + item];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
        for (int j = 0; j < GROUP; j += UNROLL) {
#pragma unroll
            for (int k = j; k < j + UNROLL; k++) {
                float dx = sx[k] - px, dy = sy[k] - py, dz = sz[k] - pz;
                float d2 = dx * dx + dy * dy + dz * dz;

                sum = attract(sum, dx, dy, dz, sm[k], d2, rsqrt(d2 + p->eps2));
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        total = add_sum(total, sum);
    }
    if (i < p->pitch)
        store(acceleration, i, p->pitch, total);
}
