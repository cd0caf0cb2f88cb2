/* Forces of which each pair is computed once (src/nbody/tiled_pairs.c), for tests of members of a group. */
#pragma once

#include "nbody/tiled.h"

enum { PAIRS_BODIES = 2100, PAIRS_PITCH = (PAIRS_BODIES + NBODY_PITCH - 1) / NBODY_PITCH * NBODY_PITCH };

typedef struct pairs_job {
    nbody_tiled_form form;
    double *arrays; /* PAIRS_PITCH x 4: masses, x, y, z */
} pairs_job;

/* The same bodies each time. */
pairs_job pairs_open(void);
void pairs_close(pairs_job *job);
/* out: 3 x PAIRS_PITCH accelerations, of the second time that they are computed. share: NULL for one member. */
penta_status pairs_forces(penta_context *ctx, nbody_share *share, const pairs_job *job, double *out);
/* They are the sums of long double. */
void pairs_expect_sums(const pairs_job *job, const double *got);
