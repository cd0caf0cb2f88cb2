/*
 * Shift, Gaussian and median in one kernel, from traces at the camera's rate and shifts. Samples of y are computed
 * where a result needs them; y is never stored.
 */
#include <stdio.h>
#include <stdlib.h>

#include "optmap/optmap.h"

/* As in the kernels. */
enum { PIXELS = 16, CPU_RESULTS = 256, GPU_TILE = 128, GPU_ITEMS = 256 };

struct fast_filter {
    penta_resources resources;
    optmap_shape shape;
    penta_kernel blend;
    penta_buffer weights, gaussian; /* float */
};

static int median_of(const penta_optmap_options *o)
{
    return o->median > 1 ? o->median : 1;
}

static penta_status get_kernel(fast_filter *b)
{
    static const char *const tails[] = {[PENTA_OPTMAP_TAILS_ODD] = " -DTAILS_ODD",
                                        [PENTA_OPTMAP_TAILS_HOLD] = " -DTAILS_HOLD",
                                        [PENTA_OPTMAP_TAILS_ZERO] = ""};
    const penta_optmap_options *o = b->shape.options;
    char defines[256];

    snprintf(defines, sizeof defines, "-DINTERP=%d -DSTEP=%d -DFIRST=%d -DLENGTH=%d -DWINDOW=%d -DMEDIAN=%d%s%s%s",
             o->interp, o->output == PENTA_OPTMAP_INTERPOLATED ? o->interp : 1, b->shape.filter->first,
             b->shape.filter->length, o->window, median_of(o), tails[o->tails],
             o->median_edges == PENTA_OPTMAP_TRUNCATE ? " -DTRUNCATE" : "",
             o->invalid == PENTA_OPTMAP_ZERO ? " -DKEEP_WEIGHTS" : "");
    return penta_kernel_get(&b->resources, penta_is_cpu(b->resources.ctx) ? "optmap/filter_cpu.cl" : "optmap/filter.cl",
                            "optmap_blend", defines, &b->blend);
}

static penta_status put_floats(penta_resources *owner, const double *from, size_t count, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    float *rounded = NULL;

    TRY(penta_calloc(owner->ctx, count, sizeof *rounded, &rounded));
    for (size_t i = 0; i < count; i++)
        rounded[i] = (float)from[i];
    TRY(penta_buffer_upload(owner, rounded, count * sizeof *rounded, out));
cleanup:
    free(rounded);
    return status;
}

penta_status fast_filter_create(penta_context *ctx, const optmap_shape *shape, fast_filter **out)
{
    penta_status status = PENTA_OK;
    fast_filter *b = NULL;
    size_t window = (size_t)shape->options->window;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &b));
    b->shape = *shape;
    TRY(get_kernel(b));
    TRY(put_floats(&b->resources, shape->filter->weights, (size_t)shape->filter->interp * (size_t)shape->filter->length,
                   &b->weights));
    TRY(put_floats(&b->resources, shape->gaussian, window * window, &b->gaussian));
    *out = b;
    b = NULL;
cleanup:
    fast_filter_destroy(b);
    return status;
}

static penta_grid blend_grid(const fast_filter *b, size_t rows)
{
    bool cpu = penta_is_cpu(b->resources.ctx);
    size_t across = (b->shape.width + PIXELS - 1) / PIXELS, items = cpu ? 1 : GPU_ITEMS;
    size_t results = cpu ? CPU_RESULTS : (size_t)(GPU_TILE - median_of(b->shape.options) + 1);

    return penta_grid_groups(
        penta_grid_3d(across * items, (optmap_out_frames(&b->shape) + results - 1) / results, rows), items, 1, 1);
}

penta_status fast_filter_run(fast_filter *b, optmap_traces *band, penta_buffer *shifts, penta_buffer *filtered)
{
    const optmap_shape *s = &b->shape;
    size_t rows = band->to - band->from;

    return penta_launch(&b->blend, blend_grid(b, rows),
                        ARGS(&band->v, shifts, &b->weights, &b->gaussian, (int)s->frames, (int)s->width, (int)s->height,
                             s->pitch, (int)band->from, (int)(band->from - band->first), (int)rows, filtered));
}

void fast_filter_destroy(fast_filter *b)
{
    penta_plan_free(b);
}
