/* Histograms of frames on the device, and quantiles from them. Kernels: cl/prepare/histogram.cl. */
#include "prepare/stages.h"

enum { CPU_PART = 65536, GPU_PART = 16384, GPU_GROUP = 256 }; /* as in the kernels */

penta_status prepare_histogram_create(penta_resources *own, const prepare_shape *shape, prepare_histogram *out)
{
    penta_status status = PENTA_OK;
    const char *file = "prepare/histogram.cl";

    *out = (prepare_histogram){.shape = shape};
    TRY(penta_kernel_get(own, file, "prepare_histogram", "", &out->count));
    TRY(penta_kernel_get(own, file, "prepare_quantile", "", &out->quantile));
cleanup:
    return status;
}

/* Grid of n frames with `parts` parts each: one work-group per part on GPUs, one work-item on CPUs. */
static penta_grid parts_of(const prepare_histogram *h, size_t parts, size_t n)
{
    size_t group = penta_is_cpu(h->count.ctx) ? 1 : GPU_GROUP;

    return penta_grid_groups(penta_grid_2d(parts * group, n), group, 1, 1);
}

penta_status prepare_histogram_run(prepare_histogram *h, size_t n, penta_buffer *image, penta_buffer *mask,
                                   penta_buffer *range, penta_buffer *bins)
{
    penta_status status = PENTA_OK;
    size_t pixels = h->shape->width * h->shape->height, part = penta_is_cpu(h->count.ctx) ? CPU_PART : GPU_PART;

    TRY(penta_buffer_zero(bins, 0, n * PREPARE_BINS * sizeof(uint32_t)));
    TRY(penta_launch(&h->count, parts_of(h, (pixels + part - 1) / part, n),
                     ARGS(image, mask, (unsigned)pixels, range, bins)));
cleanup:
    return status;
}

penta_status prepare_histogram_quantile(prepare_histogram *h, size_t n, penta_buffer *bins, penta_buffer *range,
                                        double q, penta_buffer *value)
{
    return penta_launch(&h->quantile, parts_of(h, 1, n), ARGS(bins, range, (float)q, value));
}
