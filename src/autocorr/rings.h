/* The offsets of the bins of C1D. */
#pragma once

#include "autocorr/engine.h"

/* Positions of the offsets of every ring r <= R among rows x columns: at[start[r] .. start[r+1]), ascending, and their
 * distances from the origin, px. Only one of the two equal halves of an autocorrelation is listed. To be freed with
 * free. */
typedef struct autocorr_ring_list {
    int32_t *start, *at;
    double *radius;
    size_t bins, count;
} autocorr_ring_list;

penta_status autocorr_rings_list(penta_context *ctx, const autocorr_shape *shape, autocorr_ring_list *out);
void autocorr_rings_free(autocorr_ring_list *list);
