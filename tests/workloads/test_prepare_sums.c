/* What registration sees, the sums that it compares frames by, and their peak, against the formulas in double. */
#include "support/test.h"

#include "prepare/register_parts.h"
#include "reference/prepare.h"
#include "support/prepare_frames.h"
#include "support/random.h"

/* A seventh of the pixels at random, and a block. */
static void random_mask(size_t width, size_t height, uint8_t *mask)
{
    for (size_t p = 0; p < width * height; p++)
        mask[p] = random_uniform() > 1.0 / 70 && (p % width < 5 || p % width > 20 || p / width > 12);
}

/* ---- what is seen ---- */

/* Grey levels with light from side to side, masks, a dark corner. */
static void fill_frame(size_t width, size_t height, float *grey, uint8_t *mask)
{
    random_mask(width, height, mask);
    for (size_t p = 0; p < width * height; p++) {
        double x = (double)(p % width) / (double)width, y = (double)(p / width) / (double)height;

        grey[p] = (float)(100 * (1 + 0.5 * x - 0.25 * y) * (0.5 + random_uniform()));
        if (x > 0.7 && y > 0.7)
            grey[p] *= 0.01F;
    }
}

static void check_seen(penta_context *ctx, size_t width, size_t height)
{
    enum { FRAMES = 2 };
    size_t pixels = width * height, counted = 0;
    HELD float *grey = must_calloc(FRAMES * pixels, sizeof *grey), *seen = must_calloc(FRAMES * pixels, sizeof *seen);
    HELD double *levels = must_calloc(pixels, sizeof *levels), *expected = must_calloc(pixels, sizeof *expected);
    HELD uint8_t *mask = must_calloc(FRAMES * pixels, 1), *seen_mask = must_calloc(FRAMES * pixels, 1);
    HELD uint8_t *expected_mask = must_calloc(pixels, 1);
    HELD_BY(penta_buffer_release) penta_buffer out = {0}, out_mask = {0};
    HELD_BY(close_frames) prepare_frames f;
    prepare_see see;

    random_seed(3);
    open_frames(ctx, NULL, width, height, FRAMES, &f);
    for (size_t t = 0; t < FRAMES; t++)
        fill_frame(width, height, grey + t * pixels, mask + t * pixels);
    put_frames(&f, FRAMES, grey, mask);
    EXPECT_OK(ctx, prepare_see_create(&f.own, &f.shape, &see));
    EXPECT_OK(ctx, penta_buffer_create(ctx, FRAMES * pixels * sizeof *seen, &out));
    EXPECT_OK(ctx, penta_buffer_create(ctx, FRAMES * pixels, &out_mask));
    EXPECT_OK(ctx, prepare_see_run(&see, &f.batch, &out, &out_mask));
    EXPECT_OK(ctx, penta_buffer_read(&out, 0, seen, FRAMES * pixels * sizeof *seen));
    EXPECT_OK(ctx, penta_buffer_read(&out_mask, 0, seen_mask, FRAMES * pixels));
    for (size_t t = 0; t < FRAMES; t++) {
        for (size_t p = 0; p < pixels; p++)
            levels[p] = (double)grey[t * pixels + p];
        reference_prepare_see(levels, mask + t * pixels, width, height, expected, expected_mask);
        assert_memory_equal(seen_mask + t * pixels, expected_mask, pixels);
        for (size_t p = 0; p < pixels; p++) {
            expect_near((double)seen[t * pixels + p], expected[p], 1e-5 * (1 + fabs(expected[p])));
            counted += expected_mask[p];
        }
    }
    assert_true(counted > 0 && counted < FRAMES * pixels * 95 / 100);
}

TEST_IN(AS_GPU | AS_IT_IS, seen)
{
    check_seen(device_of(state), 61, 47);
    check_seen(device_of(state), 229, 170);
    check_seen(device_of(state), 322, 500);
    check_seen(device_of(state), 16, 16);
}

/* ---- sums ---- */

typedef struct {
    long width, height;
    const float *f, *g; /* g: the trial's frame */
    const uint8_t *f_mask, *g_mask;
} pair;

static double looked_at(const pair *of, double qx, double qy)
{
    double fx = floor(qx), fy = floor(qy), u = qx - fx, v = qy - fy;
    const float *g = of->g + (long)fy * of->width + (long)fx;

    /* at a whole place the next pixel may not be there */
    return (1 - v) * ((1 - u) * (double)g[0] + (u > 0 ? u * (double)g[1] : 0)) +
           (v > 0 ? v * ((1 - u) * (double)g[of->width] + (u > 0 ? u * (double)g[of->width + 1] : 0)) : 0);
}

/* All pixels of 3 x 3 places about (qx, qy) are there and count: those that interpolation takes, too, where `turned`.
 */
static bool surrounded(const pair *of, double qx, double qy, bool turned)
{
    long x = (long)floor(qx), y = (long)floor(qy), more = turned ? 2 : 1;

    for (long j = -1; j <= more; j++)
        for (long i = -1; i <= more; i++)
            if (x + i < 0 || y + j < 0 || x + i >= of->width || y + j >= of->height ||
                !of->g_mask[(y + j) * of->width + x + i])
                return false;
    return true;
}

/* 9 x 6 sums of a tile; `border`: pixels so near the limit that rounding decides. */
static void sum_tile(const pair *of, const prepare_trial *t, long tile_x, long tile_y, double *sums, double *border)
{
    bool turned = t->angle != 0 || t->grow != 0;
    double c = (1 + (double)t->grow) * cos((double)t->angle), s = (1 + (double)t->grow) * sin((double)t->angle);

    for (long y = tile_y * PREPARE_TILE; y < (tile_y + 1) * PREPARE_TILE && y < of->height; y++)
        for (long x = tile_x * PREPARE_TILE; x < (tile_x + 1) * PREPARE_TILE && x < of->width; x++) {
            double ox = (double)x - 0.5 * (double)(of->width - 1), oy = (double)y - 0.5 * (double)(of->height - 1);
            double qx = (double)x + (c - 1) * ox - s * oy + (double)t->dx;
            double qy = (double)y + s * ox + (c - 1) * oy + (double)t->dy;
            double f = (double)of->f[y * of->width + x], g[9], middle = 0, residual;

            if (!of->f_mask[y * of->width + x] || !surrounded(of, qx, qy, turned))
                continue;
            for (int k = 0; k < 9; k++) {
                double wx = 1 - fabs((double)t->px - (k % 3 - 1)), wy = 1 - fabs((double)t->py - (k / 3 - 1));

                g[k] = looked_at(of, qx + k % 3 - 1, qy + k / 3 - 1);
                middle += fmax(wx, 0) * fmax(wy, 0) * g[k];
            }
            residual = fabs(middle - (double)t->a - (double)t->b * f);
            *border += fabs(residual - (double)t->limit) < 1e-5;
            if (residual > (double)t->limit)
                continue;
            for (int k = 0; k < 9; k++) {
                double each[6] = {1, f, g[k], f * f, g[k] * g[k], f * g[k]};

                for (int i = 0; i < 6; i++)
                    sums[6 * k + i] += each[i];
            }
        }
}

static void check_sums(const pair *of, const prepare_trial *t, const float *sums)
{
    long tiles_x = (of->width + PREPARE_TILE - 1) / PREPARE_TILE;
    long tiles_y = (of->height + PREPARE_TILE - 1) / PREPARE_TILE;
    bool turned = t->angle != 0 || t->grow != 0;

    for (long j = 0; j < tiles_y; j++)
        for (long i = 0; i < tiles_x; i++) {
            double expected[54] = {0}, border = 0;

            sum_tile(of, t, i, j, expected, &border);
            for (int k = 0; k < 54; k++)
                expect_near((double)sums[(j * tiles_x + i) * 54 + k], expected[k],
                            border * 2 + 2e-6 * expected[0] + (turned ? 1e-5 * expected[0] : 0));
        }
}

/* Random pictures, one of them trial after trial. */
static void compare_sums(penta_context *ctx, size_t width, size_t height)
{
    static const prepare_trial trials[] = {
        {.frame = 0, .b = 1, .limit = INFINITY},
        {.frame = 1, .dx = 5, .dy = -3, .b = 1, .limit = INFINITY},
        {.frame = 1, .dx = -17, .dy = 9, .px = 0.3F, .py = -0.6F, .a = 0.1F, .b = 0.5F, .limit = 0.4F},
        {.frame = 1, .dx = -2, .dy = 1, .px = -0.9F, .py = 0.2F, .b = -0.3F, .limit = 0.25F},
        {.frame = 0, .dx = 1.3F, .dy = -2.6F, .angle = 0.02F, .b = 1, .limit = INFINITY},
        {.frame = 1, .dx = 0.4F, .dy = 0.1F, .angle = -0.01F, .grow = 0.03F, .px = 0.5F, .b = 0.5F, .limit = 0.5F},
        {.frame = 1, .dx = -3.6F, .dy = 2.2F, .angle = 0.5F, .grow = -0.1F, .b = 0.4F, .limit = 0.6F},
        {.frame = 1, .dx = 1000, .b = 1, .limit = INFINITY},
    };
    enum { TRIALS = COUNT(trials), FRAMES = 2 };
    size_t pixels = width * height, tiles = ((width + 127) / 128) * ((height + 127) / 128);
    HELD float *f = must_calloc(pixels, sizeof *f), *g = must_calloc(FRAMES * pixels, sizeof *g);
    HELD float *sums = must_calloc(TRIALS * tiles * 54, sizeof *sums);
    HELD uint8_t *f_mask = must_calloc(pixels, 1), *g_mask = must_calloc(FRAMES * pixels, 1);
    HELD_BY(penta_buffer_release) penta_buffer key = {0}, key_mask = {0};
    prepare_sums *s;
    HELD_BY(close_frames) prepare_frames frames;

    random_seed(8);
    for (size_t p = 0; p < pixels; p++)
        f[p] = (float)random_normal();
    for (size_t p = 0; p < FRAMES * pixels; p++)
        g[p] = (float)random_normal();
    random_mask(width, height, f_mask);
    random_mask(width, height, g_mask);
    random_mask(width, height, g_mask + pixels);
    open_frames(ctx, NULL, width, height, FRAMES, &frames);
    put_frames(&frames, FRAMES, g, g_mask);
    EXPECT_OK(ctx, penta_buffer_create(ctx, pixels * sizeof *f, &key));
    EXPECT_OK(ctx, penta_buffer_create(ctx, pixels, &key_mask));
    EXPECT_OK(ctx, penta_buffer_write(&key, 0, f, pixels * sizeof *f));
    EXPECT_OK(ctx, penta_buffer_write(&key_mask, 0, f_mask, pixels));
    EXPECT_OK(ctx, prepare_sums_create(&frames.own, &frames.shape, &s));
    EXPECT_OK(ctx, prepare_sums_run(s, &key, &key_mask, &frames.batch.grey, &frames.batch.mask, TRIALS, trials, sums));
    for (size_t t = 0; t < TRIALS; t++) {
        size_t frame = (size_t)trials[t].frame * pixels;
        const pair of = {(long)width, (long)height, f, g + frame, f_mask, g_mask + frame};

        check_sums(&of, &trials[t], sums + t * tiles * 54);
    }
}

TEST_IN(AS_GPU | AS_IT_IS, sums)
{
    compare_sums(device_of(state), 61, 47);
    compare_sums(device_of(state), 260, 131);
}

/* ---- coefficients and peaks ---- */

TEST_IN(ON_HOST, coefficients)
{
    double sums[54], r[9];

    for (int k = 0; k < 9; k++) {
        /* f = 1, 2, 3, g = 2, 4, 7 */
        double one[6] = {3, 6, 13, 14, 69, 31};

        memcpy(sums + 6 * k, one, sizeof one);
    }
    sums[6 * 2 + 4] = 169.0 / 3; /* g constant */
    prepare_coefficients(sums, 3, r);
    expect_near(r[0], 15 / sqrt(6.0 * 38), 1e-12);
    assert_true(isnan(r[2]));
    prepare_coefficients(sums, 4, r);
    assert_true(isnan(r[0]));
}

TEST_IN(ON_HOST, peak_of_a_gaussian)
{
    double r[9], x, y, top;

    for (int k = 0; k < 9; k++) {
        double u = k % 3 - 1 - 0.37, v = k / 3 - 1 + 0.81;

        r[k] = 0.9 * exp(-0.2 * u * u - 0.1 * v * v + 0.05 * u * v);
    }
    assert_true(prepare_peak(r, &x, &y, &top));
    expect_near(x, 0.37, 1e-12);
    expect_near(y, -0.81, 1e-12);
    expect_near(top, 0.9, 1e-12);
}

TEST_IN(ON_HOST, no_peak)
{
    double r[9], x, y, top;

    for (int k = 0; k < 9; k++)
        r[k] = exp(-0.1 * pow(k % 3 - 1 - 1.4, 2) - 0.1 * pow(k / 3 - 1, 2));
    assert_false(prepare_peak(r, &x, &y, &top));
    for (int k = 0; k < 9; k++)
        r[k] = 0.5; /* flat */
    assert_false(prepare_peak(r, &x, &y, &top));
    for (int k = 0; k < 9; k++)
        r[k] = exp(0.1 * (k % 3 - 1) * (k % 3 - 1)); /* a minimum */
    assert_false(prepare_peak(r, &x, &y, &top));
    r[5] = NAN;
    assert_false(prepare_peak(r, &x, &y, &top));
}

/* One coefficient below 0: the quadratic is that of the coefficients themselves. */
TEST_IN(ON_HOST, peak_without_logarithms)
{
    double r[9], x, y, top;

    for (int k = 0; k < 9; k++)
        r[k] = 0.5 - 0.4 * pow(k % 3 - 1 - 0.25, 2) - 0.3 * pow(k / 3 - 1, 2);
    assert_true(prepare_peak(r, &x, &y, &top));
    expect_near(x, 0.25, 1e-12);
    expect_near(y, 0, 1e-12);
    expect_near(top, 0.5, 1e-12);
}

RUN(ON_HOST, NULL, NULL, NULL);
RUN(AS_IT_IS, NULL, open_device, close_device);
RUN(AS_GPU, "form for GPUs", open_gpu_form, close_device);
