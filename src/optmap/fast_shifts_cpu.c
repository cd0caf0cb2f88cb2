/* Shifts on CPU devices: transforms in lanes of pixels and of pairs. Kernels: cl/optmap/shift_*_cpu.cl. */
#include <stdio.h>

#include "math/fft_lanes.h"
#include "optmap/fast_shifts.h"

enum {
    MOST_CHUNK = 18,
    CHUNK = 16, /* lags summed at a time in double */
    FEW = 13,   /* candidates per entry of `few`, without double precision */
    MOST_FEW = 1 << 18
};

typedef struct {
    penta_resources resources;
    fft_lanes_length length;
    size_t slice, workers; /* vectors of scratch memory per worker */
    penta_kernel spectra, search;
    penta_buffer twiddles, order, spectrum, scratch, counters;
    penta_buffer few, many, counts; /* what the host decides: cl/optmap/shift_search_cpu.cl */
} cpu_state;

/* Chooses the cheapest length from 2 N - 1 to a quarter more. */
static bool choose_length(size_t frames, fft_lanes_length *out)
{
    size_t least = 2 * frames - 1;
    fft_lanes_length candidate;

    *out = (fft_lanes_length){0};
    for (size_t n = least; n <= least + least / 4 + 8; n++)
        if (fft_lanes_plan(n, &candidate) && (out->n == 0 || candidate.cost < out->cost))
            *out = candidate;
    return out->n > 0;
}

static size_t length_of(size_t frames)
{
    fft_lanes_length length;

    return choose_length(frames, &length) ? length.n : 2 * frames;
}

/* Pairs of which the host may have to decide: none with double precision. */
static size_t pairs_of(const penta_context *ctx, const optmap_shape *shape, size_t rows)
{
    return penta_context_device(ctx)->fp64 ? 0 : rows * shape->width * shift_offsets(shape);
}

static size_t few_of(size_t pairs)
{
    return pairs < MOST_FEW ? pairs : MOST_FEW;
}

/* Floats of the spectra of a row of pixels. */
static size_t layer_of(const optmap_shape *shape)
{
    size_t wide = (shape->width + SHIFT_LANES - 1) / SHIFT_LANES + 2;

    return 2 * (length_of(shape->frames) / 2 + 1) * wide * SHIFT_LANES;
}

static size_t slice_of(const fft_lanes_length *length)
{
    return 2 * (length->n + (size_t)(length->radix[0] * length->radix[1] * length->radix[2]));
}

static uint64_t memory_of(penta_context *ctx, const optmap_shape *shape, size_t rows)
{
    fft_lanes_length length;
    uint64_t scratch = choose_length(shape->frames, &length) ? slice_of(&length) * SHIFT_LANES : 0;

    size_t pairs = pairs_of(ctx, shape, rows);

    return (rows * (uint64_t)layer_of(shape) + penta_context_device(ctx)->compute_units * scratch) * sizeof(float) +
           (few_of(pairs) * (FEW + 3) + 2 * (uint64_t)pairs) * sizeof(int32_t);
}

static penta_status create_kernels(cpu_state *s, const char *defines, int taps)
{
    penta_status status = PENTA_OK;
    const int *f = s->length.radix;
    char all[2048];

    snprintf(all, sizeof all, "%s -DFA=%d -DFB=%d -DFC=%d -DFD=%d -DFE=%d -DFF=%d -DCHUNK=%d -DFEW=%d -DROOM=%d",
             defines, f[0], f[1], f[2], f[3], f[4], f[5], taps <= MOST_CHUNK ? taps : CHUNK, FEW, MOST_FEW);
    TRY(penta_kernel_get(&s->resources, "optmap/shift_spectra_cpu.cl", "optmap_shift_spectra", all, &s->spectra));
    TRY(penta_kernel_get(&s->resources, "optmap/shift_search_cpu.cl", "optmap_shift_search", all, &s->search));
cleanup:
    return status;
}

static penta_status create_buffers(cpu_state *s, const optmap_shape *shape)
{
    penta_status status = PENTA_OK;
    size_t bytes, pairs = pairs_of(s->resources.ctx, shape, shape->rows);

    s->slice = slice_of(&s->length);
    s->workers = penta_context_device(s->resources.ctx)->compute_units;
    TRY(penta_size(s->resources.ctx, layer_of(shape), shape->rows, sizeof(float), &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, &s->spectrum));
    TRY(penta_size(s->resources.ctx, s->slice * SHIFT_LANES, s->workers, sizeof(float), &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, &s->scratch));
    TRY(penta_buffer_create(&s->resources, sizeof(int32_t), &s->counters));
    TRY(penta_buffer_create(&s->resources, few_of(pairs) * (FEW + 3) * sizeof(int32_t), &s->few));
    TRY(penta_buffer_create(&s->resources, pairs * 2 * sizeof(int32_t), &s->many));
    TRY(penta_buffer_create(&s->resources, 2 * sizeof(int32_t), &s->counts));
cleanup:
    return status;
}

static penta_status create(penta_context *ctx, const optmap_shape *shape, const shift_tables *tables,
                           const char *defines, void **state)
{
    penta_status status = PENTA_OK;
    cpu_state *s = NULL;

    TRY(penta_plan_alloc(ctx, &s));
    if (!choose_length(shape->frames, &s->length)) {
        status = penta_fail(ctx, PENTA_UNSUPPORTED, "%zu frames are too many for the transforms of CPU devices",
                            shape->frames);
        goto cleanup;
    }
    TRY(create_kernels(s, defines, tables->size.taps));
    TRY(penta_own_struct(&s->resources, &s->twiddles, penta_buffer_release));
    TRY(penta_own_struct(&s->resources, &s->order, penta_buffer_release));
    TRY(fft_lanes_upload_twiddles(ctx, &s->length, false, &s->twiddles));
    TRY(fft_lanes_upload_order(ctx, &s->length, s->length.n / 2 + 1, &s->order));
    TRY(create_buffers(s, shape));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

static penta_status run(void *state, shift_band *b, const shift_geometry *g, penta_buffer *shifts)
{
    penta_status status = PENTA_OK;
    cpu_state *s = state;
    penta_grid workers = penta_grid_groups(penta_grid_1d(s->workers), 1, 1, 1);

    TRY(penta_buffer_zero(&s->counts, 0, 2 * sizeof(int32_t)));
    TRY(penta_buffer_zero(&s->counters, 0, sizeof(int32_t)));
    TRY(penta_launch(&s->spectra, workers,
                     ARGS(&b->x, &s->twiddles, &s->order, &b->margin, &b->geometry, &s->spectrum, &b->bounds,
                          &s->scratch, (int)s->slice, &s->counters)));
    TRY(penta_buffer_zero(&s->counters, 0, sizeof(int32_t)));
    TRY(penta_launch(&s->search, workers,
                     ARGS(&s->spectrum, &s->twiddles, &s->order, &b->x, &b->precise, &b->ends_single, &b->ends_dbl,
                          &b->bounds, &b->taps_single, &b->taps_dbl, &b->geometry, (int)s->slice, &s->scratch,
                          &s->counters, shifts, &s->few, &s->many, &s->counts)));
    if (b->host)
        TRY(shift_host_decide(b->host, b->traces, b, g, FEW, MOST_FEW, &s->few, &s->many, &s->counts, shifts));
cleanup:
    return status;
}

static void destroy(void *state)
{
    penta_plan_free((cpu_state *)state);
}

const shift_engine shift_cpu = {memory_of, length_of, create, NULL, run, destroy, 1.5e-7};
