/*
 * Where C2D is rounded: floating images, single precision, means and planes taken off, masks. Errors are bounded
 * against the reference in units of `condition` of reference/autocorr.h: the error of the sums relative to the images'
 * power.
 */
#include "support/test.h"

#include "autocorr/engine.h"
#include "support/autocorr_run.h"

enum { WIDTH = 37, HEIGHT = 30, R = 12, SIDE = 2 * R + 1, PIXELS = WIDTH * HEIGHT, OFFSETS = SIDE * SIDE };

/*
 * Largest error of the sums, relative to the power of the images. Measured on PoCL: 2.4e-15 by the tiled method, 4e-16
 * by FFT; 3.3e-7 and 1.6e-7 in single precision. The FFT of a GPU takes its single-precision twiddles from native
 * sines.
 */
static double bound_of(penta_context *ctx, int precision)
{
    if (precision != PENTA_PRECISION_SINGLE)
        return 5e-15;
    return penta_is_cpu(ctx) ? 8e-7 : 4e-6;
}

static const autocorr_variant fft = {PENTA_AUTOCORR_FFT, PENTA_FFT_AUTO};
static const autocorr_variant tiled = {PENTA_AUTOCORR_TILED, PENTA_FFT_AUTO};

/* ---- comparison ---- */

static void describe(const reference_autocorr *c, autocorr_variant v, int precision, const char *what)
{
    static const char *const estimators[] = {"eq1", "unbiased", "pearson"}, *const off[] = {"none", "mean", "plane"};

    print_error("%s, %s, precision %d, %s, demean %s%s%s: %s\n", autocorr_variant_name(v), penta_type_name(c->type),
                precision, estimators[c->estimator], off[c->demean], c->with ? ", two images" : "",
                c->mask ? ", mask" : "", what);
}

/* NaN where the reference is NaN, and else only where rounding leaves less than a digit of C. */
static bool is_near(double got, double expected, double error)
{
    if (isnan(expected) || isnan(got))
        return isnan(got) && (isnan(expected) || error > 0.1);
    return fabs(got - expected) <= error;
}

static void expect_c2d(const reference_autocorr *c, autocorr_variant v, int precision, const double *got,
                       const double *expected, const double *condition, double bound)
{
    char what[200];

    for (int i = 0; i < OFFSETS; i++) {
        if (is_near(got[i], expected[i], bound * condition[i]))
            continue;
        snprintf(what, sizeof what, "C(%d,%d) is %.17g, not %.17g: %.2g, over %.2g", i % SIDE - R, i / SIDE - R, got[i],
                 expected[i], fabs(got[i] - expected[i]) / condition[i], bound);
        describe(c, v, precision, what);
        fail();
    }
}

/* The rings that came with a C2D are its averages. */
static void expect_c1d(const double *c2d, const penta_autocorr_bin *got)
{
    penta_autocorr_bin expected[R + 1];

    reference_c1d(c2d, R, expected);
    for (int r = 0; r <= R; r++) {
        assert_int_equal(got[r].count, expected[r].count);
        if (got[r].count == 0) {
            assert_true(isnan(got[r].c));
            continue;
        }
        assert_true(fabs(got[r].mean_r - expected[r].mean_r) <= 1e-14 * (r + 1));
        assert_true(fabs(got[r].c - expected[r].c) <= 1e-14 * fmax(1, fabs(expected[r].c)));
        assert_true(fabs(got[r].sd - expected[r].sd) <= 1e-13 * fmax(1, fabs(expected[r].sd)));
    }
}

static void check(penta_context *ctx, const reference_autocorr *c, autocorr_variant v, int precision)
{
    static double expected[OFFSETS], condition[OFFSETS];
    penta_autocorr_options options = autocorr_case_options(c, v);
    HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(R, false);

    options.precision = precision;
    reference_c2d(c, expected, condition);
    autocorr_run_case(ctx, c, &options, &r);
    expect_c2d(c, v, precision, r.c2d, expected, condition, bound_of(ctx, precision));
    expect_c1d(r.c2d, r.c1d);
}

/* Every estimator with every demeaning, of one image and of two. */
static void check_estimators(penta_context *ctx, reference_autocorr c, autocorr_variant v, int precision)
{
    const void *with = c.with;

    for (c.estimator = PENTA_AUTOCORR_EQ1; c.estimator <= PENTA_AUTOCORR_PEARSON; c.estimator++)
        for (c.demean = PENTA_AUTOCORR_DEMEAN_NONE; c.demean <= PENTA_AUTOCORR_DEMEAN_PLANE; c.demean++)
            for (int images = 1; images <= 2; images++) {
                c.with = images == 2 ? with : NULL;
                check(ctx, &c, v, precision);
            }
}

/* ---- images ---- */

typedef struct {
    void *image, *with;
    uint8_t *mask;
    reference_autocorr c;
} inputs;

/* Two hash images; floating ones lie about an offset of their own and slope, as micrographs do. */
static inputs make(penta_type type)
{
    inputs in = {must_calloc(PIXELS, 8), must_calloc(PIXELS, 8), must_calloc(PIXELS, 1), {0}};

    reference_hash_image(type, WIDTH, HEIGHT, 0, in.image);
    reference_hash_image(type, WIDTH, HEIGHT, 5000, in.with);
    for (size_t i = 0; i < PIXELS; i++) {
        double slope = 0.02 * (double)(i % WIDTH) + 0.5;

        if (type == PENTA_F32)
            ((float *)in.image)[i] += (float)slope;
        if (type == PENTA_F64)
            ((double *)in.with)[i] -= slope;
    }
    in.c = (reference_autocorr){WIDTH, HEIGHT, R, type, in.image, in.with, NULL, 0, 0};
    return in;
}

static void discard(inputs *in)
{
    free(in->image);
    free(in->with);
    free(in->mask);
}

/* ---- precision ---- */

DEVICE_TEST_IN(AS_IT_IS, double)
{
    for (int type = PENTA_F32; type <= PENTA_F64; type++) {
        inputs in = make((penta_type)type);

        check_estimators(ctx, in.c, fft, PENTA_PRECISION_AUTO);
        check_estimators(ctx, in.c, tiled, PENTA_PRECISION_DOUBLE);
        discard(&in);
    }
}

DEVICE_TEST_IN(AS_IT_IS, single)
{
    static const penta_type types[] = {PENTA_U8, PENTA_F32, PENTA_F64};

    for (int i = 0; i < 3; i++) {
        inputs in = make(types[i]);

        check_estimators(ctx, in.c, fft, PENTA_PRECISION_SINGLE);
        if (types[i] == PENTA_F32)
            check_estimators(ctx, in.c, tiled, PENTA_PRECISION_SINGLE);
        discard(&in);
    }
}

/* Integer images whose sums are exact; the plane makes them floating. */
DEVICE_TEST_IN(AS_IT_IS, integers)
{
    for (int type = PENTA_U8; type <= PENTA_U16; type++) {
        inputs in = make((penta_type)type);

        check_estimators(ctx, in.c, tiled, PENTA_PRECISION_AUTO);
        discard(&in);
    }
}

/* The simple methods and the FFT libraries, each once. */
DEVICE_TEST(variants)
{
    inputs in = make(PENTA_F32);

    in.c.estimator = PENTA_AUTOCORR_UNBIASED;
    in.c.demean = PENTA_AUTOCORR_DEMEAN_MEAN;
    for (int i = 0; i < AUTOCORR_VARIANTS; i++)
        if (autocorr_variant_runs(ctx, autocorr_variants[i]) && autocorr_variants[i].fft != PENTA_FFT_CLFFT &&
            autocorr_variants[i].method != PENTA_AUTOCORR_NTT) {
            check(ctx, &in.c, autocorr_variants[i], PENTA_PRECISION_SINGLE);
            check(ctx, &in.c, autocorr_variants[i], PENTA_PRECISION_AUTO);
        }
    discard(&in);
}

/* A mean far above the contrast, of which the mean or the plane is taken off. */
TEST_IN(AS_IT_IS, bright_images)
{
    inputs in = make(PENTA_F64);

    for (size_t i = 0; i < PIXELS; i++) {
        ((double *)in.image)[i] += 1e4;
        ((double *)in.with)[i] += 3e4;
    }
    if (*state)
        check_estimators(*state, in.c, fft, PENTA_PRECISION_AUTO);
    discard(&in);
}

/* ---- masks ---- */

/* Seven pixels in ten; any value but 0 includes one. */
static void random_mask(uint8_t *mask)
{
    reference_hash_image(PENTA_U8, WIDTH, HEIGHT, 321, mask);
    for (size_t i = 0; i < PIXELS; i++)
        mask[i] = mask[i] < 77 ? 0 : mask[i];
}

/* The left half: 18 columns, R = 12. */
static void half_mask(uint8_t *mask)
{
    for (size_t i = 0; i < PIXELS; i++)
        mask[i] = i % WIDTH < WIDTH / 2;
}

/* Two spots of 5 x 4: no pair at most offsets, one or two at some. */
static void spots_mask(uint8_t *mask)
{
    for (size_t i = 0; i < PIXELS; i++) {
        size_t x = i % WIDTH, y = i / WIDTH;

        mask[i] = (x >= 3 && x < 8 && y >= 2 && y < 6) || (x >= 14 && x < 19 && y >= 11 && y < 15);
    }
}

static void check_masks(penta_context *ctx, penta_type type, autocorr_variant v, int precision)
{
    static void (*const masks[])(uint8_t *) = {random_mask, half_mask, spots_mask};
    inputs in = make(type);

    in.c.mask = in.mask;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        masks[i](in.mask);
        check_estimators(ctx, in.c, v, precision);
    }
    discard(&in);
}

DEVICE_TEST_IN(AS_IT_IS, masked_integers)
{
    check_masks(ctx, PENTA_U8, tiled, PENTA_PRECISION_AUTO);
    check_masks(ctx, PENTA_U16, tiled, PENTA_PRECISION_AUTO);
}

DEVICE_TEST_IN(AS_IT_IS, masked_integers_fft)
{
    check_masks(ctx, PENTA_U8, fft, PENTA_PRECISION_AUTO);
    check_masks(ctx, PENTA_U16, fft, PENTA_PRECISION_AUTO);
}

TEST_IN(AS_IT_IS, masked_double)
{
    if (*state)
        check_masks(*state, PENTA_F64, tiled, PENTA_PRECISION_AUTO);
}

TEST_IN(AS_IT_IS, masked_double_fft)
{
    if (*state)
        check_masks(*state, PENTA_F64, fft, PENTA_PRECISION_AUTO);
}

TEST(masked_single)
{
    if (*state)
        check_masks(*state, PENTA_F32, tiled, PENTA_PRECISION_SINGLE);
}

TEST_IN(AS_IT_IS, masked_single_fft)
{
    if (*state)
        check_masks(*state, PENTA_F32, fft, PENTA_PRECISION_SINGLE);
}

/* What lies under the mask does not matter, as long as it is finite. */
DEVICE_TEST_IN(AS_IT_IS, masked_pixels_do_not_count)
{
    penta_autocorr_result r[2] = {autocorr_arrays(R, false), autocorr_arrays(R, false)};
    inputs in = make(PENTA_F64);

    random_mask(in.mask);
    in.c.mask = in.mask;
    in.c.with = NULL;
    in.c.estimator = PENTA_AUTOCORR_PEARSON;
    for (int i = 0; i < 2; i++) {
        penta_autocorr_options options = autocorr_case_options(&in.c, tiled);

        autocorr_run_case(ctx, &in.c, &options, &r[i]);
        for (size_t k = 0; k < PIXELS; k++)
            if (!in.mask[k])
                ((double *)in.image)[k] = 1e30;
    }
    assert_memory_equal(r[0].c2d, r[1].c2d, OFFSETS * sizeof(double));
    autocorr_arrays_free(&r[0]);
    autocorr_arrays_free(&r[1]);
    discard(&in);
}

/* ---- what has no answer, and what is refused ---- */

DEVICE_TEST_IN(AS_IT_IS, constant_image)
{
    static uint8_t grey[PIXELS];
    static double tenth[PIXELS];

    memset(grey, 200, sizeof grey);
    for (size_t i = 0; i < PIXELS; i++)
        tenth[i] = 0.1;
    for (int i = 0; i < 4; i++) {
        reference_autocorr c = {WIDTH,
                                HEIGHT,
                                R,
                                i % 2 ? PENTA_F64 : PENTA_U8,
                                i % 2 ? (void *)tenth : grey,
                                NULL,
                                NULL,
                                PENTA_AUTOCORR_PEARSON,
                                i / 2 ? PENTA_AUTOCORR_DEMEAN_MEAN : PENTA_AUTOCORR_DEMEAN_NONE};
        penta_autocorr_options options = autocorr_case_options(&c, i / 2 ? tiled : fft);
        HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(R, false);

        options.bootstrap = 50;
        autocorr_run_case(ctx, &c, &options, &r);
        for (int k = 0; k < OFFSETS; k++)
            assert_true(isnan(r.c2d[k]));
        for (int k = 0; k <= R; k++) {
            assert_int_equal(r.c1d[k].count, 0);
            assert_true(isnan(r.c1d[k].c));
        }
        assert_int_equal(r.peak.status, PENTA_PEAK_FLAT);
        assert_true(isnan(r.peak.r_max) && isnan(r.peak.r_max_se));
    }
}

static void expect_refused(penta_context *ctx, penta_autocorr *plan, const penta_autocorr_frame *frame,
                           const char *text)
{
    HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(R, false);

    assert_int_equal(penta_autocorr_run(plan, 1, frame, &r), PENTA_INVALID);
    if (!strstr(penta_last_error(ctx), text))
        fail_msg("'%s' does not say '%s'", penta_last_error(ctx), text);
}

static void check_refusals(penta_context *ctx, penta_type type, int precision)
{
    const double bad[] = {(double)INFINITY, -(double)INFINITY};
    inputs in = make(type);
    penta_autocorr_options options = autocorr_case_options(&in.c, tiled);
    penta_autocorr *plan = NULL;

    options.precision = precision;
    EXPECT_OK(ctx, penta_autocorr_create(ctx, WIDTH, HEIGHT, type, &options, &plan));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int second = 0; second < 2; second++) {
            void *image = second ? in.with : in.image;
            size_t at = 7 * WIDTH + 20;
            penta_autocorr_frame frame = {in.image, second ? in.with : NULL, NULL};

            if (type == PENTA_F32)
                ((float *)image)[at] = (float)bad[i];
            else
                ((double *)image)[at] = bad[i];
            expect_refused(ctx, plan, &frame, "(20, 7)");
            if (type == PENTA_F32)
                ((float *)image)[at] = 1;
            else
                ((double *)image)[at] = 1;
        }
    expect_refused(ctx, plan, &(penta_autocorr_frame){in.image, NULL, in.mask}, "mask");
    expect_refused(ctx, plan, &(penta_autocorr_frame){in.image, in.with, in.mask}, "mask");
    penta_autocorr_destroy(plan);
    check(ctx, &in.c, tiled, precision);
    discard(&in);
}

DEVICE_TEST_IN(AS_IT_IS, refusals)
{
    check_refusals(ctx, PENTA_F64, PENTA_PRECISION_AUTO);
    check_refusals(ctx, PENTA_F32, PENTA_PRECISION_SINGLE);
}

/* ---- the same bits ---- */

/* Engines for 9 frames at once, for 4 and for 1. */
static void check_batches(penta_context *ctx, autocorr_variant v, penta_type type)
{
    enum { FRAMES = 9, WINDOW = (R + 1) * SIDE };
    const autocorr_shape s = {WIDTH, HEIGHT, R, type, false, false};
    const size_t batches[] = {9, 4, 1}, frame_bytes = PIXELS * penta_type_size(type);
    HELD char *images = must_calloc(FRAMES, frame_bytes);
    HELD double *expected = must_calloc(FRAMES * WINDOW, sizeof *expected),
                *got = must_calloc(FRAMES * WINDOW, sizeof *got);
    HELD_BY(penta_buffer_release) penta_buffer a = {0}, out = {0};

    for (size_t f = 0; f < FRAMES; f++)
        reference_hash_image(type, WIDTH, HEIGHT, 40 * (uint32_t)f, images + f * frame_bytes);
    EXPECT_OK(ctx, penta_buffer_create(ctx, FRAMES * frame_bytes, &a));
    EXPECT_OK(ctx, penta_buffer_create(ctx, FRAMES * WINDOW * sizeof(double), &out));
    for (int i = 0; i < 3; i++) {
        autocorr_correlator *engine = NULL;

        EXPECT_OK(ctx, autocorr_correlator_create(ctx, &s, (enum penta_autocorr_method)v.method,
                                                  (enum penta_fft_backend)v.fft, batches[i], &engine));
        for (size_t f = 0, n; f < FRAMES; f += n) {
            n = FRAMES - f < batches[i] ? FRAMES - f : batches[i];
            EXPECT_OK(ctx, penta_buffer_write(&a, 0, images + f * frame_bytes, n * frame_bytes));
            EXPECT_OK(ctx, autocorr_correlator_run(engine, n, &a, NULL, &out));
            EXPECT_OK(ctx, penta_buffer_read(&out, 0, (i ? got : expected) + f * WINDOW, n * WINDOW * sizeof(double)));
        }
        autocorr_correlator_destroy(engine);
        if (i > 0 && memcmp(got, expected, FRAMES * WINDOW * sizeof(double)) != 0)
            fail_msg("%s, %s: batches of %zu and of 9 differ", autocorr_variant_name(v), penta_type_name(type),
                     batches[i]);
    }
}

DEVICE_TEST(batches)
{
    for (int i = 1; i < 5; i++)
        if (autocorr_variant_runs(ctx, autocorr_variants[i])) {
            check_batches(ctx, autocorr_variants[i], PENTA_F32);
            check_batches(ctx, autocorr_variants[i], PENTA_F64);
        }
}

/* A plan that has seen other frames gives the bits of a fresh one. */
DEVICE_TEST(runs_of_a_plan)
{
    penta_autocorr_result r[3] = {autocorr_arrays(R, false), autocorr_arrays(R, false), autocorr_arrays(R, false)};
    inputs in = make(PENTA_F32);
    penta_autocorr_frame frames[2] = {{in.image, NULL, NULL}, {in.with, NULL, NULL}};

    for (int i = 2; i < 5; i++) {
        penta_autocorr_options options = autocorr_case_options(&in.c, autocorr_variants[i]);
        HELD_BY(penta_autocorr_held) penta_autocorr *plan = NULL;

        if (!autocorr_variant_runs(ctx, autocorr_variants[i]))
            continue;
        options.precision = PENTA_PRECISION_SINGLE;
        EXPECT_OK(ctx, penta_autocorr_create(ctx, WIDTH, HEIGHT, PENTA_F32, &options, &plan));
        EXPECT_OK(ctx, penta_autocorr_run(plan, 1, frames, r));
        EXPECT_OK(ctx, penta_autocorr_run(plan, 1, frames + 1, r + 1));
        EXPECT_OK(ctx, penta_autocorr_run(plan, 1, frames, r + 2));
        assert_memory_equal(r[0].c2d, r[2].c2d, OFFSETS * sizeof(double));
        assert_memory_equal(r[0].c1d, r[2].c1d, (R + 1) * sizeof *r->c1d);
        assert_memory_not_equal(r[0].c2d, r[1].c2d, OFFSETS * sizeof(double));
        EXPECT_OK(ctx, penta_autocorr_run(plan, 2, frames, r + 1));
        assert_memory_equal(r[0].c2d, r[1].c2d, OFFSETS * sizeof(double));
    }
    for (int i = 0; i < 3; i++)
        autocorr_arrays_free(&r[i]);
    discard(&in);
}

ON_DEVICE;
AS_ON_A_GPU;
