/* A movie on the device by blocks of pixels, for the analysis of beats.h and rotors.h. */
#ifndef PENTA_OPTMAP_BEATS_BLOCKS_H
#define PENTA_OPTMAP_BEATS_BLOCKS_H

#include <pentacl/beats.h>

#include "core/core.h"

enum {
    BEATS_LANES = 64,  /* blocks are multiples of so many pixels; sums over pixels are of those that far apart */
    BEATS_CPU_RUN = 16 /* pixels of a work-item on CPU devices */
};

typedef struct beats_blocks {
    penta_context *ctx;
    const penta_movie_view *movie;
    size_t pixels;       /* of the movie */
    size_t most, pitch;  /* of a block: most pixels, elements from one frame to the next */
    size_t first, count; /* the block that is loaded */
    penta_buffer frames; /* float: frames x pitch */
    penta_buffer range;  /* float a pixel: largest value less the least; NaN: a number that is not finite */
    penta_kernel look;
    float *staging; /* host, frames x pitch */
} beats_blocks;

/* What is given, or the defaults; or which rule it breaks (beats.c). */
penta_status beats_options_resolve(penta_context *ctx, const penta_beats_options *given, penta_beats_options *out);

/* Blocks at *out, whose parts `owner` keeps: after a failure penta_settle comes before these are released. extra:
 * device bytes a pixel that the caller needs beside the movie. limit: bytes of a block, both together; 0: what suits
 * transfers. Errors: PENTA_INVALID (an empty movie, too long a one, rate not above 0), PENTA_MEMORY, PENTA_DEVICE,
 * PENTA_BUILD, PENTA_UNSUPPORTED (no double precision). */
penta_status beats_blocks_create(penta_resources *owner, const penta_movie_view *movie, size_t extra, size_t limit,
                                 beats_blocks *out);

/* Of another movie of the same shape, from its first block on; PENTA_INVALID as above. */
penta_status beats_blocks_attach(beats_blocks *blocks, const penta_movie_view *movie);

/* The next block, from pixel 0 on: blocks->first, count, frames, range. *more is false past the last; then, and after
 * beats_blocks_rewind, the next one is the first again. Reports progress. */
penta_status beats_blocks_next(beats_blocks *blocks, bool *more);
void beats_blocks_rewind(beats_blocks *blocks);

/* Rows of `pitch` floats of a buffer, from `row` on, to columns first .. first + count - 1 of maps, `rows` of them.
 * staging: what the rows may pass through, of rows x pitch floats. */
penta_status beats_blocks_fetch(const beats_blocks *blocks, penta_buffer *buffer, size_t row, size_t rows,
                                float *staging, float *maps);

/* A grid of one work-item a pixel of the block, or a run of them on CPU devices, by y. */
penta_grid beats_blocks_grid(const beats_blocks *blocks, size_t y);

/* PENTA_INVALID when no pixel is valid. */
penta_status beats_no_pixel(penta_context *ctx);

#endif
