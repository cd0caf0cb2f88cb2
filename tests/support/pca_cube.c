/* Cubes for tests, and the library's results for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/pca.h"
#include "support/device.h"
#include "support/expect.h"
#include "support/numbers.h"
#include "support/pca_cube.h"
#include "support/random.h"

/* Three smooth spectra, mixed with abundances that drift along the rows, plus noise. */
pca_cube make_pca_cube(size_t bands, size_t rows, size_t cols, penta_type type, uint64_t seed)
{
    static const double scale[] = {80, 20000, 3, 5, 0, 5e8, 9000, 1e9},
                        offset[] = {90, 25000, 1e3, -7, 0, -3e8, -800, 2e9};
    pca_cube c = {bands, rows, cols, rows * cols, type, NULL, NULL};

    c.x = must_calloc(bands * c.pixels, sizeof *c.x);
    random_seed(seed);
    for (size_t p = 0; p < c.pixels; p++) {
        double a[3];

        for (size_t k = 0; k < 3; k++)
            a[k] = random_uniform() + 0.3 * sin(0.1 * (double)p * (double)(k + 1));
        for (size_t i = 0; i < bands; i++) {
            double v = 0.03 * random_normal();

            for (size_t k = 0; k < 3; k++)
                v += a[k] * sin(0.7 * (double)(i + 1) * (double)(k + 1));
            c.x[i * c.pixels + p] = nearest_number(type, offset[type] + scale[type] * v);
        }
    }
    return c;
}

/* Masks about a quarter of the pixels. */
void mask_pca_cube(pca_cube *c)
{
    c->mask = must_calloc(c->pixels, 1);
    for (size_t p = 0; p < c->pixels; p++)
        c->mask[p] = random_uniform() < 0.75;
}

void free_pca_cube(pca_cube *c)
{
    free(c->x);
    free(c->mask);
}

/* Rows first .. first + count - 1 in the layout of a file; free(rows.data). */
penta_cube_rows rows_of_pca_cube(const pca_cube *c, int layout, size_t first, size_t count)
{
    size_t pixels = count * c->cols;
    void *data = must_calloc(c->bands * pixels, penta_type_size(c->type));

    for (size_t i = 0; i < c->bands; i++)
        for (size_t p = 0; p < pixels; p++) {
            size_t row = p / c->cols, col = p % c->cols, at = i * pixels + p;

            if (layout == PENTA_BIL)
                at = (row * c->bands + i) * c->cols + col;
            if (layout == PENTA_BIP)
                at = p * c->bands + i;
            put_number(c->type, data, at, c->x[i * c->pixels + first * c->cols + p]);
        }
    return (penta_cube_rows){.rows = count,
                             .cols = c->cols,
                             .layout = layout,
                             .type = c->type,
                             .data = data,
                             .mask = c->mask ? c->mask + first * c->cols : NULL};
}

penta_pca_options default_pca_options(void)
{
    penta_pca_options o;

    penta_pca_options_init(&o);
    return o;
}

penta_pca *plan_of_pca_cube(penta_context *ctx, const pca_cube *c, const penta_pca_options *o)
{
    penta_pca *plan = NULL;

    EXPECT_OK(ctx, penta_pca_create(ctx, c->bands, c->pixels, o, &plan));
    return plan;
}

void add_pca_cube(penta_context *ctx, penta_pca *plan, const pca_cube *c, int layout, size_t piece)
{
    for (size_t row = 0; row < c->rows; row += piece) {
        penta_cube_rows rows = rows_of_pca_cube(c, layout, row, piece < c->rows - row ? piece : c->rows - row);

        EXPECT_OK(ctx, penta_pca_add(plan, &rows));
        free((void *)rows.data);
    }
}

/* piece: rows per call. */
penta_pca_model model_of_pca_cube(penta_context *ctx, const pca_cube *c, const penta_pca_options *o, int layout,
                                  size_t piece)
{
    penta_pca *plan = plan_of_pca_cube(ctx, c, o);
    penta_pca_model m;

    add_pca_cube(ctx, plan, c, layout, piece);
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    penta_pca_destroy(plan);
    return m;
}

/* matrix (x - before) + after of the cube, outs x pixels; stretched to [low, high] if these differ. */
void map_pca_cube(penta_context *ctx, const pca_cube *c, const penta_affine *a, int precision, int layout, size_t piece,
                  penta_map_format format, void *out)
{
    penta_map *map = NULL;

    if (precision == PENTA_PRECISION_DOUBLE && !penta_context_device(ctx)->fp64)
        precision = PENTA_PRECISION_AUTO;
    EXPECT_OK(ctx, penta_map_create(ctx, a, precision, NULL, &map));
    assert_true(penta_map_room(map) >= c->pixels);
    for (size_t row = 0; row < c->rows; row += piece) {
        penta_cube_rows rows = rows_of_pca_cube(c, layout, row, piece < c->rows - row ? piece : c->rows - row);

        EXPECT_OK(ctx, penta_map_add(map, &rows));
        free((void *)rows.data);
    }
    EXPECT_OK(ctx, penta_map_take(map, &format, out, c->pixels));
    penta_map_destroy(map);
}

void expect_statistics(const pca_cube *c, const penta_pca_model *m, int ddof, double tolerance)
{
    size_t n = c->bands;
    double *mean = must_calloc(n, sizeof *mean), *covariance = must_calloc(n * n, sizeof *covariance);
    bool exact = c->type == PENTA_U8 || c->type == PENTA_U16 || c->type == PENTA_I16;
    uint64_t pixels = exact ? reference_pca_exact(n, c->pixels, c->x, c->mask, ddof, mean, covariance)
                            : reference_pca_covariance(n, c->pixels, c->x, c->mask, ddof, mean, covariance);

    assert_int_equal(m->pixels, pixels);
    assert_int_equal(m->ddof, ddof);
    for (size_t i = 0; i < n; i++) {
        double deviation = sqrt(covariance[i * (n + 1)]);

        expect_near(m->mean[i], mean[i], exact ? 0 : tolerance * (deviation + fabs(mean[i])));
        expect_near(m->deviation[i], deviation, tolerance * deviation);
        for (size_t j = 0; j < n; j++)
            expect_near(m->covariance[i * n + j], covariance[i * n + j],
                        exact ? 0 : tolerance * deviation * sqrt(covariance[j * (n + 1)]));
    }
    free(mean);
    free(covariance);
}

/* Compares with the eigenvalues of the reference's covariance; tolerance: relative to the largest. */
void expect_eigenvalues(const pca_cube *c, const penta_pca_model *m, double tolerance)
{
    size_t n = c->bands;
    double *mean = must_calloc(n, sizeof *mean), *covariance = must_calloc(n * n, sizeof *covariance);
    double *values = must_calloc(n, sizeof *values), *vectors = must_calloc(n * n, sizeof *vectors), total = 0,
           share = 0;

    reference_pca_covariance(n, c->pixels, c->x, c->mask, m->ddof, mean, covariance);
    reference_pca_eigen(n, covariance, values, vectors);
    for (size_t k = 0; k < n; k++) {
        expect_near(m->eigenvalues[k], values[k], tolerance * values[0]);
        total += values[k];
    }
    for (size_t k = 0; k < n; k++) {
        expect_near(m->percent[k], 100 * values[k] / total, 200 * (double)n * tolerance);
        share += m->percent[k];
    }
    expect_near(share, 100, 1e-10);
    for (size_t k = 0; k < 3 && k < m->components; k++) { /* of the spectra: their gaps are wide */
        double gap = k ? fmin(values[k - 1] - values[k], k + 1 < n ? values[k] - values[k + 1] : values[k]) : values[0];

        if (k == 0 && n > 1)
            gap = values[0] - values[1];
        for (size_t i = 0; i < n; i++)
            expect_near(m->loadings[k * n + i], vectors[k * n + i], 4 * (double)n * tolerance * values[0] / gap);
    }
    free(mean);
    free(covariance);
    free(values);
    free(vectors);
}
