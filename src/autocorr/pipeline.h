/*
 * The device side of a plan for one kind of input: with or without a second image, with or without masks. A pipeline
 * has two slots, so that the frames of one are uploaded while those of the other are computed.
 */
#ifndef PENTA_AUTOCORR_PIPELINE_H
#define PENTA_AUTOCORR_PIPELINE_H

#include "autocorr/engine.h"

/* What a plan was asked for, resolved. */
typedef struct autocorr_settings {
    size_t width, height, max_offset;
    penta_type input, type; /* as given, as correlated */
    bool single;
    penta_autocorr_options options;
} autocorr_settings;

/* Sums over one frame's valid pixels, on the host; exact for integers up to 2^53. */
typedef struct autocorr_moments {
    double pixels, sum, square;
} autocorr_moments;

enum { PIPELINE_SLOTS = 2 };

typedef struct autocorr_pipeline autocorr_pipeline;

penta_status autocorr_pipeline_create(penta_context *ctx, const autocorr_settings *settings, bool cross, bool masked,
                                      autocorr_pipeline **out);
void autocorr_pipeline_destroy(autocorr_pipeline *p); /* NULL is fine */
size_t autocorr_pipeline_batch(const autocorr_pipeline *p);

/* Uploads n <= batch frames into a slot and enqueues everything that leads to C2D and C1D. nan_pixels: of each frame;
 * above 0 only in a pipeline with masks. */
penta_status autocorr_pipeline_start(autocorr_pipeline *p, size_t slot, size_t n, const penta_autocorr_frame *frames,
                                     const size_t *nan_pixels);
/* Waits for the slot and fills the results of the same n frames. */
penta_status autocorr_pipeline_collect(autocorr_pipeline *p, size_t slot, size_t n, penta_autocorr_result *results);
/* After the last collect of a run: whether rounded FFT results were near integers. Waits for the device. */
penta_status autocorr_pipeline_verify(autocorr_pipeline *p);

/* ---- host side of a frame (frame.c) ---- */

/* Counts the NaN of image and second image where the mask lets pixels count; an infinity there, or NaN in all of them,
 * is PENTA_INVALID. */
penta_status autocorr_frame_check(penta_context *ctx, const autocorr_settings *s, const penta_autocorr_frame *frame,
                                  size_t *nan_pixels);

/* A mask for a frame with NaN, to be freed: 1 where its own mask lets the pixel count and all is a number. */
penta_status autocorr_frame_mask(penta_context *ctx, const autocorr_settings *s, const penta_autocorr_frame *frame,
                                 uint8_t **mask);

/*
 * Gives the moments of a frame that was checked; a mask excludes its NaN. data: the frame in the correlated type;
 * *scratch receives memory to free when a conversion or the removal of a plane needed it, else NULL.
 */
penta_status autocorr_frame_prepare(penta_context *ctx, const autocorr_settings *s, const void *image,
                                    const uint8_t *mask, const void **data, void **scratch, autocorr_moments *moments);

/* ---- rings (rings.c) ---- */

/* Positions of the offsets of every ring r <= R among rows x columns: at[start[r] .. start[r+1]), ascending, and their
 * distances from the origin, px. Of the two equal halves of an autocorrelation one is listed. Freed with free. */
typedef struct autocorr_ring_list {
    int32_t *start, *at;
    double *radius;
    size_t bins, count;
} autocorr_ring_list;

penta_status autocorr_rings_list(penta_context *ctx, const autocorr_shape *shape, autocorr_ring_list *out);
void autocorr_rings_free(autocorr_ring_list *list);

#endif
