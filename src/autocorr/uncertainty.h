/* The standard error of R_max: tile sums on the device (cl/autocorr/tiles.cl), resampling on the host (bootstrap.c). */
#pragma once

#include "autocorr/settings.h"

typedef struct autocorr_uncertainty autocorr_uncertainty;

/* frames: the most frames that are added before they are read. */
penta_status autocorr_uncertainty_create(penta_context *ctx, const autocorr_settings *settings, bool cross, bool masked,
                                         size_t frames, autocorr_uncertainty **out);
void autocorr_uncertainty_destroy(autocorr_uncertainty *u); /* NULL is fine */

/*
 * Enqueues the tile sums of frame `frame` of the image buffers (b: the second image, or a again; mask: NULL without
 * one); mean_a and mean_b are subtracted. Peaks without a position are left unchanged.
 */
penta_status autocorr_uncertainty_add(autocorr_uncertainty *u, size_t frame, penta_buffer *a, penta_buffer *b,
                                      penta_buffer *mask, double mean_a, double mean_b, penta_peak *peak);

/* Forgets the frames that were added or wait; their peaks need not exist any more. */
void autocorr_uncertainty_drop(autocorr_uncertainty *u);

/*
 * Reads the tile sums of the frames that were added, which then wait to be resampled; others may be added, but not
 * read, meanwhile.
 */
penta_status autocorr_uncertainty_read(autocorr_uncertainty *u);
/* Helpers may begin with what waits. */
void autocorr_uncertainty_offer(autocorr_uncertainty *u);
/* Resamples what waits, on the host's cores, and sets r_max_se of its peaks. */
penta_status autocorr_uncertainty_finish(autocorr_uncertainty *u);
