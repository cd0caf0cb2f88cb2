/* Shifts of movies so short that the two ends of a trace meet: sums the correlations directly. */

#include "optmap/fast_shifts.h"

typedef struct {
    penta_resources resources;
    size_t samples, offsets;
    penta_kernel interpolate, sums;
    penta_buffer y;
} direct_state;

static size_t samples_of(const optmap_shape *shape)
{
    return shape->frames * (size_t)shape->options->interp;
}

static uint64_t memory_of(penta_context *ctx, const optmap_shape *shape, size_t rows)
{
    return !penta_context_device(ctx)->fp64 ? 0 : (uint64_t)rows * shape->width * samples_of(shape) * sizeof(double);
}

static size_t length_of(size_t frames)
{
    (void)frames;
    return 0;
}

static penta_status create(penta_context *ctx, const optmap_shape *shape, const shift_tables *tables,
                           const char *defines, void **state)
{
    penta_status status = PENTA_OK;
    direct_state *s = NULL;
    size_t bytes;

    (void)tables;
    TRY(penta_plan_alloc(ctx, &s));
    s->samples = samples_of(shape);
    s->offsets = shift_offsets(shape);
    if (!penta_context_device(ctx)->fp64) {
        *state = s;
        return PENTA_OK;
    }
    TRY(penta_kernel_get(&s->resources, "optmap/shift_direct.cl", "optmap_shift_interpolate", defines,
                         &s->interpolate));
    TRY(penta_kernel_get(&s->resources, "optmap/shift_direct.cl", "optmap_shift_sums", defines, &s->sums));
    TRY(penta_size(ctx, shape->rows * shape->width, s->samples, sizeof(double), &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, &s->y));
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

static penta_status run(void *state, shift_band *b, const shift_geometry *g, penta_buffer *shifts)
{
    penta_status status = PENTA_OK;
    direct_state *s = state;
    size_t pixels = (size_t)g->rows * (size_t)g->width, samples = pixels * s->samples, pairs = pixels * s->offsets;

    if (b->host)
        return shift_host_all(b->host, b->traces, b, g, shifts);
    TRY(penta_launch(&s->interpolate, penta_grid_rows(penta_grid_1d(samples)),
                     ARGS(&b->precise, &b->filter, &b->geometry, (int64_t)samples, &s->y)));
    TRY(penta_launch(&s->sums, penta_grid_rows(penta_grid_1d(pairs)),
                     ARGS(&s->y, &b->bounds, &b->geometry, (int64_t)pairs, shifts)));
cleanup:
    return status;
}

static void destroy(void *state)
{
    penta_plan_free((direct_state *)state);
}

const shift_engine shift_direct = {memory_of, length_of, create, NULL, run, destroy, 0};
