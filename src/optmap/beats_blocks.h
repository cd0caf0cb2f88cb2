/* A movie on the device in blocks of pixels, for the analysis of beats.h and rotors.h. */
#pragma once

#include <pentacl/beats.h>

#include "core/core.h"

enum {
    BEATS_LANES = 64,  /* blocks are multiples of this; sums over pixels add pixels this far apart */
    BEATS_CPU_RUN = 16 /* pixels per work-item on CPU devices */
};

typedef struct beats_blocks {
    penta_context *ctx;
    const penta_movie_view *movie;
    size_t pixels;       /* pixels of the movie */
    size_t most, pitch;  /* of a block: most pixels; elements from one frame to the next */
    size_t first, count; /* the loaded block */
    penta_buffer frames; /* float: frames x pitch; on CPU devices pitch / BEATS_CPU_RUN x frames x BEATS_CPU_RUN */
    penta_buffer range;  /* float per pixel: largest value minus the least; NaN: a number is not finite */
    penta_kernel look;
    float *staging; /* host, frames x pitch; on CPU devices `frames` is this memory */
    float *row;     /* host, scratch for a row of `pitch` floats */
} beats_blocks;

/* Resolves the options and checks the rules (beats.c). */
penta_status beats_options_resolve(penta_context *ctx, const penta_beats_options *given, penta_beats_options *out);

/* Creates blocks at *out. `owner` keeps their parts: after a failure call penta_settle before releasing it. extra:
 * device bytes per pixel that the caller needs as well. limit: bytes of a block including these; 0: a size that suits
 * transfers. Errors: PENTA_INVALID (an empty or too long movie, rate not above 0), PENTA_MEMORY, PENTA_DEVICE,
 * PENTA_BUILD. */
penta_status beats_blocks_create(penta_resources *owner, const penta_movie_view *movie, size_t extra, size_t limit,
                                 beats_blocks *out);

/* Starts with another movie of the same shape, at its first block. Errors: PENTA_INVALID as above. */
penta_status beats_blocks_attach(beats_blocks *blocks, const penta_movie_view *movie);

/* Loads the next block: blocks->first, count, frames, range. *more is false after the last one; then, and after
 * beats_blocks_rewind, the next one is the first. Reports progress. */
penta_status beats_blocks_next(beats_blocks *blocks, bool *more);

/* Reads `rows` rows of `pitch` floats of a buffer, from `row` on, into columns first .. first + count - 1 of maps.
 * staging: scratch of rows x pitch floats. */
penta_status beats_blocks_fetch(const beats_blocks *blocks, penta_buffer *buffer, size_t row, size_t rows,
                                float *staging, float *maps);

/* Reads `frames`, which kernels changed, into columns first .. first + count - 1 of a movie; it is empty until the next
 * block. */
penta_status beats_blocks_fetch_frames(beats_blocks *blocks, float *out);

/* A grid of one work-item per pixel of the block (on CPU devices per run of pixels), times y. */
penta_grid beats_blocks_grid(const beats_blocks *blocks, size_t y);

/* Fails with PENTA_INVALID because no pixel is valid. */
penta_status beats_no_pixel(penta_context *ctx);

/* Beats, and climbs of the mean signal that are too small for beats though they look like them: from first to end, at
 * most as many as there are beats. height: of the largest, of the mean signal's range. */
typedef struct {
    penta_beat *beats, *minor; /* freed by the caller */
    size_t count, minor_count;
    double height;
} beats_found;

/* climbs: of each pixel, as penta_beats_climbs. NULL: neither these nor small climbs. */
penta_status beats_find_all(penta_context *ctx, const penta_movie_view *movie, const penta_beats_options *opt,
                            float *climbs, beats_found *found);
