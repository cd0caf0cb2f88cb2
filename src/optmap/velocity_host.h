/* Velocities and surfaces on the host's cores, for devices without double precision. */
#ifndef PENTA_OPTMAP_VELOCITY_HOST_H
#define PENTA_OPTMAP_VELOCITY_HOST_H

#include <pentacl/beats.h>

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

#endif
