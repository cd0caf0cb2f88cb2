/*
 * Movies of which a device keeps a copy while several steps of an analysis take them: a step that finds its movie held
 * copies it on the device, where it would send it. On CPU devices, whose memory is the host's, nothing is held.
 */
#pragma once

#include <pentacl/beats.h>

#include "core/core.h"

/* Zero-initialise, and keep in place until optmap_let_go. */
typedef struct optmap_held {
    penta_context *ctx;
    const float *data;
    size_t bytes;
    penta_buffer buffer;
    struct optmap_held *next;
} optmap_held;

/* Sends a movie whose numbers do not change until optmap_let_go. What does not fit is not held, which is no error.
 * Errors: PENTA_DEVICE, PENTA_CANCELLED. */
penta_status optmap_hold(penta_context *ctx, const penta_movie_view *movie, optmap_held *out);

/* One that is not held is fine. */
void optmap_let_go(optmap_held *held);

/* The copy of these bytes that this context holds; NULL: none. */
penta_buffer *optmap_held_copy(const penta_context *ctx, const float *data, size_t bytes);

/* Host memory as a buffer of a CPU device, until penta_buffer_give_back. Errors: PENTA_MEMORY (more than the device
 * takes together), PENTA_DEVICE. */
penta_status optmap_lend(penta_context *ctx, float *memory, size_t bytes, penta_buffer *out);
