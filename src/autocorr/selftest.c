/* The known answer: exact correlation sums of a small integer image, computed here directly by the formula. */
#include <pentacl/spinodal.h>

#include <stdlib.h>

#include "autocorr/settings.h"

enum { WIDTH = 61, HEIGHT = 47, R = 15, SIDE = 2 * R + 1 };

static void make_image(uint8_t *image)
{
    uint32_t state = 12345;

    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        state = state * 1664525u + 1013904223u;
        image[i] = (uint8_t)(state >> 24);
    }
}

static int64_t expected_at(const uint8_t *image, int X, int Y)
{
    int64_t sum = 0;

    for (int y = Y < 0 ? -Y : 0; y < HEIGHT && y + Y < HEIGHT; y++)
        for (int x = X < 0 ? -X : 0; x < WIDTH && x + X < WIDTH; x++)
            sum += (int64_t)image[y * WIDTH + x] * image[(y + Y) * WIDTH + x + X];
    return sum;
}

static penta_status compare(penta_context *ctx, const uint8_t *image, const penta_autocorr_result *result)
{
    for (int Y = -R; Y <= R; Y++)
        for (int X = -R; X <= R; X++) {
            int64_t got = result->numerators[(Y + R) * SIDE + X + R], want = expected_at(image, X, Y);

            if (got != want)
                return penta_fail(ctx, PENTA_INTERNAL, "method %s: N(%d,%d) is %lld, not %lld", result->method, X, Y,
                                  (long long)got, (long long)want);
        }
    return PENTA_OK;
}

static penta_status run_method(penta_context *ctx, int method, const uint8_t *image, int64_t *numerators)
{
    penta_status status = PENTA_OK;
    penta_autocorr *plan = NULL;
    penta_autocorr_options options;
    penta_autocorr_frame frame = {.image = image};
    penta_autocorr_result result = {.numerators = numerators};

    penta_autocorr_options_init(&options);
    options.max_offset = R;
    options.method = method;
    TRY(penta_autocorr_create(ctx, WIDTH, HEIGHT, PENTA_U8, &options, &plan));
    TRY(penta_autocorr_run(plan, 1, &frame, &result));
    TRY(compare(ctx, image, &result));
cleanup:
    penta_autocorr_destroy(plan);
    return status;
}

static penta_status selftest(penta_context *ctx)
{
    penta_status status = PENTA_OK;
    uint8_t *image = NULL;
    int64_t *numerators = NULL;

    TRY(penta_calloc(ctx, WIDTH * HEIGHT, 1, &image));
    TRY(penta_calloc(ctx, SIDE * SIDE, sizeof *numerators, &numerators));
    make_image(image);
    for (int method = PENTA_AUTOCORR_NAIVE; method <= PENTA_AUTOCORR_NTT; method++)
        if (method != PENTA_AUTOCORR_FFT || penta_context_device(ctx)->fp64)
            TRY(run_method(ctx, method, image, numerators));
cleanup:
    free(image);
    free(numerators);
    return status;
}

/* In cl/autocorr/usual.cl. */
static const penta_program_name usual[] = {{"autocorr/moments.cl", NULL},
                                           {"autocorr/overlaps.cl", NULL},
                                           {"autocorr/finish.cl", NULL},
                                           {"autocorr/whole.cl", NULL},
                                           {NULL, NULL}};

const penta_workload penta_autocorr_workload = {
    .name = "autocorr",
    .summary = "spatial autocorrelation of images and the growth of their length scale",
    .selftest = selftest,
    .presets = penta_autocorr_presets,
    .tables = {PENTA_WORKLOAD_OPTIONS(autocorr), PENTA_WORKLOAD_OPTIONS(spinodal)},
    .usual = usual,
};
