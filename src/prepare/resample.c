/* Moves the content of frames back by their drift. Kernel: cl/prepare/resample.cl. */
#include <math.h>
#include <stdio.h>

#include "prepare/stages.h"

typedef struct { /* per frame; same layout as in the kernel */
    int32_t whole_x, whole_y;
    float part_x, part_y;
    float stretch, sine;
} movement;

struct prepare_resampler {
    penta_resources *own; /* of the plan */
    const prepare_shape *shape;
    penta_kernel resample;
    penta_buffer movements;
    movement *host;
};

static const int taps_of[] = {[PENTA_PREPARE_CUBIC] = 4, [PENTA_PREPARE_LINEAR] = 2, [PENTA_PREPARE_NEAREST] = 1};

penta_status prepare_resampler_create(penta_resources *own, const prepare_shape *shape, prepare_resampler **out)
{
    penta_status status = PENTA_OK;
    prepare_resampler *r = NULL;
    char defines[24];

    TRY(penta_calloc(own, 1, sizeof **out, out));
    r = *out;
    r->own = own;
    r->shape = shape;
    snprintf(defines, sizeof defines, "-DTAPS=%d", taps_of[shape->settings->o.interpolation]);
    TRY(penta_kernel_get(own, "prepare/resample.cl", "prepare_resample", defines, &r->resample));
    TRY(penta_calloc(own, shape->batch, sizeof *r->host, &r->host));
    TRY(penta_buffer_create(own, shape->batch * sizeof *r->host, &r->movements));
cleanup:
    return status;
}

/* Splits a drift into whole pixels and the rest, *part. Clamps drifts beyond any frame: they leave nothing in it. */
static int32_t split(double d, float *part)
{
    const double most = 1 << 29;
    double whole = floor(fmin(fmax(d, -most), most));

    *part = (float)(fmin(fmax(d, -most), most) - whole);
    return (int32_t)whole;
}

static movement movement_of(const penta_drift *drift)
{
    const double degree = 3.14159265358979323846 / 180;
    double half = sin(drift->angle * degree / 2);
    movement m = {.stretch = (float)(-2 * half * half), .sine = (float)sin(drift->angle * degree)};

    m.whole_x = split(drift->dx, &m.part_x);
    m.whole_y = split(drift->dy, &m.part_y);
    return m;
}

penta_status prepare_resampler_run(prepare_resampler *r, prepare_batch *batch, const penta_drift *drift)
{
    penta_status status = PENTA_OK;
    const prepare_shape *s = r->shape;

    for (size_t i = 0; i < batch->count; i++)
        r->host[i] = movement_of(&drift[i]);
    TRY(penta_buffer_write(&r->movements, 0, r->host, batch->count * sizeof *r->host));
    TRY(penta_launch(&r->resample, prepare_grid(r->own->ctx, s->width, s->height, batch->count),
                     ARGS(&batch->flat, &batch->mask, (int)s->width, (int)s->height, &r->movements, &batch->moved,
                          &batch->moved_mask)));
cleanup:
    return status;
}
