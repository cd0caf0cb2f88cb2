/* t0 of every pixel and neighbour from correlations at the camera's rate. fast_shifts.h has the formulas. */
#include <math.h>
#include <stdio.h>

#include "optmap/fast_shifts.h"

enum { DEFINES = 1024 };

struct optmap_shifter {
    penta_resources resources;
    optmap_shape shape;
    const shift_engine *engine;
    void *state;
    shift_sizes size;
    size_t length, stride; /* M; floats per row of a spectrum */
    shift_band band;
    penta_kernel ends, fill;
};

static const shift_engine *engine_of(penta_context *ctx, const optmap_shape *shape)
{
    if (shift_is_direct(shape->filter, shape->frames))
        return &shift_direct;
    return penta_is_cpu(ctx) ? &shift_cpu : &shift_gpu;
}

/* Work-items per group. */
static size_t group_of(const penta_context *ctx)
{
    return penta_is_cpu(ctx) ? 1 : SHIFT_GROUP;
}

/* Bytes of a double in buffers that only devices with double precision need. */
static size_t double_bytes(const penta_context *ctx)
{
    return penta_context_device(ctx)->fp64 ? sizeof(double) : 0;
}

/* Bytes per pixel of the buffers that every engine needs. */
static uint64_t pixel_bytes(const penta_context *ctx, const optmap_shape *shape, const shift_sizes *z)
{
    return (shape->pitch + 2 * SHIFT_PAD) * (sizeof(float) + double_bytes(ctx)) + z->single * sizeof(float) +
           z->dbl * double_bytes(ctx) + 4 * sizeof(float);
}

uint64_t optmap_shifter_memory(penta_context *ctx, const optmap_shape *shape, size_t rows)
{
    shift_sizes z = shift_sizes_of(shape->filter);
    uint64_t pixels = (uint64_t)rows * shape->width;

    return pixels * pixel_bytes(ctx, shape, &z) + engine_of(ctx, shape)->memory(ctx, shape, rows);
}

static penta_status upload_tables(optmap_shifter *s, const shift_tables *t)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_upload(&s->resources, t->single, shift_single(&t->size) * sizeof *t->single,
                            &s->band.taps_single));
    TRY(penta_upload_reals(&s->resources, t->dbl, shift_dbl(&t->size), &s->band.taps_dbl));
    TRY(penta_upload_reals(&s->resources, t->filter, 2 * (t->filter_pad + (size_t)t->size.half) + 1, &s->band.filter));
    TRY(penta_buffer_upload(&s->resources, t->margin, (t->length / 2 + 1) * sizeof *t->margin, &s->band.margin));
    TRY(penta_buffer_create(&s->resources, sizeof(shift_geometry), &s->band.geometry));
cleanup:
    return status;
}

/* Makes a buffer that the kernels fill. */
static penta_status make(penta_resources *owner, size_t pixels, size_t count, size_t size, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    size_t bytes;

    TRY(penta_size(owner->ctx, pixels, count, size, &bytes));
    TRY(penta_buffer_create(owner, bytes, out));
cleanup:
    return status;
}

/* Makes a buffer of zeros; kernels write all of it except the padding. */
static penta_status zeros(penta_resources *owner, size_t pixels, size_t count, size_t size, penta_buffer *out)
{
    penta_status status = PENTA_OK;

    TRY(make(owner, pixels, count, size, out));
    if (out->bytes)
        TRY(penta_buffer_zero(out, 0, out->bytes));
cleanup:
    return status;
}

static penta_status create_buffers(optmap_shifter *s)
{
    penta_status status = PENTA_OK;
    size_t pixels = s->shape.rows * s->shape.width, pitch = s->shape.pitch + 2 * SHIFT_PAD;

    TRY(make(&s->resources, pixels, pitch, sizeof(float), &s->band.x));
    TRY(make(&s->resources, pixels, pitch, double_bytes(s->resources.ctx), &s->band.precise));
    TRY(zeros(&s->resources, pixels, s->size.single, sizeof(float), &s->band.ends_single));
    TRY(zeros(&s->resources, pixels, s->size.dbl, double_bytes(s->resources.ctx), &s->band.ends_dbl));
    TRY(zeros(&s->resources, pixels, 4, sizeof(float), &s->band.bounds));
cleanup:
    return status;
}

penta_status optmap_shifter_create(penta_context *ctx, const optmap_shape *shape, optmap_shifter **out)
{
    penta_status status = PENTA_OK;
    optmap_shifter *s = NULL;
    shift_tables t = {0};
    char defines[DEFINES], ends[DEFINES + 64];

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &s));
    s->shape = *shape;
    s->engine = engine_of(ctx, shape);
    s->length = s->engine->length(shape->frames);
    s->stride = 2 * (s->length / 2 + 1);
    TRY(shift_tables_make(ctx, shape->filter, s->length, &t));
    s->size = t.size;
    shift_defines(&t, shape, defines, sizeof defines);
    snprintf(ends, sizeof ends, "%s -DGROUP=%zu%s", defines, group_of(ctx),
             s->engine == &shift_direct ? " -DDIRECT" : "");
    TRY(penta_kernel_get(&s->resources, "optmap/shift_ends.cl", "optmap_shift_ends", ends, &s->ends));
    TRY(penta_kernel_get(&s->resources, "optmap/shift_ends.cl", "optmap_shift_fill", ends, &s->fill));
    TRY(upload_tables(s, &t));
    TRY(create_buffers(s));
    if (!penta_context_device(ctx)->fp64) {
        TRY(shift_host_create(ctx, shape, &t, ends, &s->band.host));
        TRY(penta_own(&s->resources, &s->band.host, shift_host_destroy));
    }
    TRY(s->engine->create(ctx, shape, &t, defines, &s->state));
    TRY(penta_own(&s->resources, &s->state, s->engine->destroy));
    *out = s;
    s = NULL;
cleanup:
    shift_tables_free(&t);
    optmap_shifter_destroy(s);
    return status;
}

void optmap_shifter_destroy(optmap_shifter *s)
{
    penta_plan_free(s);
}

/* ---- running ---- */

static int most_lag(const optmap_shape *shape)
{
    size_t most = shape->frames * (size_t)shape->options->interp - 1, asked = (size_t)shape->options->max_lag;

    return (int)(shape->options->max_lag >= 0 && asked < most ? asked : most);
}

penta_status optmap_shifter_run(optmap_shifter *s, optmap_traces *band, penta_buffer *shifts)
{
    penta_status status = PENTA_OK;
    const optmap_shape *shape = &s->shape;
    const shift_geometry g = {.width = (int)shape->width,
                              .rows = (int)band->rows,
                              .first = (int)band->first,
                              .from = (int)band->from,
                              .to = (int)band->to,
                              .height = (int)shape->height,
                              .frames = (int)shape->frames,
                              .pitch = (int)shape->pitch,
                              .full = shape->options->border == PENTA_OPTMAP_FULL,
                              .most = most_lag(shape),
                              .error = (float)(s->engine->error * log2((double)s->length + 2))};
    size_t window = (size_t)shape->options->window, pixels = band->rows * shape->width;
    size_t count = (band->to - band->from) * shape->width * window * window, group = group_of(s->resources.ctx);
    penta_buffer *spectrum = s->engine->spectrum ? s->engine->spectrum(s->state) : NULL;
    shift_band *b = &s->band;

    b->traces = band;
    TRY(penta_buffer_write(&b->geometry, 0, &g, sizeof g));
    TRY(penta_launch(&s->fill, penta_grid_rows(penta_grid_1d(count)),
                     ARGS(&b->geometry, &band->valid, (int64_t)count, shifts)));
    TRY(penta_launch(&s->ends, penta_grid_groups(penta_grid_1d(pixels * group), group, 1, 1),
                     ARGS(&band->v, &band->low, &band->mean, &band->valid, &b->taps_dbl, &b->geometry,
                          spectrum ? (int)s->stride : 0, &b->x, &b->precise, &b->ends_single, &b->ends_dbl, &b->bounds,
                          spectrum ? spectrum : &b->margin)));
    if (window > 1)
        TRY(s->engine->run(s->state, b, &g, shifts));
cleanup:
    return status;
}
