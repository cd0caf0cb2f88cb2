/*
 * Covariance on CPU devices (cl/pca/triangle_cpu.cl): the pixels are cut into pieces, of which work-items of their own
 * make sums of their own; a second kernel adds these in order. Where there are many bands, sums of few pieces fit into
 * memory, and several work-items share a piece.
 */
#include <stdio.h>

#include "pca/exponents.h"
#include "pca/forms.h"

enum {
    BLOCK = 256,      /* pixels, as in the kernel */
    ADD_ROWS = 8,     /* likewise */
    PANEL = 16,       /* bands are padded to a multiple of it */
    STRIP = 32,       /* columns that a work-item has at least; the kernel's are no wider */
    MOST_PIECES = 32, /* of the pixels; a part of the columns each where a CPU has more cores */
    SHARE = 8         /* a part of the device's memory for the pieces' sums */
};

typedef struct {
    penta_resources resources;
    size_t bands, padded;
    size_t pieces, parts; /* of the pixels, of a piece's columns; a work-item each */
    penta_kernel products, add;
    bool single;                        /* without double precision: cl/pca/triangle_single_cpu.cl */
    pca_exponents exponents;            /* then */
    penta_buffer scratch;               /* pieces x parts x padded x BLOCK reals */
    penta_buffer partial, partial_sums; /* pieces x padded x (padded + PANEL), pieces x parts x padded doubles */
} triangle_state;

/* ---- set-up ---- */

/* Pixels of a piece, at least: so many that clearing and adding its sums takes little of the time. */
static size_t least_pixels(size_t padded)
{
    size_t wanted = 32 * padded;

    return wanted < 1024 ? 1024 : wanted > 8192 ? 8192 : wanted;
}

/* Pieces as there are pixels and memory for, whatever the number of cores, since their sums are added; parts of their
 * columns where that leaves cores idle, which changes no bit. */
static void divide(triangle_state *s, size_t pitch)
{
    const penta_device *device = penta_context_device(s->resources.ctx);
    uint64_t room = device->memory / SHARE < device->max_allocation ? device->memory / SHARE : device->max_allocation;
    size_t cores = device->compute_units, most = room / (s->padded * (s->padded + PANEL) * sizeof(double));
    size_t strips = (s->padded + STRIP - 1) / STRIP;

    if (most > pitch / least_pixels(s->padded))
        most = pitch / least_pixels(s->padded);
    s->pieces = most < MOST_PIECES ? most : MOST_PIECES;
    if (s->pieces == 0)
        s->pieces = 1;
    s->parts = (cores + s->pieces - 1) / s->pieces;
    if (s->parts > strips)
        s->parts = strips;
}

/* Floats hold the sums of 8-bit integers exactly: cl/pca/triangle_cpu.cl. */
static bool in_double(const pca_shape *shape)
{
    return shape->type == PENTA_U16 || shape->type == PENTA_I16 ||
           (shape->type != PENTA_U8 && shape->real == PENTA_F64);
}

/* Bytes of a number in the scratch. */
static size_t scratch_number(const triangle_state *s, const pca_shape *shape)
{
    if (!s->single)
        return in_double(shape) ? sizeof(double) : sizeof(float);
    return pca_is_exact(shape->type) || shape->real == PENTA_F32 ? sizeof(float) : 2 * sizeof(float);
}

static penta_status get_single_kernels(triangle_state *s, const pca_shape *shape)
{
    penta_status status = PENTA_OK;
    const char *arithmetic = shape->type == PENTA_U8     ? "-DINTEGERS -DLANE=float"
                             : pca_is_exact(shape->type) ? "-DINTEGERS -DLONG_PRODUCTS -DLANE=int"
                             : shape->real == PENTA_F32  ? "-DSINGLES -DLANE=float"
                                                         : "-DPAIRED -DLANE=float";
    char defines[96];

    snprintf(defines, sizeof defines, "-DPIXEL=%s -DKIND=%d %s", pca_cl_type(s->resources.ctx, shape->type),
             pca_cl_kind(shape->type), arithmetic);
    TRY(penta_kernels_get(&s->resources, "pca/triangle_single_cpu.cl", defines,
                          KERNELS({&s->products, "pca_triangle_cpu"}, {&s->add, "pca_triangle_cpu_add"})));
    TRY(pca_exponents_create(&s->resources, shape->bands, shape->type, &s->exponents));
cleanup:
    return status;
}

static penta_status get_kernels(triangle_state *s, const pca_shape *shape)
{
    penta_status status = PENTA_OK;
    char defines[96];

    if (s->single)
        return get_single_kernels(s, shape);
    snprintf(defines, sizeof defines, "-DPIXEL=%s%s%s%s", pca_cl_type(s->resources.ctx, shape->type),
             in_double(shape) ? " -DREAL_DOUBLE" : "",
             in_double(shape) || pca_is_exact(shape->type) || shape->type == PENTA_F32 ? " -DEXACT_IN_REAL" : "",
             pca_is_exact(shape->type) ? "" : " -DSHIFTED");
    TRY(penta_kernels_get(&s->resources, "pca/triangle_cpu.cl", defines,
                          KERNELS({&s->products, "pca_triangle_cpu"}, {&s->add, "pca_triangle_cpu_add"})));
cleanup:
    return status;
}

static penta_status create(penta_context *ctx, const pca_shape *shape, int cov, void **state)
{
    penta_status status = PENTA_OK;
    triangle_state *s = NULL;
    size_t items;

    (void)cov; /* there is one */
    TRY(penta_plan_alloc(ctx, &s));
    s->single = !penta_context_device(ctx)->fp64;
    s->bands = shape->bands;
    s->padded = (shape->bands + PANEL - 1) / PANEL * PANEL;
    divide(s, shape->pitch);
    items = s->pieces * s->parts;
    TRY(get_kernels(s, shape));
    TRY(penta_buffer_create(&s->resources, items * s->padded * BLOCK * scratch_number(s, shape), &s->scratch));
    TRY(penta_buffer_create(&s->resources, s->pieces * s->padded * (s->padded + PANEL) * sizeof(double), &s->partial));
    TRY(penta_buffer_create(&s->resources, items * s->padded * sizeof(double), &s->partial_sums));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

/* ---- sums ---- */

static penta_status run_single(triangle_state *s, pca_slab *slab, penta_grid items, penta_grid rows, penta_buffer *gram,
                               penta_buffer *sums)
{
    penta_status status = PENTA_OK;
    penta_buffer *exponents = &s->exponents.of_bands;
    int bands = (int)s->bands, pieces = (int)s->pieces, parts = (int)s->parts;

    TRY(pca_exponents_find(&s->exponents, slab, &slab->shift));
    TRY(penta_launch(&s->products, items,
                     ARGS(&slab->data, (long)slab->pitch, bands, &slab->shift, exponents,
                          (int)(pca_padded(slab->pixels) / BLOCK), pieces, parts, &s->scratch, &s->partial,
                          &s->partial_sums)));
    TRY(penta_launch(&s->add, rows, ARGS(&s->partial, &s->partial_sums, exponents, bands, pieces, parts, gram, sums)));
cleanup:
    return status;
}

static penta_status run(void *state, pca_slab *slab, penta_buffer *gram, penta_buffer *sums)
{
    penta_status status = PENTA_OK;
    triangle_state *s = state;
    int bands = (int)s->bands, pieces = (int)s->pieces, parts = (int)s->parts;
    penta_grid items = penta_grid_groups(penta_grid_1d(s->pieces * s->parts), 1, 1, 1);
    penta_grid rows = penta_grid_groups(penta_grid_1d((s->bands + ADD_ROWS - 1) / ADD_ROWS), 1, 1, 1);

    if (s->single)
        return run_single(s, slab, items, rows, gram, sums);
    TRY(penta_launch(&s->products, items,
                     ARGS(&slab->data, (long)slab->pitch, bands, &slab->shift, (int)(pca_padded(slab->pixels) / BLOCK),
                          pieces, parts, &s->scratch, &s->partial, &s->partial_sums)));
    TRY(penta_launch(&s->add, rows, ARGS(&s->partial, &s->partial_sums, bands, pieces, parts, gram, sums)));
cleanup:
    return status;
}

const pca_engine pca_triangle_cpu = {create, run};
