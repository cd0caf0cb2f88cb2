/* The direct correlation in its CPU form, cl/autocorr/tiled_cpu.cl: exact for integer images, any size. */
#pragma once

#include "core/core.h"

typedef struct penta_direct_cpu penta_direct_cpu;

/* How the work is cut. Results do not depend on it for integer images; for floating ones they do in the last bits. */
typedef struct {
    int depth;       /* levels of even and odd lines, 0..4; 0 for floating images */
    int rows;        /* offsets Y of a register tile, 1..12 */
    int span;        /* offsets X of a register tile, a multiple of 16, at most 64 */
    int chunk_lines; /* lines of a level's image in one partial sum */
    int window;      /* chunks whose planes are held at a time */
    bool portable;   /* plain OpenCL C in place of the instructions for dot products; the same integers, for tests */
} penta_direct_cpu_cut;

/*
 * Plan for width x height images, width and height at most 2^30, max_offset < min(width, height). cross: Y runs over
 * [-R,R] instead of [0,R]. cut may be NULL. On failure *out is NULL.
 */
penta_status penta_direct_cpu_create(penta_context *ctx, size_t width, size_t height, penta_type type,
                                     size_t max_offset, bool cross, const penta_direct_cpu_cut *cut,
                                     penta_direct_cpu **out);

/*
 * Sums of frame `frame` of buffers a and b (the same buffer for the autocorrelation; frames follow one another) into
 * frame `frame` of out: [Y][X + R], int64 for integer images, else double. Enqueued, not waited for.
 */
penta_status penta_direct_cpu_run(penta_direct_cpu *plan, penta_buffer *a, penta_buffer *b, size_t frame,
                                  penta_buffer *out);

void penta_direct_cpu_destroy(penta_direct_cpu *plan); /* NULL is fine */
