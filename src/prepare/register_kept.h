/* Shared by register.c and register_kept.c: the series and its kept frames. */
#pragma once

#include "prepare/register_parts.h"

/* Slots for the key and last frame of the series, for those of its mark, and for the next two. */
enum { PREPARE_NO_SLOT = -1, PREPARE_SLOTS = 6 };

/* A frame kept beyond its batch: its filtered image, mask, and spectrum (made on first use). */
typedef struct prepare_slot {
    penta_buffer seen, mask, spectrum;
    bool made, has_spectrum, has_periods;
    prepare_periods periods; /* found on first use */
} prepare_slot;

/* The state that changes from frame to frame. */
typedef struct prepare_series {
    size_t frames; /* frames found so far */
    int key, last; /* slots */
    penta_drift key_drift, last_drift;
    double last_grow; /* growth of the last frame's content relative to the key */
} prepare_series;

struct prepare_register {
    penta_resources *own; /* of the plan */
    prepare_shape shape;
    prepare_see see;
    prepare_finder *finder;
    prepare_turner *turner; /* NULL: no rotation */
    prepare_sums *sums;
    penta_kernel copy;
    penta_buffer seen, seen_mask; /* filtered images and masks of the batch */
    prepare_slot slots[PREPARE_SLOTS];
    prepare_series now, marked;
    int last_in_batch;    /* index in the batch of the last frame; PREPARE_NO_SLOT: it is in its slot */
    prepare_match *match; /* matches of the batch with the key */
    prepare_match *some;
    prepare_candidates *found;
    float *largest;
};

/* Copies a filtered frame of the batch into a slot that neither the series nor its mark uses. */
penta_status prepare_keep(prepare_register *r, int frame, int *kept);
