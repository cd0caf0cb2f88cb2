/*
 * A medium of two variables, u and v, on a grid of cells, shared by the models of pentacl/spiral.h and tissue.h. Each
 * variable has two buffers; a step reads the present ones and writes the others, which then become the present.
 */
#pragma once

#include "core/core.h"

enum { MEDIUM_LEAD = 16 }; /* floats before and after a row: LEAD of cl/optmap/spiral.cl and tissue.cl */

typedef struct {
    size_t width, height, margin; /* cells; empty rows above and below */
    size_t pitch;                 /* floats from one row to the next */
    penta_buffer u[2], v[2];
    int now;        /* index of the present buffer */
    float *staging; /* host copy of one buffer */
} optmap_medium;

/* Checks that a grid of this size is possible. what: "grid", "sheet". */
penta_status medium_check(penta_context *ctx, const char *what, size_t width, size_t height);

/* Creates a medium of zeros, which the owner releases. */
penta_status medium_create(penta_resources *owner, size_t width, size_t height, size_t margin, optmap_medium *m);

/* Floats of a buffer, padding included. */
size_t medium_floats(const optmap_medium *m);

/* The grid of a step: one work-item per cell, on CPU devices per row. */
penta_grid medium_grid(const penta_context *ctx, const optmap_medium *m);

/* The index of a cell in a buffer. */
size_t medium_element(const optmap_medium *m, size_t x, size_t y);

/* Copies a buffer to the staging array, and back. */
penta_status medium_stage(optmap_medium *m, penta_buffer *buffer);
penta_status medium_unstage(optmap_medium *m, penta_buffer *buffer);

/* Reads the present values, height x width each; either may be NULL. */
penta_status medium_read(optmap_medium *m, float *u, float *v);
