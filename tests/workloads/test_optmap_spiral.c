/* The excitable medium of penta_spiral: a literal Euler step in float, tips of known fields, one spiral that lives. */
#include "support/test.h"

static float at(const float *map, long width, long height, long x, long y)
{
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    return map[y * width + x];
}

/* The header's equations with sums in the kernels' order. */
static void step(const penta_spiral_options *o, long w, long h, const float *u, const float *v, float *nu, float *nv)
{
    float reaction = (float)(o->step / o->epsilon), diffusion = (float)(o->step / (6 * o->cell * o->cell));
    float slope = (float)(1 / o->a), b = (float)o->b, dt = (float)o->step;

    for (long y = 0; y < h; y++)
        for (long x = 0; x < w; x++) {
            float c = at(u, w, h, x, y), s = at(v, w, h, x, y);
            float cross =
                (at(u, w, h, x, y - 1) + at(u, w, h, x, y + 1)) + (at(u, w, h, x - 1, y) + at(u, w, h, x + 1, y));
            float corners = (at(u, w, h, x - 1, y - 1) + at(u, w, h, x + 1, y - 1)) +
                            (at(u, w, h, x - 1, y + 1) + at(u, w, h, x + 1, y + 1));

            nu[y * w + x] = c + reaction * (c * (1.0f - c)) * (c - (s + b) * slope) +
                            diffusion * (4.0f * cross + corners - 20.0f * c);
            nv[y * w + x] = s + dt * (c - s);
        }
}

/* Steps of the library against the same steps here: the same bits. */
static void compare(void **state, size_t width, size_t height)
{
    penta_context *ctx = device_of(state);
    penta_spiral_options o;
    penta_spiral *spiral = NULL;
    size_t n = width * height;
    float *a[2] = {must_calloc(n, 4), must_calloc(n, 4)}, *b[2] = {must_calloc(n, 4), must_calloc(n, 4)};
    HELD float *u = must_calloc(n, 4), *v = must_calloc(n, 4);

    penta_spiral_options_init(&o);
    EXPECT_OK(ctx, penta_spiral_create(ctx, width, height, &o, &spiral));
    EXPECT_OK(ctx, penta_spiral_read(spiral, a[0], a[1]));
    for (int i = 0; i < 60; i++) {
        step(&o, (long)width, (long)height, a[0], a[1], b[0], b[1]);
        memcpy(a[0], b[0], 4 * n);
        memcpy(a[1], b[1], 4 * n);
    }
    EXPECT_OK(ctx, penta_spiral_advance(spiral, 60));
    EXPECT_OK(ctx, penta_spiral_read(spiral, u, v));
    for (size_t i = 0; i < n; i++)
        if (u[i] != a[0][i] || v[i] != a[1][i])
            fail_msg("%zu x %zu, cell %zu: u %.9g v %.9g instead of %.9g %.9g", width, height, i, (double)u[i],
                     (double)v[i], (double)a[0][i], (double)a[1][i]);
    penta_spiral_destroy(spiral);
    for (int i = 0; i < 2; i++) {
        free(a[i]);
        free(b[i]);
    }
}

TEST(steps_are_eulers)
{
    compare(state, 40, 30);
    compare(state, 33, 17);
    compare(state, 16, 5);
    compare(state, 2, 2);
}

DEVICE_TEST(one_spiral_lives)
{
    enum { SIDE = 96 };
    HELD_BY(penta_spiral_held) penta_spiral *spiral = NULL;
    HELD float *u = must_calloc(SIDE * SIDE, 4), *v = must_calloc(SIDE * SIDE, 4);
    penta_spiral_tip tips[4];
    double least = SIDE, most = 0;

    EXPECT_OK(ctx, penta_spiral_create(ctx, SIDE, SIDE, NULL, &spiral));
    EXPECT_OK(ctx, penta_spiral_advance(spiral, 600));
    for (int i = 0; i < 40; i++) {
        EXPECT_OK(ctx, penta_spiral_advance(spiral, 10));
        EXPECT_OK(ctx, penta_spiral_read(spiral, u, v));
        assert_int_equal(penta_spiral_tips(spiral, u, v, tips, COUNT(tips)), 1);
        assert_int_equal(tips[0].charge, -1); /* the arms turn one way */
        least = fmin(least, fmin(u[SIDE * 10 + 10], tips[0].x));
        most = fmax(most, u[SIDE * 10 + 10]);
        expect_near(tips[0].x, 0.5 * SIDE, 8);
        expect_near(tips[0].y, 0.5 * SIDE, 8);
    }
    assert_true(least < 0.1 && most > 0.8); /* waves pass */
}

/* u - 1/2 and v - (a/2 - b) linear: the lines meet at (5.3, 3.75), and turned about at (2.25, 6.5) with the other sign.
 */
DEVICE_TEST(tips_are_where_isolines_meet)
{
    enum { WIDTH = 12, HEIGHT = 10 };
    HELD_BY(penta_spiral_held) penta_spiral *spiral = NULL;
    penta_spiral_options o;
    penta_spiral_tip tips[2];
    float u[WIDTH * HEIGHT], v[WIDTH * HEIGHT];

    penta_spiral_options_init(&o);
    EXPECT_OK(ctx, penta_spiral_create(ctx, WIDTH, HEIGHT, &o, &spiral));
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            double x = i % WIDTH - 5.3, y = i / WIDTH - 3.75;

            u[i] = (float)(0.5 + 0.1 * x + 0.03 * y);
            v[i] = (float)(o.a / 2 - o.b + sign * (0.08 * y - 0.02 * x));
        }
        assert_int_equal(penta_spiral_tips(spiral, u, v, tips, COUNT(tips)), 1);
        expect_near(tips[0].x, 5.3, 1e-4);
        expect_near(tips[0].y, 3.75, 1e-4);
        assert_int_equal(tips[0].charge, -sign); /* y is down: with sign 1 the phase grows clockwise */
    }
    memset(u, 0, sizeof u);
    assert_int_equal(penta_spiral_tips(spiral, u, v, tips, COUNT(tips)), 0);
}

DEVICE_TEST(bad_options_are_refused)
{
    penta_spiral *spiral = NULL;
    penta_spiral_options o;
    char message[256] = "";

    penta_spiral_options_init(&o);
    assert_int_equal(penta_spiral_create(ctx, 1, 10, &o, &spiral), PENTA_INVALID);
    assert_null(spiral);
    o.step = 0.07;
    EXPECT_REFUSED(ctx, penta_spiral_create(ctx, 10, 10, &o, &spiral), PENTA_INVALID, "diverge");
    assert_int_equal(penta_spiral_check(0, 0, &o, message, sizeof message), PENTA_INVALID);
    assert_int_equal(strncmp(message, penta_last_error(ctx), strlen(message)), 0); /* one rule, one sentence */
    assert_int_equal(penta_spiral_check(1, 10, NULL, message, sizeof message), PENTA_INVALID);
    assert_int_equal(penta_spiral_check(10, 10, NULL, NULL, 0), PENTA_OK);
    o.step = 0.02;
    o.cell = 0.2;
    assert_int_equal(penta_spiral_create(ctx, 10, 10, &o, &spiral), PENTA_INVALID);
    o.cell = -1;
    assert_int_equal(penta_spiral_create(ctx, 10, 10, &o, &spiral), PENTA_INVALID);
    assert_null(spiral);
    penta_spiral_destroy(NULL);
}

ON_DEVICE;
AS_ON_A_GPU;
