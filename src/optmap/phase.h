/* Spectra of a movie's traces, by blocks of pixels. */
#ifndef PENTA_OPTMAP_PHASE_H
#define PENTA_OPTMAP_PHASE_H

#include <pentacl/rotors.h>

#include "math/fft.h"
#include "optmap/beats_blocks.h"

typedef struct optmap_spectra {
    penta_context *ctx;
    beats_blocks blocks;
    size_t rows, valid; /* of data; pixels of the blocks so far that have a phase or might have */
    penta_kernel means, pack, pack_hann;
    penta_buffer mean; /* double a pixel; NaN: not valid, or constant */
    penta_buffer data; /* complex double, rows x frames: cl/optmap/phase.cl */
    penta_fft *fft;
} optmap_spectra;

/* At *out, whose parts `owner` keeps: for movies of the shape of this one, and this one first. Errors as penta_phase.
 */
penta_status optmap_spectra_create(penta_resources *owner, const penta_movie_view *movie,
                                   enum penta_fft_backend backend, optmap_spectra *out);

/* The spectra of the next block, under a Hann window or of the samples as cl/optmap/phase.cl puts them; past the last
 * *more is false, and it is an error if no pixel was valid. */
penta_status optmap_spectra_next(optmap_spectra *s, bool hann, bool *more);

/* A grid of `items` work-items, or runs of them on CPU devices, by frames, or chunks of them there. */
penta_grid optmap_spectra_grid(const optmap_spectra *s, size_t items);

/* The plan: what movies of the last one's shape need. Made by the first run, anew for another shape and after a
 * failure. */
struct penta_phases {
    penta_resources resources; /* for movies of any shape: the kernels */
    penta_resources shaped;    /* for those of the last one's */
    enum penta_fft_backend backend;
    size_t frames;
    optmap_spectra spectra;
    penta_kernel turn, angle, frequency;
    penta_buffer noise; /* float a pixel of a block: standard deviation */
    penta_buffer turns; /* complex double: frames / 2 + 1 */
    penta_buffer maps;  /* float: 2 x pitch */
};

/* penta_phases_create with an FFT of one's choice. */
penta_status optmap_phases_create(penta_context *ctx, enum penta_fft_backend backend, penta_phases **out);
/* For a run. */
penta_status optmap_phases_attach(penta_phases *p, const penta_movie_view *movie);
/* After a run that failed. */
void optmap_phases_failed(penta_phases *p);

#endif
