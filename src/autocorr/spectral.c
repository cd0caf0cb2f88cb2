/*
 * Correlation by FFT: N = IFFT(conj(FFT a) FFT b), padded so that offsets up to R do not wrap. Kernels:
 * cl/autocorr/spectral.cl.
 *
 * Exact integers. The result of a double FFT is within
 *     |error| <= ||a|| ||b|| (6 + 3 sqrt 5) log2(n) 2^-53 (1 + small)
 * of the exact one (Percival 2003, theorem 5.1, for butterflies of radix 2 and twiddles right to 2^-53;
 * docs/mathematics/autocorr.md), and is rounded. 8-bit images stay far below 1/2; a 16-bit image is split into its high
 * and low bytes. The rounding kernel keeps the largest distance from an integer, and a run that comes near 1/2 fails
 * rather than being inexact.
 */
#include <math.h>
#include <stdio.h>

#include "autocorr/engine.h"
#include "math/fft.h"

/* Transforms are planned for 1, 8 and 64 frames at once; a run is made up of these. */
enum { PLANS = 3, PLAN_STEP = 8 };

typedef struct {
    penta_resources resources;
    autocorr_shape shape;
    size_t nx, ny, batch;
    size_t parts, slots;
    bool split, dbl, exact;
    enum penta_fft_backend backend;
    penta_fft *fft[PLANS]; /* [i]: PLAN_STEP^i frames; made when first needed, the first at once */
    penta_buffer data, worst;
    penta_kernel load, multiply, extract;
} spectral_state;

static double error_bound(const spectral_state *s, double largest_value)
{
    double pixels = (double)s->shape.width * (double)s->shape.height;

    return largest_value * largest_value * pixels * (6 + 3 * sqrt(5)) * log2((double)s->nx * (double)s->ny) * 0x1p-53;
}

/* An even number of lines, so that the ranges that the FFT skips end where they should (fft.h). */
static size_t padded_lines(size_t least)
{
    size_t n = penta_fft_good_size(least);

    while (n % 2)
        n = penta_fft_good_size(n + 1);
    return n;
}

static void choose_layout(spectral_state *s)
{
    const autocorr_shape *shape = &s->shape;

    s->nx = penta_fft_good_size(shape->width + shape->max_offset);
    s->ny = padded_lines(shape->height + shape->max_offset);
    s->dbl = !shape->single && shape->type != PENTA_F32;
    s->exact = s->dbl && autocorr_is_integer(shape);
    s->split = s->exact && shape->type == PENTA_U16;
    s->parts = s->split ? 2 : 1;
    s->slots = s->parts * (shape->cross ? 2 : 1);
    if (s->split && s->slots < 3)
        s->slots = 3;
}

static penta_status check_exactness(const spectral_state *s)
{
    double terms = s->split ? 2 : 1; /* hl + lh is rounded as one number */

    if (s->exact && terms * error_bound(s, 255) >= AUTOCORR_WORST_ALLOWED)
        return penta_fail(s->resources.ctx, PENTA_UNSUPPORTED,
                          "a %zu x %zu image is too large for an exact FFT; use `method` tiled or `precision` single",
                          s->shape.width, s->shape.height);
    return PENTA_OK;
}

static penta_fft_shape fft_shape(const spectral_state *s, size_t frames)
{
    const autocorr_shape *shape = &s->shape;
    size_t negative = shape->cross ? shape->max_offset : 0;
    penta_fft_shape f = {
        .rank = 2,
        .nx = s->nx,
        .ny = s->ny,
        .batch = frames * s->slots,
        .real = true,
        .dbl = s->dbl,
        .zero_from = shape->height, /* lines beyond the image are zero before, */
        .zero_to = s->ny,
        .drop_from = shape->max_offset + 1, /* lines beyond R are not wanted after */
        .drop_to = s->ny - negative,
    };

    if (f.drop_to < f.drop_from)
        f.drop_to = f.drop_from;
    return f;
}

/* The largest plan of at most `frames` frames. */
static penta_status plan_for(spectral_state *s, size_t frames, penta_fft **fft, size_t *planned)
{
    penta_status status = PENTA_OK;
    penta_fft_shape shape;
    int i = 0;

    *planned = 1;
    while (i + 1 < PLANS && *planned * PLAN_STEP <= frames && *planned * PLAN_STEP <= s->batch) {
        *planned *= PLAN_STEP;
        i++;
    }
    shape = fft_shape(s, *planned);
    if (!s->fft[i]) {
        TRY(penta_fft_create(s->resources.ctx, s->backend, &shape, &s->fft[i]));
        TRY(penta_own(&s->resources, &s->fft[i], penta_fft_destroy));
    }
    *fft = s->fft[i];
cleanup:
    return status;
}

static void destroy(void *memory)
{
    spectral_state *s = memory;

    penta_plan_free(s);
}

static penta_status create_kernels(spectral_state *s)
{
    penta_status status = PENTA_OK;
    char defines[160];

    snprintf(defines, sizeof defines, "%s%s%s%s%s", autocorr_type_define(s->shape.type),
             s->dbl ? " -DPENTA_REAL_DOUBLE" : "", s->split ? " -DPENTA_SPLIT" : "", s->exact ? " -DPENTA_EXACT" : "",
             s->shape.cross ? " -DPENTA_CROSS" : "");
    TRY(penta_kernels_get(
        &s->resources, "autocorr/spectral.cl", defines,
        KERNELS({&s->load, "autocorr_load"}, {&s->multiply, "autocorr_multiply"}, {&s->extract, "autocorr_extract"})));
cleanup:
    return status;
}

static penta_status create_buffers(spectral_state *s)
{
    penta_status status = PENTA_OK;
    penta_fft_shape whole = fft_shape(s, s->batch);
    size_t bytes;

    TRY(penta_fft_bytes(s->resources.ctx, &whole, &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, &s->data));
    TRY(penta_buffer_create(&s->resources, sizeof(int32_t), &s->worst));
    TRY(penta_buffer_zero(&s->worst, 0, sizeof(int32_t)));
    /* Slots without an image are transformed, too, and must not happen to hold NaN. */
    TRY(penta_buffer_zero(&s->data, 0, bytes));
cleanup:
    return status;
}

static penta_status create(penta_context *ctx, const autocorr_shape *shape, enum penta_fft_backend fft, size_t batch,
                           void **state)
{
    penta_status status = PENTA_OK;
    spectral_state *s = NULL;
    penta_fft *first;
    size_t one;

    TRY(penta_plan_alloc(ctx, &s));
    s->shape = *shape;
    s->batch = batch;
    s->backend = fft;
    choose_layout(s);
    TRY(check_exactness(s));
    TRY(plan_for(s, 1, &first, &one));
    TRY(create_buffers(s));
    TRY(create_kernels(s));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

/* Copies frames from, from+1, ... of the images into slots first, first+1, ... of the batch. */
static penta_status load(spectral_state *s, size_t from, size_t frames, penta_buffer *image, size_t first)
{
    size_t pitch = 2 * (s->nx / 2 + 1), rows = s->shape.height + 1;

    if (rows > s->ny || penta_fft_reads_zeros(s->fft[0]))
        rows = s->ny;
    return penta_launch(&s->load, penta_grid_rows(penta_grid_3d(pitch, rows, frames)),
                        ARGS(image, (int)s->shape.width, (int)s->shape.height, (int)pitch, (int)s->ny, (int)s->slots,
                             (int)first, (int64_t)from, &s->data));
}

static penta_status extract(spectral_state *s, size_t from, size_t frames, penta_buffer *out)
{
    const autocorr_shape *shape = &s->shape;
    double scale = 1 / ((double)s->nx * (double)s->ny);
    penta_arg factor = s->dbl ? penta_arg_double(scale) : penta_arg_float((float)scale);
    penta_arg args[] = {penta_arg_buffer(&s->data),
                        penta_arg_int((int)s->nx),
                        penta_arg_int((int)s->ny),
                        penta_arg_int((int)s->slots),
                        penta_arg_int((int)shape->max_offset),
                        penta_arg_int(autocorr_y0(shape)),
                        factor,
                        penta_arg_long((int64_t)from),
                        penta_arg_buffer(out),
                        penta_arg_buffer(&s->worst)};

    return penta_launch(&s->extract,
                        penta_grid_rows(penta_grid_3d(autocorr_columns(shape), autocorr_rows(shape), frames)), args,
                        sizeof args / sizeof *args);
}

static penta_status run(void *state, size_t frames, penta_buffer *a, penta_buffer *b, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    spectral_state *s = state;
    size_t plane = (s->nx / 2 + 1) * s->ny, now;
    penta_fft *fft;

    for (size_t from = 0; from < frames; from += now) {
        TRY(plan_for(s, frames - from, &fft, &now));
        TRY(load(s, from, now, a, 0));
        if (s->shape.cross)
            TRY(load(s, from, now, b, s->parts));
        TRY(penta_fft_forward(fft, &s->data));
        TRY(penta_launch(&s->multiply, penta_grid_rows(penta_grid_2d(plane, now)),
                         ARGS((int64_t)plane, (int)s->slots, &s->data)));
        TRY(penta_fft_inverse(fft, &s->data));
        TRY(extract(s, from, now, out));
    }
cleanup:
    return status;
}

static penta_status verify(void *state)
{
    spectral_state *s = state;

    return s->exact ? autocorr_verify_exact(s->resources.ctx, &s->worst,
                                            penta_fft_backend_name(penta_fft_backend_of(s->fft[0])))
                    : PENTA_OK;
}

static enum penta_fft_backend backend(const void *state)
{
    return penta_fft_backend_of(((const spectral_state *)state)->fft[0]);
}

const autocorr_engine autocorr_spectral = {"fft", create, run, verify, backend, destroy};
