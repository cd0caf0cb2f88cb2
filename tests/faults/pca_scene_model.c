/* Statistics of a scene, and what is right. */
#include "faults/pca_scene.h"

#include <string.h>

#include "pca/pca.h"
#include "reference/pca.h"
#include "support/device.h"
#include "support/expect.h"

/* A model by value. */
typedef struct {
    bool known;
    uint64_t pixels;
    double mean[MOST_BANDS], covariance[MOST_BANDS * MOST_BANDS], eigenvalues[MOST_BANDS];
    double loadings[MOST_BANDS * MOST_BANDS], forward[MOST_BANDS * MOST_BANDS], inverse[MOST_BANDS * MOST_BANDS];
} model;

static model right_model;

/* Against the reference, roughly; other tests ask for more. */
static void check_model(const pca_scene *s, const model *m)
{
    static double mean[MOST_BANDS], covariance[MOST_BANDS * MOST_BANDS], noise[MOST_BANDS * MOST_BANDS];
    static double values[MOST_BANDS], vectors[MOST_BANDS * MOST_BANDS];
    const pca_scene_cube *c = scene_cube();
    size_t n = s->bands;

    assert_int_equal(reference_pca_covariance(n, PIXELS, c->x, c->valid, 1, mean, covariance), m->pixels);
    for (size_t i = 0; i < n * n; i++)
        expect_near(m->covariance[i], covariance[i], 1e-4 * covariance[0]);
    if (s->kind == PENTA_PCA_MNF) {
        reference_pca_noise(n, ROWS, COLS, c->x, c->valid, noise);
        reference_pca_generalised(n, covariance, noise, values, vectors);
    } else {
        reference_pca_eigen(n, covariance, values, vectors);
    }
    for (size_t i = 0; i < n; i++)
        expect_near(m->eigenvalues[i], values[i], 1e-4 * values[0]);
}

void scene_expect_model(const pca_scene *s, penta_pca_model *m)
{
    static model got;
    size_t n = m->bands;

    assert_int_equal(n, s->bands);
    assert_int_equal(m->components, n);
    memset(&got, 0, sizeof got);
    got.known = true;
    got.pixels = m->pixels;
    memcpy(got.mean, m->mean, n * sizeof(double));
    memcpy(got.covariance, m->covariance, n * n * sizeof(double));
    memcpy(got.eigenvalues, m->eigenvalues, n * sizeof(double));
    memcpy(got.loadings, m->loadings, n * n * sizeof(double));
    memcpy(got.forward, m->forward, n * n * sizeof(double));
    memcpy(got.inverse, m->inverse, n * n * sizeof(double));
    penta_pca_model_free(m);
    if (!right_model.known) {
        check_model(s, &got);
        right_model = got;
    }
    assert_memory_equal(&got, &right_model, sizeof got);
}

penta_status scene_solve(penta_pca *plan, penta_pca_model *out)
{
    static const penta_pca_model empty;
    penta_status status;

    memset(out, 1, sizeof *out);
    status = penta_pca_solve(plan, out);
    if (status != PENTA_OK)
        assert_memory_equal(out, &empty, sizeof empty);
    return status;
}

penta_status scene_add(const pca_scene *s, penta_pca *plan)
{
    penta_status status = PENTA_OK;

    for (int i = 0; i < 2 && status == PENTA_OK; i++) {
        penta_cube_rows rows = scene_rows(s, i);

        status = penta_pca_add(plan, &rows);
    }
    return status;
}

penta_status scene_create_plan(const pca_scene *s, penta_context *ctx, penta_pca **plan)
{
    penta_pca_options o;
    penta_status status;

    penta_pca_options_init(&o);
    o.kind = s->kind;
    o.cov = s->cov;
    o.precision = s->precision;
    o.no_data = s->no_data;
    *plan = (penta_pca *)(uintptr_t)1;
    status = penta_pca_create(ctx, s->bands, 0, &o, plan);
    assert_true((status == PENTA_OK) == (*plan != NULL));
    if (*plan)
        pca_limit_slabs(*plan, PCA_UNIT);
    return status;
}

void scene_forget_model(void)
{
    right_model.known = false;
}
