/*
 * Inside the pca workload.
 *
 *   rows.c        rows of a cube: checks, places of pixels
 *   slab*.c       pixels on the device: rows in any layout and type become bands x pixels; masks, no-data, bad numbers
 *                 slab_lend.c: rows that are used as they lie, without a copy
 *   cov.c         which covariance runs; engines:
 *                   triangle.c       ours, GPU forms;   triangle_cpu.c  ours, CPU form
 *                   centred.c        CLBlast (syrk, gemm, splitk) and the paper's own (square, volkov)
 *   moments.c     slabs' sums merged on the host; exact for integers; moments_group.c: those of all members
 *   solve.c       eigenvalues, loadings, maps of a model, MNF; residuals.c; scale.c: bands with gains
 *   stream.c      a stream of pixels: slabs filled, covariance of each, moments; slabs that stay on the device
 *   plan*.c       the plan: a stream of pixels, for MNF another one of differences; plan_solve.c: models of it;
 *                 plan_group.c: the part of a member; model_bytes.c: models as bytes
 *   map.c         affine maps of pixels; engines: project_gpu.c, project_cpu.c, project_pairs.c
 *   exponents.c   how large pixels are, which pairs of floats need to know
 *   affine.c      maps of a model, types of their results, wavelengths
 *   convert.c     conversion of results of maps
 */
#pragma once

#include <string.h>

#include <pentacl/group.h>
#include <pentacl/pca.h>

#include "core/core.h"

/* ---- rows of a cube (rows.c) ---- */

/* PENTA_INVALID where `bands` bands of these rows cannot be read. No rows are fine. */
penta_status pca_check_rows(penta_context *ctx, size_t bands, const penta_cube_rows *rows);

/* The rows seen so far. Zero-initialise. */
typedef struct pca_place {
    uint64_t pixels;
    size_t cols; /* of every row, or 0 once they differ */
    bool differ;
    size_t first_row; /* of the cube, with which they begin */
} pca_place;

void pca_pass(pca_place *place, const penta_cube_rows *rows);
/* Fails with PENTA_INVALID: the number of that pixel of the stream is not finite. */
penta_status pca_fail_number(penta_context *ctx, const pca_place *place, size_t band, uint64_t pixel);

/* A double as a kernel takes it, with double precision and without: eight bytes. */
static inline unsigned long pca_double_bits(double value)
{
    unsigned long bits;

    _Static_assert(sizeof bits == sizeof value, "kernels take doubles as longs");
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- slabs (slab.c) ---- */

enum { PCA_UNIT = 512 }; /* kernels take so many pixels at once; slabs are filled up to a multiple of it */

/*
 * Pixels in device memory: element (band, pixel) at band * pitch + pixel, in their own type. pixels .. round_up(pixels,
 * PCA_UNIT) - 1 and pixels that are left out hold the shift once pca_slab_close has run, so that they add nothing to
 * centred sums and kernels need no test. Setting pixels to 0 empties a slab.
 */
typedef struct pca_slab {
    penta_context *ctx;
    size_t bands, pitch; /* pitch: capacity in pixels, a multiple of PCA_UNIT */
    penta_type type;
    size_t pixels, valid; /* in the slab; valid ones, after pca_slab_close */
    bool masked;          /* some pixel may be left out: flags count */
    bool differences;     /* differences of neighbours, without no-data */
    bool lent;            /* data and pitch are those of the caller's rows until pca_slab_clear: */
    penta_buffer own;     /* the slab's, meanwhile */
    size_t own_pitch;
    penta_buffer data;  /* bands x pitch */
    penta_buffer flags; /* pitch bytes: 1 valid, 0 left out */
    penta_buffer shift; /* bands doubles, exact in `type`: near the mean; 0 for integers (pca_slab_close) */
} pca_slab;

static inline size_t pca_padded(size_t pixels)
{
    return (pixels + PCA_UNIT - 1) / PCA_UNIT * PCA_UNIT;
}

/* Whether sums over pixels of this type are exact in double: u8, u16, i16. */
static inline bool pca_is_exact(penta_type type)
{
    return type == PENTA_U8 || type == PENTA_U16 || type == PENTA_I16;
}

typedef struct pca_loader pca_loader; /* kernels and staging that several slabs share */

penta_status pca_loader_create(penta_context *ctx, size_t bands, const char *no_data, pca_loader **out);
void pca_loader_destroy(pca_loader *loader);                      /* NULL is fine */
bool pca_loaders_agree(const pca_loader *a, const pca_loader *b); /* on the no-data value */

penta_status pca_slab_create(penta_context *ctx, size_t bands, size_t pitch, penta_type type, pca_slab *out);
void pca_slab_release(pca_slab *slab);
/* The most pixels that a slab holds, whatever the pieces of a cube are. pixels: how many are expected; 0: unknown.
 * *why: what decided, a constant; why may be NULL. */
size_t pca_slab_capacity(penta_context *ctx, size_t bands, size_t pixels, const char **why);

/* Appends pixels first .. first + count - 1 of the rows (row-major order), count <= pitch - slab->pixels. differences:
 * of each pixel and the next in its row instead, as F64; the last pixel of a row is left out.
 */
penta_status pca_slab_append(pca_loader *loader, pca_slab *slab, const penta_cube_rows *rows, size_t first,
                             size_t count, bool differences);
/* Appends pixels at .. at + count - 1 of another slab of this type, closed. Enqueued. */
penta_status pca_slab_copy(pca_loader *loader, pca_slab *slab, pca_slab *from, size_t at, size_t count);
/* Around what appends or lends rows (slab_lend.c): before, PENTA_INVALID where they are device arrays that cannot be
 * used; after, which waits until the rows may be used again; after a failure. */
penta_status pca_loader_begin(pca_loader *loader, const penta_cube_rows *rows);
penta_status pca_loader_wait(pca_loader *loader);
void pca_loader_abandon(pca_loader *loader);
/* Makes an empty slab a full one, without a copy, of pixels first .. first + *count - 1 of the rows where that can be;
 * else *count is 0. Until the rows are the caller's again: pca_slab_clear. */
penta_status pca_slab_lend(pca_loader *loader, pca_slab *slab, const penta_cube_rows *rows, size_t first,
                           size_t *count);
static inline bool pca_slab_is_full(const pca_slab *slab)
{
    return slab->lent || (slab->pitch && slab->pixels == slab->pitch);
}
/* Forgets the pixels. */
void pca_slab_clear(pca_slab *slab);
/* Finds the shift (shift false: 0), writes the padding, counts valid pixels and looks for numbers that are not finite:
 * PENTA_INVALID with *bad_band, *bad_pixel in the slab. Both NULL: not looked for, though the search for no-data may
 * find one. */
penta_status pca_slab_close(pca_loader *loader, pca_slab *slab, bool shift, size_t *bad_band, size_t *bad_pixel);
/* Looks for numbers that are not finite in valid pixels of a closed slab, as above. */
penta_status pca_slab_find_bad(pca_loader *loader, pca_slab *slab, size_t *bad_band, size_t *bad_pixel);

/* Releases the state of a covariance or of a projection, which begins with its penta_resources. NULL is fine. */
static inline void pca_state_free(void *state)
{
    penta_plan_unmake(state, 0);
}

/* ---- covariances ---- */

/* What kernels are compiled for. real: the type of products, PENTA_F32 or PENTA_F64; F64 for exact types. Without
 * double precision F64 is in pairs of floats, exact types in integers. */
typedef struct pca_shape {
    size_t bands, pitch; /* of slabs */
    penta_type type, real;
} pca_shape;

/* An engine: kernels that add up covariances. */
typedef struct pca_engine {
    /* cov: enum penta_pca_cov, never AUTO. */
    penta_status (*create)(penta_context *ctx, const pca_shape *shape, int cov, void **state);
    /*
     * gram: bands x bands doubles, sum over the closed slab's padded pixels of (x_i - shift_i) (x_j - shift_j), all of
     * it (both triangles, the same bits); sums: bands doubles, of x - shift. Both overwritten. For exact types every
     * number is the exact integer. Fixed order of sums. Enqueued only.
     */
    penta_status (*run)(void *state, pca_slab *slab, penta_buffer *gram, penta_buffer *sums);
} pca_engine;

extern const pca_engine pca_triangle, pca_triangle_cpu, pca_centred;

/* cov.c: the choice for an option on this device. */
typedef struct pca_choice {
    const pca_engine *engine;
    int cov;          /* enum penta_pca_cov, not AUTO */
    const char *name; /* "triangle", ... */
} pca_choice;

pca_choice pca_choose(const penta_context *ctx, int cov);
/* PENTA_UNSUPPORTED: needs double precision, which the device does not have. */
penta_status pca_check_cov(penta_context *ctx, int cov);
penta_status pca_check_precision(penta_context *ctx, int precision);
/* Tells the context's listener the choice that was made for this option, and why. */
void pca_tell_choice(penta_context *ctx, int cov, const pca_choice *choice);
/* The type of products; single precision is for floats only. */
penta_type pca_real_type(penta_type pixels, int precision);
/* The same of the type of products. */
void pca_tell_precision(penta_context *ctx, penta_type pixels, const penta_pca_options *o);

/* ---- moments (moments.c) ---- */

typedef struct pca_moments pca_moments;

/* Sums over the valid pixels of a slab, on the host: gram and sums as pca_engine.run gives them, shift of the slab. */
typedef struct pca_sums {
    uint64_t pixels;
    const double *shift, *sums, *gram;
} pca_sums;

penta_status pca_moments_create(penta_context *ctx, size_t bands, bool exact, pca_moments **out);
/* The next slab. */
penta_status pca_moments_add(pca_moments *m, const pca_sums *slab);
uint64_t pca_moments_pixels(const pca_moments *m);
/* mean: bands; scatter / (pixels - ddof) into covariance: bands x bands, symmetric to the bit. For exact types the
 * nearest doubles to the rational numbers. open: a slab that counts here without being added; or NULL. */
penta_status pca_moments_result(pca_moments *m, const pca_sums *open, int ddof, double *mean, double *covariance);
/* Forgets all slabs. first: number of the next one in the cube. */
void pca_moments_begin(pca_moments *m, uint64_t first);
/* Every member of a group: the sums of all become those of rank 0, whose slabs come first, followed by those of rank 1,
 * and so on; at the others they are not to be used any more. */
penta_status pca_moments_collect(pca_moments *m, penta_group *group);
void pca_moments_destroy(pca_moments *m); /* NULL is fine */

/* ---- a stream of pixels (stream.c) ---- */

typedef struct pca_stream pca_stream;

typedef struct pca_stream_setup {
    penta_context *ctx;
    pca_loader *loader;     /* borrowed */
    size_t bands, capacity; /* of slabs, in pixels */
    penta_type type;        /* of the rows */
    uint64_t start;         /* pixel of the cube with which the stream begins, a multiple of capacity for floats */
    bool differences;       /* of neighbours in a row, in place of pixels */
    pca_choice choice;
    int precision;
} pca_stream_setup;

penta_status pca_stream_create(const pca_stream_setup *setup, pca_stream **out);
/* The next rows, of which pixels first .. first + pixels - 1 are those of the stream that come next, cut into slabs of
 * `capacity` pixels whatever the calls were. The rows can be used again after pca_loader_wait. PENTA_INVALID: a slab
 * that became full has a number that is not finite. */
penta_status pca_stream_add(pca_stream *s, const penta_cube_rows *rows, size_t first, size_t pixels);
/* Counts valid pixels of all rows, which pca_stream_result needs; the last slab stays open. Errors as above. */
penta_status pca_stream_pixels(pca_stream *s, uint64_t *pixels);
penta_status pca_stream_result(pca_stream *s, int ddof, double *mean, double *covariance);
/* After pca_stream_pixels, every member of a group: pca_stream_result of rank 0 is that of the cube from then on, until
 * a reset, and *pixels, there, the number of its valid pixels; no more rows may follow. Errors are described at
 * penta_last_error(NULL), as those of group.h. */
penta_status pca_stream_collect(pca_stream *s, penta_group *group, uint64_t *pixels);
/* Keeps slabs in up to `bytes` of device memory until a reset, or none if that is too little or memory runs out.
 * Before the first rows. */
void pca_stream_keep(pca_stream *s, uint64_t bytes);
/* Whether all pixels since then are kept. */
bool pca_stream_has_kept(const pca_stream *s);
/* The closed slab that holds this pixel of the cube, and its place there. Errors as pca_stream_pixels. */
penta_status pca_stream_slab(pca_stream *s, uint64_t pixel, pca_slab **slab, size_t *at);
void pca_stream_reset(pca_stream *s);
void pca_stream_destroy(pca_stream *s); /* NULL is fine */

/* plan.c: pixels of the cube that a plan keeps. PENTA_INVALID: not all of first .. first + pixels - 1, not of that many
 * bands, or of another context. */
penta_status pca_check_kept(penta_context *ctx, const penta_pca *plan, size_t bands, uint64_t first, size_t pixels);
/* As pca_stream_slab. */
penta_status pca_kept_slab(penta_pca *plan, uint64_t pixel, pca_slab **slab, size_t *at);
penta_type pca_kept_type(const penta_pca *plan);
/* Whether the plan left out what the loader leaves out by its no-data value. */
bool pca_kept_like(const penta_pca *plan, const pca_loader *loader);

/* For tests: slabs of at most so many pixels; before the first rows. */
void pca_limit_slabs(penta_pca *plan, size_t pixels);

/* ---- solutions (solve.c) ---- */

/* Bands gain * x + offset; of penta_pca_scale_bands. */
typedef struct pca_scale {
    double *gain, *offset; /* bands each; NULL: bands are x */
    bool one_gain;         /* the same for all */
} pca_scale;

penta_status pca_scale_set(penta_context *ctx, pca_scale *scale, size_t bands, const double *gain,
                           const double *offset);
void pca_scale_free(pca_scale *scale); /* empties it */
/* Mean, deviation and covariance of a model of x, and noise (or NULL), become those of the bands. */
void pca_scale_statistics(const pca_scale *scale, penta_pca_model *m, double *noise);

/* What a model is made from; all is copied. noise: its covariance, for MNF; else NULL. */
typedef struct pca_problem {
    size_t bands;
    uint64_t pixels;
    const double *mean, *covariance, *noise;
    double accuracy; /* error of small eigenvalues from that of the covariance, relative to the largest eigenvalue */
    const pca_scale *scale; /* of the bands, when mean, covariance and noise are of x; or NULL */
} pca_problem;

penta_status pca_solve(penta_context *ctx, const penta_pca_options *o, const pca_problem *problem,
                       penta_pca_model *out);

/* ---- maps ---- */

/* What kernels are compiled for. type: of slabs; real: of products and results, PENTA_F32 or PENTA_F64. */
typedef struct pca_map_shape {
    size_t ins, outs;
    size_t in_pitch, out_pitch; /* pixels of the slab, of the results */
    penta_type type, real;
} pca_map_shape;

typedef struct pca_project {
    /* matrix: outs x ins, before: ins, after: outs; on the host, in double. */
    penta_status (*create)(penta_context *ctx, const pca_map_shape *shape, const penta_affine *affine, void **state);
    /*
     * results (outs x out_pitch, type real): those of the slab's pixels 0 .. padded-1 to first .. ; range: outs x 2
     * doubles, least and largest of valid pixels, widened. Pixels that are left out have any finite number. Enqueued
     * only. The slab was closed with shift false.
     */
    penta_status (*run)(void *state, pca_slab *slab, penta_buffer *results, size_t first, penta_buffer *range);
} pca_project;

extern const pca_project pca_project_gpu, pca_project_cpu;
extern const pca_project pca_project_pairs; /* F64 without double precision */

/* cov.c */
const pca_project *pca_choose_project(const penta_context *ctx, penta_type real);

/* For tests: slabs of at most so many pixels, and room for so many of them; before the first rows. */
void pca_limit_map(penta_map *map, size_t pixels, size_t slabs);

/* convert.c: conversion of results. */
typedef struct pca_block {
    penta_buffer results; /* outs x pitch, type real */
    penta_buffer flags;   /* pitch bytes: 1 valid, 0 left out */
    size_t pixels;
    bool masked; /* flags count */
} pca_block;

typedef struct pca_converter pca_converter;

penta_status pca_converter_create(penta_context *ctx, size_t outs, penta_type real, pca_converter **out);
/* Keeps the slab's flags for the block. */
penta_status pca_keep_flags(pca_converter *c, pca_slab *slab, pca_block *block);
/* Where results go: the caller's array, which is `lent` unless that is empty; `at`: element of the block's first
 * pixel in each output. */
typedef struct pca_results {
    void *out;
    penta_buffer lent;
    size_t stride, at;
} pca_results;

/* range: outs x 2 doubles. to: as penta_map_take has it. */
penta_status pca_convert(pca_converter *c, pca_block *block, size_t pitch, const penta_map_format *format,
                         penta_buffer *range, pca_results *to);
/* Adds the number of valid pixels of the block with a result beyond the format's range to *clipped. */
penta_status pca_count_clipped(pca_converter *c, pca_block *block, size_t pitch, const penta_map_format *format,
                               uint64_t *clipped);
void pca_converter_destroy(pca_converter *c); /* NULL is fine */
