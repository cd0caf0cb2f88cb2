/* Contrast stretch from percentiles to black and white, and conversion to the output type. Kernel:
 * cl/prepare/contrast.cl. */
#include <math.h>
#include <stdio.h>

#include "prepare/stages.h"

enum { CPU_EACH = 4096, GPU_EACH = 4 }; /* pixels per work-item, as in the kernel */

struct prepare_contrast {
    penta_resources *own; /* of the plan */
    const prepare_shape *shape;
    double most; /* white in the output */
    double step; /* grey levels per histogram bin */
    prepare_histogram histogram;
    penta_kernel convert;
    penta_buffer range; /* float2 per frame: (0, step) */
    penta_buffer bins;
    penta_buffer low, high; /* float per frame: the percentiles */
    penta_buffer limit;     /* float2 per frame: (low, scale), as in the kernel */
    float *host;            /* 2 per frame */
};

static penta_status get_kernel(prepare_contrast *c, penta_type to)
{
    const char *out = to == PENTA_U8 ? "uchar -DINTEGER" : to == PENTA_U16 ? "ushort -DINTEGER" : "float";
    char defines[64];

    snprintf(defines, sizeof defines, "-DOUT=%s%s", out, c->shape->settings->has_contrast ? " -DUNIT" : "");
    return penta_kernel_get(c->own, "prepare/contrast.cl", "prepare_contrast", defines, &c->convert);
}

/* Creates the histogram and the buffers that percentiles need. */
static penta_status make_histogram(prepare_contrast *c)
{
    penta_status status = PENTA_OK;
    size_t n = c->shape->batch;

    TRY(prepare_histogram_create(c->own, c->shape, &c->histogram));
    TRY(penta_buffer_create(c->own, n * 2 * sizeof *c->host, &c->range));
    TRY(penta_buffer_create(c->own, n * PREPARE_BINS * sizeof(uint32_t), &c->bins));
    TRY(penta_buffer_create(c->own, n * sizeof *c->host, &c->low));
    TRY(penta_buffer_create(c->own, n * sizeof *c->host, &c->high));
    for (size_t i = 0; i < n; i++) {
        c->host[2 * i] = 0;
        c->host[2 * i + 1] = (float)c->step;
    }
    TRY(penta_buffer_write(&c->range, 0, c->host, n * 2 * sizeof *c->host));
cleanup:
    return status;
}

penta_status prepare_contrast_create(penta_resources *own, const prepare_shape *shape, penta_type to,
                                     prepare_contrast **out)
{
    penta_status status = PENTA_OK;
    prepare_contrast *c = NULL;

    TRY(penta_calloc(own, 1, sizeof **out, out));
    c = *out;
    c->own = own;
    c->shape = shape;
    c->most = to == PENTA_U8 ? UINT8_MAX : to == PENTA_U16 ? UINT16_MAX : 1;
    if (to == PENTA_F32 && !shape->settings->has_contrast)
        c->most = shape->settings->white; /* no stretch: keep grey levels */
    c->step = 1.5 * shape->settings->white / PREPARE_BINS;
    TRY(penta_calloc(own, shape->batch, 2 * sizeof *c->host, &c->host));
    TRY(get_kernel(c, to));
    TRY(penta_buffer_create(own, shape->batch * 2 * sizeof *c->host, &c->limit));
    if (shape->settings->has_contrast)
        TRY(make_histogram(c));
cleanup:
    return status;
}

/* Finds the percentiles of n frames; waits. */
static penta_status find_limits(prepare_contrast *c, size_t n, penta_buffer *image, penta_buffer *mask, double *limits)
{
    penta_status status = PENTA_OK;
    const double *percent = c->shape->settings->contrast;
    float *low = c->host, *high = c->host + n;

    TRY(prepare_histogram_run(&c->histogram, n, image, mask, &c->range, &c->bins));
    TRY(prepare_histogram_quantile(&c->histogram, n, &c->bins, &c->range, percent[0] / 100, &c->low));
    TRY(prepare_histogram_quantile(&c->histogram, n, &c->bins, &c->range, percent[1] / 100, &c->high));
    TRY(penta_buffer_read(&c->low, 0, low, n * sizeof *low));
    TRY(penta_buffer_read(&c->high, 0, high, n * sizeof *high));
    for (size_t i = 0; i < n; i++) {
        limits[2 * i] = low[i];
        limits[2 * i + 1] = high[i] > low[i] ? high[i] : low[i] + c->step;
    }
cleanup:
    return status;
}

/* Sends (low, scale) of each frame to the device. */
static penta_status send_limits(prepare_contrast *c, size_t n, const double *limits)
{
    bool stretched = c->shape->settings->has_contrast;

    for (size_t i = 0; i < n; i++) {
        double low = stretched ? limits[2 * i] : 0, high = stretched ? limits[2 * i + 1] : c->shape->settings->white;

        c->host[2 * i] = (float)low;
        c->host[2 * i + 1] = (float)(c->most / (high - low));
    }
    return penta_buffer_write(&c->limit, 0, c->host, n * 2 * sizeof *c->host);
}

penta_status prepare_contrast_run(prepare_contrast *c, prepare_batch *batch, penta_buffer *image, penta_buffer *mask,
                                  bool known, double *limits)
{
    penta_status status = PENTA_OK;
    size_t n = batch->count, pixels = c->shape->width * c->shape->height;
    size_t each = penta_is_cpu(c->own->ctx) ? CPU_EACH : GPU_EACH;
    penta_grid grid = penta_grid_2d((pixels + each - 1) / each, n);

    if (!c->shape->settings->has_contrast)
        for (size_t i = 0; i < 2 * n; i++)
            limits[i] = NAN;
    else if (!known)
        TRY(find_limits(c, n, image, mask, limits));
    TRY(send_limits(c, n, limits));
    TRY(penta_launch(&c->convert, prepare_rows(c->own->ctx, grid),
                     ARGS(image, (unsigned)pixels, &c->limit, &batch->out)));
cleanup:
    return status;
}
