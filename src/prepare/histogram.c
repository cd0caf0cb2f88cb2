/* Histograms of frames on the device, and quantiles from them. Kernels: cl/prepare/histogram.cl. */
#include "prepare/prepare.h"

enum { CPU_PART = 65536, GPU_PART = 16384, GPU_GROUP = 256 }; /* as in the kernels */

penta_status prepare_histogram_create(penta_context *ctx, const prepare_shape *shape, bool magnitude,
                                      prepare_histogram *out)
{
    penta_status status = PENTA_OK;
    const char *file = "prepare/histogram.cl", *defines = magnitude ? "-DMAGNITUDE" : "";

    *out = (prepare_histogram){.shape = shape};
    TRY(penta_kernel_get(ctx, file, "prepare_histogram", defines, &out->count));
    TRY(penta_kernel_get(ctx, file, "prepare_quantile", defines, &out->quantile));
cleanup:
    return status;
}

penta_status prepare_histogram_run(prepare_histogram *h, size_t n, penta_buffer *image, penta_buffer *mask,
                                   penta_buffer *range, penta_buffer *bins)
{
    penta_status status = PENTA_OK;
    size_t pixels = h->shape->width * h->shape->height;
    penta_grid grid =
        penta_is_cpu(h->count.ctx)
            ? penta_grid_2d((pixels + CPU_PART - 1) / CPU_PART, n)
            : penta_grid_groups(penta_grid_2d((pixels + GPU_PART - 1) / GPU_PART * GPU_GROUP, n), GPU_GROUP, 1, 1);

    TRY(penta_buffer_zero(bins, 0, n * PREPARE_BINS * sizeof(uint32_t)));
    TRY(penta_launch(&h->count, grid, ARGS(image, mask, (unsigned)pixels, range, bins)));
cleanup:
    return status;
}

penta_status prepare_histogram_quantile(prepare_histogram *h, size_t n, penta_buffer *bins, penta_buffer *range,
                                        double q, penta_buffer *value)
{
    penta_grid grid =
        penta_is_cpu(h->count.ctx) ? penta_grid_1d(n) : penta_grid_groups(penta_grid_2d(GPU_GROUP, n), GPU_GROUP, 1, 1);

    return penta_launch(&h->quantile, grid, ARGS(bins, range, (float)q, value));
}

void prepare_histogram_release(prepare_histogram *h)
{
    penta_kernel_release(&h->count);
    penta_kernel_release(&h->quantile);
}
