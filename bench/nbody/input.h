/* What the cases of the nbody benchmark share: a Plummer sphere, its accelerations in double, and the checks. */
#pragma once

#include <pentacl/nbody.h>

#include "bench.h"
#include "peers/peers.h"

#define NBODY_EPS 0.05 /* softening length */

/* Relative errors that are allowed, medians. */
#define NBODY_SINGLE 1e-6
#define NBODY_DOUBLE 1e-12

enum { NBODY_FLOP = 20 }; /* that the slides count for an interaction */

typedef struct {
    bench *b;
    size_t n;
    double *bodies;   /* n x 7, as ours take them */
    float *single[4]; /* mass, x, y, z, for the peers */
    double *dbl[4];   /* the same */
    size_t samples;   /* bodies that results are checked at: sample s is body s (n-1) / (samples-1) */
    double *expected; /* samples x 3, summed in double on the host */
    double *ours;     /* n x 3, for results */
    float *peers;     /* 3 x n, for results */
    double *peers_double;
} nbody_input;

void nbody_input_create(bench *b, size_t n, nbody_input *in);
double nbody_interactions(const nbody_input *in); /* n^2 */

/* Largest relative error of in->ours at the samples; ends the program when the median is above `tolerance` or the 99th
 * percentile above ten times as much. The same for in->peers, or in->peers_double. */
double nbody_check(const nbody_input *in, const char *variant, double tolerance);
double nbody_check_peer(const nbody_input *in, const char *variant, bool dbl);

/* The peers' rows. */
void nbody_peer_rows(nbody_input *in);
