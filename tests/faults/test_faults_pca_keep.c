/*
 * Faults in statistics and the map of pixels that stay on the device: each time there is an error, or the right answer,
 * of pixels that came again where there was no memory to keep them.
 */
#include "faults/pca_scene.h"

#include "support/device.h"

/* Where there was no memory to keep them they come again. */
static penta_status map_kept(const pca_scene *s, penta_pca *plan, penta_map *map)
{
    if (!penta_pca_has_kept(plan))
        return scene_map_rows(s, map);
    scene_clear_results();
    return penta_map_add_kept(map, plan, 0, PIXELS);
}

static penta_status use_kept(const pca_scene *s, penta_context *ctx, penta_pca *plan, penta_map **map,
                             penta_pca_model *m)
{
    penta_status status = penta_pca_keep(plan, 0);

    status = status == PENTA_OK ? scene_add(s, plan) : status;
    status = status == PENTA_OK ? scene_solve(plan, m) : status;
    status = status == PENTA_OK ? scene_create_map(s, ctx, map) : status;
    status = status == PENTA_OK ? map_kept(s, plan, *map) : status;
    status = status == PENTA_OK ? scene_ask_range(*map) : status;
    return status == PENTA_OK ? scene_take(s, *map) : status;
}

static bool fell_back; /* a fault made pixels come again, and nothing else */

static penta_status attempt_kept(trial *t)
{
    const pca_scene *s = t->job->what;
    penta_pca *plan;
    penta_map *map = NULL;
    penta_pca_model m = {0};
    penta_status status;

    scene_have_memory(s, t->ctx);
    begin_faults(t);
    status = scene_create_plan(s, t->ctx, &plan);
    if (plan)
        status = use_kept(s, t->ctx, plan, &map, &m);
    end_faults(t, t->ctx, status);
    expect_idle(t, scene_host(), sizeof *scene_host());
    faults_forget_transfers();
    faults_disarm();
    if (status == PENTA_OK) {
        assert_true(t->struck || penta_pca_has_kept(plan));
        fell_back |= !penta_pca_has_kept(plan);
        scene_expect_model(s, &m);
        scene_expect_results(s);
    } else {
        penta_pca_model_free(&m);
    }
    penta_map_destroy(map);
    penta_pca_destroy(plan);
    scene_return_memory(t->ctx);
    return status;
}

TEST_WITH(no_faults, NULL, kept)
{
    static const pca_scene here = {.name = "floats that are kept, bsq",
                                   .bands = 5,
                                   .outs = 3,

                                   .type = PENTA_F32,
                                   .no_data = "7",
                                   .result = PENTA_F64};
    static const pca_scene there = {.name = "16 bits that are kept as on a GPU, bil, to bytes",
                                    .bands = 5,
                                    .outs = 3,

                                    .layout = PENTA_BIL,
                                    .type = PENTA_I16,
                                    .masked = true,
                                    .pinned = true,
                                    .result = PENTA_U8,
                                    .rescale = true};
    job cpu = scene_on_cpu, gpu = scene_as_gpu;

    cpu.retries = gpu.retries = true;
    fell_back = false;
    scene_sweep(&here, &cpu, attempt_kept);
    assert_true(fell_back);
    fell_back = false;
    scene_sweep(&there, &gpu, attempt_kept);
    assert_true(fell_back);
}
