/* Shifts on GPUs: real FFTs of pixels, products of spectra, FFTs back, and a work-group a pair that searches. */
#include <stdio.h>
#include <stdlib.h>

#include "math/fft.h"
#include "optmap/fast_shifts.h"

enum {
    LIST = 512,        /* intervals that a search keeps at a time */
    FEW = 13,          /* candidates of an entry of `few` */
    EACH = 16,         /* groups of the sums in double a compute unit */
    MOST_LOCAL = 4096, /* lags of R that a search keeps in local memory */
};
#define PRODUCT_BYTES ((uint64_t)1 << 30) /* of pairs in flight */

typedef struct {
    penta_context *ctx;
    size_t length, bins, offsets; /* M; M / 2 + 1; neighbours of a pixel */
    size_t pixels, each;          /* of a product: pixels, and offsets of each */
    penta_fft *forward, *back;
    size_t groups; /* of the sums in double */
    penta_kernel margin, product, search, exact_few, exact_many;
    penta_buffer spectrum, products, few, many, counts, correlations;
} gpu_state;

static void destroy(void *memory)
{
    gpu_state *s = memory;

    if (!s)
        return;
    penta_fft_destroy(s->forward);
    penta_fft_destroy(s->back);
    penta_kernel_release(&s->margin);
    penta_kernel_release(&s->product);
    penta_kernel_release(&s->search);
    penta_kernel_release(&s->exact_few);
    penta_kernel_release(&s->exact_many);
    penta_buffer_release(&s->spectrum);
    penta_buffer_release(&s->products);
    penta_buffer_release(&s->few);
    penta_buffer_release(&s->many);
    penta_buffer_release(&s->counts);
    penta_buffer_release(&s->correlations);
    free(s);
}

/* An even length without wrap-around. */
static size_t length_of(size_t frames)
{
    size_t n = penta_fft_good_size(2 * frames - 1);

    while (n % 2 != 0)
        n = penta_fft_good_size(n + 1);
    return n;
}

static uint64_t row_bytes(size_t length)
{
    return 2 * (length / 2 + 1) * sizeof(float);
}

/* Pixels and offsets of a product, so that it stays below PRODUCT_BYTES and all pixels take equally large ones. */
static void choose_product(penta_context *ctx, const optmap_shape *shape, size_t rows, size_t *pixels, size_t *each)
{
    uint64_t most = penta_context_device(ctx)->max_allocation, bytes = row_bytes(length_of(shape->frames)), pairs,
             parts;
    size_t all = rows * shape->width, offsets = shift_offsets(shape);

    most = most < PRODUCT_BYTES ? most : PRODUCT_BYTES;
    pairs = most / bytes > 0 ? most / bytes : 1;
    offsets = offsets > 0 ? offsets : 1;
    *each = offsets < pairs ? offsets : (size_t)(pairs > 1 ? pairs & ~(uint64_t)1 : pairs); /* offsets are even too */
    *pixels = (size_t)(pairs / *each) < all ? (size_t)(pairs / *each) : all;
    parts = (all + *pixels - 1) / *pixels;
    *pixels = (all + parts - 1) / parts;
}

static size_t groups_of(penta_context *ctx)
{
    return (size_t)EACH * penta_context_device(ctx)->compute_units;
}

static uint64_t memory_of(penta_context *ctx, const optmap_shape *shape, size_t rows)
{
    size_t pixels, each;

    choose_product(ctx, shape, rows, &pixels, &each);
    return (rows * shape->width + (uint64_t)pixels * each) * row_bytes(length_of(shape->frames)) +
           (uint64_t)pixels * each * (FEW + 5) * sizeof(int32_t) + groups_of(ctx) * 2 * shape->frames * sizeof(double);
}

static penta_status create_fft(gpu_state *s, size_t batch, enum penta_fft_backend backend, penta_buffer *buffer,
                               penta_fft **fft)
{
    penta_status status = PENTA_OK;
    penta_fft_shape shape = {.rank = 1, .nx = s->length, .ny = 1, .batch = batch, .real = true};
    size_t bytes;

    TRY(penta_fft_bytes(s->ctx, &shape, &bytes));
    TRY(penta_buffer_create(s->ctx, bytes, buffer));
    TRY(penta_buffer_zero(buffer, 0, bytes));
    TRY(penta_fft_create(s->ctx, backend, &shape, fft));
cleanup:
    return status;
}

/* What pairs in flight need. */
static penta_status create_pairs(gpu_state *s, size_t frames, enum penta_fft_backend backend)
{
    penta_status status = PENTA_OK;
    size_t pairs = s->pixels * s->each;

    TRY(create_fft(s, pairs, backend, &s->products, &s->back));
    TRY(penta_buffer_create(s->ctx, pairs * (FEW + 3) * sizeof(int32_t), &s->few));
    TRY(penta_buffer_create(s->ctx, pairs * 2 * sizeof(int32_t), &s->many));
    TRY(penta_buffer_create(s->ctx, 2 * sizeof(int32_t), &s->counts));
    TRY(penta_buffer_create(s->ctx, s->groups * 2 * frames * sizeof(double), &s->correlations));
cleanup:
    return status;
}

static penta_status create(penta_context *ctx, const optmap_shape *shape, const shift_tables *tables,
                           const char *defines, void **state)
{
    penta_status status = PENTA_OK;
    gpu_state *s = NULL;
    enum penta_fft_backend backend = (enum penta_fft_backend)shape->options->fft;
    char all[2048], local[32] = "";

    TRY(penta_calloc(ctx, 1, sizeof *s, &s));
    s->ctx = ctx;
    s->length = tables->length;
    if (s->length <= MOST_LOCAL)
        snprintf(local, sizeof local, " -DLOCAL_R=%zu", s->length);
    s->bins = s->length / 2 + 1;
    s->offsets = shift_offsets(shape);
    choose_product(ctx, shape, shape->rows, &s->pixels, &s->each);
    s->groups = groups_of(ctx);
    snprintf(all, sizeof all, "%s -DGROUP=%d -DLIST=%d -DFEW=%d%s", defines, SHIFT_GROUP, LIST, FEW, local);
    TRY(penta_kernel_get(ctx, "optmap/shift_spectra.cl", "optmap_shift_margin", all, &s->margin));
    TRY(penta_kernel_get(ctx, "optmap/shift_spectra.cl", "optmap_shift_product", all, &s->product));
    TRY(penta_kernel_get(ctx, "optmap/shift_search.cl", "optmap_shift_search", all, &s->search));
    TRY(penta_kernel_get(ctx, "optmap/shift_exact.cl", "optmap_shift_few", all, &s->exact_few));
    TRY(penta_kernel_get(ctx, "optmap/shift_exact.cl", "optmap_shift_many", all, &s->exact_many));
    TRY(create_fft(s, shape->rows * shape->width, backend, &s->spectrum, &s->forward));
    if (s->offsets > 0)
        TRY(create_pairs(s, shape->frames, backend));
    *state = s;
    s = NULL;
cleanup:
    destroy(s);
    return status;
}

static penta_buffer *spectrum_of(void *state)
{
    return &((gpu_state *)state)->spectrum;
}

/* Pixels first .. first + pixels - 1, neighbours offset .. offset + each - 1. */
static penta_status run_part(gpu_state *s, shift_band *b, size_t first, size_t pixels, size_t offset, size_t each,
                             penta_buffer *shifts)
{
    penta_status status = PENTA_OK;
    penta_grid exact = penta_grid_groups(penta_grid_1d(s->groups * SHIFT_GROUP), SHIFT_GROUP, 1, 1);
    penta_grid bins = penta_grid_groups(penta_grid_2d(s->bins, pixels), SHIFT_GROUP, 1, 1);

    TRY(penta_launch(&s->product, bins,
                     ARGS(&s->spectrum, &b->bounds, &b->geometry, &s->products, (int)s->bins, (int)first, (int)offset,
                          (int)each, 1.0f / (float)s->length)));
    TRY(penta_fft_inverse(s->back, &s->products));
    TRY(penta_buffer_zero(&s->counts, 0, 2 * sizeof(int32_t)));
    TRY(penta_launch(&s->search, penta_grid_groups(penta_grid_1d(pixels * each * SHIFT_GROUP), SHIFT_GROUP, 1, 1),
                     ARGS(&s->products, &b->x, &b->ends_single, &b->bounds, &b->taps_single, &b->geometry, shifts,
                          &s->few, &s->many, &s->counts, (int)s->length, (int)first, (int)offset, (int)each)));
    TRY(penta_launch(
        &s->exact_few, exact,
        ARGS(&b->precise, &b->ends_dbl, &b->taps_dbl, &b->geometry, shifts, &s->few, &s->counts, (int)s->groups)));
    TRY(penta_launch(&s->exact_many, exact,
                     ARGS(&b->precise, &b->ends_dbl, &b->taps_dbl, &b->geometry, shifts, &s->many, &s->counts,
                          &s->correlations, (int)s->groups)));
cleanup:
    return status;
}

static penta_status run(void *state, shift_band *b, const shift_geometry *g, penta_buffer *shifts)
{
    penta_status status = PENTA_OK;
    gpu_state *s = state;
    size_t all = (size_t)g->rows * (size_t)g->width, row = row_bytes(s->length);

    /* VkFFT takes two real rows at a time: errors of what is left in the last one's partner would be its own. */
    if (all % 2 != 0 && (all + 1) * row <= s->spectrum.bytes)
        TRY(penta_buffer_zero(&s->spectrum, all * row, row));
    TRY(penta_fft_forward(s->forward, &s->spectrum));
    TRY(penta_launch(&s->margin, penta_grid_groups(penta_grid_1d(all * SHIFT_GROUP), SHIFT_GROUP, 1, 1),
                     ARGS(&s->spectrum, &b->margin, (int)s->bins, 1.0f / (float)s->length, &b->bounds)));
    for (size_t first = 0; first < all; first += s->pixels)
        for (size_t offset = 0; offset < s->offsets; offset += s->each) {
            size_t pixels = all - first < s->pixels ? all - first : s->pixels;
            size_t each = s->offsets - offset < s->each ? s->offsets - offset : s->each;

            TRY(run_part(s, b, first, pixels, offset, each, shifts));
        }
cleanup:
    return status;
}

const shift_way shift_gpu = {memory_of, length_of, create, spectrum_of, run, destroy, 6e-7};
