/* Known components: x = 1000 + 100 w1 (1, 2, 2) + 10 w2 (2, 1, -2) + w3 (2, -2, 1), w the bits of the pixel as signs.
 */
#include <math.h>

#include "pca/pca.h"

enum { BANDS = 3, SIDE = 8, PIXELS = SIDE * SIDE };

static const int directions[BANDS][BANDS] = {{1, 2, 2}, {2, 1, -2}, {2, -2, 1}}; /* orthogonal, of length 3 */
static const int sizes[BANDS] = {100, 10, 1};

static int sign(size_t pixel, size_t k)
{
    return pixel >> k & 1 ? 1 : -1;
}

/* Integers of the type, bands x pixels. */
static void make_cube(penta_type type, void *out)
{
    for (size_t i = 0; i < BANDS; i++)
        for (size_t p = 0; p < PIXELS; p++) {
            int x = 1000;

            for (size_t k = 0; k < BANDS; k++)
                x += sizes[k] * sign(p, k) * directions[k][i];
            if (type == PENTA_U16)
                ((uint16_t *)out)[i * PIXELS + p] = (uint16_t)x;
            else
                ((double *)out)[i * PIXELS + p] = x;
        }
}

/* With ddof 0 everything but the loadings is an integer. */
static penta_status check_model(penta_context *ctx, const penta_pca_model *m)
{
    for (size_t i = 0; i < BANDS; i++) {
        double value = 9.0 * sizes[i] * sizes[i];

        if (!(fabs(m->mean[i] - 1000) <= 0))
            return penta_fail(ctx, PENTA_INTERNAL, "the mean of band %zu is %.17g, not 1000", i + 1, m->mean[i]);
        if (!(fabs(m->eigenvalues[i] - value) <= 1e-9))
            return penta_fail(ctx, PENTA_INTERNAL, "eigenvalue %zu is %.17g, not %g", i + 1, m->eigenvalues[i], value);
        for (size_t j = 0; j < BANDS; j++) {
            double covariance = 0, loading = directions[i][j] / 3.0, got = m->covariance[i * BANDS + j];

            for (size_t k = 0; k < BANDS; k++)
                covariance += (double)(sizes[k] * sizes[k] * directions[k][i] * directions[k][j]);
            if (!(fabs(got - covariance) <= 0))
                return penta_fail(ctx, PENTA_INTERNAL, "the covariance of bands %zu and %zu is %.17g, not %g", i + 1,
                                  j + 1, got, covariance);
            got = m->loadings[i * BANDS + j];
            if (!(fabs(got - loading) <= 1e-10))
                return penta_fail(ctx, PENTA_INTERNAL, "loading %zu of component %zu is %.17g, not %.17g", j + 1, i + 1,
                                  got, loading);
        }
    }
    return PENTA_OK;
}

/* Scores are +-3 times the sizes; stretched to 0 .. 255, one of both. */
static penta_status check_scores(penta_context *ctx, const penta_cube_rows *rows, const penta_pca_model *m)
{
    penta_status status = PENTA_OK;
    penta_map *map = NULL;
    penta_affine forward = {BANDS, BANDS, m->forward, m->mean, NULL};
    penta_map_format plain = {.type = PENTA_F64}, bytes = {.type = PENTA_U8, .rescale = true, .high = 255};
    double scores[BANDS * PIXELS];
    uint8_t stretched[BANDS * PIXELS];

    TRY(penta_map_create(ctx, &forward, PENTA_PRECISION_AUTO, NULL, &map));
    TRY(penta_map_add(map, rows));
    TRY(penta_map_take(map, &plain, scores, PIXELS));
    TRY(penta_map_add(map, rows));
    TRY(penta_map_take(map, &bytes, stretched, PIXELS));
    for (size_t i = 0; i < BANDS * PIXELS && status == PENTA_OK; i++) {
        size_t k = i / PIXELS, p = i % PIXELS;
        int w = sign(p, k);

        if (!(fabs(scores[i] - 3 * sizes[k] * w) <= 1e-9) || stretched[i] != (w > 0 ? 255 : 0))
            status = penta_fail(ctx, PENTA_INTERNAL, "score %zu of pixel %zu is %.17g, stretched %d, not %d and %d",
                                k + 1, p, scores[i], stretched[i], 3 * sizes[k] * w, w > 0 ? 255 : 0);
    }
cleanup:
    penta_map_destroy(map);
    return status;
}

static penta_status chain(penta_context *ctx, penta_type type)
{
    penta_status status = PENTA_OK;
    penta_pca *plan = NULL;
    penta_pca_options o;
    penta_pca_model m = {0};
    double cube[BANDS * PIXELS];
    penta_cube_rows rows = {.rows = SIDE, .cols = SIDE, .layout = PENTA_BSQ, .type = type, .data = cube};

    penta_pca_options_init(&o);
    o.ddof = 0;
    make_cube(type, cube);
    TRY(penta_pca_create(ctx, BANDS, PIXELS, &o, &plan));
    TRY(penta_pca_add(plan, &rows));
    TRY(penta_pca_solve(plan, &m));
    TRY(check_model(ctx, &m));
    TRY(check_scores(ctx, &rows, &m));
cleanup:
    penta_pca_model_free(&m);
    penta_pca_destroy(plan);
    return status;
}

static penta_status selftest(penta_context *ctx)
{
    penta_status status = PENTA_OK;

    TRY(chain(ctx, PENTA_U16));
    TRY(chain(ctx, PENTA_F64));
cleanup:
    return status;
}

const penta_workload penta_pca_workload = {
    .name = "pca",
    .summary = "principal components of hyperspectral cubes",
    .selftest = selftest,
    .tables = {PENTA_WORKLOAD_OPTIONS(pca)},
};
