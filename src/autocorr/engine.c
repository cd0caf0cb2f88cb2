/* Choosing a correlation method by predicted cost, and the calls to it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autocorr/engine.h"
#include "autocorr/ntt_layout.h"
#include "math/fft.h"

/* A method and what decided. */
typedef struct {
    enum penta_autocorr_method method;
    enum { BY_OPTION, BY_TIME, BY_PRECISION, BY_REFUSAL } by;
    double direct, transform; /* BY_TIME: estimates, s a frame */
    const char *transforms;   /* BY_TIME: the method that the second one is of */
} method_choice;

struct autocorr_correlator {
    penta_context *ctx;
    const autocorr_engine *engine;
    enum penta_fft_backend fft; /* as asked for */
    method_choice choice;
    char refusal[200]; /* BY_REFUSAL: why another method could not be had */
    void *state;
};

/* Rough rates, not measurements: multiply-adds a second of the tiled form by element type, and n log2 n of a padded
 * transform pair; CPU figures are per core. They are set low for the tiled form, so that the choice agrees with the u8
 * cases of docs/development/benchmarks.md, where the FFT wins on both kinds of device; the other types were not timed.
 */
typedef struct {
    double u8, u16, f32, f64, fft, ntt,
        start; /* ntt: of autocorr_ntt_layout.cost; start: s a run costs before any work */
} cost_rates;

static const cost_rates gpu_rates = {2e13, 2e12, 8e12, 5e12, 1.2e12, 2.5e13, 6e-5};
static const cost_rates cpu_rates = {3e10, 6e9, 1.2e10, 6e9, 2.5e9, 1.5e9, 1e-4};

static const cost_rates *rates(penta_context *ctx)
{
    return penta_is_cpu(ctx) ? &cpu_rates : &gpu_rates;
}

/* The number of processors by which the rates are multiplied. */
static double units(penta_context *ctx)
{
    return penta_is_cpu(ctx) ? penta_context_device(ctx)->compute_units : 1;
}

static double direct_seconds(penta_context *ctx, const autocorr_shape *s)
{
    const cost_rates *r = rates(ctx);
    double rate = s->type == PENTA_U8 ? r->u8 : s->type == PENTA_U16 ? r->u16 : s->type == PENTA_F32 ? r->f32 : r->f64;
    double overlap =
        (1 - 0.5 * (double)s->max_offset / (double)s->width) * (1 - 0.5 * (double)s->max_offset / (double)s->height);

    return r->start + (double)autocorr_rows(s) * (double)autocorr_columns(s) * (double)s->width * (double)s->height *
                          overlap / (rate * units(ctx));
}

static double fft_seconds(penta_context *ctx, const autocorr_shape *s)
{
    const cost_rates *r = rates(ctx);
    double n =
        (double)penta_fft_good_size(s->width + s->max_offset) * (double)penta_fft_good_size(s->height + s->max_offset);
    double planes = (s->cross ? 1.5 : 1) * (s->type == PENTA_U16 && !s->single ? 3 : 1);
    bool single = s->single || s->type == PENTA_F32;

    return r->start + planes * n * log2(n + 1) / (r->fft * units(ctx) * (single ? 2 : 1));
}

/* Whether number-theoretic transforms replace the FFT: on GPUs, where they take half its time or less, and on all
 * devices without double precision. (docs/development/benchmarks.md; on a CPU they are slower.) Sets the time of a
 * frame; false if no transform fits the shape. */
static bool ntt_seconds(penta_context *ctx, const autocorr_shape *s, enum penta_fft_backend fft, double *seconds)
{
    enum { USUAL_GROUP = 256 };
    const penta_device *device = penta_context_device(ctx);
    autocorr_ntt_layout layout;

    if (fft != PENTA_FFT_AUTO || (device->fp64 && penta_is_cpu(ctx)))
        return false;
    if (!autocorr_ntt_choose(s, device->local_memory, USUAL_GROUP, &layout))
        return false;
    *seconds = rates(ctx)->start + layout.cost / (rates(ctx)->ntt * units(ctx));
    return true;
}

static method_choice choose(penta_context *ctx, const autocorr_shape *s, enum penta_autocorr_method asked,
                            enum penta_fft_backend fft)
{
    bool needs_double = !s->single && s->type != PENTA_F32;
    enum penta_autocorr_method transform = PENTA_AUTOCORR_NTT;
    method_choice c = {.method = asked, .by = BY_TIME, .transforms = autocorr_ntt.name};

    if (asked != PENTA_AUTOCORR_AUTO)
        return (method_choice){.method = asked, .by = BY_OPTION};
    if (!ntt_seconds(ctx, s, fft, &c.transform)) {
        if (needs_double && !penta_context_device(ctx)->fp64)
            return (method_choice){.method = PENTA_AUTOCORR_TILED, .by = BY_PRECISION};
        transform = PENTA_AUTOCORR_FFT;
        c.transforms = autocorr_spectral.name;
        c.transform = fft_seconds(ctx, s);
    }
    c.direct = direct_seconds(ctx, s);
    c.method = c.direct < c.transform ? PENTA_AUTOCORR_TILED : transform;
    return c;
}

/* The form for the device: CPU devices have their own tiled and FFT forms. An FFT library that the caller named is used
 * as it is. */
static const autocorr_engine *engine_of(penta_context *ctx, enum penta_autocorr_method kind, enum penta_fft_backend fft)
{
    switch (kind) {
    case PENTA_AUTOCORR_NAIVE:
        return &autocorr_naive;
    case PENTA_AUTOCORR_LINES:
        return &autocorr_lines;
    case PENTA_AUTOCORR_TILED:
        return penta_is_cpu(ctx) ? &autocorr_tiled_cpu : &autocorr_tiled;
    case PENTA_AUTOCORR_NTT:
        return &autocorr_ntt;
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

/* The first part of the error's sentence; what follows says what to do. */
static void note_refusal(autocorr_correlator *e)
{
    const char *text = penta_last_error(e->ctx);

    snprintf(e->refusal, sizeof e->refusal, "%.*s", (int)strcspn(text, ";\n"), text);
    e->choice = (method_choice){.method = PENTA_AUTOCORR_TILED, .by = BY_REFUSAL};
}

penta_status autocorr_correlator_create(penta_context *ctx, const autocorr_shape *shape,
                                        enum penta_autocorr_method method, enum penta_fft_backend fft, size_t batch,
                                        autocorr_correlator **out)
{
    penta_status status = PENTA_OK;
    autocorr_correlator *e = NULL;

    *out = NULL;
    TRY(check_request(ctx, shape, fft));
    TRY(penta_calloc(ctx, 1, sizeof *e, &e));
    e->ctx = ctx;
    e->fft = fft;
    e->choice = choose(ctx, shape, method, fft);
    e->engine = engine_of(ctx, e->choice.method, fft);
    status = e->engine->create(ctx, shape, fft, batch, &e->state);
    if (status == PENTA_UNSUPPORTED && e->choice.by == BY_TIME && e->choice.method != PENTA_AUTOCORR_TILED) {
        note_refusal(e); /* for example, too large for an exact FFT */
        e->engine = engine_of(ctx, PENTA_AUTOCORR_TILED, fft);
        status = e->engine->create(ctx, shape, fft, batch, &e->state);
    }
    TRY(status);
    *out = e;
    e = NULL;
cleanup:
    autocorr_correlator_destroy(e);
    return status;
}

penta_status autocorr_correlator_run(autocorr_correlator *c, size_t frames, penta_buffer *a, penta_buffer *b,
                                     penta_buffer *out)
{
    return c->engine->run(c->state, frames, a, b, out);
}

penta_status autocorr_correlator_verify(autocorr_correlator *c)
{
    return c->engine->verify ? c->engine->verify(c->state) : PENTA_OK;
}

void autocorr_correlator_destroy(autocorr_correlator *c)
{
    if (!c)
        return;
    if (c->state)
        c->engine->destroy(c->state);
    free(c);
}

const char *autocorr_correlator_method(const autocorr_correlator *c)
{
    return c->engine->name;
}

const char *autocorr_correlator_fft(const autocorr_correlator *c)
{
    return c->engine->backend ? penta_fft_backend_name(c->engine->backend(c->state)) : NULL;
}

static void tell_method(const autocorr_correlator *e, const char *of)
{
    const method_choice *c = &e->choice;
    bool direct = c->method == PENTA_AUTOCORR_TILED;
    char text[64];

    snprintf(text, sizeof text, "%s%s", e->engine->name, of);
    switch (c->by) {
    case BY_OPTION:
        penta_chose(e->ctx, "method", text, "option `method`");
        break;
    case BY_TIME:
        penta_chose(e->ctx, "method", text, "least estimated time a frame: %.3g ms; %s %.3g ms",
                    1e3 * (direct ? c->direct : c->transform), direct ? c->transforms : autocorr_tiled.name,
                    1e3 * (direct ? c->transform : c->direct));
        break;
    case BY_PRECISION:
        penta_chose(e->ctx, "method", text, "the device has no double precision, which an exact FFT needs, and %s",
                    e->fft == PENTA_FFT_AUTO ? "the frames are too large for ntt"
                                             : "option `fft` leaves no room for ntt");
        break;
    default:
        penta_chose(e->ctx, "method", text, "%s", e->refusal);
    }
}

void autocorr_correlator_tell(const autocorr_correlator *e, const char *of)
{
    char text[64];

    tell_method(e, of);
    if (e->engine == &autocorr_spectral)
        penta_fft_tell(e->ctx, e->fft, of);
    if (e->engine == &autocorr_spectral_simd) {
        snprintf(text, sizeof text, "%s%s", penta_fft_backend_name(PENTA_FFT_SIMD), of);
        penta_chose(e->ctx, "FFT", text, "%s", e->fft == PENTA_FFT_SIMD ? "option `fft`" : "the device is a CPU");
    }
}

size_t autocorr_correlator_bytes(penta_context *ctx, const autocorr_shape *s, enum penta_autocorr_method method,
                                 enum penta_fft_backend fft)
{
    size_t image = s->width * s->height, window = autocorr_rows(s) * autocorr_columns(s) * 8;
    size_t nx = penta_fft_good_size(s->width + s->max_offset), ny = penta_fft_good_size(s->height + s->max_offset);
    size_t slots = (s->cross ? 2 : 1) * (s->type == PENTA_U16 ? 2 : 1) + (s->type == PENTA_U16 && !s->cross ? 1 : 0);
    size_t real = s->single || s->type == PENTA_F32 ? 4 : 8;

    if (choose(ctx, s, method, fft).method == PENTA_AUTOCORR_FFT)
        return slots * (nx + 2) * ny * real + 2 * window;
    return image * 8 + 4 * window;
}
