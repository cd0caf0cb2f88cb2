/*
 * Faults in plans of cubes: each time there is an error and no answer, or the right one; the rows are the caller's
 * again, and after penta_pca_reset the same plan gives the right answer.
 */
#include "faults/pca_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/blas.h"
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

/* Against the reference, roughly: other tests ask for more. */
static void check_model(const scene *s, const model *m)
{
    static double mean[MOST_BANDS], covariance[MOST_BANDS * MOST_BANDS], noise[MOST_BANDS * MOST_BANDS];
    static double values[MOST_BANDS], vectors[MOST_BANDS * MOST_BANDS];
    size_t n = s->bands;

    assert_int_equal(reference_pca_covariance(n, PIXELS, cube.x, cube.valid, 1, mean, covariance), m->pixels);
    for (size_t i = 0; i < n * n; i++)
        expect_near(m->covariance[i], covariance[i], 1e-4 * covariance[0]);
    if (s->kind == PENTA_PCA_MNF) {
        reference_pca_noise(n, ROWS, COLS, cube.x, cube.valid, noise);
        reference_pca_generalised(n, covariance, noise, values, vectors);
    } else {
        reference_pca_eigen(n, covariance, values, vectors);
    }
    for (size_t i = 0; i < n; i++)
        expect_near(m->eigenvalues[i], values[i], 1e-4 * values[0]);
}

/* Takes the first one for right once the reference agrees. */
static void expect_right_model(const scene *s, penta_pca_model *m)
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

static const penta_pca_model empty;

/* A model that must be empty if there is an error. */
static penta_status solve(penta_pca *plan, penta_pca_model *out)
{
    penta_status status;

    memset(out, 1, sizeof *out);
    status = penta_pca_solve(plan, out);
    if (status != PENTA_OK)
        assert_memory_equal(out, &empty, sizeof empty);
    return status;
}

static penta_status add(const scene *s, penta_pca *plan)
{
    penta_status status = PENTA_OK;

    for (int i = 0; i < 2 && status == PENTA_OK; i++) {
        penta_cube_rows rows = piece(s, i);

        status = penta_pca_add(plan, &rows);
    }
    return status;
}

/* Rows that failed half-way give no model; a model that failed may be asked for again, if it is not refused. The plan
 * is as good as new once it is reset. */
static void expect_good_plan(const trial *t, penta_pca *plan, bool added)
{
    const scene *s = t->job->what;
    penta_pca_model m;
    penta_status status = solve(plan, &m);

    if (added && status == PENTA_OK) {
        expect_right_model(s, &m);
    } else {
        assert_int_equal(status, PENTA_INVALID);
        if (added)
            expect_text(penta_last_error(t->ctx), "penta_pca_reset");
    }
    penta_pca_reset(plan);
    EXPECT_OK(t->ctx, add(s, plan));
    EXPECT_OK(t->ctx, solve(plan, &m));
    expect_right_model(s, &m);
}

static penta_status create_plan(const scene *s, penta_context *ctx, penta_pca **plan)
{
    penta_pca_options o;
    penta_status status;

    penta_options_init(penta_pca_option_table, &o);
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

static penta_status attempt_statistics(trial *t)
{
    const scene *s = t->job->what;
    penta_pca *plan;
    penta_pca_model m = empty;
    penta_status status;
    bool added = false;

    have_memory(s, t->ctx);
    begin_faults(t);
    status = create_plan(s, t->ctx, &plan);
    if (status == PENTA_OK)
        status = add(s, plan);
    if (status == PENTA_OK) {
        added = true;
        status = solve(plan, &m);
    }
    end_faults(t, t->ctx, status);
    expect_rows_idle(t);
    faults_forget_transfers();
    faults_disarm();
    if (status == PENTA_OK)
        expect_right_model(s, &m);
    else if (plan)
        expect_good_plan(t, plan, added);
    penta_pca_destroy(plan);
    return_memory(t->ctx);
    return status;
}

/* ---- sweeps ---- */

static void sweep_all(const scene *s, const job *how)
{
    right_model.known = false;
    sweep_scene(s, how, attempt_statistics);
}

static void test_first_use(void **state)
{
    (void)state;
    sweep_all(&(scene){.name = "statistics in a new context", .bands = 5, .type = PENTA_F32, .no_data = "nan"},
              &in_new_context);
}

static void test_statistics(void **state)
{
    static const scene scenes[] = {
        {.name = "floats, bsq", .bands = 5, .type = PENTA_F32, .precision = PENTA_PRECISION_SINGLE, .pinned = true},
        {.name = "doubles, bil", .bands = 5, .layout = PENTA_BIL, .type = PENTA_F64, .masked = true, .no_data = "nan"},
        {.name = "bytes, bip", .bands = 5, .layout = PENTA_BIP, .type = PENTA_U8, .no_data = "7", .pinned = true},
        {.name = "16 bits, bsq", .bands = 5, .type = PENTA_I16, .masked = true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(scenes); i++)
        sweep_all(&scenes[i], &on_cpu);
}

static void test_statistics_as_gpu(void **state)
{
    static const scene scenes[] = {
        {.name = "floats as on a GPU, bsq", .bands = 5, .type = PENTA_F32, .no_data = "7"},
        {.name = "doubles as on a GPU, bip", .bands = 35, .layout = PENTA_BIP, .type = PENTA_F64, .masked = true},
        {.name = "bytes as on a GPU, bsq",
         .bands = 5,
         .type = PENTA_U8,
         .masked = true,
         .no_data = "7",
         .pinned = true},
        {.name = "32 bits as on a GPU, bil", .bands = 5, .layout = PENTA_BIL, .type = PENTA_I32, .pinned = true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(scenes); i++)
        sweep_all(&scenes[i], &as_gpu);
}

static void test_noise(void **state)
{
    static const scene here = {.name = "noise fractions of 16 bits, bil",
                               .bands = 5,
                               .layout = PENTA_BIL,
                               .type = PENTA_U16,
                               .kind = PENTA_PCA_MNF,
                               .masked = true,
                               .no_data = "7",
                               .pinned = true};
    static const scene there = {.name = "noise fractions of floats as on a GPU, bsq",
                                .bands = 5,
                                .type = PENTA_F32,
                                .kind = PENTA_PCA_MNF,
                                .no_data = "nan"};

    (void)state;
    sweep_all(&here, &on_cpu);
    sweep_all(&there, &as_gpu);
}

/* What CLBlast calls by itself does not fail, as the linker reaches no calls of a shared library. It is held
 * throughout, or each trial would compile its programs anew. */
static void test_methods(void **state)
{
    static const scene scenes[] = {
        {.name = "syrk", .bands = 5, .type = PENTA_F32, .cov = PENTA_PCA_COV_SYRK},
        {.name = "gemm", .bands = 5, .type = PENTA_F64, .cov = PENTA_PCA_COV_GEMM, .masked = true},
        {.name = "splitk", .bands = 5, .type = PENTA_U8, .cov = PENTA_PCA_COV_SPLITK},
        {.name = "square",
         .bands = 35,
         .layout = PENTA_BIP,
         .type = PENTA_F32,
         .cov = PENTA_PCA_COV_SQUARE,
         .no_data = "7"},
        {.name = "volkov", .bands = 5, .type = PENTA_U16, .cov = PENTA_PCA_COV_VOLKOV},
    };

    (void)state;
    print_message("calls inside CLBlast are left out: the linker does not reach them\n");
    penta_blas_hold();
    for (size_t i = 0; i < COUNT(scenes); i++)
        sweep_all(&scenes[i], i % 2 ? &as_gpu : &on_cpu);
    penta_blas_release();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_first_use, no_faults),         cmocka_unit_test_setup(test_statistics, no_faults),
        cmocka_unit_test_setup(test_statistics_as_gpu, no_faults), cmocka_unit_test_setup(test_noise, no_faults),
        cmocka_unit_test_setup(test_methods, no_faults),
    };

    return cmocka_run_group_tests_name("faults: plans of pca", tests, NULL, NULL);
}
