/* Drifts of frames that are turned, or whose content grows, against what they were made with. */
#include "support/test.h"

#include "prepare/register_parts.h"
#include "support/prepare_frames.h"
#include "support/random.h"

enum { MOST = 6, WIDTH = 640, HEIGHT = 517 };

typedef struct {
    double grow;
    penta_drift drift;
} known;

#define AT(x, y, degrees)                                                                                              \
    {                                                                                                                  \
        .dx = (x), .dy = (y), .angle = (degrees), .score = 1                                                           \
    }

/* Registers frames made by what is known, the first one at rest, with noise of a tenth of the contrast. */
static void run_sized(penta_context *ctx, size_t width, size_t height, int registration, double max_angle, size_t n,
                      const known *frames, penta_drift *drift)
{
    size_t pixels = width * height;
    static const bool none[MOST];
    penta_prepare_options o;
    HELD float *grey = must_calloc(n * pixels, sizeof *grey);
    HELD uint8_t *mask = must_calloc(n, pixels);
    prepare_register *r;
    HELD_BY(close_frames) prepare_frames f;

    penta_prepare_options_init(&o);
    o.registration = registration;
    o.max_angle = max_angle;
    for (size_t i = 0; i < n; i++)
        make_pattern(width, height, 20, frames[i].grow, &frames[i].drift, 31, grey + i * pixels);
    random_seed(8);
    for (size_t i = 0; i < n * pixels; i++) {
        grey[i] += (float)(0.02 * random_normal());
        mask[i] = random_uniform() > 0.01;
    }
    open_frames(ctx, &o, width, height, n, &f);
    put_frames(&f, n, grey, mask);
    EXPECT_OK(ctx, prepare_register_create(&f.own, &f.shape, &r));
    EXPECT_OK(ctx, prepare_register_run(r, &f.batch, none, drift));
}

static void run_known(penta_context *ctx, int registration, double max_angle, size_t n, const known *frames,
                      penta_drift *drift)
{
    run_sized(ctx, WIDTH, HEIGHT, registration, max_angle, n, frames, drift);
}

static void expect_known(size_t n, const known *frames, const penta_drift *drift, double px, double degrees)
{
    for (size_t i = 0; i < n; i++) {
        expect_near(drift[i].dx, frames[i].drift.dx, px);
        expect_near(drift[i].dy, frames[i].drift.dy, px);
        expect_near(drift[i].angle, frames[i].drift.angle, degrees);
    }
}

TEST(rotation)
{
    static const known frames[] = {{0, AT(0, 0, 0)},         {0, AT(3.4, -7.25, 1)}, {0, AT(-12, 2.5, -1.63)},
                                   {0, AT(0.45, 0.3, 0.08)}, {0, AT(40.1, 20.7, 0)}, {0, AT(-2, 2, 0.13)}};
    penta_drift drift[MOST] = {{.dx = 0}};

    run_known(device_of(state), PENTA_PREPARE_RIGID, 2, COUNT(frames), frames, drift);
    expect_known(COUNT(frames), frames, drift, 0.02, 0.005);
    for (size_t i = 0; i < COUNT(frames); i++)
        assert_true(drift[i].score > 0.5);
}

/* Few tiles. */
TEST(small_frames)
{
    static const known frames[] = {{0, AT(0, 0, 0)}, {0, AT(3.4, -7.25, 1.1)}, {0, AT(-2, 2.5, -0.63)}};
    penta_drift drift[MOST] = {{.dx = 0}};

    run_sized(device_of(state), 231, 200, PENTA_PREPARE_RIGID, 2, COUNT(frames), frames, drift);
    expect_known(COUNT(frames), frames, drift, 0.03, 0.02);
}

TEST(large_angles)
{
    static const known frames[] = {{0, AT(0, 0, 0)}, {0, AT(10.5, 5, 9.3)}, {0, AT(-4, 4, -11.8)}};
    penta_drift drift[MOST] = {{.dx = 0}};

    run_known(device_of(state), PENTA_PREPARE_RIGID, 12, COUNT(frames), frames, drift);
    expect_known(COUNT(frames), frames, drift, 0.02, 0.005);
}

TEST(rotation_with_growth)
{
    static const known frames[] = {{0, AT(0, 0, 0)}, {0.004, AT(3, 5.5, 0.5)}, {0.01, AT(6, 9.1, 1.1)}};
    penta_drift drift[MOST] = {{.dx = 0}};

    run_known(device_of(state), PENTA_PREPARE_RIGID, 2, COUNT(frames), frames, drift);
    expect_known(COUNT(frames), frames, drift, 0.02, 0.005);
}

TEST(growth)
{
    static const known frames[] = {
        {0, AT(0, 0, 0)}, {0.002, AT(3.35, -7.25, 0)}, {0.005, AT(-2.65, 4.15, 0)}, {0.01, AT(5.55, 8.4, 0)}};
    penta_drift drift[MOST] = {{.dx = 0}};

    run_known(device_of(state), PENTA_PREPARE_SHIFT, 2, COUNT(frames), frames, drift);
    expect_known(COUNT(frames), frames, drift, 0.02, 1e-12);
}

/* Nothing grows: the peak of the whole frame stands, which has less noise. */
TEST(no_growth)
{
    static const known frames[] = {
        {0, AT(0, 0, 0)}, {0, AT(3.35, -7.25, 0)}, {0, AT(-2.5, 4.15, 0)}, {0, AT(50.45, 80.4, 0)}};
    penta_drift drift[MOST] = {{.dx = 0}};

    run_known(device_of(state), PENTA_PREPARE_SHIFT, 2, COUNT(frames), frames, drift);
    expect_known(COUNT(frames), frames, drift, 0.01, 1e-12);
}

/* Sums of tiles that were moved by growth, and of tiles that were not. */
TEST(growth_is_seen)
{
    static const double grows[] = {0, 0.00002, 0.001};
    prepare_shape shape = {.width = 5 * PREPARE_TILE, .height = 5 * PREPARE_TILE};
    HELD float *sums = must_calloc(25 * 54, sizeof *sums);

    for (size_t g = 0; g < COUNT(grows); g++) {
        bool seen;

        random_seed(5);
        for (size_t i = 0; i < 25; i++)
            for (size_t k = 0; k < 9; k++) {
                double x = grows[g] * PREPARE_TILE * ((double)(i % 5) - 2) + 0.001 * random_normal();
                double y = grows[g] * PREPARE_TILE * ((double)(i / 5) - 2) + 0.001 * random_normal();
                double far = pow((double)(k % 3) - 1 - x, 2) + pow((double)(k / 3) - 1 - y, 2);
                float *s = sums + i * 54 + k * 6;

                s[0] = s[3] = s[4] = 10000;
                s[5] = (float)(10000 * exp(-0.05 * far));
            }
        EXPECT_OK(NULL, prepare_rigid_grows(NULL, &shape, sums, &seen));
        assert_int_equal(seen, g == 2);
    }
}

ON_DEVICE;
AS_ON_A_GPU;
