/* Maps for tests. */
#include "support/map_problem.h"

#include <stdlib.h>
#include <string.h>

#include "reference/pca.h"
#include "support/device.h"
#include "support/numbers.h"
#include "support/random.h"

map_problem make_map_problem(size_t ins, size_t outs, size_t rows, size_t cols, penta_type type)
{
    size_t pixels = rows * cols;
    map_problem p = {.ins = ins, .outs = outs, .rows = rows, .cols = cols, .pixels = pixels, .type = type};

    random_seed(ins + 7 * outs);
    p.x = must_calloc(ins * pixels, 8);
    p.data = must_calloc(ins * pixels, 8);
    p.matrix = must_calloc(ins * outs, 8);
    p.before = must_calloc(ins, 8);
    p.after = must_calloc(outs, 8);
    p.want = must_calloc(outs * pixels, 8);
    for (size_t i = 0; i < ins * pixels; i++) {
        double v = 100 + 20 * random_normal();

        p.x[i] = nearest_number(type, v);
        put_number(type, p.data, i, p.x[i]);
    }
    for (size_t i = 0; i < ins * outs; i++)
        p.matrix[i] = random_normal();
    for (size_t i = 0; i < ins; i++)
        p.before[i] = 100 + random_normal();
    for (size_t i = 0; i < outs; i++)
        p.after[i] = 5 * random_normal();
    reference_pca_map(ins, outs, pixels, p.matrix, p.before, p.after, p.x, p.want);
    return p;
}

map_problem identity_problem(size_t pixels, const double *x)
{
    map_problem p = make_map_problem(1, 1, 1, pixels, PENTA_F64);

    memcpy(p.x, x, pixels * sizeof *x);
    memcpy(p.data, x, pixels * sizeof *x);
    memcpy(p.want, x, pixels * sizeof *x);
    p.matrix[0] = 1;
    p.before[0] = p.after[0] = 0;
    return p;
}

void mask_problem(map_problem *p)
{
    p->mask = must_calloc(p->pixels, 1);
    for (size_t i = 0; i < p->pixels; i++)
        p->mask[i] = i % 3 != 1;
}

void free_map_problem(map_problem *p)
{
    free(p->x);
    free(p->data);
    free(p->matrix);
    free(p->before);
    free(p->after);
    free(p->want);
    free(p->mask);
}

penta_map *map_of_problem(penta_context *ctx, const map_problem *p, int precision)
{
    penta_affine a = {p->ins, p->outs, p->matrix, p->before, p->after};
    penta_map *map;

    if (precision == PENTA_PRECISION_DOUBLE && !penta_context_device(ctx)->fp64)
        precision = PENTA_PRECISION_AUTO;
    EXPECT_OK(ctx, penta_map_create(ctx, &a, precision, NULL, &map));
    return map;
}

penta_cube_rows rows_of_problem(const map_problem *p, size_t first, size_t count)
{
    return (penta_cube_rows){.rows = count,
                             .cols = p->cols,
                             .layout = PENTA_BSQ,
                             .type = p->type,
                             .data = (const char *)p->data + first * p->cols * penta_type_size(p->type),
                             .band_stride = p->pixels,
                             .mask = p->mask ? p->mask + first * p->cols : NULL};
}

void add_problem(penta_context *ctx, penta_map *map, const map_problem *p)
{
    penta_cube_rows rows = rows_of_problem(p, 0, p->rows);

    EXPECT_OK(ctx, penta_map_add(map, &rows));
}

void *map_at_once(penta_context *ctx, const map_problem *p, int precision, const penta_map_format *format)
{
    void *out = must_calloc(p->outs * p->pixels, 8);
    penta_map *map = map_of_problem(ctx, p, precision);

    add_problem(ctx, map, p);
    EXPECT_OK(ctx, penta_map_take(map, format, out, p->pixels));
    penta_map_destroy(map);
    return out;
}
