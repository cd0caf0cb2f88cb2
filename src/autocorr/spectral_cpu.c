/*
 * Correlation by FFT on CPU devices. Three launches a correlation: rows, columns, results
 * (cl/autocorr/spectral_cpu.cl).
 *
 * A 16-bit image I = 256 H + L has, with N_P the correlation of the plane P,
 *     N = 65536 N_H + 256 (N_HL + N_LH) + N_L = (65536 - 256) N_H + (1 - 256) N_L + 256 N_(H+L),
 * each of which is small enough for its double FFT to be rounded to the exact integer (spectral.c has the bound).
 */
#include "autocorr/spectral_cpu.h"

#include <math.h>
#include <stdio.h>

#include "core/internal.h"
#include "math/fft_lanes.h"
#include "math/sizes.h"

#define KERNEL_FILE    "autocorr/spectral_cpu.cl"
#define SPECTRUM_BYTES ((size_t)8 << 20) /* most of all spectra of a launch, unless a single frame needs more */
enum { COUNTERS = 3 * 4 };               /* launches of a chunk: planes times rows of a, rows of b, columns, results */

/* One correlation of a frame: of the planes high (I >> 8) + low (I & 255), added to the answer weight times. */
typedef struct {
    int high, low;
    int64_t weight;
} plane;

static const plane whole_pixels[] = {{0, 0, 1}};
static const plane byte_planes[] = {{1, 0, 65536 - 256}, {0, 1, 1 - 256}, {1, 1, 256}};

struct autocorr_spectral_cpu {
    penta_resources resources;
    penta_context *ctx;
    autocorr_shape shape;
    fft_lanes_length x, y;
    size_t lanes, workers, chunk; /* chunk: frames of one launch */
    size_t groups;                /* of `lanes` columns in half a spectrum */
    size_t slice;                 /* real numbers / lanes of scratch memory a worker */
    const plane *planes;
    size_t plane_count, real_bytes;
    bool dbl, exact, split;
    penta_kernel rows, columns, results;
    penta_buffer x_twiddles, y_twiddles, order, spectrum[2], product, scratch, counters, worst;
};

/* ---- layout ---- */

/* The length between `least` and a quarter more that minimises n * per_element + transforms * (cost of one transform).
 */
static bool choose_length(size_t least, double per_element, double transforms, fft_lanes_length *out)
{
    double best = INFINITY;
    fft_lanes_length candidate;

    least = penta_larger(2, least);
    for (size_t n = least; n <= least + least / 4 + 8; n++) {
        double cost;

        if (!fft_lanes_plan(n, &candidate))
            continue;
        cost = (double)n * per_element + transforms * candidate.cost;
        if (cost < best) {
            best = cost;
            *out = candidate;
        }
    }
    return best < INFINITY;
}

/* The padded lengths, given ones or those of the least work: a column of nx/2 costs its transforms, two real rows one.
 */
static penta_status choose_lengths(autocorr_spectral_cpu *p, const autocorr_spectral_cpu_cut *cut)
{
    const autocorr_shape *s = &p->shape;
    const double images = s->cross ? 2 : 1, inverses = s->cross ? 1 : 0.5; /* transforms back, per column */
    const double rows = (images * (double)s->height + (double)autocorr_rows(s)) / 2;
    const size_t least_x = s->width + s->max_offset, least_y = s->height + s->max_offset;
    bool ok = s->width <= FFT_LANES_MOST && s->height <= FFT_LANES_MOST;

    if ((cut->nx && cut->nx < least_x) || (cut->ny && cut->ny < least_y))
        return penta_fail(p->ctx, PENTA_INTERNAL, "lengths %zu x %zu given where %zu x %zu are needed", cut->nx,
                          cut->ny, least_x, least_y);
    ok = ok && (cut->ny ? fft_lanes_plan(cut->ny, &p->y) : choose_length(least_y, 0, 1, &p->y));
    ok = ok && (cut->nx ? fft_lanes_plan(cut->nx, &p->x)
                        : choose_length(least_x, (images + inverses) / 2 * p->y.cost, rows, &p->x));
    if (!ok)
        return penta_fail(p->ctx, PENTA_UNSUPPORTED,
                          "a %zu x %zu image is too large for the simd FFT; use another `fft`", s->width, s->height);
    return PENTA_OK;
}

/* Vectors as long as the device's registers, but at least 4 lanes; shorter registers are used in pairs. */
static penta_status choose_lanes(autocorr_spectral_cpu *p, size_t lanes)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->ctx;
    cl_uint native = 0;

    if (lanes == 0) {
        CL_TRY(clGetDeviceInfo(ctx->device,
                               p->dbl ? CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE : CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
                               sizeof native, &native, NULL));
        lanes = native >= 16 && !p->dbl ? 16 : native >= 8 ? 8 : 4;
    }
    p->lanes = lanes;
cleanup:
    return status;
}

static size_t tile_length(const fft_lanes_length *length)
{
    return (size_t)length->radix[0] * (size_t)length->radix[1] * (size_t)length->radix[2];
}

static size_t blocks(size_t rows, size_t lanes)
{
    return (rows + 2 * lanes - 1) / (2 * lanes);
}

/* What follows from shape, lengths and lanes. Scratch, in vectors: a tile; then for rows a line of the spectrum and the
 * pixels in lanes, for columns a zero and two columns. */
static void choose_layout(autocorr_spectral_cpu *p, size_t batch)
{
    const autocorr_shape *s = &p->shape;
    const size_t images = s->cross ? 2 : 1;
    size_t pixel = (penta_type_size(s->type) + p->real_bytes - 1) / p->real_bytes, frame, work;

    p->groups = (p->x.n / 2 + p->lanes) / p->lanes;
    p->slice = 2 * penta_larger(tile_length(&p->x), tile_length(&p->y)) +
               penta_larger(2 * p->x.n + 2 * pixel * (p->x.n + p->lanes), 2 + 4 * p->y.n);
    frame = 2 * p->real_bytes * p->lanes * p->groups * s->height * images;
    p->chunk = frame >= SPECTRUM_BYTES ? 1 : SPECTRUM_BYTES / frame;
    p->chunk = p->chunk > batch ? batch : p->chunk;
    work = p->chunk *
           penta_larger(penta_larger(p->groups, blocks(s->height, p->lanes)), blocks(autocorr_rows(s), p->lanes));
    p->workers = penta_context_device(p->ctx)->compute_units;
    p->workers = p->workers > work ? work : penta_larger(1, p->workers);
}

/* Percival's bound on the error of a double FFT correlation (spectral.c). */
static penta_status check_exactness(const autocorr_spectral_cpu *p)
{
    double top = p->split ? 510 : 255, pixels = (double)p->shape.width * (double)p->shape.height;
    double bound = top * top * pixels * (6 + 3 * sqrt(5)) * log2((double)p->x.n * (double)p->y.n) * 0x1p-53;

    if (p->exact && bound >= AUTOCORR_WORST_ALLOWED)
        return penta_fail(p->ctx, PENTA_UNSUPPORTED,
                          "a %zu x %zu image is too large for an exact FFT; use `method` tiled or `precision` single",
                          p->shape.width, p->shape.height);
    return PENTA_OK;
}

static penta_status set_up(autocorr_spectral_cpu *p, const autocorr_spectral_cpu_cut *cut, size_t batch)
{
    penta_status status = PENTA_OK;
    const autocorr_shape *s = &p->shape;

    p->dbl = !s->single && s->type != PENTA_F32;
    p->exact = p->dbl && autocorr_is_integer(s);
    p->split = p->exact && s->type == PENTA_U16;
    p->planes = p->split ? byte_planes : whole_pixels;
    p->plane_count = p->split ? 3 : 1;
    p->real_bytes = p->dbl ? sizeof(double) : sizeof(float);
    if (p->dbl && !penta_context_device(p->ctx)->fp64)
        return penta_fail(p->ctx, PENTA_UNSUPPORTED, "%s has no double precision; use `precision` single",
                          penta_context_device(p->ctx)->name);
    TRY(choose_lanes(p, cut->lanes));
    TRY(choose_lengths(p, cut));
    TRY(check_exactness(p));
    choose_layout(p, batch);
cleanup:
    return status;
}

/* ---- creation ---- */

static penta_status create_kernels(autocorr_spectral_cpu *p)
{
    static const char *const pixels[] = {
        [PENTA_U8] = "uchar", [PENTA_U16] = "ushort", [PENTA_F32] = "float", [PENTA_F64] = "double"};
    penta_status status = PENTA_OK;
    const int *x = p->x.radix, *y = p->y.radix;
    char defines[400];

    snprintf(defines, sizeof defines,
             "-DPIXEL=%s -DREAL=%s -DLANES=%zu -DXA=%d -DXB=%d -DXC=%d -DXD=%d -DXE=%d -DXF=%d -DYA=%d -DYB=%d -DYC=%d "
             "-DYD=%d -DYE=%d -DYF=%d%s%s%s",
             pixels[p->shape.type], p->dbl ? "double" : "float", p->lanes, x[0], x[1], x[2], x[3], x[4], x[5], y[0],
             y[1], y[2], y[3], y[4], y[5], p->shape.cross ? " -DPENTA_CROSS" : "", p->split ? " -DPENTA_SPLIT" : "",
             autocorr_is_integer(&p->shape) ? " -DPENTA_EXACT" : "");
    TRY(penta_kernels_get(&p->resources, KERNEL_FILE, defines,
                          KERNELS({&p->rows, "autocorr_cpu_rows"}, {&p->columns, "autocorr_cpu_columns"},
                                  {&p->results, "autocorr_cpu_results"})));
cleanup:
    return status;
}

static penta_status create_buffers(autocorr_spectral_cpu *p)
{
    penta_status status = PENTA_OK;
    const autocorr_shape *s = &p->shape;
    size_t column = 2 * p->real_bytes * p->lanes * p->groups * p->chunk, bytes;

    for (size_t i = 0; i < (s->cross ? 2u : 1u); i++) {
        TRY(penta_size(p->ctx, column, s->height, 1, &bytes));
        TRY(penta_buffer_create(&p->resources, bytes, &p->spectrum[i]));
    }
    TRY(penta_size(p->ctx, column, autocorr_rows(s), 1, &bytes));
    TRY(penta_buffer_create(&p->resources, bytes, &p->product));
    TRY(penta_size(p->ctx, p->real_bytes * p->lanes, p->slice, p->workers, &bytes));
    TRY(penta_buffer_create(&p->resources, bytes, &p->scratch));
    TRY(penta_buffer_create(&p->resources, COUNTERS * sizeof(int32_t), &p->counters));
    TRY(penta_buffer_create(&p->resources, sizeof(int32_t), &p->worst));
    TRY(penta_buffer_zero(&p->worst, 0, sizeof(int32_t)));
cleanup:
    return status;
}

penta_status autocorr_spectral_cpu_create(penta_context *ctx, const autocorr_shape *shape,
                                          const autocorr_spectral_cpu_cut *cut, size_t batch,
                                          autocorr_spectral_cpu **out)
{
    static const autocorr_spectral_cpu_cut own = {0};
    penta_status status = PENTA_OK;
    autocorr_spectral_cpu *p = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &p));
    p->ctx = ctx;
    p->shape = *shape;
    TRY(set_up(p, cut ? cut : &own, penta_larger(1, batch)));
    TRY(create_kernels(p));
    TRY(penta_own_struct(&p->resources, &p->x_twiddles, penta_buffer_release));
    TRY(fft_lanes_upload_twiddles(ctx, &p->x, p->dbl, &p->x_twiddles));
    TRY(penta_own_struct(&p->resources, &p->y_twiddles, penta_buffer_release));
    TRY(fft_lanes_upload_twiddles(ctx, &p->y, p->dbl, &p->y_twiddles));
    TRY(penta_own_struct(&p->resources, &p->order, penta_buffer_release));
    TRY(fft_lanes_upload_order(ctx, &p->x, p->groups * p->lanes, &p->order));
    TRY(create_buffers(p));
    *out = p;
    p = NULL;
cleanup:
    autocorr_spectral_cpu_destroy(p);
    return status;
}

void autocorr_spectral_cpu_destroy(autocorr_spectral_cpu *plan)
{
    penta_plan_free(plan);
}

/* ---- running ---- */

static penta_grid workers(const autocorr_spectral_cpu *p)
{
    return penta_grid_groups(penta_grid_1d(p->workers), 1, 1, 1);
}

static penta_status run_rows(autocorr_spectral_cpu *p, penta_buffer *image, size_t first, size_t frames,
                             const plane *part, int counter, penta_buffer *spectrum)
{
    const autocorr_shape *s = &p->shape;

    return penta_launch(&p->rows, workers(p),
                        ARGS(image, (int64_t)(first * s->width * s->height), &p->x_twiddles, &p->order, spectrum,
                             &p->scratch, &p->counters, counter, (int)p->slice, (int)frames, (int)s->width,
                             (int)s->height, part->high, part->low));
}

static penta_status run_columns(autocorr_spectral_cpu *p, size_t frames, int counter)
{
    const autocorr_shape *s = &p->shape;

    return penta_launch(&p->columns, workers(p),
                        ARGS(&p->spectrum[0], &p->spectrum[s->cross ? 1 : 0], &p->y_twiddles, &p->product, &p->scratch,
                             &p->counters, counter, (int)p->slice, (int)frames, (int)s->height, (int)s->max_offset));
}

static penta_status run_results(autocorr_spectral_cpu *p, penta_buffer *out, size_t first, size_t frames,
                                const plane *part, int counter)
{
    const autocorr_shape *s = &p->shape;
    double scale = 1 / ((s->cross ? 4.0 : 8.0) * (double)p->x.n * (double)p->y.n);
    penta_arg args[] = {
        PENTA_ARG(&p->product),
        PENTA_ARG(&p->x_twiddles),
        PENTA_ARG(&p->order),
        PENTA_ARG(out),
        PENTA_ARG((int64_t)(first * autocorr_rows(s) * autocorr_columns(s))),
        PENTA_ARG(&p->worst),
        PENTA_ARG(&p->scratch),
        PENTA_ARG(&p->counters),
        PENTA_ARG(counter),
        PENTA_ARG((int)p->slice),
        PENTA_ARG((int)frames),
        PENTA_ARG((int)s->max_offset),
        p->dbl ? penta_arg_double(scale) : penta_arg_float((float)scale),
        PENTA_ARG(part->weight),
        PENTA_ARG(part == p->planes ? 0 : 1),
    };

    return penta_launch(&p->results, workers(p), args, sizeof args / sizeof *args);
}

/* Frames first .. first + frames - 1, at most a chunk. */
static penta_status run_chunk(autocorr_spectral_cpu *p, penta_buffer *a, penta_buffer *b, penta_buffer *out,
                              size_t first, size_t frames)
{
    penta_status status = PENTA_OK;
    int counter = 0;

    TRY(penta_buffer_zero(&p->counters, 0, COUNTERS * sizeof(int32_t)));
    for (size_t i = 0; i < p->plane_count; i++) {
        TRY(run_rows(p, a, first, frames, &p->planes[i], counter++, &p->spectrum[0]));
        if (p->shape.cross)
            TRY(run_rows(p, b, first, frames, &p->planes[i], counter++, &p->spectrum[1]));
        TRY(run_columns(p, frames, counter++));
        TRY(run_results(p, out, first, frames, &p->planes[i], counter++));
    }
cleanup:
    return status;
}

penta_status autocorr_spectral_cpu_run(autocorr_spectral_cpu *plan, size_t frames, penta_buffer *a, penta_buffer *b,
                                       penta_buffer *out)
{
    penta_status status = PENTA_OK;

    for (size_t first = 0; first < frames; first += plan->chunk)
        TRY(run_chunk(plan, a, b, out, first, frames - first < plan->chunk ? frames - first : plan->chunk));
cleanup:
    return status;
}

penta_status autocorr_spectral_cpu_verify(autocorr_spectral_cpu *plan)
{
    return plan->exact ? autocorr_verify_exact(plan->ctx, &plan->worst, "the simd FFT") : PENTA_OK;
}

/* ---- the seam ---- */

static penta_status method_create(penta_context *ctx, const autocorr_shape *shape, enum penta_fft_backend fft,
                                  size_t batch, void **state)
{
    autocorr_spectral_cpu *plan = NULL;
    penta_status status = autocorr_spectral_cpu_create(ctx, shape, NULL, batch, &plan);

    (void)fft;
    *state = plan;
    return status;
}

static penta_status method_run(void *state, size_t frames, penta_buffer *a, penta_buffer *b, penta_buffer *out)
{
    return autocorr_spectral_cpu_run(state, frames, a, b, out);
}

static penta_status method_verify(void *state)
{
    return autocorr_spectral_cpu_verify(state);
}

static enum penta_fft_backend method_backend(const void *state)
{
    (void)state;
    return PENTA_FFT_SIMD;
}

static void method_destroy(void *state)
{
    autocorr_spectral_cpu_destroy(state);
}

const autocorr_engine autocorr_spectral_simd = {"fft",         method_create,  method_run,
                                                method_verify, method_backend, method_destroy};
