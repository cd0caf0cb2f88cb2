/*
 * Inside the pca workload.
 *
 *   slab.c        pixels on the device: rows in any layout and type become bands x pixels; masks, no-data, bad numbers
 *   cov.c         which covariance runs; families:
 *                   triangle.c       ours, GPU forms;   triangle_cpu.c  ours, CPU form
 *                   centred.c        CLBlast (syrk, gemm, splitk) and the paper's own (square, volkov)
 *   moments.c     slabs' sums merged on the host; exact for integers
 *   solve.c       eigenvalues, loadings, maps of a model; mnf.c
 *   pca.c         the plan: slabs filled, covariance of each, moments
 *   map.c         affine maps of pixels; families: project_gpu.c, project_cpu.c
 */
#ifndef PENTA_PCA_PCA_H
#define PENTA_PCA_PCA_H

#include <pentacl/pca.h>

#include "core/core.h"

/* ---- slabs (slab.c) ---- */

enum { PCA_UNIT = 512 }; /* kernels take so many pixels at once; slabs are filled up to a multiple of it */

/*
 * Pixels in device memory: element (band, pixel) at band * pitch + pixel, in their own type. pixels .. round_up(pixels,
 * PCA_UNIT) - 1 and pixels that are left out hold the shift once pca_slab_close has run, so that they add nothing to
 * centred sums and no kernel has to look.
 */
typedef struct pca_slab {
    penta_context *ctx;
    size_t bands, pitch; /* pitch: capacity in pixels, a multiple of PCA_UNIT */
    penta_type type;
    size_t pixels, valid; /* there; counted after pca_slab_close */
    bool masked;          /* some pixel may be left out: flags count */
    penta_buffer data;    /* bands x pitch */
    penta_buffer flags;   /* pitch bytes: 1 valid, 0 left out */
    penta_buffer shift;   /* bands doubles, exact in `type`: near the mean; 0 for integers (pca_slab_close) */
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
void pca_loader_destroy(pca_loader *loader); /* NULL is fine */

penta_status pca_slab_create(penta_context *ctx, size_t bands, size_t pitch, penta_type type, pca_slab *out);
void pca_slab_release(pca_slab *slab);
/* Pixels that a slab holds, at most: the same for any number of pieces. Of pixels: those expected, 0: unknown. */
size_t pca_slab_capacity(penta_context *ctx, size_t bands, size_t pixels);

/* Appends pixels first .. first + count - 1 of the rows (row-major order), count <= pitch - slab->pixels. PENTA_I32,
 * U32: kept as such. differences: of each pixel and the next in its row instead, as F64; a row's last one is left out.
 */
penta_status pca_slab_append(pca_loader *loader, pca_slab *slab, const penta_cube_rows *rows, size_t first,
                             size_t count, bool differences);
/* The rows can be used again once this returns. */
penta_status pca_loader_wait(pca_loader *loader);
/* Shift, padding, numbers that are not finite (PENTA_INVALID: *bad_band, *bad_pixel in the slab), valid pixels.
 * shift false: it stays 0. */
penta_status pca_slab_close(pca_loader *loader, pca_slab *slab, bool shift, size_t *bad_band, size_t *bad_pixel);

/* ---- covariances ---- */

/* What kernels are made for. real: the type of products, PENTA_F32 or PENTA_F64; F64 for exact types. */
typedef struct pca_shape {
    size_t bands, pitch; /* of slabs */
    penta_type type, real;
} pca_shape;

/* A family of covariance kernels. */
typedef struct pca_cov {
    /* method: enum penta_pca_cov, never AUTO. */
    penta_status (*create)(penta_context *ctx, const pca_shape *shape, int method, void **state);
    /*
     * gram: bands x bands doubles, sum over the closed slab's padded pixels of (x_i - shift_i) (x_j - shift_j), all of
     * it (both triangles, the same bits); sums: bands doubles, of x - shift. Both overwritten. For exact types every
     * number is the exact integer. Fixed order of sums. Enqueued only.
     */
    penta_status (*run)(void *state, pca_slab *slab, penta_buffer *gram, penta_buffer *sums);
    void (*destroy)(void *state); /* NULL is fine */
} pca_cov;

extern const pca_cov pca_triangle, pca_triangle_cpu, pca_centred;

/* ---- moments (moments.c) ---- */

typedef struct pca_moments pca_moments;

penta_status pca_moments_create(penta_context *ctx, size_t bands, bool exact, pca_moments **out);
/* The sums of the next slab: gram and sums as pca_cov.run gives them, shift, valid pixels; on the host. */
penta_status pca_moments_add(pca_moments *m, uint64_t pixels, const double *shift, const double *sums,
                             const double *gram);
uint64_t pca_moments_pixels(const pca_moments *m);
/* mean: bands; scatter / (pixels - ddof) into covariance: bands x bands. For exact types the nearest doubles to the
 * rational numbers. */
penta_status pca_moments_result(pca_moments *m, int ddof, double *mean, double *covariance);
void pca_moments_reset(pca_moments *m);
void pca_moments_destroy(pca_moments *m); /* NULL is fine */

/* ---- solutions (solve.c, mnf.c) ---- */

/* Everything of a model from mean and covariance (noise: covariance of the noise, for MNF; else NULL), which are
 * copied. */
penta_status pca_solve(penta_context *ctx, const penta_pca_options *o, size_t bands, uint64_t pixels,
                       const double *mean, const double *covariance, const double *noise, penta_pca_model *out);

/* ---- maps ---- */

/* What kernels are made for. type: of slabs; real: of products and results, PENTA_F32 or PENTA_F64. */
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
    void (*destroy)(void *state); /* NULL is fine */
} pca_project;

extern const pca_project pca_project_gpu, pca_project_cpu;

#endif
