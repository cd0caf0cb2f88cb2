/* What the cases of the optmap benchmark share: a movie, the first variant's results, and the checks of all others. */
#pragma once

#include <pentacl/optmap.h>

#include "bench.h"
#include "peers/peers.h"

typedef struct {
    const char *name;
    size_t width, height, frames;
    bool literal_on_cpu; /* whether a CPU device is given the engine `literal` */
} optmap_case;

typedef struct {
    bench *b;
    const optmap_case *c;
    size_t pixels, pairs; /* in a frame; with a shift that was searched for */
    uint16_t *movie;      /* frames x height x width, pinned */
    const void **frames;  /* of it */
    float *filtered;      /* as penta_optmap_result, pinned; of the variant that ran last */
    int32_t *shifts;
    bool has_first; /* what the first variant gave: */
    char first[64]; /* its name */
    float *first_filtered;
    int32_t *first_shifts;
    bool *same;      /* of the variant checked last: pixels whose shifts are all those of the first */
    double largest;  /* |v| */
    double *weights; /* of the interpolation, for peers */
    double *gaussian;
    penta_optmap_options options; /* the defaults */
} optmap_input;

/* Frames a second of all cases. */
#define OPTMAP_RATE 1000.0

/* Of the pairs, how many must have the same shift in single precision. */
#define OPTMAP_SINGLE_EQUAL 0.99

/* A movie of a case, frames x height x width; those of other seeds have other noise. */
void optmap_fill(const optmap_case *c, uint64_t seed, uint16_t *movie);

void optmap_input_create(bench *b, const optmap_case *c, optmap_input *in);

/* The movie as our plans and the peers take it. */
penta_movie optmap_movie(const optmap_input *in);
peer_optmap_movie optmap_peer_movie(const optmap_input *in);

/* Spoils in->filtered and in->shifts, so that what a variant does not write is seen. */
void optmap_clear(optmap_input *in);

/*
 * Takes in->filtered and in->shifts for the right ones when no variant was checked before, else compares them with
 * those: at least `equal` of the pairs have the same shift, and where all of a pixel have, its filtered trace differs
 * by 1e-5 of the largest |v| at most. Says how many pairs differ; ends the program when it is wrong.
 */
void optmap_check(optmap_input *in, const char *variant, double equal);

/* The peers' rows. */
void optmap_peer_rows(optmap_input *in);
