/*
 * Shifts that the host decides in double, of devices without double precision: pairs whose largest values of c lie so
 * close that floats leave them open, and movies whose ends meet.
 */
#ifndef PENTA_OPTMAP_SHIFT_HOST_H
#define PENTA_OPTMAP_SHIFT_HOST_H

#include "optmap/fast_shifts.h"

/* defines: of optmap/shift_ends.cl. */
penta_status shift_host_create(penta_context *ctx, const optmap_shape *shape, const shift_tables *tables,
                               const char *defines, shift_host **out);

/*
 * Decides what a search left open and stores it in shifts. few: entries of 3 + each int32: pixel, offset, number of
 * candidates, their lags. many: pixel, offset, with any lag. counts: entries of few (at most `room`) and of many.
 */
penta_status shift_host_decide(shift_host *h, const optmap_traces *band, shift_band *b, const shift_geometry *g,
                               size_t each, size_t room, penta_buffer *few, penta_buffer *many, penta_buffer *counts,
                               penta_buffer *shifts);

/* All pairs of a band by the definition, for movies of few frames (shift_is_direct). */
penta_status shift_host_all(shift_host *h, const optmap_traces *band, shift_band *b, const shift_geometry *g,
                            penta_buffer *shifts);

void shift_host_destroy(shift_host *h); /* NULL is fine */

#endif
