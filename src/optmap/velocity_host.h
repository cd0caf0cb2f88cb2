/* Velocities and surfaces on the host's cores. */
#pragma once

#include <pentacl/beats.h>

#include "core/core.h"

/* Without double precision; and on CPU devices, for which compiling the kernels takes longer than the work. */
static inline bool velocities_are_hosts(const penta_context *ctx)
{
    return penta_is_cpu(ctx) || !penta_context_device(ctx)->fp64;
}

/* As optmap_velocity of cl/optmap/velocity.cl; kind: PENTA_VELOCITY_.. */
typedef struct velocity_job {
    const float *times;
    int width, height, radius, kind;
    double share, timing, scale;
    float *out; /* 2 x height x width */
} velocity_job;
void velocity_on_host(const velocity_job *job);

/* As optmap_surfaces: of `count` maps. */
typedef struct surface_job {
    const float *times;
    int width, height, radius;
    float *values, *spreads;
} surface_job;
void surfaces_on_host(const surface_job *job, size_t count);
