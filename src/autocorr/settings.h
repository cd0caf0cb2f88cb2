/* The settings of a plan, and the host side of a frame. */
#pragma once

#include <pentacl/autocorr.h>

#include "core/core.h"

/* The settings of a plan, with defaults resolved. */
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

/* ---- host side of a frame (frame.c) ---- */

/* Counts the NaN of the image and the second image among the pixels that the mask lets count. If one of these pixels is
 * infinite, or all are NaN, it returns PENTA_INVALID. */
penta_status autocorr_frame_check(penta_context *ctx, const autocorr_settings *s, const penta_autocorr_frame *frame,
                                  size_t *nan_pixels);

/* A mask for a frame with NaN, to be freed: 1 where its own mask lets the pixel count and all is a number. */
penta_status autocorr_frame_mask(penta_context *ctx, const autocorr_settings *s, const penta_autocorr_frame *frame,
                                 uint8_t **mask);

/*
 * Computes the moments of a frame that has been checked; the mask must exclude its NaN. data: the frame in the
 * correlated type; *scratch receives memory to free when a conversion or the removal of a plane needed it, else NULL.
 */
penta_status autocorr_frame_prepare(penta_context *ctx, const autocorr_settings *s, const void *image,
                                    const uint8_t *mask, const void **data, void **scratch, autocorr_moments *moments);

/* mean^2 / variance of the image's pixels that the mask lets count and that are numbers; 0 for a constant image. */
double autocorr_frame_mean_ratio(const autocorr_settings *s, const penta_autocorr_frame *frame);
