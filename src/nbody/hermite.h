/* The device side of the Hermite integrator. Kernels: cl/nbody/hermite*.cl; hermite.clh defines ticks and levels. */
#pragma once

#include "nbody/nbody.h"

enum {
    HERMITE_DEEPEST = 40, /* the smallest step is dt / 2^40, one tick */
    HERMITE_LEVELS = 42   /* the last level stands for a smaller step */
};

/* The bodies that move next: level `due` and deeper, with levels clamped to least .. most. */
typedef struct hermite_move {
    int64_t tick;
    int least, most, due;
    size_t active; /* their number */
} hermite_move;

typedef struct hermite_device {
    penta_resources *owner; /* of all kernels and buffers */
    penta_context *ctx;
    nbody_shape shape;
    double dt;
    size_t most_parts;    /* of the sources */
    size_t parts, stride; /* of the last evaluation: partial[parts][6][stride] */
    size_t pair_sets;     /* of rows, where each pair is computed once; 0: pairs are computed twice */
    bool lists_all, packs;
    bool adapts; /* steps; set by hermite.c */
    penta_pace pace;
    penta_kernel pack, predict, list, evaluate, pairs, join, start, trial, correct;
    penta_buffer packed; /* predicted as pairs of floats, where a CPU computes in float */
    penta_buffer predicted, counts, list_of, partial;
    penta_buffer joined;             /* of several members: sums[6][stride] */
    penta_buffer *sums;              /* the last evaluation's: partial, or joined */
    penta_buffer acceleration, jerk; /* 3 x pitch */
    penta_buffer level;              /* pitch int */
    penta_buffer bodies_of;          /* HERMITE_LEVELS int: bodies of each level */
    /* at the start of the step */
    nbody_copy before;
    penta_buffer acceleration_before, jerk_before, level_before, worst_before;
} hermite_device;

penta_status hermite_device_create(penta_resources *owner, const nbody_setup *setup, hermite_device *d);

/* Computes partial accelerations and jerks of the bodies that move. */
penta_status hermite_evaluate(hermite_device *d, nbody_bodies *bodies, const hermite_move *move);
/* These use an evaluation: start, of all bodies at tick 0; trial, of all bodies at the end of dt / 2^trial; correct, of
 * the bodies that move. eta 0: fixed steps. */
penta_status hermite_start(hermite_device *d);
penta_status hermite_trial(hermite_device *d, int trial, int before, double eta);
penta_status hermite_correct(hermite_device *d, nbody_bodies *bodies, const hermite_move *move, double eta);

/* Copies bodies, accelerations, jerks and levels, and brings them back. */
penta_status hermite_keep(hermite_device *d, nbody_bodies *bodies);
penta_status hermite_bring_back(hermite_device *d, nbody_bodies *bodies);
