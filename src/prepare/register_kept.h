/* What register.c and register_kept.c share: the series, and the frames that it keeps. */
#ifndef PENTA_PREPARE_REGISTER_KEPT_H
#define PENTA_PREPARE_REGISTER_KEPT_H

#include "prepare/register_parts.h"

/* Slots: of key and last frame of the series, of those of its mark, and of two that become key and last. */
enum { PREPARE_NO_SLOT = -1, PREPARE_SLOTS = 6 };

/* A frame kept beyond its batch: what is seen of it, its mask, and the spectrum, made when first asked for. */
typedef struct prepare_slot {
    penta_buffer seen, mask, spectrum;
    bool made, has_spectrum, has_periods;
    prepare_periods periods; /* found when first asked for */
} prepare_slot;

/* All that changes from frame to frame. */
typedef struct prepare_series {
    size_t frames; /* that were found */
    int key, last; /* slots */
    penta_drift key_drift, last_drift;
    double last_grow; /* of the last frame's content against the key's */
} prepare_series;

struct prepare_register {
    penta_resources *own; /* of the plan */
    prepare_shape shape;
    prepare_see see;
    prepare_finder *finder;
    prepare_turner *turner; /* NULL: no rotation */
    prepare_sums *sums;
    penta_kernel copy;
    penta_buffer seen, seen_mask; /* of the batch */
    prepare_slot slots[PREPARE_SLOTS];
    prepare_series now, marked;
    int last_in_batch;    /* the last frame is still this one of the batch; PREPARE_NO_SLOT: it is in its slot */
    prepare_match *match; /* of the batch against the key */
    prepare_match *some;
    prepare_candidates *found;
    float *largest;
};

/* A frame of the batch, as it is seen, into a slot that neither the series nor its mark needs. */
penta_status prepare_keep(prepare_register *r, int frame, int *kept);

#endif
