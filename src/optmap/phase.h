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
    penta_kernel means, pack;
    penta_buffer mean; /* double a pixel; NaN: not valid, or constant */
    penta_buffer data; /* complex double, rows x frames: cl/optmap/phase.cl */
    penta_fft *fft;
} optmap_spectra;

/* hann: under a Hann window; else of the samples as cl/optmap/phase.cl puts them. Errors as penta_phase. */
penta_status optmap_spectra_create(penta_context *ctx, const penta_movie_view *movie, enum penta_fft_backend backend,
                                   bool hann, optmap_spectra *out);
void optmap_spectra_release(optmap_spectra *s); /* an empty one is fine */

/* The spectra of the next block; past the last *more is false, and it is an error if no pixel was valid. */
penta_status optmap_spectra_next(optmap_spectra *s, bool *more);

/* A grid of `items` work-items, or runs of them on CPU devices, by frames, or chunks of them there. */
penta_grid optmap_spectra_grid(const optmap_spectra *s, size_t items);

/* penta_phase and penta_dominant_frequency by an FFT of one's choice. */
penta_status optmap_phase(penta_context *ctx, const penta_movie_view *movie, enum penta_fft_backend backend,
                          const penta_rotors_options *opt, float *out);
penta_status optmap_frequency(penta_context *ctx, const penta_movie_view *movie, enum penta_fft_backend backend,
                              double low, double high, float *frequency, float *regularity);

#endif
