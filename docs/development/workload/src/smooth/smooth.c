/* out(x,y) = mean of in over |dx|, |dy| <= radius. Kernel: cl/smooth/smooth.cl. */
#include <pentacl/smooth.h>

#include <stdint.h>
#include <stdlib.h>

#include "core/core.h"

static const penta_option option_rows[] = {
    PENTA_INT_OPTION(penta_smooth_options, radius, 'r', 1, 0, 50, "px", "the window is 2 r + 1 pixels wide and high"),
    PENTA_CHOICE_OPTION(penta_smooth_options, border, 0, "shrink,zero",
                        "what lies beyond the image: nothing, or zeros"),
    PENTA_OPTIONS_END};

const penta_option *penta_smooth_option_table(void)
{
    return option_rows;
}

struct penta_smooth {
    penta_resources resources; /* owns the kernel and the buffers; its context is borrowed and outlives the plan */
    size_t width, height;
    penta_smooth_options options;
    penta_kernel mean;
    penta_buffer in, out;
};

static penta_status check_size(penta_context *ctx, size_t width, size_t height)
{
    size_t pixels;

    if (width == 0 || height == 0)
        return penta_fail(ctx, PENTA_INVALID, "the image is empty (%zu x %zu)", width, height);
    if (__builtin_mul_overflow(width, height, &pixels) || pixels > INT32_MAX)
        return penta_fail(ctx, PENTA_INVALID, "a %zu x %zu image has more than 2^31 - 1 pixels; tile it", width,
                          height);
    return PENTA_OK;
}

/* Every rule of sizes and options; a context only takes the text of a failure. */
static penta_status resolve(penta_context *ctx, size_t width, size_t height, const penta_smooth_options *opt,
                            penta_smooth_options *out)
{
    penta_status status = PENTA_OK;

    TRY(check_size(ctx, width, height));
    TRY(penta_options_resolve(ctx, option_rows, opt, out, sizeof *out));
cleanup:
    return status;
}

penta_status penta_smooth_check(size_t width, size_t height, const penta_smooth_options *opt, char *message,
                                size_t bytes)
{
    penta_smooth_options resolved;

    return penta_check_result(resolve(NULL, width, height, opt, &resolved), message, bytes);
}

penta_status penta_smooth_create(penta_context *ctx, size_t width, size_t height, const penta_smooth_options *opt,
                                 penta_smooth **out)
{
    penta_status status = PENTA_OK;
    penta_smooth *plan = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &plan));
    plan->width = width;
    plan->height = height;
    TRY(resolve(ctx, width, height, opt, &plan->options));
    TRY(penta_kernel_get(&plan->resources, "smooth/smooth.cl", "smooth_mean", "", &plan->mean));
    TRY(penta_buffer_create(&plan->resources, width * height * sizeof(float), &plan->in));
    TRY(penta_buffer_create(&plan->resources, width * height * sizeof(float), &plan->out));
    *out = plan;
    plan = NULL;
cleanup:
    penta_smooth_destroy(plan);
    return status;
}

penta_status penta_smooth_run(penta_smooth *plan, const float *in, float *out)
{
    penta_status status = PENTA_OK;
    size_t bytes = plan->width * plan->height * sizeof *in;
    penta_grid grid =
        penta_is_cpu(plan->resources.ctx) ? penta_grid_1d(plan->height) : penta_grid_2d(plan->width, plan->height);

    TRY(penta_buffer_write(&plan->in, 0, in, bytes));
    TRY(penta_launch(
        &plan->mean, grid,
        ARGS(&plan->in, (int)plan->width, (int)plan->height, plan->options.radius, plan->options.border, &plan->out)));
    TRY(penta_buffer_read(&plan->out, 0, out, bytes));
cleanup:
    return status;
}

void penta_smooth_destroy(penta_smooth *plan)
{
    penta_plan_free(plan);
}

/* ---- known answer: a spike of 9 becomes a square of ones ---- */

static penta_status compare(penta_context *ctx, const float *got)
{
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++) {
            float want = abs(x - 2) <= 1 && abs(y - 2) <= 1 ? 1 : 0;

            if (!(got[5 * y + x] >= want && got[5 * y + x] <= want)) /* NaN fails too */
                return penta_fail(ctx, PENTA_INTERNAL, "pixel (%d,%d) is %g, not %g", x, y, (double)got[5 * y + x],
                                  (double)want);
        }
    return PENTA_OK;
}

static penta_status selftest(penta_context *ctx)
{
    penta_status status = PENTA_OK;
    penta_smooth *plan = NULL;
    float image[25] = {[12] = 9};

    TRY(penta_smooth_create(ctx, 5, 5, NULL, &plan));
    TRY(penta_smooth_run(plan, image, image));
    TRY(compare(ctx, image));
cleanup:
    penta_smooth_destroy(plan);
    return status;
}

const penta_workload penta_smooth_workload = {
    .name = "smooth",
    .summary = "mean of the pixels around each pixel",
    .selftest = selftest,
    .tables = {PENTA_WORKLOAD_OPTIONS(smooth)},
};
