/*
 * The sums over the overlaps of images without masks, which the estimators need beside the correlation, and the moments
 * of a frame: of integers to the bit. The tables that they come from keep the first and the last positions of each
 * axis; so shapes are those where these meet, and where a line or column is shorter or longer than a work-group's
 * stretches.
 */
#include "support/test.h"

#include "support/autocorr_run.h"

enum { FRAMES = 3, MOST_PIXELS = 8192, MOST_SIDE = 25 };

static const autocorr_variant tiled = {PENTA_AUTOCORR_TILED, PENTA_FFT_AUTO};

/* As test_autocorr_float.c bounds it, in double. */
static const double bound = 5e-15;

typedef struct {
    size_t width, height, max_offset;
} shape;

static const shape shapes[] = {
    {2, 2, 1},    {13, 20, 12}, /* kept positions meet, and are all there are */
    {65, 9, 8},   {9, 130, 8},  /* a line over 64 pixels; columns over 16 x 8 */
    {22, 21, 10}, {21, 22, 10}, /* one position between them, and none */
    {128, 64, 3},               /* far apart; a pixel or more in every stretch */
};

/* ---- against the reference ---- */

static void make_frames(penta_type type, const shape *s, uint32_t seed, char *out)
{
    size_t bytes = s->width * s->height * penta_type_size(type);

    for (uint32_t f = 0; f < FRAMES; f++)
        reference_hash_image(type, s->width, s->height, seed + 100 * f, out + f * bytes);
}

static void expect_c2d(const reference_autocorr *c, size_t frame, const double *got)
{
    static double want[MOST_SIDE * MOST_SIDE], condition[MOST_SIDE * MOST_SIDE];
    long R = (long)c->max_offset, side = 2 * R + 1;

    reference_c2d(c, want, condition);
    for (long i = 0; i < side * side; i++) {
        bool same = isnan(want[i]) ? isnan(got[i]) : fabs(got[i] - want[i]) <= bound * condition[i];

        if (!same && !(isnan(got[i]) && bound * condition[i] > 0.1)) /* NaN, too, where rounding leaves no digit */
            fail_msg("%s %zu x %zu, R = %ld, estimator %d, demean %d%s, frame %zu: C(%ld,%ld) is %.17g, not %.17g",
                     penta_type_name(c->type), c->width, c->height, R, c->estimator, c->demean,
                     c->with ? ", two images" : "", frame, i % side - R, i / side - R, got[i], want[i]);
    }
}

/* All frames in one run; c: the case, without its images. */
static void check_frames(penta_context *ctx, reference_autocorr c, const char *images, const char *others)
{
    size_t bytes = c.width * c.height * penta_type_size(c.type);
    penta_autocorr_options options = autocorr_case_options(&c, tiled);
    penta_autocorr_frame frames[FRAMES] = {{0}};
    penta_autocorr_result results[FRAMES];
    penta_autocorr *plan = NULL;

    for (size_t f = 0; f < FRAMES; f++) {
        results[f] = autocorr_arrays(c.max_offset, false);
        frames[f] = (penta_autocorr_frame){.image = images + f * bytes, .with = others ? others + f * bytes : NULL};
    }
    EXPECT_OK(ctx, penta_autocorr_create(ctx, c.width, c.height, c.type, &options, &plan));
    EXPECT_OK(ctx, penta_autocorr_run(plan, FRAMES, frames, results));
    penta_autocorr_destroy(plan);
    for (size_t f = 0; f < FRAMES; f++) {
        c.image = frames[f].image;
        c.with = frames[f].with;
        expect_c2d(&c, f, results[f].c2d);
        autocorr_arrays_free(&results[f]);
    }
}

static void check_type(penta_context *ctx, penta_type type)
{
    HELD char *images = must_calloc((size_t)FRAMES * MOST_PIXELS, sizeof(double));
    HELD char *others = must_calloc((size_t)FRAMES * MOST_PIXELS, sizeof(double));

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const shape *s = &shapes[i];
        reference_autocorr c = {s->width, s->height, s->max_offset, type, NULL, NULL, NULL, 0, 0};

        make_frames(type, s, 0, images);
        make_frames(type, s, 5000, others);
        for (c.estimator = PENTA_AUTOCORR_EQ1; c.estimator <= PENTA_AUTOCORR_PEARSON; c.estimator++)
            for (c.demean = PENTA_AUTOCORR_DEMEAN_NONE; c.demean <= PENTA_AUTOCORR_DEMEAN_MEAN; c.demean++) {
                check_frames(ctx, c, images, NULL);
                check_frames(ctx, c, images, others);
            }
    }
}

DEVICE_TEST(integers)
{
    check_type(ctx, PENTA_U8);
    check_type(ctx, PENTA_U16);
}

DEVICE_TEST(real_numbers)
{
    if (!lacks_double(ctx, "images of doubles"))
        check_type(ctx, PENTA_F64);
}

/* ---- batches ---- */

/* More frames than a batch has, of one run: to the bit what each gives alone, standard errors, too. */
DEVICE_TEST(batches)
{
    enum { MANY = 70, W = 96, H = 80, MOST_OFFSET = 26 };
    HELD uint16_t *images = must_calloc((size_t)MANY * W * H, sizeof *images);
    penta_autocorr_frame frames[MANY] = {{0}};
    penta_autocorr_result results[MANY], alone = autocorr_arrays(MOST_OFFSET, false);
    penta_autocorr_options options;
    HELD_BY(penta_autocorr_held) penta_autocorr *plan = NULL;
    size_t peaks = 0;

    penta_autocorr_options_init(&options);
    options.max_offset = MOST_OFFSET;
    for (size_t f = 0; f < MANY; f++) {
        for (size_t i = 0; i < (size_t)W * H; i++) { /* waves of one length in many directions, over light of its own */
            double v = 0;

            for (int k = 0; k < 12; k++)
                v += cos(0.5 * ((double)(i % W) * cos(k) + (double)(i / W) * sin(k)) + k * k * (double)(f + 1));
            images[f * W * H + i] = (uint16_t)(20000 + 100 * f + 1500 * v);
        }
        frames[f].image = images + f * W * H;
        results[f] = autocorr_arrays(MOST_OFFSET, false);
    }
    EXPECT_OK(ctx, penta_autocorr_create(ctx, W, H, PENTA_U16, &options, &plan));
    EXPECT_OK(ctx, penta_autocorr_run(plan, MANY, frames, results));
    for (size_t f = 0; f < MANY; f++) {
        EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &frames[f], &alone));
        assert_memory_equal(results[f].c2d, alone.c2d,
                            (2 * MOST_OFFSET + 1) * (2 * MOST_OFFSET + 1) * sizeof *alone.c2d);
        assert_memory_equal(results[f].c1d, alone.c1d, (MOST_OFFSET + 1) * sizeof *alone.c1d);
        assert_int_equal(results[f].peak.status, alone.peak.status);
        assert_true(alone.peak.status != PENTA_PEAK_OK || results[f].peak.r_max_se == alone.peak.r_max_se);
        peaks += alone.peak.status == PENTA_PEAK_OK && alone.peak.r_max_se > 0;
        autocorr_arrays_free(&results[f]);
    }
    assert_true(peaks > MANY / 2);
    autocorr_arrays_free(&alone);
}

/* ---- large sums ---- */

/* Squares of 16 bits that sum up to more than 2^53: exact until they are rounded once. */
DEVICE_TEST(large_squares)
{
    enum { W = 2900, H = 1000 };
    HELD uint16_t *image = must_calloc((size_t)W * H, sizeof *image);
    reference_autocorr c = {W, H, 1, PENTA_U16, image, NULL, NULL, PENTA_AUTOCORR_PEARSON, PENTA_AUTOCORR_DEMEAN_MEAN};
    penta_autocorr_options options = autocorr_case_options(&c, tiled);
    HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(1, false);
    uint64_t squares = 0;

    reference_hash_image(PENTA_U16, W, H, 0, image);
    for (size_t i = 0; i < (size_t)W * H; i++) { /* bright or black */
        image[i] = (uint16_t)(image[i] < 10000 ? 0 : 65535 - image[i] % 256);
        squares += (uint64_t)image[i] * image[i];
    }
    assert_true(squares > UINT64_C(1) << 53);
    autocorr_run_case(ctx, &c, &options, &r);
    expect_c2d(&c, 0, r.c2d);
}

ON_DEVICE;
AS_ON_A_GPU;
