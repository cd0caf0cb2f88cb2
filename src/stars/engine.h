/*
 * Engines: ways to add packed stars to an image on the device. One engine serves one plan. A frame too large for one
 * buffer is drawn in slabs of rows; each slab gets all stars, those that miss it marked as such.
 */
#pragma once

#include "stars/psf.h"

/*
 * A star as kernels see it: star_t of cl/stars/star.clh. weight = flux * norm of the PSF. cell holds the first column
 * and row of the ROI in the slab, each plus STARS_MARGIN: (row + margin) << 16 | (column + margin); STARS_NOT_DRAWN for
 * a star that misses the slab.
 */
typedef struct {
    float x, y; /* residuals, px: see psf.h */
    float weight;
    uint32_t cell;
} stars_packed;

typedef struct {
    double x, y, weight;
    uint32_t cell, unused;
} stars_packed_double;

enum { STARS_MARGIN = 64, STARS_MOST_SIDE = PENTA_STARS_MOST_SIDE };
#define STARS_NOT_DRAWN 0xFFFFFFFFu

typedef struct stars_shape {
    size_t width, rows; /* of the largest slab */
    bool dbl;           /* image, packed stars and sums in double */
    bool moving;
    const stars_psf *psf;
    penta_buffer *numbers; /* STARS_PSF_NUMBERS wide_t (wide.h), PSF_NUMBERS of the kernels */
    penta_buffer *samples; /* wide_t samples of a PSF image; a small buffer otherwise */
    size_t batch;          /* most stars of one call */
    bool whole;            /* one call has all stars of a list */
} stars_shape;

/* The most stars of a list for which an engine's form for short lists is used: FEW of cl/stars/few_cpu.clh. */
enum { STARS_FEW = 8192 };

/* Where stars_pack_slots (cl/stars/tile_slots.cl), which packs stars and sorts them into tiles, puts them; or
 * stars_slots_put, which takes the cells of stars that the host packed. */
typedef struct stars_slots {
    penta_kernel *pack;
    penta_buffer *counts, *slots;
    int capacity; /* of a tile */
} stars_slots;

/* Stars as the caller has them, on the device, for an engine that packs them itself: what stars_pack takes. */
typedef struct stars_given {
    penta_buffer *x, *y, *level; /* double; level: magnitudes or fluxes */
    bool magnitudes;
    double amplitude, ln_base, norm;
    size_t first_row;   /* of the slab */
    penta_buffer *sums; /* for the reports of 64 stars each */
} stars_given;

/* One call's stars. */
typedef struct stars_batch {
    size_t n;
    penta_buffer *stars;               /* n stars_packed (or _double) */
    penta_buffer *motion_x, *motion_y; /* n wide_t each, px during the exposure; small buffers when nothing moves */
    penta_buffer *cells;               /* n uint: the cells of `stars` alone, a quarter of the bytes to search */
    const stars_slots *slots;          /* where the packing put them, or NULL */
    stars_given given;                 /* where the engine packs; stars and cells hold nothing then */
} stars_batch;

typedef struct stars_engine {
    bool bounded; /* begin wants `weights` */
    /* The state and what it needs belong to the owner; *state lives as long. */
    penta_status (*create)(penta_resources *owner, const stars_shape *shape, void **state);
    /*
     * Begins a slab of `rows` rows; image holds rows x width float (double) of anything. weights, where `bounded`: an
     * upper bound of the sum of |weight| over all stars of the frame, the same for any order of them.
     */
    penta_status (*begin)(void *state, penta_buffer *image, size_t rows, double weights);
    penta_status (*draw)(void *state, penta_buffer *image, size_t rows, const stars_batch *batch);
    /* Now the image is to hold the sums. */
    penta_status (*end)(void *state, penta_buffer *image, size_t rows);
    const stars_slots *(*slots)(void *state, size_t n); /* for a batch of n stars; may be NULL and return NULL */
    /* Takes its place for lists of up to STARS_FEW stars, all in one call; may be NULL. */
    const struct stars_engine *few;
    bool packs;                              /* of such a form: stars are given to it as they are; needs fp64 */
    bool (*suits)(const stars_shape *shape); /* of such a form: whether it is worth it; may be NULL */
} stars_engine;

/* ---- the table of engines (engines.c) ---- */

/* GPU forms, and the forms for CPU devices. */
extern const stars_engine stars_pixel, stars_star, stars_tile, stars_fixed, stars_few;
extern const stars_engine stars_pixel_cpu, stars_star_cpu, stars_tile_cpu, stars_fixed_cpu, stars_few_cpu;

/* The engine that the options ask for; never AUTO. */
enum penta_stars_engine stars_engine_choose(const penta_stars_options *o);
/* Tells the context's listener which that is, and why. */
void stars_engine_tell(penta_context *ctx, const penta_stars_options *o);
const char *stars_name_of_engine(enum penta_stars_engine engine);
/* Whether the host draws: serial and threads; fixed where the device has no double precision. */
bool stars_engine_on_host(penta_context *ctx, enum penta_stars_engine engine);
/* Its form for the context's device; NULL on the host. */
const stars_engine *stars_engine_form(penta_context *ctx, enum penta_stars_engine engine);

/* Units of the fixed point in 1, a power of two, from begin's `weights` (fixed_scale.c). */
double stars_fixed_scale(const stars_psf *psf, double weights);

/* ---- the engines on the host (host.c) ---- */

/* image: height x width of float or, with dbl, double; threads: all cores. Also the list's totals. */
penta_status stars_draw_on_host(penta_context *ctx, const stars_psf *psf, const penta_stars_options *o, size_t width,
                                size_t height, bool threads, bool dbl, const penta_stars_list *stars,
                                penta_stars_result *result);

/* penta_stars_fluxes, and with vignetting over 0 penta_stars_vignetted. */
penta_status stars_list_fluxes(penta_context *ctx, const stars_psf *psf, const penta_stars_options *o, size_t width,
                               size_t height, const penta_stars_list *stars, double vignetting, double *flux,
                               double *in_frame);

/* Flux of a star of this magnitude. */
double stars_flux_of(const penta_stars_options *o, double magnitude);
/* Flux of star i: given, or from its magnitude. */
double stars_flux(const penta_stars_options *o, const penta_stars_list *stars, size_t i);
/* ln of the base of the magnitudes. */
double stars_ln_base(const penta_stars_options *o);
/* PENTA_INVALID with a sentence about star i, which is not finite or over the bounds. */
penta_status stars_refuse(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *stars, size_t i);
/* The same of a list that may be in device memory (list_view.c). */
penta_status stars_refuse_any(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *stars,
                              size_t i);
/* The number of the first star that is not finite or over the bounds, or n. All cores look. */
size_t stars_first_bad(const penta_stars_options *o, const penta_stars_list *stars);
/* The same of motions alone. */
size_t stars_first_bad_motion(const penta_stars_list *stars);
