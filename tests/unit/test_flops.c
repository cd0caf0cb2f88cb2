/* The rate of multiply-adds of a device. */
#include "support/test.h"

/* Some rate that a device of today can have, measured by the kernel that says so in the profile. */
DEVICE_TEST(rate)
{
    const penta_profile_entry *entries;
    bool found = false;
    double flops = 0;
    size_t count;

    EXPECT_OK(ctx, penta_peak_flops(ctx, &flops));
    if (!(flops > 1e8 && flops < 1e16))
        fail_msg("%g flop/s", flops);
    count = penta_profile(ctx, &entries);
    for (size_t i = 0; i < count; i++)
        found = found || strcmp(entries[i].name, "penta_multiply_adds") == 0;
    assert_true(found);
}

/* Every limit is a number that a device of today can have; double precision may be missing. */
DEVICE_TEST(limits)
{
    for (int limit = PENTA_LIMIT_SINGLE; limit <= PENTA_LIMIT_DOWNLOAD; limit++) {
        double value = -1;
        bool right;
        penta_status status = penta_measure_limit(ctx, (penta_limit)limit, &value);

        if (limit == PENTA_LIMIT_DOUBLE && !penta_context_device(ctx)->fp64) {
            assert_int_equal(status, PENTA_UNSUPPORTED);
            continue;
        }
        EXPECT_OK(ctx, status);
        right = limit == PENTA_LIMIT_LAUNCH ? value > 1e-8 && value < 1 : value > 1e7 && value < 1e16;
        if (!right)
            fail_msg("limit %d is %g", limit, value);
    }
}

TEST(unknown_limit)
{
    double value;

    assert_int_equal(penta_measure_limit(device_of(state), (penta_limit)99, &value), PENTA_INVALID);
}

ON_DEVICE;
AS_ON_A_GPU;
