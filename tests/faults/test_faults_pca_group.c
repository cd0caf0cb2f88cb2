/* Faults in a plan that is in a group: there is an error and no model, or the right one, and after penta_pca_reset the
 * plan, still in its group, gives the right model. */
#include "faults/pca_scene.h"

#include <pentacl/group.h>

#include "support/device.h"

static penta_status join(const pca_scene *s, penta_pca *plan, penta_group *group)
{
    penta_pca_part part;
    penta_status status = penta_pca_join(plan, group, ROWS, COLS, s->type, &part);

    if (status == PENTA_OK)
        assert_int_equal(part.rows, ROWS);
    return status;
}

/* Whatever failed, the plan is as good as new once it is reset. */
static void expect_good_plan(const trial *t, penta_pca *plan, penta_group *group)
{
    const pca_scene *s = t->job->what;
    penta_pca_model m;

    penta_pca_reset(plan);
    EXPECT_OK(t->ctx, join(s, plan, group));
    EXPECT_OK(t->ctx, scene_add(s, plan));
    for (int i = 0; i < 2; i++) {
        EXPECT_OK(t->ctx, scene_solve(plan, &m));
        scene_expect_model(s, &m);
    }
}

static penta_status attempt_group(trial *t)
{
    const pca_scene *s = t->job->what;
    penta_group *group = NULL;
    penta_pca *plan;
    penta_pca_model m = {0};
    penta_status status;

    assert_int_equal(penta_group_alone(&group), PENTA_OK);
    scene_have_memory(s, t->ctx);
    begin_faults(t);
    status = scene_create_plan(s, t->ctx, &plan);
    if (status == PENTA_OK)
        status = join(s, plan, group);
    if (status == PENTA_OK)
        status = scene_add(s, plan);
    if (status == PENTA_OK)
        status = scene_solve(plan, &m);
    end_faults(t, t->ctx, status);
    expect_idle(t, scene_host(), sizeof *scene_host());
    faults_forget_transfers();
    faults_disarm();
    if (status == PENTA_OK)
        scene_expect_model(s, &m);
    else if (plan)
        expect_good_plan(t, plan, group);
    penta_pca_destroy(plan);
    penta_group_leave(group);
    scene_return_memory(t->ctx);
    return status;
}

TEST_WITH(no_faults, NULL, group)
{
    static const pca_scene scenes[] = {
        {.name = "floats, bsq, in a group", .bands = 5, .type = PENTA_F32, .pinned = true},
        {.name = "16 bits, bip, in a group", .bands = 5, .layout = PENTA_BIP, .type = PENTA_I16, .masked = true},
        {.name = "noise fractions of bytes, in a group", .bands = 5, .type = PENTA_U8, .kind = PENTA_PCA_MNF},
    };

    for (size_t i = 0; i < COUNT(scenes); i++)
        scene_sweep(&scenes[i], &scene_on_cpu, attempt_group);
}
