/* The buffers of a medium, two per variable. */
#include "optmap/medium.h"

#include <string.h>

penta_status medium_check(penta_context *ctx, const char *what, size_t width, size_t height)
{
    if (width < 2 || height < 2)
        return penta_fail(ctx, PENTA_INVALID, "a %s of %zu x %zu cells is too small: 2 x 2 at least", what, width,
                          height);
    if (width > INT32_MAX - 4 * MEDIUM_LEAD || height > INT32_MAX - 2)
        return penta_fail(ctx, PENTA_INVALID, "a %s of %zu x %zu cells is too large", what, width, height);
    return PENTA_OK;
}

size_t medium_floats(const optmap_medium *m)
{
    return (m->height + 2 * m->margin) * m->pitch;
}

penta_status medium_create(penta_resources *owner, size_t width, size_t height, size_t margin, optmap_medium *m)
{
    penta_status status = PENTA_OK;
    size_t bytes = 0;

    m->width = width;
    m->height = height;
    m->margin = margin;
    m->pitch = MEDIUM_LEAD + (width + MEDIUM_LEAD - 1) / MEDIUM_LEAD * MEDIUM_LEAD + MEDIUM_LEAD;
    TRY(penta_size(owner->ctx, height + 2 * margin, m->pitch, sizeof *m->staging, &bytes));
    TRY(penta_calloc(owner, medium_floats(m), sizeof *m->staging, &m->staging));
    for (int i = 0; i < 2; i++) {
        TRY(penta_buffer_create(owner, bytes, &m->u[i]));
        TRY(penta_buffer_create(owner, bytes, &m->v[i]));
        TRY(penta_buffer_zero(&m->u[i], 0, bytes));
        TRY(penta_buffer_zero(&m->v[i], 0, bytes));
    }
cleanup:
    return status;
}

penta_grid medium_grid(const penta_context *ctx, const optmap_medium *m)
{
    return penta_is_cpu(ctx) ? penta_grid_1d(m->height) : penta_grid_rows(penta_grid_2d(m->width, m->height));
}

penta_status medium_stage(optmap_medium *m, penta_buffer *buffer)
{
    return penta_buffer_read(buffer, 0, m->staging, medium_floats(m) * sizeof *m->staging);
}

penta_status medium_unstage(optmap_medium *m, penta_buffer *buffer)
{
    return penta_buffer_write(buffer, 0, m->staging, medium_floats(m) * sizeof *m->staging);
}

size_t medium_element(const optmap_medium *m, size_t x, size_t y)
{
    return (y + m->margin) * m->pitch + MEDIUM_LEAD + x;
}

static penta_status read_one(optmap_medium *m, penta_buffer *buffer, float *out)
{
    penta_status status = PENTA_OK;

    TRY(medium_stage(m, buffer));
    for (size_t y = 0; y < m->height; y++)
        memcpy(out + y * m->width, m->staging + medium_element(m, 0, y), m->width * sizeof *out);
cleanup:
    return status;
}

penta_status medium_read(optmap_medium *m, float *u, float *v)
{
    penta_status status = PENTA_OK;

    if (u)
        TRY(read_one(m, &m->u[m->now], u));
    if (v)
        TRY(read_one(m, &m->v[m->now], v));
cleanup:
    return status;
}
