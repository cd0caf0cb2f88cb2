/* The rate of multiply-adds of a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "support/device.h"

/* Some rate that a device of today can have, measured by the kernel that says so in the profile. */
static void test_rate(void **state)
{
    penta_context *ctx = device_of(state);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rate)};
    int failed = cmocka_run_group_tests_name("flops", tests, open_device, close_device);

    return failed + cmocka_run_group_tests_name("flops, the form for GPUs", tests, open_gpu_form, close_device);
}
