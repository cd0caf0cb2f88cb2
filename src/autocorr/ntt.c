/*
 * Correlation of integer images by number-theoretic transforms: exact without double precision. Kernels:
 * cl/autocorr/ntt_lines.cl, ntt_columns.cl and ntt_join.cl.
 */
#include <stdio.h>
#include <stdlib.h>

#include "autocorr/engine.h"
#include "autocorr/ntt_layout.h"
#include "math/sizes.h"

/* The number of frames transformed at once: enough to fill the device, few enough for its memory. */
enum { MOST_CHUNK = 16 };
static const size_t most_bytes = (size_t)512 << 20;

typedef struct {
    penta_resources resources;
    autocorr_shape shape;
    autocorr_ntt_layout layout;
    size_t chunk;
    penta_kernel lines, columns, back, join;
    penta_buffer fields, x_factors, y_factors, joins;
    penta_buffer spectra[2], products, rests;
} ntt_state;

/* Bytes for one frame: the spectra of an image, and the products. */
static size_t spectra_bytes(const autocorr_shape *s, const autocorr_ntt_layout *l)
{
    return l->primes * s->height * 2 * l->fold * sizeof(float);
}

static size_t products_bytes(const autocorr_shape *s, const autocorr_ntt_layout *l)
{
    return l->primes * autocorr_columns(s) * l->columns * sizeof(float);
}

static size_t rests_bytes(const autocorr_shape *s, const autocorr_ntt_layout *l)
{
    return l->primes * autocorr_rows(s) * autocorr_columns(s) * sizeof(float);
}

static size_t choose_chunk(penta_context *ctx, const autocorr_shape *s, const autocorr_ntt_layout *l, size_t batch)
{
    size_t most = penta_context_device(ctx)->max_allocation / 2;
    size_t fits = penta_smaller(most, most_bytes) / penta_larger(spectra_bytes(s, l), products_bytes(s, l));

    return penta_larger(1, penta_smaller(penta_smaller(batch, MOST_CHUNK), fits));
}

static penta_status choose_layout(ntt_state *n, size_t batch)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = n->resources.ctx;
    const penta_device *device = penta_context_device(ctx);
    size_t most_items;

    /* This kernel's program does not depend on the layout, and it tells how large work-groups may be. */
    TRY(penta_kernel_get(&n->resources, "autocorr/ntt_join.cl", "autocorr_ntt_join", "", &n->join));
    most_items = penta_kernel_max_group(&n->join);
    if (!autocorr_ntt_choose(&n->shape, device->local_memory, most_items, &n->layout))
        return penta_fail(ctx, PENTA_UNSUPPORTED,
                          "a %zu x %zu image is too large for number-theoretic transforms on %s; use `method` tiled",
                          n->shape.width, n->shape.height, device->name);
    n->chunk = choose_chunk(ctx, &n->shape, &n->layout, batch);
cleanup:
    return status;
}

/* "-DNX=.. -DX1=.. ..", for axis X or Y. */
static void length_defines(char axis, const penta_ntt_length *l, char *out, size_t size)
{
    int used = snprintf(out, size, " -DN%c=%zu -D%c_STAGES=%d -D%c_LAST=%d -D%c_ITEMS=%zu -D%c_HELD=%zu", axis, l->n,
                        axis, l->stages, axis, l->radix[l->stages - 1], axis, l->items, axis, l->held);

    for (int i = 0; i < PENTA_NTT_STAGES; i++)
        used += snprintf(out + used, size - (size_t)used, " -D%c%d=%d", axis, i + 1, l->radix[i]);
}

/* Programs depend on the padded lengths, not on the image size, so many sizes share one. */
static penta_status create_kernels(ntt_state *n)
{
    penta_status status = PENTA_OK;
    const autocorr_ntt_layout *l = &n->layout;
    char length[256], defines[320];

    length_defines('X', &l->x, length, sizeof length);
    snprintf(defines, sizeof defines, "%s%s", autocorr_type_define(n->shape.type), length);
    TRY(penta_kernels_get(&n->resources, "autocorr/ntt_lines.cl", defines,
                          KERNELS({&n->lines, "autocorr_ntt_lines"}, {&n->back, "autocorr_ntt_back"})));
    length_defines('Y', &l->y, length, sizeof length);
    /* Without the limit the column kernels take some 110 registers, and a multiprocessor holds only one work-group of
     * 512. */
    snprintf(defines, sizeof defines, "-DLANES=%zu%s%s", l->lanes, length,
             penta_is_nvidia(n->resources.ctx) && l->y.held <= 16 ? " -cl-nv-maxrregcount=64" : "");
    TRY(penta_kernel_get(&n->resources, "autocorr/ntt_columns.cl", "autocorr_ntt_columns", defines, &n->columns));
cleanup:
    return status;
}

static penta_status create_tables(ntt_state *n)
{
    penta_status status = PENTA_OK;
    penta_resources *own = &n->resources;
    const autocorr_ntt_layout *l = &n->layout;
    penta_ntt_field fields[PENTA_NTT_MOST_PRIMES];
    penta_ntt_join join;
    float *x = NULL, *y = NULL;

    TRY(penta_calloc(own->ctx, l->primes * l->x.n, sizeof *x, &x));
    TRY(penta_calloc(own->ctx, l->primes * 3 * l->y.n, sizeof *y, &y));
    for (size_t i = 0; i < l->primes; i++) {
        uint32_t p = l->prime[i], root = penta_ntt_root(p, l->order);

        penta_ntt_fill_field(p, root, l->order, (uint64_t)l->x.n * l->y.n, &fields[i]);
        penta_ntt_fill_factors(p, root, l->order, &l->x, false, x + i * l->x.n);
        for (size_t k = 0; k < 3; k++)
            penta_ntt_fill_factors(p, root, l->order, &l->y, k == 1, y + (3 * i + k) * l->y.n);
    }
    penta_ntt_fill_join(l->prime, l->primes, &join);
    TRY(penta_buffer_upload(own, x, l->primes * l->x.n * sizeof *x, &n->x_factors));
    TRY(penta_buffer_upload(own, y, l->primes * 3 * l->y.n * sizeof *y, &n->y_factors));
    TRY(penta_buffer_upload(own, fields, l->primes * sizeof *fields, &n->fields));
    TRY(penta_buffer_upload(own, &join, sizeof join, &n->joins));
cleanup:
    free(x);
    free(y);
    return status;
}

static penta_status create_buffers(ntt_state *n)
{
    penta_status status = PENTA_OK;
    penta_resources *own = &n->resources;
    const autocorr_shape *s = &n->shape;

    for (int i = 0; i < (s->cross ? 2 : 1); i++)
        TRY(penta_buffer_create(own, n->chunk * spectra_bytes(s, &n->layout), &n->spectra[i]));
    TRY(penta_buffer_create(own, n->chunk * products_bytes(s, &n->layout), &n->products));
    TRY(penta_buffer_create(own, n->chunk * rests_bytes(s, &n->layout), &n->rests));
cleanup:
    return status;
}

static void destroy(void *memory)
{
    ntt_state *n = memory;

    penta_plan_free(n);
}

static penta_status create(penta_context *ctx, const autocorr_shape *shape, enum penta_fft_backend fft, size_t batch,
                           void **state)
{
    penta_status status = PENTA_OK;
    ntt_state *n = NULL;

    (void)fft;
    TRY(penta_plan_alloc(ctx, &n));
    n->shape = *shape;
    TRY(choose_layout(n, batch));
    TRY(create_kernels(n));
    TRY(create_tables(n));
    TRY(create_buffers(n));
    *state = n;
    n = NULL;
cleanup:
    penta_plan_free(n);
    return status;
}

static penta_status transform_lines(ntt_state *n, size_t from, size_t frames, penta_buffer *image, penta_buffer *out)
{
    const autocorr_ntt_layout *l = &n->layout;
    penta_grid grid = penta_grid_3d(l->x.items, n->shape.height, frames * l->primes);

    return penta_launch(
        &n->lines, penta_grid_groups(grid, l->x.items, 1, 1),
        ARGS(image, &n->fields, &n->x_factors, (int)l->primes, (int)n->shape.width, (int)l->fold, (int64_t)from, out));
}

/* Frames from, from + 1, ... of a run. */
static penta_status run_chunk(ntt_state *n, size_t from, size_t frames, penta_buffer *a, penta_buffer *b,
                              penta_buffer *out)
{
    penta_status status = PENTA_OK;
    const autocorr_shape *s = &n->shape;
    const autocorr_ntt_layout *l = &n->layout;
    size_t planes = frames * l->primes, rows = autocorr_rows(s), count = rows * autocorr_columns(s);
    penta_buffer *second = s->cross ? &n->spectra[1] : &n->spectra[0];

    TRY(transform_lines(n, from, frames, a, &n->spectra[0]));
    if (s->cross)
        TRY(transform_lines(n, from, frames, b, second));
    TRY(penta_launch(&n->columns,
                     penta_grid_groups(penta_grid_3d(l->columns, l->y.items, planes), l->lanes, l->y.items, 1),
                     ARGS(&n->spectra[0], second, &n->fields, &n->y_factors, (int)l->primes, (int)s->height,
                          (int)l->fold, (int)s->max_offset, &n->products)));
    TRY(penta_launch(&n->back, penta_grid_groups(penta_grid_3d(l->x.items, rows, planes), l->x.items, 1, 1),
                     ARGS(&n->products, &n->fields, &n->x_factors, (int)l->primes, (int)l->fold, (int)l->columns,
                          (int)s->max_offset, autocorr_y0(s), &n->rests)));
    TRY(penta_launch(&n->join, penta_grid_rows(penta_grid_2d(count, frames)),
                     ARGS(&n->rests, &n->fields, &n->joins, (int)l->primes, (int64_t)count, (int64_t)from, out)));
cleanup:
    return status;
}

static penta_status run(void *state, size_t frames, penta_buffer *a, penta_buffer *b, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    ntt_state *n = state;

    for (size_t from = 0; from < frames; from += n->chunk)
        TRY(run_chunk(n, from, penta_smaller(n->chunk, frames - from), a, b, out));
cleanup:
    return status;
}

const autocorr_engine autocorr_ntt = {"ntt", create, run, NULL, NULL, destroy};
