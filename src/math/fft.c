/* The interface between workloads and FFT libraries. */
#include <stdio.h>
#include <stdlib.h>

#include "core/internal.h"
#include "math/fft.h"
#include "math/fft_backend.h"

struct penta_fft {
    penta_context *ctx;
    const penta_fft_driver *driver;
    enum penta_fft_backend backend;
    size_t bytes, batch;
    bool parts;
    void *state, *single; /* single: a transform, where the backend cannot do parts of a batch */
};

const char *penta_fft_backend_name(enum penta_fft_backend backend)
{
    static const char *const names[] = {"auto", "clfft", "vkfft", "simd"};

    return backend <= PENTA_FFT_SIMD ? names[backend] : "?";
}

static penta_status check_shape(penta_context *ctx, const penta_fft_shape *s)
{
    bool hints = s->zero_to > s->zero_from || s->drop_to > s->drop_from;

    if ((s->wants == PENTA_FFT_PARTS && s->rank != 2) || s->rank < 1 || s->rank > 2 || s->nx == 0 || s->ny == 0 ||
        s->batch == 0 || (s->rank == 1 && s->ny != 1) || (hints && (s->rank != 2 || !s->real)) || s->zero_to > s->ny ||
        s->drop_to > s->ny)
        return penta_fail(ctx, PENTA_INTERNAL, "FFT shape %zu x %zu, rank %u, batch %zu", s->nx, s->ny, s->rank,
                          s->batch);
    if (s->dbl && !ctx->info.fp64)
        return penta_fail(ctx, PENTA_UNSUPPORTED, "%s has no double precision; use `precision` single", ctx->info.name);
    return PENTA_OK;
}

static penta_status create_states(penta_fft *fft, const penta_fft_shape *shape)
{
    penta_status status = PENTA_OK;
    penta_fft_shape one = *shape;

    TRY(fft->driver->create(fft->ctx, shape, &fft->state));
    one.batch = 1;
    if (shape->wants == PENTA_FFT_PARTS && shape->batch > 1 && !fft->driver->parts)
        TRY(fft->driver->create(fft->ctx, &one, &fft->single));
cleanup:
    return status;
}

/* Which backend is taken, for a shape or, if it is NULL, for most. */
static enum penta_fft_backend choose(enum penta_fft_backend backend, const penta_fft_shape *shape)
{
    if (backend == PENTA_FFT_SIMD && (!shape || penta_fft_simd_takes(shape)))
        return PENTA_FFT_SIMD;
    return backend == PENTA_FFT_CLFFT ? PENTA_FFT_CLFFT : PENTA_FFT_VKFFT;
}

static const penta_fft_driver *driver_of(enum penta_fft_backend backend)
{
    return backend == PENTA_FFT_SIMD    ? &penta_fft_simd
           : backend == PENTA_FFT_CLFFT ? &penta_fft_clfft
                                        : &penta_fft_vkfft;
}

void penta_fft_tell(penta_context *ctx, enum penta_fft_backend backend, const char *of)
{
    char text[64];

    snprintf(text, sizeof text, "%s%s", penta_fft_backend_name(choose(backend, NULL)), of);
    penta_chose(ctx, "FFT", text, "%s",
                backend == PENTA_FFT_AUTO   ? "it was at least twice as fast as clfft, on an H200 and with PoCL"
                : backend == PENTA_FFT_SIMD ? "the device is a CPU"
                                            : "option `fft`");
}

penta_status penta_fft_create(penta_context *ctx, enum penta_fft_backend backend, const penta_fft_shape *shape,
                              penta_fft **out)
{
    penta_status status = PENTA_OK;
    penta_fft *fft = NULL;
    void *locale = penta_c_locale_enter(); /* the backends write numbers into their kernels */

    *out = NULL;
    TRY(check_shape(ctx, shape));
    TRY(penta_calloc(ctx, 1, sizeof *fft, &fft));
    fft->ctx = ctx;
    fft->backend = choose(backend, shape);
    fft->driver = driver_of(fft->backend);
    fft->batch = shape->batch;
    fft->parts = shape->wants == PENTA_FFT_PARTS;
    TRY(penta_fft_bytes(ctx, shape, &fft->bytes));
    penta_building_begin(ctx, penta_fft_backend_name(fft->backend));
    status = create_states(fft, shape);
    penta_building_end(ctx);
    TRY(status);
    *out = fft;
    fft = NULL;
cleanup:
    penta_fft_destroy(fft);
    penta_c_locale_leave(locale);
    return status;
}

static penta_status execute(penta_fft *fft, penta_buffer *data, bool inverse, size_t count)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = fft->ctx;
    bool single = fft->single && count == 1;
    size_t needed = fft->bytes / fft->batch * (fft->driver->parts || single ? count : fft->batch);
    cl_event begin = NULL;

    if (count == 0 || count > fft->batch || (count < fft->batch && !fft->parts) || data->bytes < needed)
        return penta_fail(ctx, PENTA_INTERNAL, "FFT over %zu bytes, %zu of %zu, in a buffer of %zu", needed, count,
                          fft->batch, data->bytes);
    if (!fft->driver->forward_name)
        return fft->driver->execute(ctx, fft->state, data, inverse, count);
    TRY(penta_foreign_begin(ctx, &data, 1, &begin));
    status = fft->driver->execute(ctx, single ? fft->single : fft->state, data, inverse, count);
    if (status != PENTA_OK) {
        penta_trace("FFT backend", __FILE__, __LINE__);
        clReleaseEvent(begin);
        goto cleanup;
    }
    TRY(penta_foreign_end(ctx, &data, 1, inverse ? fft->driver->inverse_name : fft->driver->forward_name, begin));
cleanup:
    return status;
}

penta_status penta_fft_forward(penta_fft *fft, penta_buffer *data)
{
    return execute(fft, data, false, fft->batch);
}

penta_status penta_fft_inverse(penta_fft *fft, penta_buffer *data)
{
    return execute(fft, data, true, fft->batch);
}

penta_status penta_fft_forward_first(penta_fft *fft, penta_buffer *data, size_t count)
{
    return execute(fft, data, false, count);
}

penta_status penta_fft_inverse_first(penta_fft *fft, penta_buffer *data, size_t count)
{
    return execute(fft, data, true, count);
}

void penta_fft_destroy(penta_fft *fft)
{
    if (!fft)
        return;
    if (fft->state)
        fft->driver->destroy(fft->state);
    if (fft->single)
        fft->driver->destroy(fft->single);
    free(fft);
}

bool penta_fft_reads_zeros(const penta_fft *fft)
{
    return fft->backend != PENTA_FFT_VKFFT;
}

enum penta_fft_backend penta_fft_backend_of(const penta_fft *fft)
{
    return fft->backend;
}
