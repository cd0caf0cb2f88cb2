/* NaN in floating frames: the frame is that with a mask which excludes these pixels. */
#include "support/test.h"

#include "support/autocorr_run.h"

enum { W = 45, H = 37, R = 9, PIXELS = W * H, SIDE = 2 * R + 1, FRAMES = 5 };

/* Frames of a hash, in double; holes: every how many pixels is NaN, 0 for none. */
static void fill(double *image, uint32_t seed, size_t holes)
{
    reference_hash_image(PENTA_F64, W, H, seed, image);
    for (size_t i = 3; holes && i < PIXELS; i += holes)
        image[i] = (double)NAN;
}

/* Floating images are correlated in double where the device has it. */
static int precision_on(const penta_context *ctx)
{
    return penta_context_device(ctx)->fp64 ? PENTA_PRECISION_AUTO : PENTA_PRECISION_SINGLE;
}

static penta_autocorr_options options_of(const penta_context *ctx, int estimator, int demean, int method)
{
    penta_autocorr_options o;

    penta_autocorr_options_init(&o);
    o.max_offset = R;
    o.estimator = estimator;
    o.demean = demean;
    o.method = method;
    o.bootstrap = 10;
    o.precision = precision_on(ctx);
    return o;
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void expect_same(const penta_autocorr_result *a, const penta_autocorr_result *b)
{
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        assert_true(same_number(a->c2d[i], b->c2d[i]));
    assert_int_equal(a->peak.status, b->peak.status);
    assert_true(same_number(a->peak.r_max, b->peak.r_max) && same_number(a->peak.r_max_se, b->peak.r_max_se));
}

/* The reference with the mask, whose image has a finite number where the NaN was. */
static void expect_reference(const double *image, const double *with, const penta_autocorr_options *o,
                             const penta_autocorr_result *r, size_t nan_pixels)
{
    /* of the sums, relative to the power: bound_of in test_autocorr_float.c */
    const double bound = o->precision == PENTA_PRECISION_SINGLE ? 4e-6 : 5e-15;
    static double condition[SIDE * SIDE];
    static double clean[2][PIXELS];
    static uint8_t mask[PIXELS];
    static double want[SIDE * SIDE];
    reference_autocorr c = {W, H, R, PENTA_F64, clean[0], with ? clean[1] : NULL, mask, o->estimator, o->demean};
    size_t holes = 0;

    for (size_t i = 0; i < PIXELS; i++) {
        mask[i] = !isnan(image[i]) && !(with && isnan(with[i]));
        holes += !mask[i];
        clean[0][i] = mask[i] ? image[i] : 7;
        clean[1][i] = mask[i] && with ? with[i] : -3;
    }
    reference_c2d(&c, want, condition);
    assert_int_equal(r->nan_pixels, nan_pixels);
    assert_int_equal(holes, nan_pixels);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        assert_true(fabs(r->c2d[i] - want[i]) <= bound * condition[i]);
}

DEVICE_TEST_IN(AS_IT_IS, against_reference)
{
    static const int methods[] = {PENTA_AUTOCORR_TILED, PENTA_AUTOCORR_FFT};
    static double image[PIXELS], with[PIXELS];
    HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(R, false);
    penta_autocorr *plan = NULL;

    fill(image, 11, 7);
    fill(with, 12, 31);
    for (int k = 0; k < 12; k++) {
        penta_autocorr_options o = options_of(ctx, k % 3, k % 2, methods[k / 6]);
        const double *second = k % 4 == 3 ? with : NULL;
        penta_autocorr_frame frame = {image, second, NULL};
        size_t holes = 0;

        for (size_t i = 0; i < PIXELS; i++)
            holes += isnan(image[i]) || (second && isnan(second[i]));
        EXPECT_OK(ctx, penta_autocorr_create(ctx, W, H, PENTA_F64, &o, &plan));
        EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &frame, &r));
        expect_reference(image, second, &o, &r, holes);
        penta_autocorr_destroy(plan);
    }
}

/* A run of frames with and without NaN gives each what it gives alone; those without have no mask's rounding. */
DEVICE_TEST(mixed_run)
{
    static const size_t holes[FRAMES] = {0, 5, 9, 0, 50};
    penta_autocorr_options o =
        options_of(ctx, PENTA_AUTOCORR_UNBIASED, PENTA_AUTOCORR_DEMEAN_MEAN, PENTA_AUTOCORR_AUTO);
    static double images[FRAMES][PIXELS];
    penta_autocorr_frame frames[FRAMES];
    penta_autocorr_result together[FRAMES], alone = autocorr_arrays(R, false);
    HELD_BY(penta_autocorr_held) penta_autocorr *plan = NULL;

    for (uint32_t i = 0; i < FRAMES; i++) {
        fill(images[i], 40 + i, holes[i]);
        frames[i] = (penta_autocorr_frame){images[i], NULL, NULL};
        together[i] = autocorr_arrays(R, false);
    }
    EXPECT_OK(ctx, penta_autocorr_create(ctx, W, H, PENTA_F64, &o, &plan));
    EXPECT_OK(ctx, penta_autocorr_run(plan, FRAMES, frames, together));
    for (int i = 0; i < FRAMES; i++) {
        EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &frames[i], &alone));
        expect_same(&together[i], &alone);
        assert_int_equal(together[i].nan_pixels, holes[i] ? (PIXELS - 3 + holes[i] - 1) / holes[i] : 0);
        autocorr_arrays_free(&together[i]);
    }
    autocorr_arrays_free(&alone);
}

/* With a mask of the caller's both count; what the mask excludes may be anything. Single precision, f32 and a plane. */
DEVICE_TEST_IN(AS_IT_IS, with_mask)
{
    static float image[PIXELS], clean[PIXELS];
    static uint8_t mask[PIXELS], both[PIXELS];
    HELD_BY(autocorr_arrays_free)
    penta_autocorr_result got = autocorr_arrays(R, false), want = autocorr_arrays(R, false);
    penta_autocorr_frame frame = {image, NULL, mask}, plain = {clean, NULL, both};

    reference_hash_image(PENTA_F32, W, H, 3, image);
    for (size_t i = 0; i < PIXELS; i++) {
        mask[i] = i % 10 != 0;
        if (i % 10 == 0)
            image[i] = i % 20 ? (float)NAN : (float)INFINITY;
        if (i % 13 == 5)
            image[i] = (float)NAN;
        both[i] = mask[i] && !isnan(image[i]);
        clean[i] = both[i] ? image[i] : 0;
    }
    for (int k = 0; k < 4; k++) {
        penta_autocorr_options o = options_of(ctx, PENTA_AUTOCORR_UNBIASED, k % 2 ? PENTA_AUTOCORR_DEMEAN_PLANE : 1, 0);
        HELD_BY(penta_autocorr_held) penta_autocorr *plan = NULL;

        o.precision = k / 2 ? PENTA_PRECISION_SINGLE : precision_on(ctx);
        EXPECT_OK(ctx, penta_autocorr_create(ctx, W, H, PENTA_F32, &o, &plan));
        EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &frame, &got));
        EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &plain, &want));
        expect_same(&got, &want);
        assert_true(got.nan_pixels > 100 && want.nan_pixels == 0);
    }
}

DEVICE_TEST_IN(AS_IT_IS, refused)
{
    static double image[PIXELS], with[PIXELS];
    penta_autocorr_frame frame = {image, NULL, NULL};
    HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(R, false);
    penta_autocorr_options o = options_of(ctx, PENTA_AUTOCORR_UNBIASED, PENTA_AUTOCORR_DEMEAN_MEAN, 0);
    HELD_BY(penta_autocorr_held) penta_autocorr *plan = NULL;

    fill(image, 5, 0);
    fill(with, 6, 1);
    EXPECT_OK(ctx, penta_autocorr_create(ctx, W, H, PENTA_F64, &o, &plan));
    image[W + 2] = (double)-INFINITY;
    EXPECT_REFUSED(ctx, penta_autocorr_run(plan, 1, &frame, &r), PENTA_INVALID,
                   "pixel (2, 1), counted from 0, is infinite");
    image[W + 2] = 0.5;
    frame.with = with;
    with[0] = with[1] = with[2] = (double)NAN;
    EXPECT_REFUSED(ctx, penta_autocorr_run(plan, 1, &frame, &r), PENTA_INVALID, "every pixel is NaN");
    frame.with = NULL;
    EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &frame, &r)); /* the plan works on */
    assert_int_equal(r.nan_pixels, 0);
}

ON_DEVICE;
AS_ON_A_GPU;
