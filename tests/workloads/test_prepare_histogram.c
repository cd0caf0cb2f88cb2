/* Histograms of frames and their quantiles (cl/prepare/histogram.cl), in both forms. */
#include "support/test.h"

#include "support/prepare_stage.h"
#include "support/random.h"

/* A histogram of a stage's flat and mask, with the range of each frame. */
typedef struct {
    prepare_stage *stage;
    penta_buffer range, bins, value;
} counter;

static counter make_counter(penta_context *ctx, size_t width, size_t height, size_t frames, const float *range)
{
    counter c = {.stage = open_stage(ctx, width, height, frames, PENTA_U8, NULL)};

    EXPECT_OK(ctx, prepare_histogram_create(&c.stage->own, &c.stage->shape, &c.stage->histogram));
    EXPECT_OK(ctx, penta_buffer_create(ctx, frames * 2 * sizeof *range, &c.range));
    EXPECT_OK(ctx, penta_buffer_create(ctx, frames * PREPARE_BINS * sizeof(uint32_t), &c.bins));
    EXPECT_OK(ctx, penta_buffer_create(ctx, frames * sizeof(float), &c.value));
    fill(ctx, &c.range, range, frames * 2 * sizeof *range);
    return c;
}

static uint32_t *count(penta_context *ctx, counter *c, const float *image, const uint8_t *mask)
{
    size_t n = c->stage->frames * c->stage->pixels;

    fill(ctx, &c->stage->batch.flat, image, n * sizeof *image);
    fill(ctx, &c->stage->batch.mask, mask, n);
    EXPECT_OK(ctx, prepare_histogram_run(&c->stage->histogram, c->stage->frames, &c->stage->batch.flat,
                                         &c->stage->batch.mask, &c->range, &c->bins));
    return contents(ctx, &c->bins, c->stage->frames * PREPARE_BINS * sizeof(uint32_t));
}

static float *quantile(penta_context *ctx, counter *c, double q)
{
    EXPECT_OK(ctx,
              prepare_histogram_quantile(&c->stage->histogram, c->stage->frames, &c->bins, &c->range, q, &c->value));
    return contents(ctx, &c->value, c->stage->frames * sizeof(float));
}

static void drop_counter(counter *c)
{
    penta_buffer_release(&c->range);
    penta_buffer_release(&c->bins);
    penta_buffer_release(&c->value);
    close_stage(c->stage);
}

/* Values in the middles of bins, so that rounding decides nothing; some beyond both ends; a fifth masked. */
static void make_frame(size_t n, float low, float step, float *image, uint8_t *mask, uint32_t *expected)
{
    for (size_t i = 0; i < n; i++) {
        int bin = (int)floor((PREPARE_BINS + 200) * random_uniform()) - 100;
        int clamped = bin < 0 ? 0 : bin >= PREPARE_BINS ? PREPARE_BINS - 1 : bin;

        image[i] = low + step * ((float)bin + 0.5F);
        mask[i] = random_uniform() < 0.8;
        expected[clamped] += mask[i];
    }
}

static void check_counts(penta_context *ctx, size_t width, size_t height, size_t frames)
{
    size_t n = width * height;
    HELD float *range = must_calloc(frames, 2 * sizeof *range), *image = must_calloc(frames * n, sizeof *image);
    HELD uint8_t *mask = must_calloc(frames * n, 1);
    uint32_t *expected = must_calloc(frames * PREPARE_BINS, sizeof *expected), *got;
    counter c;

    for (size_t f = 0; f < frames; f++) {
        range[2 * f + 1] = (float)(1 << f) / 64;
        range[2 * f] = -3 * range[2 * f + 1];
        make_frame(n, range[2 * f], range[2 * f + 1], image + f * n, mask + f * n, expected + f * PREPARE_BINS);
    }
    c = make_counter(ctx, width, height, frames, range);
    for (int again = 0; again < 2; again++) {
        got = count(ctx, &c, image, mask);
        assert_memory_equal(got, expected, frames * PREPARE_BINS * sizeof *got);
        free(got);
    }
    drop_counter(&c);
    free(expected);
}

DEVICE_TEST(counts)
{
    random_seed(1);
    check_counts(ctx, 61, 47, 3);
    check_counts(ctx, 129, 70, 2);
    check_counts(ctx, 700, 411, 1); /* several parts */
}

/* Quantiles of the numbers 0 .. n - 1, each in a bin of its own, of all values in one bin, and of nothing. */
DEVICE_TEST(quantiles)
{
    enum { WIDTH = 50, HEIGHT = 40, N = WIDTH * HEIGHT };
    const float range[6] = {0, 1, 10, 2, 5, 1};
    HELD float *image = must_calloc(3 * (size_t)N, sizeof *image);
    HELD uint8_t *mask = must_calloc(3 * (size_t)N, 1);
    const double q[] = {0, 0.001, 0.25, 0.5, 0.9, 0.99, 1};
    counter c = make_counter(ctx, WIDTH, HEIGHT, 3, range);

    for (size_t i = 0; i < N; i++) {
        image[i] = (float)i + 0.5F;
        image[N + i] = 31; /* bin 10 */
        mask[i] = mask[N + i] = 1;
    }
    free(count(ctx, &c, image, mask));
    for (size_t k = 0; k < COUNT(q); k++) {
        HELD float *value = quantile(ctx, &c, q[k]);

        expect_near((double)value[0], q[k] * N, 1e-3);
        if (q[k] > 0)
            expect_near((double)value[1], 30 + 2 * q[k], 1e-3);
        assert_true(value[2] == 0);
    }
    drop_counter(&c);
}

ON_DEVICE;
AS_ON_A_GPU;
