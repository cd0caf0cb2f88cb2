/*
 * Faults in plans of cubes: each time there is an error and no model, or the right one; the rows are the caller's
 * again, and after penta_pca_reset the same plan gives the right model.
 */
#include "faults/pca_scene.h"

#include "math/blas.h"
#include "support/device.h"

/* Rows that failed half-way give no model; a model that failed may be asked for again, if it is not refused. The plan
 * is as good as new once it is reset. */
static void expect_good_plan(const trial *t, penta_pca *plan, bool added)
{
    const pca_scene *s = t->job->what;
    penta_pca_model m;
    penta_status status = scene_solve(plan, &m);

    if (added && status == PENTA_OK) {
        scene_expect_model(s, &m);
    } else {
        assert_int_equal(status, PENTA_INVALID);
        if (added)
            expect_text(penta_last_error(t->ctx), "penta_pca_reset");
    }
    penta_pca_reset(plan);
    EXPECT_OK(t->ctx, scene_add(s, plan));
    EXPECT_OK(t->ctx, scene_solve(plan, &m));
    scene_expect_model(s, &m);
}

static penta_status attempt_statistics(trial *t)
{
    const pca_scene *s = t->job->what;
    penta_pca *plan;
    penta_pca_model m = {0};
    penta_status status;
    bool added = false;

    scene_have_memory(s, t->ctx);
    begin_faults(t);
    status = scene_create_plan(s, t->ctx, &plan);
    if (status == PENTA_OK)
        status = scene_add(s, plan);
    if (status == PENTA_OK) {
        added = true;
        status = scene_solve(plan, &m);
    }
    end_faults(t, t->ctx, status);
    expect_idle(t, scene_host(), sizeof *scene_host());
    faults_forget_transfers();
    faults_disarm();
    if (status == PENTA_OK)
        scene_expect_model(s, &m);
    else if (plan)
        expect_good_plan(t, plan, added);
    penta_pca_destroy(plan);
    scene_return_memory(t->ctx);
    return status;
}

/* Each trial builds its programs, which takes long, so few calls fail, and no allocations. */
TEST_WITH(no_faults, NULL, first_use)
{
    scene_sweep(&(pca_scene){.name = "statistics in a new context", .bands = 5, .type = PENTA_F32, .no_data = "nan"},
                &(job){.fresh = true, .on_device = true}, attempt_statistics);
}

TEST_WITH(no_faults, NULL, statistics)
{
    static const pca_scene scenes[] = {
        {.name = "floats, bsq", .bands = 5, .type = PENTA_F32, .precision = PENTA_PRECISION_SINGLE, .pinned = true},
        {.name = "doubles, bil", .bands = 5, .layout = PENTA_BIL, .type = PENTA_F64, .masked = true, .no_data = "nan"},
        {.name = "bytes, bip", .bands = 5, .layout = PENTA_BIP, .type = PENTA_U8, .no_data = "7", .pinned = true},
        {.name = "16 bits, bsq", .bands = 5, .type = PENTA_I16, .masked = true},
    };

    for (size_t i = 0; i < COUNT(scenes); i++)
        scene_sweep(&scenes[i], &scene_on_cpu, attempt_statistics);
}

TEST_WITH(no_faults, NULL, statistics_as_gpu)
{
    static const pca_scene scenes[] = {
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

    for (size_t i = 0; i < COUNT(scenes); i++)
        scene_sweep(&scenes[i], &scene_as_gpu, attempt_statistics);
}

TEST_WITH(no_faults, NULL, noise)
{
    static const pca_scene here = {.name = "noise fractions of 16 bits, bil",
                                   .bands = 5,
                                   .layout = PENTA_BIL,
                                   .type = PENTA_U16,
                                   .kind = PENTA_PCA_MNF,
                                   .masked = true,
                                   .no_data = "7",
                                   .pinned = true};
    static const pca_scene there = {.name = "noise fractions of floats as on a GPU, bsq",
                                    .bands = 5,
                                    .type = PENTA_F32,
                                    .kind = PENTA_PCA_MNF,
                                    .no_data = "nan"};

    scene_sweep(&here, &scene_on_cpu, attempt_statistics);
    scene_sweep(&there, &scene_as_gpu, attempt_statistics);
}

/* What CLBlast calls by itself does not fail, as the linker reaches no calls of a shared library. It is held
 * throughout, or each trial would compile its programs anew. */
TEST_WITH(no_faults, NULL, methods)
{
    static const pca_scene scenes[] = {
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

    print_message("calls inside CLBlast are left out: the linker does not reach them\n");
    penta_blas_hold();
    for (size_t i = 0; i < COUNT(scenes); i++)
        scene_sweep(&scenes[i], i % 2 ? &scene_as_gpu : &scene_on_cpu, attempt_statistics);
    penta_blas_release();
}
