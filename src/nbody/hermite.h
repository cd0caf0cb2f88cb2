/* The device's side of the Hermite integrator. Kernels: cl/nbody/hermite*.cl; hermite.clh says what ticks and levels
 * are. */
#ifndef PENTA_NBODY_HERMITE_H
#define PENTA_NBODY_HERMITE_H

#include "nbody/nbody.h"

enum {
    HERMITE_DEEPEST = 40, /* the smallest step is dt / 2^40, one tick */
    HERMITE_LEVELS = 42   /* the last: a step that would be smaller */
};

/* Which bodies move next: those of level `due` and deeper, where levels count as if clamped to least .. most. */
typedef struct hermite_move {
    int64_t tick;
    int least, most, due;
    size_t active; /* their number */
} hermite_move;

typedef struct hermite_device {
    penta_resources *owner; /* of all that is made */
    penta_context *ctx;
    nbody_shape shape;
    double dt;
    size_t most_parts;    /* of the sources */
    size_t parts, stride; /* of the last evaluation: partial[parts][6][stride] */
    size_t pair_items;    /* work-items that meet each pair once; 0: pairs are met twice */
    bool lists_all, packs;
    penta_pace pace;
    penta_kernel pack, predict, list, evaluate, pairs, start, trial, correct;
    penta_buffer packed; /* predicted as pairs of floats, where a CPU computes in float */
    penta_buffer predicted, counts, list_of, partial;
    penta_buffer acceleration, jerk; /* 3 x pitch */
    penta_buffer level;              /* pitch int */
    penta_buffer bodies_of;          /* HERMITE_LEVELS int: bodies of each level */
    /* at the begin of the step */
    nbody_copy before;
    penta_buffer acceleration_before, jerk_before, level_before;
} hermite_device;

penta_status hermite_device_create(penta_resources *owner, const nbody_setup *setup, hermite_device *d);

/* Accelerations and jerks, in parts, of the bodies that move. */
penta_status hermite_evaluate(hermite_device *d, nbody_bodies *bodies, const hermite_move *move);
/* After an evaluation of all bodies: at tick 0; at the end of dt / 2^trial; of those that move. eta 0: fixed steps. */
penta_status hermite_start(hermite_device *d);
penta_status hermite_trial(hermite_device *d, int trial, int before, double eta);
penta_status hermite_correct(hermite_device *d, nbody_bodies *bodies, const hermite_move *move, double eta);

/* Bodies, accelerations, jerks and levels. */
penta_status hermite_keep(hermite_device *d, nbody_bodies *bodies);
penta_status hermite_bring_back(hermite_device *d, nbody_bodies *bodies);

#endif
