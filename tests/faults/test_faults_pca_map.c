/*
 * Faults in maps of cubes: each time there is an error and no answer, or the right one; the rows are the caller's
 * again, and after penta_map_reset the same map gives the right answer.
 */
#include "faults/pca_scene.h"

#include "pca/pca.h"
#include "support/device.h"

enum step { ADDING, ASKING, TAKING, DONE };

/* *step: where it failed. */
static penta_status use_map(const pca_scene *s, penta_map *map, enum step *step)
{
    penta_status status = scene_map_rows(s, map);

    *step = ADDING;
    if (status == PENTA_OK) {
        *step = ASKING;
        status = scene_ask_range(map);
    }
    if (status == PENTA_OK) {
        *step = TAKING;
        status = scene_take(s, map);
    }
    if (status == PENTA_OK)
        *step = DONE;
    return status;
}

static void expect_nothing_kept(const trial *t, penta_map *map)
{
    const pca_scene *s = t->job->what;

    assert_int_equal(penta_map_room(map), SLABS * PCA_UNIT);
    memset(scene_host()->out, UNTOUCHED, sizeof scene_host()->out);
    EXPECT_OK(t->ctx, scene_take(s, map));
    for (size_t i = 0; i < sizeof scene_host()->out; i++)
        assert_int_equal(((const uint8_t *)scene_host()->out)[i], UNTOUCHED);
}

/* A range that failed may be asked for again; of rows and results that failed nothing is left. The map is as good as
 * new once it is reset. */
static void expect_good_map(const trial *t, penta_map *map, enum step failed)
{
    const pca_scene *s = t->job->what;

    if (failed == ASKING) {
        EXPECT_OK(t->ctx, scene_ask_range(map));
        EXPECT_OK(t->ctx, scene_take(s, map));
        scene_expect_results(s);
    }
    expect_nothing_kept(t, map);
    penta_map_reset(map);
    EXPECT_OK(t->ctx, use_map(s, map, &failed));
    scene_expect_results(s);
}

static penta_status attempt_map(trial *t)
{
    const pca_scene *s = t->job->what;
    enum step step = DONE;
    penta_map *map;
    penta_status status;

    scene_have_memory(s, t->ctx);
    begin_faults(t);
    status = scene_create_map(s, t->ctx, &map);
    if (map)
        status = use_map(s, map, &step);
    end_faults(t, t->ctx, status);
    expect_idle(t, scene_host(), sizeof *scene_host());
    faults_forget_transfers();
    faults_disarm();
    if (status == PENTA_OK)
        scene_expect_results(s);
    else if (map)
        expect_good_map(t, map, step);
    penta_map_destroy(map);
    scene_return_memory(t->ctx);
    return status;
}

/* Each trial builds its programs, which takes long, so few calls fail, and no allocations. */
TEST_WITH(no_faults, NULL, first_use)
{
    scene_sweep(
        &(pca_scene){.name = "a map in a new context", .bands = 5, .outs = 3, .type = PENTA_U16, .result = PENTA_F32},
        &(job){.fresh = true, .on_device = true}, attempt_map);
}

TEST_WITH(no_faults, NULL, maps)
{
    static const pca_scene scenes[] = {
        {.name = "a map of floats, bsq",
         .bands = 5,
         .outs = 3,
         .type = PENTA_F32,
         .precision = PENTA_PRECISION_SINGLE,
         .result = PENTA_F32,
         .pinned = true},
        {.name = "a map of bytes, then floats, bip",
         .bands = 5,
         .outs = 3,
         .layout = PENTA_BIP,
         .type = PENTA_U8,
         .mixed = true,
         .no_data = "7",
         .result = PENTA_F64},
        {.name = "a map of 16 bits, bil, to bytes",
         .bands = 5,
         .outs = 3,
         .layout = PENTA_BIL,
         .type = PENTA_I16,
         .masked = true,
         .result = PENTA_U8,
         .rescale = true,
         .given = true},
    };

    for (size_t i = 0; i < COUNT(scenes); i++)
        scene_sweep(&scenes[i], &scene_on_cpu, attempt_map);
}

TEST_WITH(no_faults, NULL, maps_as_gpu)
{
    static const pca_scene scenes[] = {
        {.name = "a map of doubles as on a GPU, bip",
         .bands = 5,
         .outs = 3,
         .layout = PENTA_BIP,
         .type = PENTA_F64,
         .masked = true,
         .no_data = "nan",
         .result = PENTA_I16,
         .rescale = true},
        {.name = "a wide map of bytes, then floats, as on a GPU, bsq",
         .bands = 5,
         .outs = 20,
         .type = PENTA_U8,
         .mixed = true,
         .pinned = true,
         .result = PENTA_F64},
        {.name = "a map of floats as on a GPU, bil, to bytes",
         .bands = 5,
         .outs = 3,
         .layout = PENTA_BIL,
         .type = PENTA_F32,
         .masked = true,
         .precision = PENTA_PRECISION_SINGLE,
         .result = PENTA_U8,
         .rescale = true,
         .given = true,
         .pinned = true},
    };

    for (size_t i = 0; i < COUNT(scenes); i++)
        scene_sweep(&scenes[i], &scene_as_gpu, attempt_map);
}
