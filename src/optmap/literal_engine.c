/*
 * Engine `literal`: the thesis's steps, one kernel each. Traces are interpolated, padded and transformed; products of
 * the spectra of pixels and neighbours are transformed back and searched for the largest value (literal_shifts.c); the
 * interpolated traces are shifted, summed and median-filtered (literal_filter.c).
 *
 * Up to the search everything is double: t0 is that of exact correlations if the largest value stands out by more than
 * rounding, about 1e-14 of sqrt(sum y_p^2 sum y_q^2). Each complex transform carries two real ones, which costs as much
 * as real transforms and needs no pass to combine halves.
 *
 * Without double precision the shifter of `fast` finds the shifts, which are the same; with phase correlation the host
 * does (literal_host.c). The traces are interpolated in single precision then.
 */
#include "optmap/literal.h"
#include "optmap/literal_host.h"
#include "math/sizes.h"

#include <stdio.h>
#include <string.h>

enum {
    GPU_SLOTS = 1024, /* transforms per batch: enough to hide the cost of a launch */
    CPU_SLOTS = 64,
    GPU_GROUP = 128, /* work-items per group of the search */
    ALIGNMENT = 8,   /* complex numbers: 128 bytes */
    MOST_SAMPLES = 1 << 29
};

/* ---- sizes ---- */

/* Independent of bands, so that all runs use the same transforms. */
static size_t choose_slots(penta_context *ctx, const optmap_shape *shape, const literal_sizes *z)
{
    const penta_device *d = penta_context_device(ctx);
    size_t pairs = shape->width * shape->height * (z->neighbours / 2), pixels = shape->height * (shape->width + 1) / 2;
    uint64_t share = penta_smaller(d->memory / 16, d->max_allocation / 2) / (z->z * 2 * sizeof(double));
    size_t slots = penta_smaller(penta_is_cpu(ctx) ? CPU_SLOTS : GPU_SLOTS, pairs > pixels ? pairs : pixels);

    return share < 1 ? 1 : penta_smaller(slots, share);
}

static literal_sizes choose_sizes(penta_context *ctx, const optmap_shape *shape, size_t rows)
{
    const penta_optmap_options *o = shape->options;
    literal_sizes s = {.samples = shape->frames * (size_t)o->interp, .z = 2};
    size_t shifted;

    while (s.z < 2 * s.samples - 1)
        s.z *= 2;
    s.pitch = s.z / 2 + ALIGNMENT;
    s.neighbours = (size_t)(o->window * o->window);
    s.pixels = rows * shape->width;
    s.out_frames = optmap_out_frames(shape);
    s.slots = choose_slots(ctx, shape, &s);
    s.work = s.slots * s.z * 2 * sizeof(double);
    shifted = s.neighbours * s.out_frames * sizeof(float); /* bytes per pixel */
    s.work = s.work < shifted ? shifted : s.work;
    s.most = o->max_lag >= 0 ? penta_smaller((size_t)o->max_lag, s.samples - 1) : s.samples - 1;
    s.group = penta_is_cpu(ctx) ? 1 : GPU_GROUP;
    s.parts = (2 * s.most + 1 + s.group * (size_t)o->elements - 1) / (s.group * (size_t)o->elements);
    return s;
}

/* Whether slots or shifts of a band exceed 32-bit numbers. */
static bool too_many(const literal_sizes *s)
{
    return s->pixels > INT32_MAX / s->neighbours;
}

static bool has_double(const penta_context *ctx)
{
    return penta_context_device(ctx)->fp64;
}

static size_t real_size(const penta_context *ctx)
{
    return has_double(ctx) ? sizeof(double) : sizeof(float);
}

/* Device bytes of a band's shifts without double precision. */
static uint64_t shift_memory(penta_context *ctx, const optmap_shape *shape, size_t rows)
{
    return shape->options->correlation == PENTA_OPTMAP_PHASE ? 0 : optmap_shifter_memory(ctx, shape, rows);
}

/* Counts the work buffer twice, because transforms of large lengths take as much again. Returns more than any device
 * has if a band is impossible. */
static uint64_t memory(penta_context *ctx, const optmap_shape *shape, size_t rows)
{
    literal_sizes s = choose_sizes(ctx, shape, rows);
    uint64_t pixels = s.pixels, y = pixels * s.samples * real_size(ctx),
             spectra = pixels * s.pitch * 2 * sizeof(double);
    uint64_t search = s.slots * s.parts * (2 * sizeof(double) + 2 * sizeof(int32_t));

    if (too_many(&s) || (has_double(ctx) && spectra > penta_context_device(ctx)->max_allocation))
        return UINT64_MAX / 2;
    if (!has_double(ctx))
        return y + shift_memory(ctx, shape, rows) + s.work + s.work / s.neighbours + pixels * 16;
    return y + spectra + 2 * (uint64_t)s.work + search + s.work / s.neighbours + pixels * 16;
}

/* ---- the engine ---- */

static penta_status create_interpolation(literal_state *s)
{
    penta_status status = PENTA_OK;
    const optmap_filter *f = s->shape.filter;
    size_t weights = (size_t)f->interp * (size_t)f->length, bytes;
    char defines[128];
    int used;

    literal_defines(s, defines, sizeof defines);
    used = (int)strlen(defines);
    snprintf(defines + used, sizeof defines - (size_t)used, " -DFIRST=%d -DLENGTH=%d", f->first, f->length);
    TRY(penta_kernel_get(&s->resources, "optmap/literal_traces.cl", "literal_interpolate", defines, &s->interpolate));
    TRY(penta_upload_reals(&s->resources, f->weights, weights, &s->weights));
    TRY(penta_size(s->resources.ctx, s->sizes.pixels, s->sizes.samples, real_size(s->resources.ctx), &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, &s->y));
cleanup:
    return status;
}

static penta_status create_shifter(literal_state *s)
{
    penta_status status = PENTA_OK;

    if (has_double(s->resources.ctx))
        return literal_shifter_create(s);
    if (s->shape.options->correlation == PENTA_OPTMAP_PHASE)
        return PENTA_OK;
    TRY(optmap_shifter_create(s->resources.ctx, &s->shape, &s->fast));
    TRY(penta_own(&s->resources, &s->fast, optmap_shifter_destroy));
cleanup:
    return status;
}

static penta_status run_shifter(literal_state *s, optmap_traces *band, penta_buffer *shifts)
{
    if (has_double(s->resources.ctx))
        return literal_shifter_run(s, band, shifts);
    return s->fast ? optmap_shifter_run(s->fast, band, shifts) : literal_host_run(s, band, shifts);
}

static penta_status create(penta_context *ctx, const optmap_shape *shape, void **state)
{
    penta_status status = PENTA_OK;
    literal_state *s = NULL;

    *state = NULL;
    if (shape->frames > MOST_SAMPLES / (size_t)shape->options->interp)
        return penta_fail(ctx, PENTA_UNSUPPORTED, "%zu frames are too many for engine literal", shape->frames);
    TRY(penta_plan_alloc(ctx, &s));
    s->shape = *shape;
    s->sizes = choose_sizes(ctx, shape, shape->rows);
    if (too_many(&s->sizes)) {
        status = penta_fail(ctx, PENTA_INVALID, "%zu rows of %zu pixels at a time are too many for `window` %d",
                            shape->rows, shape->width, shape->options->window);
        goto cleanup;
    }
    TRY(create_interpolation(s));
    TRY(penta_buffer_create(&s->resources, s->sizes.work, &s->work));
    TRY(create_shifter(s));
    TRY(literal_filter_create(s));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

static penta_status run(void *state, optmap_traces *band, penta_buffer *shifts, penta_buffer *filtered)
{
    penta_status status = PENTA_OK;
    literal_state *s = state;
    penta_grid all = penta_grid_3d(s->sizes.samples, s->shape.width, band->rows);

    TRY(penta_launch(&s->interpolate, penta_grid_rows(all),
                     ARGS(&band->v, &band->low, &s->weights, (int)s->shape.frames, (int)s->shape.pitch, &s->y)));
    TRY(run_shifter(s, band, shifts));
    TRY(literal_filter_run(s, band, shifts, filtered));
cleanup:
    return status;
}

static void destroy(void *state)
{
    penta_plan_free((literal_state *)state);
}

const optmap_engine optmap_literal = {"literal", memory, create, run, destroy};
