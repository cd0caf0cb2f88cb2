/*
 * Finds blank frames, which have nothing to register: all unmasked pixels are equal, either now or before the dark and
 * flat frames were applied. Kernel: cl/prepare/blank.cl.
 */
#include <stdlib.h>
#include <string.h>

#include "prepare/stages.h"

struct prepare_blank {
    const prepare_shape *shape;
    penta_kernel kernel;
    penta_buffer unlike; /* uint per frame: 1 if neighbouring pixels differ */
    uint32_t *host;      /* host copy of unlike */
};

penta_status prepare_blank_create(penta_resources *own, const prepare_shape *shape, prepare_blank **out)
{
    penta_status status = PENTA_OK;
    prepare_blank *b = NULL;

    TRY(penta_calloc(own, 1, sizeof **out, out));
    b = *out;
    b->shape = shape;
    TRY(penta_kernel_get(own, "prepare/blank.cl", "prepare_find_unlike", "", &b->kernel));
    TRY(penta_buffer_create(own, shape->batch * sizeof *b->host, &b->unlike));
    TRY(penta_calloc(own, shape->batch, sizeof *b->host, &b->host));
cleanup:
    return status;
}

/* Whether all pixels of the crop of a raw frame have the same bytes. */
static bool is_plain(const prepare_shape *s, const void *image)
{
    size_t pixel = s->channels * penta_type_size(s->type), row = s->width * pixel, stride = s->in_width * pixel;
    const char *first = (const char *)image + s->settings->crop_y * stride + s->settings->crop_x * pixel;

    if (memcmp(first, first + pixel, row - pixel) != 0)
        return false;
    for (size_t y = 1; y < s->height; y++)
        if (memcmp(first, first + y * stride, row) != 0)
            return false;
    return true;
}

/* The host looks, at a copy of a frame in device memory. */
static penta_status look_at(const prepare_blank *b, const void *image, bool *plain)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = b->unlike.ctx;
    const prepare_shape *s = b->shape;
    size_t bytes = s->in_width * s->in_height * s->channels * penta_type_size(s->type);
    const void *view;
    void *copy = NULL;

    TRY(penta_host_view(ctx, image, bytes, &view, &copy));
    *plain = is_plain(s, view);
cleanup:
    free(copy);
    return status;
}

penta_status prepare_blank_run(prepare_blank *b, prepare_batch *batch, const penta_prepare_frame *frames, bool *blank)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = b->shape;

    TRY(penta_buffer_zero(&b->unlike, 0, batch->count * sizeof *b->host));
    TRY(penta_launch(&b->kernel, prepare_rows(b->kernel.ctx, penta_grid_2d(s->height, batch->count)),
                     ARGS(&batch->grey, &batch->mask, (int)s->width, (int)s->height, &b->unlike)));
    TRY(penta_buffer_read(&b->unlike, 0, b->host, batch->count * sizeof *b->host));
    for (size_t i = 0; i < batch->count; i++) {
        blank[i] = !b->host[i];
        if (!blank[i])
            TRY(look_at(b, frames[i].image, &blank[i]));
    }
cleanup:
    return status;
}
