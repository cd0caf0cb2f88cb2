/*
 * The detector: every term of the formula, and independence of slabs, order and device; test_stars_detector_noise.c has
 * distributions. Seeds are fixed, so that a statistical bound is met always or never.
 */
#include "support/test.h"

#include "reference/detector.h"
#include "stars/detector.h"
#include "support/detector_run.h"

/* ---- the whole formula ---- */

static penta_detector_options everything(void)
{
    penta_detector_options o = {.size = sizeof o,
                                .exposure = 2.5,
                                .quantum_efficiency = 0.6,
                                .sky = 3,
                                .dark = 0.7,
                                .shot_noise = PENTA_SHOT_POISSON,
                                .read_noise = 4.5,
                                .gain = 1.7,
                                .bias = 120,
                                .full_well = 30000,
                                .hot_fraction = 0.02,
                                .hot_rate = 900,
                                .vignetting = 0.35,
                                .bits = 14,
                                .seed = 20240229,
                                .detector_seed = 77};

    return o;
}

/* Photons of all sizes by integer arithmetic: the same on every machine. */
static void fill_image(double *image, size_t count)
{
    uint32_t state = 1;

    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        image[i] = (double)(state >> 8) / (double)(1u << (state >> 3 & 15));
        if (image[i] > 1e5)
            image[i] = (double)(state >> 24);
    }
}

/* A pixel may differ by one DN where the noise of host and device, equal to 15 digits, lies on both sides of a half. */
static void expect_reference(penta_context *ctx, const penta_detector_options *o, size_t width, size_t height)
{
    HELD double *image = must_calloc(width * height, sizeof *image);
    HELD float *dn = must_calloc(width * height, sizeof *dn), *want = must_calloc(width * height, sizeof *want);
    HELD uint8_t *full = must_calloc(width * height, 1), *want_full = must_calloc(width * height, 1);

    fill_image(image, width * height);
    expose(ctx, o, width, height, 42, image, dn, full);
    reference_detector(o, width, height, 42, image, want, want_full);
    for (size_t i = 0; i < width * height; i++)
        if (fabsf(dn[i] - want[i]) > (o->bits ? 0 : 1e-6f * fabsf(want[i]) + 1e-6f) || full[i] != want_full[i])
            fail_msg("%zu x %zu, pixel %zu: %.9g and %d, not %.9g and %d", width, height, i, (double)dn[i], full[i],
                     (double)want[i], want_full[i]);
}

TEST_IN(AS_IT_IS, reference)
{
    static const size_t sizes[][2] = {{1, 1},   {1, 9},   {7, 3},    {8, 2},     {9, 5},  {255, 3},
                                      {256, 4}, {257, 3}, {1000, 1}, {300, 200}, {2, 70}, {33, 31}};
    penta_detector_options o = everything();

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        expect_reference(*state, &o, sizes[i][0], sizes[i][1]);
    o.bits = 0;
    expect_reference(*state, &o, 301, 77);
    o.full_well = 0;
    o.shot_noise = PENTA_SHOT_NONE;
    expect_reference(*state, &o, 301, 77);
    o.hot_fraction = 1;
    o.read_noise = 0;
    expect_reference(*state, &o, 301, 77);
}

/* The frame as it came out of the first device it was made on. */
TEST_IN(AS_IT_IS, same_frame_everywhere)
{
    enum { WIDTH = 640, HEIGHT = 480 };
    penta_detector_options o = everything();
    HELD double *image = must_calloc(WIDTH * HEIGHT, sizeof *image);
    HELD float *dn = must_calloc(WIDTH * HEIGHT, sizeof *dn);
    uint64_t hash = 0xcbf29ce484222325;

    fill_image(image, WIDTH * HEIGHT);
    o.bits = 0;
    expose(*state, &o, WIDTH, HEIGHT, 5, image, dn, NULL);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) { /* FNV-1a over the words of the frame */
        uint32_t word;

        memcpy(&word, &dn[i], sizeof word);
        hash = (hash ^ word) * 0x100000001b3;
    }
    if (hash != 0xbecc2416bf33bb71)
        fail_msg("the frame's hash is 0x%016llx", (unsigned long long)hash);
}

TEST_IN(AS_IT_IS, defaults)
{
    penta_detector_options o = detector_defaults();
    double image[4] = {3, 0, 12345.5, 0.25};
    float plain[4], given[4];
    penta_detector *detector = NULL;

    EXPECT_OK(*state, penta_detector_create(*state, 2, 2, NULL, &detector));
    EXPECT_OK(*state, penta_detector_run(detector, 0, image, PENTA_F64, plain, NULL));
    penta_detector_destroy(detector);
    expose(*state, &o, 2, 2, 0, image, given, NULL);
    assert_memory_equal(plain, given, sizeof plain);
    o.shot_noise = PENTA_SHOT_NONE;
    expose(*state, &o, 2, 2, 0, image, given, NULL);
    for (int i = 0; i < 4; i++)
        assert_true((double)given[i] == image[i]);
}

/* ---- slabs, frames, types ---- */

static void apply_slabs(penta_context *ctx, penta_detector *detector, uint32_t frame, const float *image, size_t width,
                        size_t height, size_t slab, float *dn, uint8_t *saturated)
{
    HELD_BY(penta_buffer_release) penta_buffer in = {0}, out = {0}, full = {0};

    EXPECT_OK(ctx, penta_buffer_create(ctx, slab * width * sizeof *image, &in));
    EXPECT_OK(ctx, penta_buffer_create(ctx, slab * width * sizeof *dn, &out));
    EXPECT_OK(ctx, penta_buffer_create(ctx, slab * width, &full));
    for (size_t row = 0; row < height; row += slab) {
        size_t rows = height - row < slab ? height - row : slab, pixels = rows * width;

        EXPECT_OK(ctx, penta_buffer_write(&in, 0, image + row * width, pixels * sizeof *image));
        EXPECT_OK(ctx,
                  stars_detector_apply(detector, frame, &in, PENTA_F32, row, rows, &out, saturated ? &full : NULL));
        EXPECT_OK(ctx, penta_buffer_read(&out, 0, dn + row * width, pixels * sizeof *dn));
        if (saturated)
            EXPECT_OK(ctx, penta_buffer_read(&full, 0, saturated + row * width, pixels));
    }
}

/* A frame that penta_detector_run cuts in two, in slabs of other sizes, from float and from double photons. */
TEST_IN(AS_IT_IS, slabs)
{
    enum { WIDTH = 3001, HEIGHT = 1500, COUNT = WIDTH * HEIGHT };
    const size_t slabs[] = {HEIGHT, 311};
    penta_detector_options o = everything();
    HELD_BY(penta_detector_held) penta_detector *detector = NULL;
    HELD double *photons = must_calloc(COUNT, sizeof *photons);
    HELD float *image = must_calloc(COUNT, sizeof *image), *whole = must_calloc(COUNT, sizeof *whole),
               *dn = must_calloc(COUNT, sizeof *dn);
    HELD uint8_t *whole_full = must_calloc(COUNT, 1), *full = must_calloc(COUNT, 1);

    fill_image(photons, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        image[i] = (float)photons[i];
    EXPECT_OK(*state, penta_detector_create(*state, WIDTH, HEIGHT, &o, &detector));
    EXPECT_OK(*state, penta_detector_run(detector, 9, photons, PENTA_F64, whole, whole_full));
    EXPECT_OK(*state, penta_detector_run(detector, 9, image, PENTA_F32, dn, full));
    assert_memory_equal(dn, whole, COUNT * sizeof *dn);
    assert_memory_equal(full, whole_full, COUNT);
    for (int i = 0; i < 2 && !lacks_double(*state, "the detector in slabs on the device"); i++) {
        memset(dn, 0, COUNT * sizeof *dn);
        memset(full, 0, COUNT);
        apply_slabs(*state, detector, 9, image, WIDTH, HEIGHT, slabs[i], dn, i ? full : NULL);
        assert_memory_equal(dn, whole, COUNT * sizeof *dn);
    }
    assert_memory_equal(full, whole_full, COUNT);
    EXPECT_OK(*state, penta_detector_run(detector, 9, image, PENTA_F32, image, NULL)); /* in place */
    assert_memory_equal(image, whole, COUNT * sizeof *image);
}

static size_t differing(const float *a, const float *b)
{
    size_t n = 0;

    for (size_t i = 0; i < PIXELS; i++)
        n += a[i] != b[i];
    return n;
}

/* Another frame or seed is another draw, and independent of the first. */
TEST_IN(AS_IT_IS, frames_and_seeds)
{
    penta_detector_options o = detector_defaults();
    HELD float *a = must_calloc(PIXELS, sizeof *a), *b = must_calloc(PIXELS, sizeof *b);
    const double same = 1 / sqrt(4 * 3.141592653589793 * 1000); /* probability that two counts of 1000 agree */

    for (int other = 0; other < 3; other++) {
        double covariance = 0;

        o.seed = 1;
        expose_flat(*state, &o, 6, 1000, a, NULL);
        o.seed = other == 2 ? 2 : 1;
        expose_flat(*state, &o, other == 1 ? 7 : 6, 1000, b, NULL);
        if (other == 0) {
            assert_int_equal(differing(a, b), 0);
            continue;
        }
        expect_within("agreement", other, 1 - (double)differing(a, b) / PIXELS, same, 3.5 * sqrt(same / PIXELS));
        for (size_t i = 0; i < PIXELS; i++)
            covariance += ((double)a[i] - 1000) * ((double)b[i] - 1000) / PIXELS;
        expect_within("covariance", other, covariance, 0, 3.5 * 1000 / SIDE);
    }
}

/* ---- one term at a time ---- */

static void expect_pixel(penta_context *ctx, const penta_detector_options *o, double photons, double dn, int saturated)
{
    uint8_t full = 2;
    float got = -1;

    expose(ctx, o, 1, 1, 0, &photons, &got, &full);
    expect_within("DN", photons, (double)got, dn, 1e-7 * fabs(dn));
    assert_int_equal(full, saturated);
}

TEST_IN(AS_IT_IS, full_well_and_bits)
{
    penta_detector_options o = detector_defaults();

    o.shot_noise = PENTA_SHOT_NONE;
    o.full_well = 1000;
    o.gain = 4;
    o.bias = 10;
    expect_pixel(*state, &o, 999.5, 259.875, 0);
    expect_pixel(*state, &o, 1000, 260, 1);
    expect_pixel(*state, &o, 1e7, 260, 1);
    o.bits = 8; /* 255 lies below the full well */
    expect_pixel(*state, &o, 976, 254, 0);
    expect_pixel(*state, &o, 977, 254, 0); /* 254.25 */
    expect_pixel(*state, &o, 978, 254, 0); /* 254.5 goes to the even number */
    expect_pixel(*state, &o, 979, 255, 1);
    expect_pixel(*state, &o, 5000, 255, 1);
    expect_pixel(*state, &o, 2, 10, 0);
    expect_pixel(*state, &o, 6, 12, 0); /* 11.5 */
    o.bias = -10;
    expect_pixel(*state, &o, 8, 0, 0);
    o.bits = 16;
    o.full_well = 0;
    o.gain = 1;
    o.bias = 0;
    expect_pixel(*state, &o, 65534, 65534, 0);
    expect_pixel(*state, &o, 65535, 65535, 1);
    expect_pixel(*state, &o, 1e30, 65535, 1);
    o.bits = 1;
    expect_pixel(*state, &o, 0.4, 0, 0);
    expect_pixel(*state, &o, 0.6, 1, 1);
    o.bits = 0;
    expect_pixel(*state, &o, 1e30, 1e30, 0);
}

/*
 * The amplifier's noise is not cut at the full well: pixels in full light have the whole read noise around it. With as
 * much light as the well holds, electrons are a Poisson count cut at its mean, near a normal one cut at its mean:
 * sqrt(m / 2 pi) less in the mean, m (1/2 - 1/(2 pi)) in the variance; the read noise adds its own. Off by the skewness
 * of the Poisson count, of the order 1 / sqrt(m).
 */
TEST_IN(AS_IT_IS, full_well_before_read_noise)
{
    const double well[] = {10000, 40000}, read[] = {100, 35}, pi = 3.14159265358979323846;
    HELD float *dn = must_calloc(PIXELS, sizeof *dn);
    HELD uint8_t *full = must_calloc(PIXELS, 1);

    for (int i = 0; i < 4; i++) {
        penta_detector_options o = detector_defaults();
        double m = well[i / 2], r = read[i / 2], light = i % 2 ? m : 1.5 * m;
        double mean = m - (i % 2 ? sqrt(m / (2 * pi)) : 0), variance = r * r + (i % 2 ? m * (0.5 - 0.5 / pi) : 0);
        size_t above = 0, count = 0;
        moments got;

        o.read_noise = r;
        o.full_well = m;
        o.gain = 2;
        o.seed = 40 + i;
        expose_flat(*state, &o, 0, light, dn, full);
        for (size_t k = 0; k < PIXELS; k++) {
            above += (double)dn[k] > m / 2;
            count += full[k];
        }
        got = moments_of(dn, PIXELS);
        expect_within("mean", light, 2 * got.mean, mean, 4 * sqrt(variance) / SIDE + (i % 2 ? 0.2 : 0));
        expect_within("variance", light, 4 * got.variance, variance, 6 * variance / SIDE);
        if (i % 2 == 0) {
            assert_int_equal(count, PIXELS);
            expect_within("share above the full well", light, (double)above / PIXELS, 0.5, 2.0 / SIDE);
        } else {
            expect_within("share of full wells", light, (double)count / PIXELS, 0.5, 2.0 / SIDE + 1 / sqrt(m));
        }
    }
}

/* The converter's end cuts what the amplifier gives, and its number is rounded after the noise. */
TEST_IN(AS_IT_IS, converter_after_read_noise)
{
    penta_detector_options o = detector_defaults();
    HELD float *dn = must_calloc(PIXELS, sizeof *dn);
    HELD uint8_t *full = must_calloc(PIXELS, 1);
    size_t count = 0;

    o.read_noise = 100;
    o.shot_noise = PENTA_SHOT_NONE;
    o.full_well = 5000;
    o.bits = 12;
    expose_flat(*state, &o, 0, 3994.5, dn, full); /* one standard deviation below what rounds to 4095 */
    for (size_t i = 0; i < PIXELS; i++) {
        assert_true(full[i] ? dn[i] == 4095 : dn[i] < 4095);
        count += full[i];
    }
    expect_within("share", 1, (double)count / PIXELS, 0.15865525393, 3.5 * sqrt(0.1335) / SIDE);
}

TEST_IN(AS_IT_IS, exposure)
{
    penta_detector_options o = detector_defaults();

    o.shot_noise = PENTA_SHOT_NONE;
    o.exposure = 20;
    o.quantum_efficiency = 0.5;
    o.sky = 3;
    o.dark = 2;
    expect_pixel(*state, &o, 100, 0.5 * (100 + 60) + 40, 0);
    o.quantum_efficiency = 0;
    expect_pixel(*state, &o, 100, 40, 0);
}

TEST_IN(AS_IT_IS, vignetting)
{
    enum { WIDTH = 61, HEIGHT = 41 };
    penta_detector_options o = detector_defaults();
    double image[WIDTH * HEIGHT];
    float dn[WIDTH * HEIGHT];

    o.shot_noise = PENTA_SHOT_NONE;
    o.vignetting = 0.4;
    o.dark = 50; /* is not light */
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        image[i] = 1000;
    expose(*state, &o, WIDTH, HEIGHT, 0, image, dn, NULL);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double r2 = (x - 30) * (x - 30) + (y - 20) * (y - 20);

            expect_within("light", r2, (double)dn[y * WIDTH + x], 50 + 1000 * (1 - 0.4 * r2 / 1300), 1e-4);
        }
    assert_true(dn[20 * WIDTH + 30] == 1050 && dn[0] == 650 && dn[WIDTH * HEIGHT - 1] == 650);
    o.vignetting = 1;
    expose(*state, &o, WIDTH, HEIGHT, 0, image, dn, NULL);
    expect_within("corner", 1, (double)dn[0], 50, 1e-4);
}

/* Exponential, of mean 1000. */
static double hot_share(double dn)
{
    return 1 - exp(-dn / 1000);
}

TEST_IN(AS_IT_IS, hot_pixels)
{
    penta_detector_options o = detector_defaults();
    HELD float *dn = must_calloc(PIXELS, sizeof *dn), *other = must_calloc(PIXELS, sizeof *other);
    double sum = 0;
    size_t hot = 0;

    o.shot_noise = PENTA_SHOT_NONE;
    o.exposure = 4;
    o.hot_fraction = 0.05;
    o.hot_rate = 250;
    expose_flat(*state, &o, 0, 0, dn, NULL);
    expose_flat(*state, &o, 77, 0, other, NULL);
    assert_int_equal(differing(dn, other), 0); /* the same pixels in every frame */
    o.seed = 2;
    expose_flat(*state, &o, 5, 0, other, NULL);
    assert_int_equal(differing(dn, other), 0); /* and for every seed */
    o.detector_seed = 2;
    expose_flat(*state, &o, 0, 0, other, NULL);
    assert_true(differing(dn, other) > PIXELS / 20);
    o.seed = 1;
    expose_flat(*state, &o, 5, 0, dn, NULL);
    assert_int_equal(differing(dn, other), 0);
    o.detector_seed = 1;
    expose_flat(*state, &o, 0, 0, dn, NULL);
    for (size_t i = 0; i < PIXELS; i++)
        if (dn[i] > 0) {
            sum += (double)dn[i];
            dn[hot++] = dn[i];
        }
    expect_within("fraction", 0.05, (double)hot / PIXELS, 0.05, 3.5 * sqrt(0.05 * 0.95 / PIXELS));
    expect_within("mean", 250, sum / (double)hot, 1000, 3.5 * 1000 / sqrt((double)hot));
    expect_values_distributed(dn, hot, hot_share, "hot pixels");
}

/* ---- bad input ---- */

static void expect_error(penta_context *ctx, penta_status status, const char *part)
{
    assert_int_equal(status, PENTA_INVALID);
    if (!strstr(penta_last_error(ctx), part))
        fail_msg("'%s' does not say '%s'", penta_last_error(ctx), part);
}

DEVICE_TEST_IN(AS_IT_IS, bad_input)
{
    penta_detector_options o = detector_defaults();
    HELD_BY(penta_detector_held) penta_detector *detector = (penta_detector *)1;
    double image[6] = {1, 2, 3, 4, NAN, 6};
    float as_float[6] = {1, 2, 3, 4, 5, INFINITY}, dn[6];

    expect_error(ctx, penta_detector_create(ctx, 0, 5, NULL, &detector), "empty");
    assert_null(detector);
    expect_error(ctx, penta_detector_create(ctx, 65536, 65537, NULL, &detector), "2^32");
    expect_error(ctx, penta_detector_create(ctx, SIZE_MAX, 3, NULL, &detector), "2^32");
    o.quantum_efficiency = 1.5;
    expect_error(ctx, penta_detector_create(ctx, 4, 4, &o, &detector), "`quantum_efficiency`");
    o = detector_defaults();
    o.gain = 0;
    expect_error(ctx, penta_detector_create(ctx, 4, 4, &o, &detector), "gain");
    o = detector_defaults();
    o.bits = 17;
    expect_error(ctx, penta_detector_create(ctx, 4, 4, &o, &detector), "bits");
    assert_null(detector);

    EXPECT_OK(ctx, penta_detector_create(ctx, 3, 2, NULL, &detector));
    expect_error(ctx, penta_detector_run(detector, 0, image, PENTA_F64, dn, NULL), "(1, 1)");
    expect_error(ctx, penta_detector_run(detector, 0, as_float, PENTA_F32, dn, NULL), "(2, 1)");
    expect_error(ctx, penta_detector_run(detector, 0, as_float, PENTA_U16, dn, NULL), "u16");
    as_float[5] = 6;
    EXPECT_OK(ctx, penta_detector_run(detector, 0, as_float, PENTA_F32, dn, NULL));
    penta_detector_destroy(NULL);
}

/* The form for GPUs on a CPU device; on a GPU the tests above have it. */
TEST_IN(AS_GPU, form_for_gpus)
{
    device_of(state);
    test_same_frame_everywhere(state);
    test_full_well_before_read_noise(state);
    test_hot_pixels(state);
}

ON_DEVICE;
AS_ON_A_GPU;
