/*
 * Shifts on GPUs. For each pixel: its spectrum, and from it how far its autocorrelation reaches. For pairs of similar
 * traces: sums at the lags around 0 (cl/optmap/shift_near.cl). For the other pairs: inverse transforms and a search,
 * CHUNK pairs at a time, which fit into a GPU's cache (shift_search.cl). Where floats do not decide: sums in double
 * (shift_exact.cl).
 */
#include <stdio.h>

#include "math/fft.h"
#include "optmap/fast_shifts.h"

enum {
    LIST = 512,        /* intervals kept by a search at a time */
    FEW = 13,          /* candidates per entry of `few` */
    EACH = 16,         /* groups per compute unit of the sums in double */
    MOST_LOCAL = 4096, /* lags of R that a search keeps in local memory */
    CHUNK = 8192,      /* pairs, or pixels, per inverse transform; even */
    PART = 1 << 18,    /* pairs between two reads of how many are left */
    NEAR_LAGS = 40,    /* lags that shift_near.cl sums: usual number and limit */
    MOST_NEAR_LAGS = 96,
    NEAR_GROUP = 32, /* work-items of its groups: small groups need few barriers and few sums over items */
    SPECTRA_GROUP = 256
};

enum { FEW_COUNT, MANY_COUNT, FAR_COUNT, COUNTS }; /* indices of `counts` */

typedef struct {
    penta_resources resources;
    size_t length, bins, offsets; /* M; M / 2 + 1; neighbours of a pixel */
    size_t pixels, each;          /* of a part: pixels, and offsets per pixel */
    size_t chunk, reach_pitch;
    penta_fft *forward, *back;
    size_t groups; /* groups of the sums in double */
    penta_kernel margin, power, measure, near, product, search, exact_few, exact_many;
    penta_buffer spectrum, products, reach, few, many, far, counts, correlations;
} gpu_state;

/* ---- sizes ---- */

/* An even transform length without wrap-around. */
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

/* Number of lags that shift_near.cl sums: enough for some intervals with all taps. */
static size_t near_lags(const shift_sizes *z)
{
    size_t wanted = ((size_t)z->taps + 22 + 7) / 8 * 8;

    return wanted < NEAR_LAGS ? NEAR_LAGS : wanted < MOST_NEAR_LAGS ? wanted : MOST_NEAR_LAGS;
}

static size_t reach_pitch(const shift_sizes *z)
{
    return near_lags(z) / 2 + 1;
}

/* Chooses pixels and offsets of a part, so that parts are about equally large. */
static void choose_part(const optmap_shape *shape, size_t rows, size_t *pixels, size_t *each)
{
    size_t all = rows * shape->width, offsets = shift_offsets(shape), parts;

    offsets = offsets > 0 ? offsets : 1;
    *each = offsets < PART ? offsets : PART;
    *pixels = PART / *each < all ? PART / *each : all;
    parts = (all + *pixels - 1) / *pixels;
    *pixels = (all + parts - 1) / parts;
}

/* Pairs per transform: even, because VkFFT takes two real rows at a time, and at most what a buffer can hold. */
static size_t chunk_of(penta_context *ctx, const optmap_shape *shape, size_t rows)
{
    size_t pixels, each, chunk = CHUNK;
    uint64_t most = penta_context_device(ctx)->max_allocation / row_bytes(length_of(shape->frames));

    choose_part(shape, rows, &pixels, &each);
    chunk = pixels * each < chunk ? pixels * each : chunk;
    chunk = most < chunk ? (size_t)most : chunk;
    chunk += chunk % 2;
    return chunk > 2 ? chunk : 2;
}

static size_t groups_of(penta_context *ctx)
{
    return (size_t)EACH * penta_context_device(ctx)->compute_units;
}

/* Of the sums in double. */
static size_t correlation_bytes(penta_context *ctx, const optmap_shape *shape)
{
    return penta_context_device(ctx)->fp64 ? groups_of(ctx) * 2 * shape->frames * sizeof(double) : 0;
}

static uint64_t memory_of(penta_context *ctx, const optmap_shape *shape, size_t rows)
{
    shift_sizes z = shift_sizes_of(shape->filter);
    uint64_t all = (uint64_t)rows * shape->width;
    size_t pixels, each;

    choose_part(shape, rows, &pixels, &each);
    return (all + chunk_of(ctx, shape, rows)) * row_bytes(length_of(shape->frames)) +
           all * reach_pitch(&z) * sizeof(float) + (uint64_t)pixels * each * (FEW + 7) * sizeof(int32_t) +
           correlation_bytes(ctx, shape);
}

/* ---- creation ---- */

static penta_status create_fft(gpu_state *s, size_t batch, enum penta_fft_backend backend, penta_buffer *buffer,
                               penta_fft **fft)
{
    penta_status status = PENTA_OK;
    penta_fft_shape shape = {.rank = 1, .nx = s->length, .ny = 1, .batch = batch, .real = true};
    size_t bytes;

    TRY(penta_fft_bytes(s->resources.ctx, &shape, &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, buffer));
    TRY(penta_buffer_zero(buffer, 0, bytes));
    TRY(penta_fft_create(s->resources.ctx, backend, &shape, fft));
    TRY(penta_own(&s->resources, fft, penta_fft_destroy));
cleanup:
    return status;
}

static penta_status create_kernels(gpu_state *s, const char *defines, const shift_sizes *z, size_t frames)
{
    penta_status status = PENTA_OK;
    char local[64] = "", all[1536], near[1536];

    if (s->length <= MOST_LOCAL)
        snprintf(local, sizeof local, " -DLOCAL_R=%zu", s->length);
    snprintf(all, sizeof all, "%s -DGROUP=%d -DLIST=%d -DFEW=%d%s", defines, SHIFT_GROUP, LIST, FEW, local);
    penta_snprintf(near, sizeof near, "%s -DGROUP=%d -DFEW=%d -DNEAR_LAGS=%zu -DNEAR_ERROR=%.9ef", defines, NEAR_GROUP,
                   FEW, near_lags(z), shift_near_error(frames));
    TRY(penta_kernel_get(&s->resources, "optmap/shift_spectra.cl", "optmap_shift_margin", all, &s->margin));
    TRY(penta_kernel_get(&s->resources, "optmap/shift_spectra.cl", "optmap_shift_product", all, &s->product));
    TRY(penta_kernel_get(&s->resources, "optmap/shift_near.cl", "optmap_shift_power", near, &s->power));
    TRY(penta_kernel_get(&s->resources, "optmap/shift_near.cl", "optmap_shift_reach", near, &s->measure));
    TRY(penta_kernel_get(&s->resources, "optmap/shift_near.cl", "optmap_shift_near", near, &s->near));
    TRY(penta_kernel_get(&s->resources, "optmap/shift_search.cl", "optmap_shift_search", all, &s->search));
    if (!penta_context_device(s->resources.ctx)->fp64) /* the host does */
        return PENTA_OK;
    TRY(penta_kernel_get(&s->resources, "optmap/shift_exact.cl", "optmap_shift_few", all, &s->exact_few));
    TRY(penta_kernel_get(&s->resources, "optmap/shift_exact.cl", "optmap_shift_many", all, &s->exact_many));
cleanup:
    return status;
}

/* Creates the buffers of the pairs in progress. */
static penta_status create_pairs(gpu_state *s, const optmap_shape *shape, enum penta_fft_backend backend)
{
    penta_status status = PENTA_OK;
    size_t pairs = s->pixels * s->each;

    TRY(create_fft(s, s->chunk, backend, &s->products, &s->back));
    TRY(penta_buffer_create(&s->resources, shape->rows * shape->width * s->reach_pitch * sizeof(float), &s->reach));
    TRY(penta_buffer_create(&s->resources, pairs * (FEW + 3) * sizeof(int32_t), &s->few));
    TRY(penta_buffer_create(&s->resources, pairs * 2 * sizeof(int32_t), &s->many));
    TRY(penta_buffer_create(&s->resources, pairs * 2 * sizeof(int32_t), &s->far));
    TRY(penta_buffer_create(&s->resources, COUNTS * sizeof(int32_t), &s->counts));
    TRY(penta_buffer_create(&s->resources, correlation_bytes(s->resources.ctx, shape), &s->correlations));
cleanup:
    return status;
}

static penta_status create(penta_context *ctx, const optmap_shape *shape, const shift_tables *tables,
                           const char *defines, void **state)
{
    penta_status status = PENTA_OK;
    gpu_state *s = NULL;
    enum penta_fft_backend backend = (enum penta_fft_backend)shape->options->fft;

    *state = NULL;
    TRY(penta_plan_alloc(ctx, &s));
    s->length = tables->length;
    s->bins = s->length / 2 + 1;
    s->offsets = shift_offsets(shape);
    s->chunk = chunk_of(ctx, shape, shape->rows);
    s->reach_pitch = reach_pitch(&tables->size);
    choose_part(shape, shape->rows, &s->pixels, &s->each);
    s->groups = groups_of(ctx);
    TRY(create_kernels(s, defines, &tables->size, shape->frames));
    TRY(create_fft(s, shape->rows * shape->width, backend, &s->spectrum, &s->forward));
    if (s->offsets > 0)
        TRY(create_pairs(s, shape, backend));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

static penta_buffer *spectrum_of(void *state)
{
    return &((gpu_state *)state)->spectrum;
}

/* ---- running ---- */

static penta_grid groups(size_t count)
{
    return penta_grid_groups(penta_grid_1d(count * SHIFT_GROUP), SHIFT_GROUP, 1, 1);
}

static penta_grid near_groups(size_t count)
{
    return penta_grid_groups(penta_grid_1d(count * NEAR_GROUP), NEAR_GROUP, 1, 1);
}

static penta_grid bins(const gpu_state *s)
{
    return penta_grid_groups(penta_grid_2d(s->bins, s->chunk), SPECTRA_GROUP, 1, 1);
}

/* Computes spectra and reaches of `all` pixels. */
static penta_status run_pixels(gpu_state *s, shift_band *b, size_t all)
{
    penta_status status = PENTA_OK;
    size_t row = row_bytes(s->length);
    float scale = 1.0F / (float)s->length;

    /* VkFFT transforms two real rows together: garbage in the last row's partner would cause errors in the last row. */
    if (all % 2 != 0 && (all + 1) * row <= s->spectrum.bytes)
        TRY(penta_buffer_zero(&s->spectrum, all * row, row));
    TRY(penta_fft_forward(s->forward, &s->spectrum));
    TRY(penta_launch(&s->margin, groups(all), ARGS(&s->spectrum, &b->margin, (int)s->bins, scale, &b->bounds)));
    for (size_t first = 0; first < all; first += s->chunk) {
        size_t pixels = all - first < s->chunk ? all - first : s->chunk;

        TRY(penta_launch(&s->power, bins(s),
                         ARGS(&s->spectrum, (int)s->bins, (int)first, (int)all, scale, &s->products)));
        TRY(penta_fft_inverse(s->back, &s->products));
        TRY(penta_launch(&s->measure, near_groups(pixels),
                         ARGS(&s->products, &b->x, &b->geometry, (int)(2 * s->bins), (int)first, &s->reach)));
    }
cleanup:
    return status;
}

/* Runs the `count` entries of far: pairs that sums at near lags did not decide. */
static penta_status run_far(gpu_state *s, shift_band *b, size_t count, penta_buffer *shifts)
{
    penta_status status = PENTA_OK;

    for (size_t first = 0; first < count; first += s->chunk) {
        size_t pairs = count - first < s->chunk ? count - first : s->chunk;

        TRY(penta_launch(&s->product, bins(s),
                         ARGS(&s->spectrum, &b->geometry, &s->far, (int)s->bins, (int)first, (int)pairs,
                              1.0F / (float)s->length, &s->products)));
        TRY(penta_fft_inverse(s->back, &s->products));
        TRY(penta_launch(&s->search, groups(pairs),
                         ARGS(&s->products, &b->x, &b->ends_single, &b->bounds, &b->taps_single, &b->geometry, &s->far,
                              (int)s->length, (int)first, (int)pairs, shifts, &s->few, &s->many, &s->counts)));
    }
cleanup:
    return status;
}

/* Runs pixels first .. first + pixels - 1 with neighbours offset .. offset + each - 1. */
static penta_status run_part(gpu_state *s, shift_band *b, const shift_geometry *g, size_t first, size_t pixels,
                             size_t offset, size_t each, penta_buffer *shifts)
{
    penta_status status = PENTA_OK;
    int32_t far;

    TRY(penta_buffer_zero(&s->counts, 0, COUNTS * sizeof(int32_t)));
    TRY(penta_launch(&s->near, near_groups(pixels * each),
                     ARGS(&b->x, &b->ends_single, &b->bounds, &s->reach, &b->taps_single, &b->geometry, (int)first,
                          (int)offset, (int)each, shifts, &s->few, &s->many, &s->far, &s->counts)));
    TRY(penta_buffer_read(&s->counts, FAR_COUNT * sizeof far, &far, sizeof far));
    TRY(run_far(s, b, (size_t)far, shifts));
    if (b->host)
        return shift_host_decide(b->host, b->traces, b, g, FEW, s->pixels * s->each, &s->few, &s->many, &s->counts,
                                 shifts);
    TRY(penta_launch(
        &s->exact_few, groups(s->groups),
        ARGS(&b->precise, &b->ends_dbl, &b->taps_dbl, &b->geometry, &s->few, &s->counts, (int)s->groups, shifts)));
    TRY(penta_launch(&s->exact_many, groups(s->groups),
                     ARGS(&b->precise, &b->ends_dbl, &b->taps_dbl, &b->geometry, &s->many, &s->counts, (int)s->groups,
                          shifts, &s->correlations)));
cleanup:
    return status;
}

static penta_status run(void *state, shift_band *b, const shift_geometry *g, penta_buffer *shifts)
{
    penta_status status = PENTA_OK;
    gpu_state *s = state;
    size_t all = (size_t)g->rows * (size_t)g->width;

    TRY(run_pixels(s, b, all));
    for (size_t first = 0; first < all; first += s->pixels)
        for (size_t offset = 0; offset < s->offsets; offset += s->each) {
            size_t pixels = all - first < s->pixels ? all - first : s->pixels;
            size_t each = s->offsets - offset < s->each ? s->offsets - offset : s->each;

            TRY(run_part(s, b, g, first, pixels, offset, each, shifts));
        }
cleanup:
    return status;
}

static void destroy(void *state)
{
    penta_plan_free((gpu_state *)state);
}

const shift_engine shift_gpu = {memory_of, length_of, create, spectrum_of, run, destroy, 6e-7};
