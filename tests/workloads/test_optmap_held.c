/* Movies that a device keeps while several steps take them. */
#include "support/test.h"

#include <pentacl/beats.h>

#include "core/internal.h"
#include "optmap/held.h"
#include "support/waves.h"

/* A GPU has its own copy of a movie that is held; a CPU, and where there is no room for it, the caller's. */
DEVICE_TEST(takes_the_copy_that_is_held)
{
    waves w = {400, 17, 23, 1000, 30, 120, 50, 3, {0.8, 0.5}, false, 0.05};
    HELD_BY(waves_free) penta_movie_view m = waves_movie(&w);
    uint64_t whole = ctx->info.max_allocation;
    size_t pixels = m.height * m.width, bytes = m.frames * pixels * sizeof *m.data;
    HELD float *climbs = must_calloc(3 * pixels, sizeof *climbs);
    bool gpu = ctx->info.type == PENTA_DEVICE_GPU;
    optmap_held held = {0};

    ctx->info.max_allocation = bytes - 1;
    EXPECT_OK(ctx, optmap_hold(ctx, &m, &held));
    ctx->info.max_allocation = whole;
    assert_null(optmap_held_copy(ctx, m.data, bytes));
    optmap_let_go(&held);
    EXPECT_OK(ctx, optmap_hold(ctx, &m, &held));
    assert_true((optmap_held_copy(ctx, m.data, bytes) != NULL) == gpu);
    assert_null(optmap_held_copy(ctx, m.data, bytes - sizeof *m.data));
    EXPECT_OK(ctx, penta_beats_climbs(ctx, &m, NULL, climbs));
    for (size_t i = 0; i < m.frames; i++) /* nothing climbs now */
        for (size_t p = 0; p < pixels; p++)
            *waves_at(&m, i, p) = (float)(i % 2);
    EXPECT_OK(ctx, penta_beats_climbs(ctx, &m, NULL, climbs + pixels));
    optmap_let_go(&held);
    assert_null(optmap_held_copy(ctx, m.data, bytes));
    EXPECT_OK(ctx, penta_beats_climbs(ctx, &m, NULL, climbs + 2 * pixels));
    assert_memory_not_equal(climbs, climbs + 2 * pixels, pixels * sizeof *climbs);
    assert_memory_equal(climbs + pixels, gpu ? climbs : climbs + 2 * pixels, pixels * sizeof *climbs);
}

ON_DEVICE;
AS_ON_A_GPU;
