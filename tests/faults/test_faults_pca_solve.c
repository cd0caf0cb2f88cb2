/* Faults in the eigen-decomposition: each time there is an error and an empty model, or the right one. */
#include "faults/sweep.h"

#include "pca/pca.h"
#include "support/device.h"

enum { BANDS = 4, PIXELS = 100 };

static const double mean[BANDS] = {1, 2, 3, 4};
static const double covariance[] = {9, 1, 2, 0, 1, 7, 1, 1, 2, 1, 5, 1, 0, 1, 1, 3};
static const double noise[] = {2, 1, 0, 0, 1, 3, 1, 0, 0, 1, 4, 1, 0, 0, 1, 5};
static penta_pca_model right;
static double gain[BANDS] = {2, -3, 0.5, 1}, offset[BANDS] = {0, 1, 2, 3};
static const pca_scale scale = {.gain = gain, .offset = offset};

static penta_status solve(const penta_pca_options *o, penta_pca_model *out)
{
    const pca_problem p = {
        .bands = BANDS, .pixels = PIXELS, .mean = mean, .covariance = covariance, .noise = noise, .scale = &scale};

    return pca_solve(NULL, o, &p, out);
}

static penta_status attempt_solve(trial *t)
{
    const penta_pca_options *o = t->job->what;
    HELD_BY(penta_pca_model_free) penta_pca_model m;
    penta_status status;

    memset(&m, 1, sizeof m);
    begin_faults(t);
    status = solve(o, &m);
    end_faults(t, NULL, status);
    assert_int_equal(status, t->struck ? PENTA_MEMORY : PENTA_OK);
    if (status == PENTA_OK) {
        assert_memory_equal(m.eigenvalues, right.eigenvalues, BANDS * sizeof(double));
        assert_memory_equal(m.forward, right.forward, BANDS * BANDS * sizeof(double));
        assert_memory_equal(m.inverse, right.inverse, BANDS * BANDS * sizeof(double));
    } else {
        assert_null(m.mean);
        assert_null(m.inverse);
        assert_int_equal(m.bands, 0);
    }
    return status;
}

TEST_WITH(no_faults, NULL, solve)
{
    for (int kind = PENTA_PCA_PCA; kind <= PENTA_PCA_MNF; kind++) {
        penta_pca_options o;

        penta_pca_options_init(&o);
        o.kind = kind;
        EXPECT_OK(NULL, solve(&o, &right));
        sweep(&(job){.name = kind == PENTA_PCA_MNF ? "noise fractions" : "components",
                     .attempt = attempt_solve,
                     .what = &o,
                     .on_host = true,
                     .least = 10}); /* eight arrays of the model, the vectors, three of the eigenvalues */
        penta_pca_model_free(&right);
    }
}

/* Gains are taken whole, or those before stay. */
static penta_status attempt_scale(trial *t)
{
    HELD_BY(pca_scale_free) pca_scale s = {0};
    penta_status status;

    EXPECT_OK(NULL, pca_scale_set(NULL, &s, BANDS, gain, NULL));
    begin_faults(t);
    status = pca_scale_set(NULL, &s, BANDS, NULL, offset);
    end_faults(t, NULL, status);
    assert_int_equal(status, t->struck ? PENTA_MEMORY : PENTA_OK);
    for (size_t i = 0; i < BANDS; i++) {
        assert_true(s.gain[i] == (status == PENTA_OK ? 1 : gain[i]));
        assert_true(s.offset[i] == (status == PENTA_OK ? offset[i] : 0));
    }
    return status;
}

TEST_WITH(no_faults, NULL, scale)
{
    sweep(&(job){.name = "gains and offsets", .attempt = attempt_scale, .on_host = true, .least = 1});
}
