/*
 * Sends raw frames to the device: crop (during the transfer), grey, dark and flat frames. Kernels: cl/prepare/load.cl.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "prepare/stages.h"

enum { SLOTS = 2, CPU_ITEM = 4096, GPU_ITEM = 4 }; /* pixels per work-item, as in the kernel */

/* Weights of R, G, B, indexed by enum penta_prepare_grey. Single channels need none. */
static const float weights[][3] = {
    [PENTA_PREPARE_LUMINANCE] = {0.299F, 0.587F, 0.114F},
    [PENTA_PREPARE_MEAN] = {1 / 3.0F, 1 / 3.0F, 1 / 3.0F},
    [PENTA_PREPARE_BLUE] = {0, 0, 0},
};

struct prepare_loader {
    penta_resources *own; /* of the plan */
    const prepare_shape *shape;
    penta_kernel load, count;
    penta_buffer raw[SLOTS]; /* raw frames, cropped */
    size_t sent[SLOTS];      /* frames in each slot; 0: free */
    size_t next_in, next_out;
    bool all_usable;         /* integer type and no calibration */
    penta_buffer dark, gain; /* float, height x width: I = (g - dark) gain; gain 0: not usable */
};

/* Gets a kernel for the plan's frames, with or without calibration. */
static penta_status get_kernel(prepare_loader *l, const char *name, bool calibrated, penta_kernel *out)
{
    static const char *const types[] = {
        [PENTA_U8] = "uchar", [PENTA_U16] = "ushort", [PENTA_F32] = "float", [PENTA_F64] = "double"};
    int grey = l->shape->settings->o.grey;
    bool bits = l->shape->type == PENTA_F64 && !penta_context_device(l->own->ctx)->fp64;
    char defines[128], only[24] = "";

    if (grey >= PENTA_PREPARE_RED)
        snprintf(only, sizeof only, " -DONLY=%d", grey - PENTA_PREPARE_RED);
    snprintf(defines, sizeof defines, "-DPIXEL=%s -DCHANNELS=%zu%s%s",
             bits ? "ulong -DDOUBLE_BITS" : types[l->shape->type], l->shape->channels, only,
             calibrated ? " -DCALIBRATED" : "");
    return penta_kernel_get(l->own->ctx, "prepare/load.cl", name, defines, out);
}

static size_t frame_pixels(const prepare_shape *s)
{
    return s->width * s->height;
}

static size_t row_bytes(const prepare_shape *s)
{
    return s->width * s->channels * penta_type_size(s->type);
}

penta_status prepare_loader_create(penta_resources *own, const prepare_shape *shape, prepare_loader **out)
{
    penta_status status = PENTA_OK;
    prepare_loader *l = NULL;

    TRY(penta_calloc(own, 1, sizeof **out, out));
    l = *out;
    l->own = own;
    l->shape = shape;
    l->all_usable = shape->type == PENTA_U8 || shape->type == PENTA_U16;
    TRY(penta_own_struct(own, &l->load, penta_kernel_release)); /* calibration replaces this kernel */
    TRY(penta_own_struct(own, &l->count, penta_kernel_release));
    TRY(get_kernel(l, "prepare_load", false, &l->load));
    TRY(get_kernel(l, "prepare_count_zeros", false, &l->count));
    for (int i = 0; i < SLOTS; i++)
        TRY(penta_buffer_create(own, shape->batch * shape->height * row_bytes(shape), &l->raw[i]));
    TRY(penta_buffer_create(own, 0, &l->dark));
    TRY(penta_buffer_create(own, 0, &l->gain));
cleanup:
    return status;
}

/* ---- dark and flat frames ---- */

/* Index in a raw frame of pixel i of the crop. */
static size_t place(const prepare_shape *s, size_t i)
{
    const prepare_settings *o = s->settings;

    return (o->crop_y + i / s->width) * s->in_width + o->crop_x + i % s->width;
}

static double light(const prepare_shape *s, const float *dark, const float *flat, size_t i)
{
    size_t at = place(s, i);

    return (double)flat[at] - (dark ? (double)dark[at] : 0);
}

/* Mean of flat - dark over the finite pixels of the crop; NaN if there are none. */
static double mean_light(const prepare_shape *s, const float *dark, const float *flat)
{
    double sum = 0, count = 0;

    for (size_t i = 0; i < frame_pixels(s); i++) {
        double v = light(s, dark, flat, i);

        if (isfinite(v)) {
            sum += v;
            count++;
        }
    }
    return sum / count;
}

static penta_status fill_calibration(prepare_loader *l, const float *dark, const float *flat, float *out_dark,
                                     float *gain)
{
    const prepare_shape *s = l->shape;
    double mean = flat ? mean_light(s, dark, flat) : 1;

    if (!(mean > 0 && isfinite(mean)))
        return penta_fail(l->own->ctx, PENTA_INVALID,
                          "the flat frame has no light: its mean, the dark frame off, is %g", mean);
    for (size_t i = 0; i < frame_pixels(s); i++) {
        double v = flat ? light(s, dark, flat, i) : 1;

        out_dark[i] = dark ? dark[place(s, i)] : 0;
        gain[i] = v >= mean / 20 && isfinite(v) && isfinite(out_dark[i]) ? (float)(mean / v) : 0;
    }
    return PENTA_OK;
}

penta_status prepare_loader_calibrate(prepare_loader *l, const float *dark, const float *flat)
{
    penta_status status = PENTA_OK;
    size_t pixels = frame_pixels(l->shape);
    float *host = NULL;
    penta_kernel kernel = {0};
    penta_buffer on_device[2] = {{0}};

    TRY(penta_calloc(l->own->ctx, pixels, 2 * sizeof *host, &host));
    TRY(fill_calibration(l, dark, flat, host, host + pixels));
    for (int i = 0; i < 2; i++)
        TRY(penta_buffer_upload(l->own->ctx, host + (size_t)i * pixels, pixels * sizeof *host, &on_device[i]));
    TRY(get_kernel(l, "prepare_load", true, &kernel));
    penta_kernel_release(&l->load);
    penta_buffer_release(&l->dark);
    penta_buffer_release(&l->gain);
    l->load = kernel;
    l->dark = on_device[0];
    l->gain = on_device[1];
    l->all_usable = false;
    kernel = (penta_kernel){0};
    on_device[0] = on_device[1] = (penta_buffer){0};
cleanup:
    penta_kernel_release(&kernel);
    penta_buffer_release(&on_device[0]);
    penta_buffer_release(&on_device[1]);
    free(host);
    return status;
}

/* ---- frames ---- */

penta_status prepare_loader_send(prepare_loader *l, size_t n, const void *const *images)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = l->shape;
    const prepare_settings *o = s->settings;
    size_t pixel = s->channels * penta_type_size(s->type), row = row_bytes(s), slot = l->next_in % SLOTS;

    if (n == 0 || n > s->batch || l->sent[slot])
        return penta_fail(l->own->ctx, PENTA_INTERNAL, "%zu frames sent where %zu fit and %zu wait", n, s->batch,
                          l->sent[slot]);
    for (size_t i = 0; i < n; i++)
        TRY(penta_buffer_write_rows(&l->raw[slot], i * s->height * row, row,
                                    (const char *)images[i] + (o->crop_y * s->in_width + o->crop_x) * pixel,
                                    s->in_width * pixel, row, s->height));
    l->sent[slot] = n;
    l->next_in++;
cleanup:
    return status;
}

static penta_status count_unusable(prepare_loader *l, prepare_batch *batch)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = l->shape;

    TRY(penta_buffer_zero(&batch->counts, 0, batch->count * 2 * sizeof(uint32_t)));
    if (!l->all_usable)
        TRY(penta_launch(&l->count, prepare_rows(l->own->ctx, penta_grid_2d(s->height, batch->count)),
                         ARGS(&batch->usable, (int)s->width, (int)s->height, &batch->counts)));
cleanup:
    return status;
}

penta_status prepare_loader_take(prepare_loader *l, prepare_batch *batch)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = l->shape;
    const float *c = weights[s->settings->o.grey];
    size_t slot = l->next_out % SLOTS, n = l->sent[slot], pixels = frame_pixels(s);
    size_t item = penta_is_cpu(l->own->ctx) ? CPU_ITEM : GPU_ITEM;

    if (!n)
        return penta_fail(l->own->ctx, PENTA_INTERNAL, "no frames were sent");
    batch->count = n;
    TRY(penta_launch(&l->load, prepare_rows(l->own->ctx, penta_grid_2d((pixels + item - 1) / item, n)),
                     ARGS(&l->raw[slot], &l->dark, &l->gain, (int)pixels, c[0], c[1], c[2], &batch->grey,
                          &batch->usable, &batch->mask)));
    TRY(count_unusable(l, batch));
    l->sent[slot] = 0;
    l->next_out++;
cleanup:
    return status;
}

void prepare_loader_forget(prepare_loader *l)
{
    for (int i = 0; i < SLOTS; i++)
        l->sent[i] = 0;
    l->next_in = l->next_out = 0;
}
