/* Choosing a correlation method by predicted cost, and the calls to it. */
#include <math.h>
#include <stdlib.h>

#include "autocorr/engine.h"
#include "math/fft.h"

struct autocorr_engine {
    penta_context *ctx;
    const autocorr_method *method;
    enum penta_autocorr_method kind;
    void *state;
};

static const char *const method_names[] = {"auto", "naive", "lines", "tiled", "fft"};

/* Rough rates, not measurements: multiply-adds a second of the tiled form by element type, and n log2 n of a padded
 * transform pair; CPU figures are per core. They are set low for the tiled form, so that the choice agrees with the u8
 * cases of docs/benchmarks.md, where the FFT wins on both kinds of device; the other types were not timed. */
typedef struct {
    double u8, u16, f32, f64, fft, start; /* start: s a run costs before any work */
} cost_rates;

static const cost_rates gpu_rates = {2e13, 2e12, 8e12, 5e12, 1.2e12, 6e-5};
static const cost_rates cpu_rates = {3e10, 6e9, 1.2e10, 6e9, 2.5e9, 1e-4};

static double direct_seconds(penta_context *ctx, const autocorr_shape *s)
{
    const cost_rates *r = penta_is_cpu(ctx) ? &cpu_rates : &gpu_rates;
    double rate = s->type == PENTA_U8 ? r->u8 : s->type == PENTA_U16 ? r->u16 : s->type == PENTA_F32 ? r->f32 : r->f64;
    double overlap =
        (1 - 0.5 * (double)s->max_offset / (double)s->width) * (1 - 0.5 * (double)s->max_offset / (double)s->height);
    double units = penta_is_cpu(ctx) ? penta_context_device(ctx)->compute_units : 1;

    return r->start + (double)autocorr_rows(s) * (double)autocorr_columns(s) * (double)s->width * (double)s->height *
                          overlap / (rate * units);
}

static double fft_seconds(penta_context *ctx, const autocorr_shape *s)
{
    const cost_rates *r = penta_is_cpu(ctx) ? &cpu_rates : &gpu_rates;
    double n =
        (double)penta_fft_good_size(s->width + s->max_offset) * (double)penta_fft_good_size(s->height + s->max_offset);
    double planes = (s->cross ? 1.5 : 1) * (s->type == PENTA_U16 && !s->single ? 3 : 1);
    double units = penta_is_cpu(ctx) ? penta_context_device(ctx)->compute_units : 1;
    bool single = s->single || s->type == PENTA_F32;

    return r->start + planes * n * log2(n + 1) / (r->fft * units * (single ? 2 : 1));
}

static enum penta_autocorr_method choose(penta_context *ctx, const autocorr_shape *s)
{
    bool needs_double = !s->single && s->type != PENTA_F32;

    if (needs_double && !penta_context_device(ctx)->fp64)
        return PENTA_AUTOCORR_TILED;
    return direct_seconds(ctx, s) < fft_seconds(ctx, s) ? PENTA_AUTOCORR_TILED : PENTA_AUTOCORR_FFT;
}

/* The form for the device: CPU devices have their own tiled and FFT forms. A named FFT library is taken as named. */
static const autocorr_method *method_of(penta_context *ctx, enum penta_autocorr_method kind, enum penta_fft_backend fft)
{
    switch (kind) {
    case PENTA_AUTOCORR_NAIVE:
        return &autocorr_naive;
    case PENTA_AUTOCORR_LINES:
        return &autocorr_lines;
    case PENTA_AUTOCORR_TILED:
        return penta_is_cpu(ctx) ? &autocorr_tiled_cpu : &autocorr_tiled;
    default:
        return fft == PENTA_FFT_SIMD || (fft == PENTA_FFT_AUTO && penta_is_cpu(ctx)) ? &autocorr_spectral_simd
                                                                                     : &autocorr_spectral;
    }
}

static penta_status check_request(penta_context *ctx, const autocorr_shape *shape, enum penta_fft_backend fft)
{
    const char *name = penta_context_device(ctx)->name;

    if (shape->type == PENTA_F64 && !penta_context_device(ctx)->fp64)
        return penta_fail(ctx, PENTA_UNSUPPORTED, "%s has no double precision; use `precision` single", name);
    if (fft == PENTA_FFT_SIMD && !penta_is_cpu(ctx))
        return penta_fail(ctx, PENTA_UNSUPPORTED, "the simd FFT is for CPU devices, not for %s; use `fft` vkfft", name);
    return PENTA_OK;
}

penta_status autocorr_engine_create(penta_context *ctx, const autocorr_shape *shape, enum penta_autocorr_method method,
                                    enum penta_fft_backend fft, size_t batch, autocorr_engine **out)
{
    penta_status status = PENTA_OK;
    autocorr_engine *e = NULL;

    *out = NULL;
    TRY(check_request(ctx, shape, fft));
    TRY(penta_calloc(ctx, 1, sizeof *e, &e));
    e->ctx = ctx;
    e->kind = method == PENTA_AUTOCORR_AUTO ? choose(ctx, shape) : method;
    e->method = method_of(ctx, e->kind, fft);
    status = e->method->create(ctx, shape, fft, batch, &e->state);
    if (status == PENTA_UNSUPPORTED && method == PENTA_AUTOCORR_AUTO && e->kind == PENTA_AUTOCORR_FFT) {
        e->kind = PENTA_AUTOCORR_TILED; /* too large for an exact FFT, say */
        e->method = method_of(ctx, e->kind, fft);
        status = e->method->create(ctx, shape, fft, batch, &e->state);
    }
    TRY(status);
    *out = e;
    e = NULL;
cleanup:
    autocorr_engine_destroy(e);
    return status;
}

penta_status autocorr_engine_run(autocorr_engine *engine, size_t frames, penta_buffer *a, penta_buffer *b,
                                 penta_buffer *out)
{
    return engine->method->run(engine->state, frames, a, b, out);
}

penta_status autocorr_engine_verify(autocorr_engine *engine)
{
    return engine->method->verify ? engine->method->verify(engine->state) : PENTA_OK;
}

void autocorr_engine_destroy(autocorr_engine *engine)
{
    if (!engine)
        return;
    if (engine->state)
        engine->method->destroy(engine->state);
    free(engine);
}

const char *autocorr_engine_method(const autocorr_engine *engine)
{
    return method_names[engine->kind];
}

const char *autocorr_engine_fft(const autocorr_engine *engine)
{
    return engine->method->backend ? penta_fft_backend_name(engine->method->backend(engine->state)) : NULL;
}

size_t autocorr_engine_bytes(penta_context *ctx, const autocorr_shape *s, enum penta_autocorr_method method)
{
    size_t image = s->width * s->height, window = autocorr_rows(s) * autocorr_columns(s) * 8;
    size_t nx = penta_fft_good_size(s->width + s->max_offset), ny = penta_fft_good_size(s->height + s->max_offset);
    size_t slots = (s->cross ? 2 : 1) * (s->type == PENTA_U16 ? 2 : 1) + (s->type == PENTA_U16 && !s->cross ? 1 : 0);
    size_t real = s->single || s->type == PENTA_F32 ? 4 : 8;

    if (method == PENTA_AUTOCORR_AUTO)
        method = choose(ctx, s);
    if (method == PENTA_AUTOCORR_FFT)
        return slots * (nx + 2) * ny * real + 2 * window;
    return image * 8 + 4 * window;
}
