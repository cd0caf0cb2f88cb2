/* Jobs whose input is a series of items, which are handed out as members become free. */
#pragma once

#include "scaling.h"

/* What a job does with a piece of its series, of so many items from `first` on: the bytes of its result, as many for
 * each item, at `out`. */
typedef penta_status (*scaling_piece_work)(scaling_member *m, size_t first, size_t count, char *out);

typedef struct scaling_series {
    size_t items, piece, item_bytes;
    scaling_piece_work work;
    char *results; /* items of them, at rank 0 */
} scaling_series;

/* Pieces of `most` items at most, and so that each member has some eight. */
void scaling_series_begin(const scaling_member *m, size_t items, size_t most, scaling_series *s);
/* Hands all of it out. */
penta_status scaling_series_run(scaling_member *m, scaling_series *s);
