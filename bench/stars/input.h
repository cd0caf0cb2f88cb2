/* What the cases of the stars benchmark share: a scene, what its frame must be, and the checks of every variant. */
#pragma once

#include <pentacl/stars.h>

#include "bench.h"
#include "peers/peers.h"

typedef struct {
    const char *name;
    size_t n, width, height;
    int roi;
} stars_case;

typedef struct {
    bench *b;
    const stars_case *c;
    double *x, *y, *magnitude; /* n each, pinned: as our host rows take them */
    float *single[3];          /* the same for the peers */
    double *expected;          /* the frame, by the engine `threads` in double; NULL for frames too large for that */
    double total;              /* sum of the frame */
    float *image;              /* pinned, for results */
} stars_input;

/* Sigma, amplitude and faintest magnitude of all cases. */
#define STARS_SIGMA     1.2
#define STARS_AMPLITUDE 10000.0
#define STARS_FAINTEST  15.0

void stars_input_create(bench *b, const stars_case *c, stars_input *in);

/* Options of a case with an engine. */
penta_stars_options stars_case_options(const stars_case *c, int engine);

/*
 * Compares in->image with the frame. Ours: every pixel to 1e-5, or to 1e-9 of the brightest. Peers, whose positions are
 * floats: the sum of all differences to `tolerance` of the sum of the frame. Ends the program when it is wrong.
 */
void stars_check(const stars_input *in, const char *variant);
void stars_check_peer(const stars_input *in, const char *variant, double tolerance);

/* The peers' rows. */
void stars_peer_rows(stars_input *in);
