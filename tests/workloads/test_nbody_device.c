/* Bodies in device memory: the bits of the same in host memory; rows that are written where they are wanted. */
#include "support/test.h"

#include <pentacl/nbody.h>

#include "core/core.h"
#include "support/device_array.h"

enum { N = 203, NUMBERS = 7 * N, BYTES = NUMBERS * sizeof(double) };

static penta_nbody *make_plan(penta_context *ctx)
{
    penta_nbody *plan = NULL;

    EXPECT_OK(ctx, penta_nbody_create(ctx, N, NULL, &plan));
    return plan;
}

DEVICE_TEST(same_bits)
{
    static const size_t offsets[] = {AT_START, AT_ALIGNED, AT_ODD};
    static double bodies[NUMBERS], start[NUMBERS], want[NUMBERS], got[NUMBERS];
    HELD_BY(penta_nbody_held) penta_nbody *plan = make_plan(ctx), *other = make_plan(ctx);

    EXPECT_OK(ctx, penta_nbody_initial(PENTA_NBODY_PLUMMER, 3, N, bodies));
    EXPECT_OK(ctx, penta_nbody_set(plan, bodies));
    EXPECT_OK(ctx, penta_nbody_get(plan, start));
    if (penta_context_device(ctx)->fp64) /* else bodies keep 48 bits: test_nbody.c */
        assert_memory_equal(start, bodies, BYTES);
    EXPECT_OK(ctx, penta_nbody_advance(plan, 5));
    EXPECT_OK(ctx, penta_nbody_get(plan, want));
    assert_memory_not_equal(want, bodies, BYTES);
    for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
        HELD_BY(free_device_array) device_array in = make_device_array(ctx, offsets[o], bodies, BYTES);
        HELD_BY(free_device_array) device_array out = make_device_array(ctx, offsets[o], NULL, BYTES);
        traffic t;

        EXPECT_OK(ctx, penta_nbody_set(other, in.address));
        EXPECT_OK(ctx, penta_nbody_advance(other, 5));
        penta_profile_reset(ctx);
        EXPECT_OK(ctx, penta_nbody_get(other, out.address));
        t = traffic_of(ctx);
        if (penta_context_device(ctx)->fp64) { /* else the host makes doubles of pairs of floats */
            assert_int_equal(t.transfers, 0);
            assert_int_equal(t.copies, !works_in_place(ctx, offsets[o]));
        }
        read_device_array(&out, got);
        assert_memory_equal(got, want, BYTES);
    }
}

DEVICE_TEST(refusals)
{
    static double bodies[NUMBERS];
    HELD_BY(penta_nbody_held) penta_nbody *plan = make_plan(ctx);
    HELD_BY(free_device_array) device_array small;

    EXPECT_OK(ctx, penta_nbody_initial(PENTA_NBODY_PLUMMER, 3, N, bodies));
    small = make_device_array(ctx, AT_START, bodies, BYTES - 1);
    EXPECT_REFUSED(ctx, penta_nbody_set(plan, small.address), PENTA_INVALID,
                   "11368 bytes are needed of a device array that has 11367");
    EXPECT_OK(ctx, penta_nbody_set(plan, bodies));
    assert_int_equal(penta_nbody_get(plan, small.address), PENTA_INVALID);
    EXPECT_REFUSED(ctx, penta_nbody_forces(plan, small.address, NULL), PENTA_INVALID,
                   "acceleration must be in host memory");
    assert_int_equal(penta_nbody_save(plan, small.address), PENTA_INVALID);
    EXPECT_OK(ctx, penta_nbody_advance(plan, 1));
}

ON_DEVICE;
AS_ON_A_GPU;
