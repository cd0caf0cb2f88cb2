/* The smooth workload against its formula in double. */
#include "support/test.h"

#include <pentacl/smooth.h>

#include "reference/smooth.h"

enum { WIDTH = 37, HEIGHT = 23 };

static float image[WIDTH * HEIGHT], result[WIDTH * HEIGHT];

static void check(penta_context *ctx, int radius, int border)
{
    penta_smooth_options options;
    penta_smooth *plan = NULL;
    double terms = (2.0 * radius + 1) * (2.0 * radius + 1);

    penta_smooth_options_init(&options);
    options.radius = radius;
    options.border = border;
    EXPECT_OK(ctx, penta_smooth_create(ctx, WIDTH, HEIGHT, &options, &plan));
    EXPECT_OK(ctx, penta_smooth_run(plan, image, result));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double want = reference_smooth(image, WIDTH, HEIGHT, radius, border == PENTA_SMOOTH_ZERO, x, y);

            assert_true(fabs((double)result[y * WIDTH + x] - want) <= terms * 0x1p-24 * want);
        }
    penta_smooth_destroy(plan);
}

TEST(windows)
{
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        image[i] = (float)(i * 7919 % 1000);
    for (int border = 0; border < 2; border++) {
        check(*state, 0, border);
        check(*state, 1, border);
        check(*state, 4, border);
        check(*state, 50, border); /* wider than the image */
    }
}

DEVICE_TEST(refusals)
{
    penta_smooth *plan = NULL;
    penta_smooth_options options;
    char message[100];

    assert_int_equal(penta_smooth_create(ctx, 0, 5, NULL, &plan), PENTA_INVALID);
    assert_null(plan);
    penta_smooth_options_init(&options);
    assert_int_equal(penta_smooth_check(5, 5, &options, NULL, 0), PENTA_OK);
    options.radius = 51;
    assert_int_equal(penta_smooth_check(5, 5, &options, message, sizeof message), PENTA_INVALID);
    assert_non_null(strstr(message, "`radius` is 51 px"));
    assert_int_equal(penta_smooth_create(ctx, 5, 5, &options, &plan), PENTA_INVALID);
    assert_null(plan);
}

ON_DEVICE;
