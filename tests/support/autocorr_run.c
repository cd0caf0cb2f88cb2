#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/internal.h"
#include "support/autocorr_run.h"
#include "support/device.h"

const autocorr_variant autocorr_variants[AUTOCORR_VARIANTS] = {
    {PENTA_AUTOCORR_NAIVE, PENTA_FFT_AUTO}, {PENTA_AUTOCORR_LINES, PENTA_FFT_AUTO},
    {PENTA_AUTOCORR_TILED, PENTA_FFT_AUTO}, {PENTA_AUTOCORR_FFT, PENTA_FFT_SIMD},
    {PENTA_AUTOCORR_FFT, PENTA_FFT_VKFFT},  {PENTA_AUTOCORR_FFT, PENTA_FFT_CLFFT},
    {PENTA_AUTOCORR_NTT, PENTA_FFT_AUTO},
};

const char *autocorr_variant_name(autocorr_variant v)
{
    static const char *const methods[] = {"auto", "naive", "lines", "tiled", "fft", "ntt"};
    static char text[32];

    snprintf(text, sizeof text, "%s %s", methods[v.method],
             v.method == PENTA_AUTOCORR_FFT ? penta_fft_backend_name((enum penta_fft_backend)v.fft) : "");
    return text;
}

bool autocorr_variant_runs(penta_context *ctx, autocorr_variant v)
{
    return v.fft != PENTA_FFT_SIMD || penta_is_cpu(ctx);
}

penta_autocorr_options autocorr_case_options(const reference_autocorr *c, autocorr_variant v)
{
    penta_autocorr_options options;

    penta_autocorr_options_init(&options);
    options.max_offset = (int)c->max_offset;
    options.estimator = c->estimator;
    options.demean = c->demean;
    options.method = v.method;
    options.fft = v.fft;
    options.bootstrap = 0;
    return options;
}

penta_autocorr_result autocorr_arrays(size_t max_offset, bool numerators)
{
    size_t side = 2 * max_offset + 1;
    penta_autocorr_result r = {.c2d = must_calloc(side * side, sizeof *r.c2d),
                               .c1d = must_calloc(max_offset + 1, sizeof *r.c1d)};

    if (numerators)
        r.numerators = must_calloc(side * side, sizeof *r.numerators);
    return r;
}

void autocorr_arrays_free(penta_autocorr_result *result)
{
    free(result->c2d);
    free(result->c1d);
    free(result->numerators);
    *result = (penta_autocorr_result){0};
}

void autocorr_run_case(penta_context *ctx, const reference_autocorr *c, const penta_autocorr_options *options,
                       penta_autocorr_result *result)
{
    penta_autocorr *plan = NULL;
    penta_autocorr_frame frame = {c->image, c->with, c->mask};

    EXPECT_OK(ctx, penta_autocorr_create(ctx, c->width, c->height, c->type, options, &plan));
    EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &frame, result));
    penta_autocorr_destroy(plan);
}
