/* Sums over the overlaps of images without masks, on devices with double precision: cl/autocorr/overlaps.clh tells of
 * the tables that they come from. */
#pragma once

#include "autocorr/shape.h"

typedef struct autocorr_overlaps autocorr_overlaps;

/* frames: most of one run. powers: 2 if sums of squares are wanted, too, else 1. */
penta_status autocorr_overlaps_create(penta_context *ctx, const autocorr_shape *shape, int powers, size_t frames,
                                      autocorr_overlaps **out);
void autocorr_overlaps_destroy(autocorr_overlaps *o); /* NULL is fine */

/* Device bytes for one frame. */
size_t autocorr_overlaps_bytes(const autocorr_shape *shape, int powers);

/* Enqueues the tables of n frames of image a (which 0) or b (1). */
penta_status autocorr_overlaps_run(autocorr_overlaps *o, size_t n, int which, penta_buffer *image);

/* Enqueues the scalars of estimate.clh for n frames of integers, of one image or two. normed: see there. */
penta_status autocorr_overlaps_scalars(autocorr_overlaps *o, size_t n, bool normed, bool demeaned, bool averaged,
                                       penta_buffer *scalars);

/* The table of image a or b. */
penta_buffer *autocorr_overlaps_table(autocorr_overlaps *o, int which);
