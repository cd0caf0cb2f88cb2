#include "autocorr/overlaps.h"

#include "autocorr/engine.h"

enum { BLOCK = 16, LINE_ITEMS = 64, STRETCHES = 16, FRAME_ITEMS = 64 }; /* of cl/autocorr/overlaps.cl */

struct autocorr_overlaps {
    penta_resources resources;
    autocorr_shape shape;
    int powers;
    penta_kernel line_sums, column_sums, scalars;
    penta_buffer lines, squares[2], table[2];
};

/* ---- sizes, as in overlaps.clh ---- */

static size_t kept_count(size_t size, size_t max_offset)
{
    return (size < 2 * max_offset + 1 ? size : 2 * max_offset + 1) + 1;
}

static size_t kept_pitch(const autocorr_shape *s)
{
    return (kept_count(s->width, s->max_offset) + BLOCK - 1) / BLOCK * BLOCK;
}

static size_t line_bytes(const autocorr_shape *s, int powers)
{
    return (size_t)powers * s->height * kept_pitch(s) * sizeof(uint64_t);
}

static size_t table_bytes(const autocorr_shape *s, int powers)
{
    return (size_t)powers * kept_count(s->height, s->max_offset) * kept_pitch(s) * sizeof(uint64_t);
}

size_t autocorr_overlaps_bytes(const autocorr_shape *s, int powers)
{
    return line_bytes(s, powers) + (s->cross ? 2 : 1) * table_bytes(s, powers);
}

/* ---- creation ---- */

static penta_status create_kernels(autocorr_overlaps *o)
{
    penta_status status = PENTA_OK;
    const char *file = "autocorr/overlaps.cl", *type = autocorr_type_define(o->shape.type);

    TRY(penta_kernels_get(&o->resources, file, type,
                          KERNELS({&o->line_sums, "autocorr_line_sums"}, {&o->column_sums, "autocorr_column_sums"})));
    if (autocorr_is_integer(&o->shape))
        TRY(penta_kernel_get(&o->resources, file, "autocorr_scalars", type, &o->scalars));
cleanup:
    return status;
}

static penta_status create_buffers(autocorr_overlaps *o, size_t frames)
{
    penta_status status = PENTA_OK;
    const autocorr_shape *s = &o->shape;

    TRY(penta_buffer_create(&o->resources, frames * line_bytes(s, o->powers), &o->lines));
    for (int i = 0; i < (s->cross ? 2 : 1); i++) {
        TRY(penta_buffer_create(&o->resources, frames * s->height * sizeof(uint64_t), &o->squares[i]));
        TRY(penta_buffer_create(&o->resources, frames * table_bytes(s, o->powers), &o->table[i]));
    }
cleanup:
    return status;
}

penta_status autocorr_overlaps_create(penta_context *ctx, const autocorr_shape *shape, int powers, size_t frames,
                                      autocorr_overlaps **out)
{
    penta_status status = PENTA_OK;
    autocorr_overlaps *o = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &o));
    o->shape = *shape;
    o->powers = powers;
    TRY(create_kernels(o));
    TRY(create_buffers(o, frames));
    *out = o;
    o = NULL;
cleanup:
    autocorr_overlaps_destroy(o);
    return status;
}

void autocorr_overlaps_destroy(autocorr_overlaps *o)
{
    penta_plan_free(o);
}

/* ---- run ---- */

static penta_grid line_grid(const autocorr_overlaps *o, size_t n)
{
    if (penta_is_cpu(o->resources.ctx))
        return penta_grid_groups(penta_grid_2d(o->shape.height, n), 1, 1, 1);
    return penta_grid_groups(penta_grid_2d(LINE_ITEMS * o->shape.height, n), LINE_ITEMS, 1, 1);
}

static penta_grid column_grid(const autocorr_overlaps *o, size_t n)
{
    size_t pitch = kept_pitch(&o->shape), powers = (size_t)o->powers;

    if (penta_is_cpu(o->resources.ctx))
        return penta_grid_groups(penta_grid_3d(pitch / BLOCK, powers, n), 1, 1, 1);
    return penta_grid_groups(penta_grid_3d(pitch, STRETCHES * powers, n), BLOCK, STRETCHES, 1);
}

penta_status autocorr_overlaps_run(autocorr_overlaps *o, size_t n, int which, penta_buffer *image)
{
    penta_status status = PENTA_OK;
    int width = (int)o->shape.width, height = (int)o->shape.height, R = (int)o->shape.max_offset;

    TRY(penta_launch(&o->line_sums, line_grid(o, n),
                     ARGS(image, width, height, R, o->powers, &o->lines, &o->squares[which])));
    TRY(penta_launch(&o->column_sums, column_grid(o, n), ARGS(&o->lines, width, height, R, &o->table[which])));
cleanup:
    return status;
}

penta_status autocorr_overlaps_scalars(autocorr_overlaps *o, size_t n, bool normed, bool demeaned, bool averaged,
                                       penta_buffer *scalars)
{
    const autocorr_shape *s = &o->shape;
    int second = s->cross ? 1 : 0;
    size_t count = kept_count(s->width, s->max_offset), rows = kept_count(s->height, s->max_offset);
    int64_t stride = (int64_t)(table_bytes(s, o->powers) / sizeof(uint64_t));
    int64_t last = (int64_t)((rows - 1) * kept_pitch(s) + count - 1);

    return penta_launch(&o->scalars, penta_grid_groups(penta_grid_2d(FRAME_ITEMS, n), FRAME_ITEMS, 1, 1),
                        ARGS(&o->table[0], &o->squares[0], &o->table[second], &o->squares[second], stride, last,
                             (int)s->width, (int)s->height, (int)normed, (int)demeaned, (int)averaged, scalars));
}

penta_buffer *autocorr_overlaps_table(autocorr_overlaps *o, int which)
{
    return &o->table[which];
}
