/*
 * Memory that ranks see of each other (src/core/window.c), and forces that they share by it. One of them may refuse to
 * be seen (PENTACL_WINDOWS=off), as one on another machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/mpi.h>

#include "core/internal.h"
#include "core/window.h"
#include "support/device.h"
#include "support/pairs_run.h"

enum { BYTES = 3 << 20, NOBODY = 99 };

static penta_group *group;

/* Which rank is apart; NOBODY: none. */
static void set_apart(size_t rank)
{
    if (penta_group_rank(group) == rank)
        setenv("PENTACL_WINDOWS", "off", 1);
    else
        unsetenv("PENTACL_WINDOWS");
}

static void look_around(penta_context *ctx, size_t apart)
{
    size_t rank = penta_group_rank(group), bytes = BYTES + rank;
    penta_window window = {0};

    set_apart(apart);
    EXPECT_OK(ctx, penta_window_open(ctx, group, bytes, &window));
    memset(window.own, 10 + (int)rank, bytes);
    EXPECT_OK(ctx, penta_group_agree(group, ctx, PENTA_OK));
    for (size_t other = 0; other < penta_group_size(group); other++) {
        bool visible = other == rank || (rank != apart && other != apart);

        assert_int_equal(window.seen[other] != NULL, visible);
        assert_int_equal(window.shown[other], visible);
        assert_true(!visible || window.seen[other][0] == (char)(10 + other));
        assert_true(!visible || window.seen[other][BYTES + other - 1] == (char)(10 + other));
    }
    EXPECT_OK(ctx, penta_group_agree(group, ctx, PENTA_OK));
    penta_window_close(&window);
}

static void test_windows(void **state)
{
    look_around(*state, NOBODY);
    look_around(*state, 0);
    look_around(*state, 1);
}

/* A rank closes its window, and the others still see what was in it. */
static void test_closed(void **state)
{
    penta_context *ctx = *state;
    penta_window window = {0};

    set_apart(NOBODY);
    EXPECT_OK(ctx, penta_window_open(ctx, group, BYTES, &window));
    memset(window.own, 7, BYTES);
    EXPECT_OK(ctx, penta_group_agree(group, ctx, PENTA_OK));
    if (penta_group_rank(group) == 0)
        penta_window_close(&window);
    EXPECT_OK(ctx, penta_group_agree(group, ctx, PENTA_OK));
    if (penta_group_rank(group) != 0)
        assert_int_equal(window.seen[0][BYTES - 1], 7);
    penta_window_close(&window);
}

static void expect_forces(penta_context *ctx, size_t apart, const double *alone)
{
    nbody_share share = {.ctx = ctx,
                         .group = group,
                         .rank = penta_group_rank(group),
                         .size = penta_group_size(group),
                         .memory = nbody_memory_of(NULL, ctx)};
    double *got = must_calloc(3 * PAIRS_PITCH, sizeof *got);
    pairs_job job = pairs_open();

    set_apart(apart);
    EXPECT_OK(ctx, pairs_forces(ctx, &share, &job, got));
    assert_memory_equal(got, alone, 3 * PAIRS_PITCH * sizeof *got);
    nbody_share_release(&share);
    pairs_close(&job);
    free(got);
}

static void test_forces(void **state)
{
    penta_context *ctx = *state;
    penta_device_type type = ctx->info.type;
    double *alone = must_calloc(3 * PAIRS_PITCH, sizeof *alone);
    pairs_job job = pairs_open();

    ctx->info.type = PENTA_DEVICE_GPU;
    EXPECT_OK(ctx, pairs_forces(ctx, NULL, &job, alone));
    pairs_expect_sums(&job, alone);
    expect_forces(ctx, NOBODY, alone);
    expect_forces(ctx, 1, alone);
    ctx->info.type = type;
    pairs_close(&job);
    free(alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows), cmocka_unit_test(test_closed),
                                       cmocka_unit_test(test_forces)};
    int failed;

    if (penta_mpi_world_open(&group) != PENTA_OK) {
        fprintf(stderr, "%s\n", penta_last_error(NULL));
        return 1;
    }
    failed = cmocka_run_group_tests(tests, open_device, close_device);
    if (failed > 0)
        penta_mpi_world_abort(1); /* others may wait for this one */
    penta_mpi_world_close(group);
    return 0;
}
