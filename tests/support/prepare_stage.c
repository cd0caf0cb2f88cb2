#include "support/prepare_stage.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>

#include "support/device.h"
#include "support/random.h"

penta_prepare_options default_prepare_options(void)
{
    penta_prepare_options o;

    penta_prepare_options_init(&o);
    return o;
}

prepare_stage *open_stage(penta_context *ctx, size_t width, size_t height, size_t frames, penta_type type,
                          const penta_prepare_options *o)
{
    prepare_stage *s = must_calloc(1, sizeof *s);

    EXPECT_OK(ctx, prepare_settings_make(ctx, width, height, 1, type, o, &s->settings));
    s->shape = (prepare_shape){.in_width = width,
                               .in_height = height,
                               .channels = 1,
                               .type = type,
                               .width = width,
                               .height = height,
                               .nodes_x = (width + PREPARE_NODE - 1) / PREPARE_NODE,
                               .nodes_y = (height + PREPARE_NODE - 1) / PREPARE_NODE,
                               .batch = frames,
                               .settings = &s->settings};
    s->own.ctx = ctx;
    EXPECT_OK(ctx, prepare_batch_create(&s->own, &s->shape, &s->batch));
    s->batch.count = s->frames = frames;
    s->pixels = width * height;
    s->nodes = s->shape.nodes_x * s->shape.nodes_y;
    return s;
}

void close_stage(prepare_stage *s)
{
    penta_resources_release(&s->own);
    free(s);
}

void fill(penta_context *ctx, penta_buffer *buffer, const void *data, size_t bytes)
{
    EXPECT_OK(ctx, penta_buffer_write(buffer, 0, data, bytes));
}

void *contents(penta_context *ctx, penta_buffer *buffer, size_t bytes)
{
    void *data = must_calloc(bytes, 1);

    EXPECT_OK(ctx, penta_buffer_read(buffer, 0, data, bytes));
    return data;
}

float *fill_background(penta_context *ctx, prepare_stage *s, double level)
{
    size_t nx = s->shape.nodes_x, ny = s->shape.nodes_y, n = s->frames * s->nodes;
    float *nodes = must_calloc(n, sizeof *nodes), *levels = must_calloc(s->frames, sizeof *levels);

    for (size_t i = 0; i < n; i++) {
        double part = ((double)(i % nx) / (double)nx + (double)(i / nx % ny) / (double)ny) / 2;

        nodes[i] = (float)(level * (0.4 + 1.2 * part) * (0.98 + 0.04 * random_uniform()));
    }
    for (size_t f = 0; f < s->frames; f++)
        levels[f] = (float)level;
    fill(ctx, &s->batch.background, nodes, n * sizeof *nodes);
    fill(ctx, &s->batch.level, levels, s->frames * sizeof *levels);
    free(levels);
    return nodes;
}

/* The node before x; *part: the fraction of the way from it to the next. */
static size_t place(size_t n, size_t size, double x, double *part)
{
    size_t i = 0;
    double from, to;

    if (n == 1) {
        *part = 0;
        return 0;
    }
#define MIDDLE(k) (((double)((k)*size / n) + (double)(((k) + 1) * size / n) - 1) / 2)
    while (i + 2 < n && MIDDLE(i + 1) <= x)
        i++;
    from = MIDDLE(i);
    to = MIDDLE(i + 1);
#undef MIDDLE
    *part = (x - from) / (to - from);
    return i;
}

double stage_background(const prepare_shape *shape, const float *nodes, double x, double y)
{
    double s, t;
    size_t nx = shape->nodes_x, i = place(nx, shape->width, x, &s), j = place(shape->nodes_y, shape->height, y, &t);
    size_t right = nx > 1, down = shape->nodes_y > 1 ? nx : 0;
    const float *b = nodes + j * nx + i;

    return (1 - t) * ((1 - s) * b[0] + s * b[right]) + t * ((1 - s) * b[down] + s * b[down + right]);
}
