/* Spectra of a movie's traces, in blocks of pixels. */
#pragma once

#include <pentacl/rotors.h>

#include "math/fft.h"
#include "optmap/beats_blocks.h"

typedef struct optmap_spectra {
    penta_context *ctx;
    beats_blocks blocks;
    size_t rows, valid; /* rows of data; pixels so far that have or may have a phase */
    penta_kernel means, pack;
    penta_buffer mean; /* real per pixel; NaN: not valid, or constant */
    penta_buffer data; /* complex reals, rows x frames: cl/optmap/phase.cl */
    penta_fft *fft;
} optmap_spectra;

/* Computes the spectra of the next block, with a Hann window or with samples ordered as in cl/optmap/phase.cl. After
 * the last block *more is false; fails if no pixel was valid. */
penta_status optmap_spectra_next(optmap_spectra *s, bool hann, bool *more);

/* The plan, with buffers for movies of the last one's shape. The first run makes these; another shape or a failure
 * makes them anew. */
struct penta_phases {
    penta_resources resources; /* for any shape: the kernels */
    penta_resources shaped;    /* for the shape of the last movie */
    enum penta_fft_backend backend;
    size_t frames;
    optmap_spectra spectra;
    penta_kernel turn, angle, frequency;
    penta_buffer noise; /* float per pixel of a block: standard deviation */
    penta_buffer turns; /* complex reals: frames / 2 + 1 */
    penta_buffer maps;  /* float: 2 x pitch */
};

/* Like penta_phases_create, with a choice of the FFT. */
penta_status optmap_phases_create(penta_context *ctx, enum penta_fft_backend backend, penta_phases **out);
/* Prepares the plan for a run with this movie. */
penta_status optmap_phases_attach(penta_phases *p, const penta_movie_view *movie);
/* Releases the buffers after a failed run. */
void optmap_phases_failed(penta_phases *p);
