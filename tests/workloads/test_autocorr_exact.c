/* Integer images: every method, every FFT library and every form of kernel gives the sums N(X,Y) exactly. */
#include "support/test.h"

#include "autocorr/engine.h"
#include "support/autocorr_run.h"

enum { SEED_J = 5000 };

/* ---- the published numbers of the 750 x 1500 hash image ---- */

static const struct {
    long X, Y;
    int64_t n;
} published[] = {{0, 0, 24465579385},  {1, 0, 18287023806},  {0, 1, 18299202789},    {-1, 1, 18278285724},
                 {88, 0, 16160488336}, {0, 88, 17235665689}, {-37, 88, 16383195595}, {250, 250, 10165348609}};

TEST_IN(AS_IT_IS, hash_image)
{
    static const uint8_t first[] = {0, 53, 107, 12, 30, 61};
    HELD uint8_t *image = must_calloc(750 * 1500, 1);
    int64_t sum = 0;
    reference_autocorr c = {750, 1500, 250, PENTA_U8, image, NULL, NULL, 0, 0};

    reference_hash_image(PENTA_U8, 750, 1500, 0, image);
    assert_memory_equal(image, first, sizeof first);
    for (size_t i = 0; i < 750 * 1500; i++)
        sum += image[i];
    assert_int_equal(sum, 143532391);
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        assert_int_equal(reference_numerator(&c, published[i].X, published[i].Y), published[i].n);
    assert_int_equal(reference_numerator(&c, 749, 1499), 0);
}

static void check_published(penta_context *ctx, autocorr_variant v)
{
    HELD uint8_t *image = must_calloc(750 * 1500, 1);
    reference_autocorr c = {750, 1500, 250, PENTA_U8, image, NULL, NULL, 0, 0};
    penta_autocorr_options options = autocorr_case_options(&c, v);
    HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(250, true);
    int64_t sum = 0;

    reference_hash_image(PENTA_U8, 750, 1500, 0, image);
    autocorr_run_case(ctx, &c, &options, &r);
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        long X = published[i].X, Y = published[i].Y;

        assert_int_equal(r.numerators[(Y + 250) * 501 + X + 250], published[i].n);
        assert_int_equal(r.numerators[(250 - Y) * 501 + 250 - X], published[i].n);
    }
    for (size_t i = 0; i < 501 * 501; i++) {
        sum += r.numerators[i];
        assert_true(r.c2d[i] == (double)r.numerators[i] / 24465579385.0);
    }
    assert_int_equal(sum, 3507966925347397);
}

/* An FFT is exact in double only. */
static bool is_run(penta_context *ctx, autocorr_variant v)
{
    return autocorr_variant_runs(ctx, v) &&
           (v.method != PENTA_AUTOCORR_FFT || !lacks_double(ctx, autocorr_variant_name(v)));
}

/* A CPU device runs the methods that suit it; the others would take minutes there, and see small images below. */
DEVICE_TEST_IN(AS_IT_IS, published)
{
    check_published(ctx, (autocorr_variant){PENTA_AUTOCORR_AUTO, PENTA_FFT_AUTO});
    for (int i = 0; i < AUTOCORR_VARIANTS; i++) {
        autocorr_variant v = autocorr_variants[i];
        bool quick = v.method == PENTA_AUTOCORR_TILED || (v.method == PENTA_AUTOCORR_FFT && v.fft != PENTA_FFT_CLFFT);

        if (is_run(ctx, v) && (quick || !penta_is_cpu(ctx)))
            check_published(ctx, v);
    }
}

/* ---- small images against the reference ---- */

typedef enum { HASH, ZERO, FULL } content;

static void fill(penta_type type, size_t width, size_t height, content what, uint32_t seed, void *out)
{
    if (what == HASH)
        reference_hash_image(type, width, height, seed, out);
    else
        memset(out, what == ZERO ? 0 : 0xFF, width * height * penta_type_size(type));
}

static void expect_equal(const reference_autocorr *c, autocorr_variant v, const int64_t *got, const int64_t *expected)
{
    long R = (long)c->max_offset, side = 2 * R + 1;

    for (long i = 0; i < side * side; i++)
        if (got[i] != expected[i])
            fail_msg("%s, %zu x %zu %s%s, R = %zu: N(%ld,%ld) is %lld, not %lld", autocorr_variant_name(v), c->width,
                     c->height, penta_type_name(c->type), c->with ? " with another" : "", c->max_offset, i % side - R,
                     i / side - R, (long long)got[i], (long long)expected[i]);
}

/* The transforms that see a case. All the variants would do, but a CPU device compiles them for every length. */
enum { NO_FFT = 0, SIMD = 1, VKFFT = 2, CLFFT = 4, NTT = 8 };

static bool wanted(penta_context *ctx, autocorr_variant v, int ffts)
{
    return is_run(ctx, v) && (v.fft != PENTA_FFT_SIMD || ffts & SIMD) && (v.fft != PENTA_FFT_VKFFT || ffts & VKFFT) &&
           (v.fft != PENTA_FFT_CLFFT || ffts & CLFFT) && (v.method != PENTA_AUTOCORR_NTT || ffts & NTT);
}

static void expect_names(autocorr_variant v, const penta_autocorr_result *r)
{
    static const char *const methods[] = {"auto", "naive", "lines", "tiled", "fft", "ntt"};

    assert_string_equal(r->method, methods[v.method]);
    if (v.method == PENTA_AUTOCORR_FFT)
        assert_string_equal(r->fft, penta_fft_backend_name((enum penta_fft_backend)v.fft));
    else
        assert_null(r->fft);
}

static void check_case(penta_context *ctx, const reference_autocorr *c, int ffts)
{
    size_t side = 2 * c->max_offset + 1;
    HELD int64_t *expected = must_calloc(side * side, sizeof *expected);

    reference_numerators(c, expected);
    for (int i = 0; i < AUTOCORR_VARIANTS; i++) {
        autocorr_variant v = autocorr_variants[i];
        penta_autocorr_options options = autocorr_case_options(c, v);
        HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(c->max_offset, true);

        if (wanted(ctx, v, ffts)) {
            autocorr_run_case(ctx, c, &options, &r);
            expect_equal(c, v, r.numerators, expected);
            expect_names(v, &r);
        }
    }
}

typedef struct {
    size_t width, height, max_offset;
    int ffts;
} shape;

static void check_shapes(penta_context *ctx, const shape *shapes, size_t count, penta_type type, content what,
                         bool cross)
{
    for (size_t i = 0; i < count; i++) {
        const shape *s = &shapes[i];
        size_t pixels = s->width * s->height;
        HELD void *image = must_calloc(pixels, penta_type_size(type)),
                  *with = must_calloc(pixels, penta_type_size(type));
        reference_autocorr c = {s->width, s->height, s->max_offset, type, image, cross ? with : NULL, NULL, 0, 0};

        fill(type, s->width, s->height, what, 0, image);
        fill(type, s->width, s->height, what, SEED_J, with);
        check_case(ctx, &c, s->ffts);
    }
}

/* The least sizes, R = min - 1, odd sizes, more columns and more offsets than a work-group has items. */
TEST_IN(AS_IT_IS, shapes_u8)
{
    static const shape shapes[] = {{2, 2, 1, SIMD | VKFFT | NTT},
                                   {2, 9, 1, NO_FFT},
                                   {17, 2, 1, NO_FFT},
                                   {12, 11, 4, CLFFT},
                                   {300, 7, 6, NO_FFT},
                                   {31, 23, 22, SIMD | VKFFT | NTT},
                                   {139, 73, 72, NO_FFT}};

    if (*state)
        check_shapes(*state, shapes, COUNT(shapes), PENTA_U8, HASH, false);
}

/* Fewer, for the form for GPUs on a CPU device. */
TEST_IN(AS_GPU, some_shapes_u8)
{
    static const shape shapes[] = {
        {2, 2, 1, NO_FFT}, {2, 9, 1, NO_FFT}, {300, 7, 6, NO_FFT}, {31, 23, 22, VKFFT}, {139, 73, 72, NO_FFT}};

    if (*state)
        check_shapes(*state, shapes, COUNT(shapes), PENTA_U8, HASH, false);
}

TEST_IN(AS_IT_IS, shapes_u16)
{
    static const shape shapes[] = {{300, 7, 6, NO_FFT}, {31, 23, 22, SIMD | VKFFT | NTT}};

    if (*state)
        check_shapes(*state, shapes, COUNT(shapes), PENTA_U16, HASH, false);
}

DEVICE_TEST(cross)
{
    static const shape shapes[] = {{300, 7, 6, NO_FFT}, {31, 23, 22, SIMD | VKFFT | NTT}};

    check_shapes(ctx, shapes, COUNT(shapes), PENTA_U8, HASH, true);
    check_shapes(ctx, shapes + 1, 1, PENTA_U16, HASH, true);
}

DEVICE_TEST_IN(AS_IT_IS, black_and_white)
{
    static const shape some[] = {{31, 23, 22, SIMD | VKFFT | NTT}};

    for (int type = PENTA_U8; type <= PENTA_U16; type++)
        for (int cross = 0; cross < 2; cross++) {
            check_shapes(ctx, some, COUNT(some), (penta_type)type, ZERO, cross);
            check_shapes(ctx, some, COUNT(some), (penta_type)type, FULL, cross);
        }
}

/* Far more white pixels than 32 bits can sum the products of, in one line already for 16 bits. */
static void check_white(penta_context *ctx, penta_type type, int ffts)
{
    enum { WIDTH = 1050, HEIGHT = 620, R = 2, SIDE = 2 * R + 1 };
    HELD uint16_t *image = must_calloc(WIDTH * HEIGHT, sizeof *image);
    reference_autocorr c = {WIDTH, HEIGHT, R, type, image, NULL, NULL, 0, 0};
    int64_t expected[SIDE * SIDE], white = type == PENTA_U8 ? 255 : 65535;

    memset(image, 0xFF, WIDTH * HEIGHT * sizeof *image);
    for (int k = 0; k < SIDE * SIDE; k++)
        expected[k] = white * white * (WIDTH - abs(k % SIDE - R)) * (HEIGHT - abs(k / SIDE - R));
    for (int i = 0; i < AUTOCORR_VARIANTS; i++) {
        autocorr_variant v = autocorr_variants[i];
        penta_autocorr_options options = autocorr_case_options(&c, v);
        HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(R, true);

        if (wanted(ctx, v, ffts)) {
            autocorr_run_case(ctx, &c, &options, &r);
            expect_equal(&c, v, r.numerators, expected);
        }
    }
}

DEVICE_TEST(no_overflow)
{
    check_white(ctx, PENTA_U8, NTT);
    check_white(ctx, PENTA_U16, SIMD | VKFFT | NTT);
}

/* ---- identities ---- */

/* All offsets of a square image: the sum of N is the square of the sum. */
DEVICE_TEST_IN(AS_IT_IS, sum_of_all)
{
    enum { SIDE = 37, R = SIDE - 1 };
    uint8_t image[SIDE * SIDE];
    reference_autocorr c = {SIDE, SIDE, R, PENTA_U8, image, NULL, NULL, 0, 0};
    int64_t total = 0;

    reference_hash_image(PENTA_U8, SIDE, SIDE, 3, image);
    for (size_t i = 0; i < sizeof image; i++)
        total += image[i];
    for (int i = 0; i < 3; i++) {
        penta_autocorr_options options = autocorr_case_options(&c, autocorr_variants[i]);
        HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(R, true);
        int64_t sum = 0;

        autocorr_run_case(ctx, &c, &options, &r);
        for (size_t k = 0; k < (2 * R + 1) * (2 * R + 1); k++)
            sum += r.numerators[k];
        assert_int_equal(sum, total * total);
    }
}

/* N(-R) = N(R), where both are computed: an image correlated with itself as if it were another. */
DEVICE_TEST(symmetry)
{
    enum { WIDTH = 31, HEIGHT = 23, R = 22, COUNT_N = (2 * R + 1) * (2 * R + 1) };
    uint16_t image[WIDTH * HEIGHT];
    reference_autocorr c = {WIDTH, HEIGHT, R, PENTA_U16, image, image, NULL, 0, 0};
    HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(R, true), alone = autocorr_arrays(R, true);

    reference_hash_image(PENTA_U16, WIDTH, HEIGHT, 9, image);
    for (int i = 0; i < 4; i++) {
        penta_autocorr_options options = autocorr_case_options(&c, autocorr_variants[i]);

        if (!is_run(ctx, autocorr_variants[i]))
            continue;
        c.with = image;
        autocorr_run_case(ctx, &c, &options, &r);
        for (size_t k = 0; k < COUNT_N; k++)
            assert_int_equal(r.numerators[k], r.numerators[COUNT_N - 1 - k]);
        c.with = NULL;
        autocorr_run_case(ctx, &c, &options, &alone);
        assert_memory_equal(r.numerators, alone.numerators, COUNT_N * sizeof *r.numerators);
    }
}

/* A constant image: unbiased 1 everywhere, to the bit; equation 1 the product of two triangles. */
DEVICE_TEST_IN(AS_IT_IS, constant_image)
{
    enum { WIDTH = 31, HEIGHT = 23, R = 22, SIDE = 2 * R + 1 };
    uint8_t image[WIDTH * HEIGHT];

    memset(image, 117, sizeof image);
    for (int i = 0; i < 4; i++)
        for (int estimator = PENTA_AUTOCORR_EQ1; estimator <= PENTA_AUTOCORR_UNBIASED; estimator++) {
            reference_autocorr c = {WIDTH, HEIGHT, R, PENTA_U8, image, NULL, NULL, estimator, 0};
            penta_autocorr_options options = autocorr_case_options(&c, autocorr_variants[i]);
            HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(R, false);

            if (is_run(ctx, autocorr_variants[i])) {
                autocorr_run_case(ctx, &c, &options, &r);
                for (int k = 0; k < SIDE * SIDE; k++) {
                    double triangles =
                        (1 - abs(k % SIDE - R) / (double)WIDTH) * (1 - abs(k / SIDE - R) / (double)HEIGHT);

                    if (estimator == PENTA_AUTOCORR_UNBIASED)
                        assert_true(r.c2d[k] == 1);
                    else
                        assert_true(fabs(r.c2d[k] - triangles) <= 4e-16);
                }
                assert_int_equal(r.peak.status,
                                 estimator == PENTA_AUTOCORR_EQ1 ? PENTA_PEAK_NO_TROUGH : PENTA_PEAK_FLAT);
            }
        }
}

/* ---- many frames ---- */

enum { FRAME_W = 31, FRAME_H = 23, FRAME_R = 6, FRAME_N = (2 * FRAME_R + 1) * (2 * FRAME_R + 1) };

/* Runs n different frames in one call and checks every one. */
static void check_frames(penta_context *ctx, penta_autocorr *plan, const reference_autocorr *shape_of, size_t n,
                         uint32_t seed, bool cross)
{
    size_t bytes = FRAME_W * FRAME_H * penta_type_size(shape_of->type);
    HELD penta_autocorr_frame *frames = must_calloc(n, sizeof *frames);
    HELD penta_autocorr_result *results = must_calloc(n, sizeof *results);
    HELD char *images = must_calloc(2 * n, bytes);
    int64_t expected[FRAME_N];

    for (size_t i = 0; i < n; i++) {
        frames[i].image = images + 2 * i * bytes;
        frames[i].with = cross ? images + (2 * i + 1) * bytes : NULL;
        reference_hash_image(shape_of->type, FRAME_W, FRAME_H, seed + 100 * (uint32_t)i, images + 2 * i * bytes);
        reference_hash_image(shape_of->type, FRAME_W, FRAME_H, seed + 100 * (uint32_t)i + 50,
                             images + (2 * i + 1) * bytes);
        results[i] = autocorr_arrays(FRAME_R, true);
    }
    EXPECT_OK(ctx, penta_autocorr_run(plan, n, frames, results));
    for (size_t i = 0; i < n; i++) {
        reference_autocorr c = *shape_of;

        c.image = frames[i].image;
        c.with = frames[i].with;
        reference_numerators(&c, expected);
        expect_equal(&c, (autocorr_variant){0, 0}, results[i].numerators, expected);
        autocorr_arrays_free(&results[i]);
    }
}

/* One plan: more frames than two batches, then others, fewer, pairs, and again. */
static void check_series(penta_context *ctx, penta_type type, autocorr_variant v)
{
    reference_autocorr c = {FRAME_W, FRAME_H, FRAME_R, type, NULL, NULL, NULL, 0, 0};
    penta_autocorr_options options = autocorr_case_options(&c, v);
    HELD_BY(penta_autocorr_held) penta_autocorr *plan = NULL;
    size_t batch;

    EXPECT_OK(ctx, penta_autocorr_create(ctx, FRAME_W, FRAME_H, type, &options, &plan));
    assert_int_equal(penta_autocorr_max_offset(plan), FRAME_R);
    batch = penta_autocorr_batch(plan);
    assert_in_range(batch, 1, 1024);
    check_frames(ctx, plan, &c, 2 * batch + 1, 1, false);
    check_frames(ctx, plan, &c, 1, 777, false);
    check_frames(ctx, plan, &c, 3, 99, true);
    check_frames(ctx, plan, &c, batch + 1, 5, false);
    EXPECT_OK(ctx, penta_autocorr_run(plan, 0, NULL, NULL));
}

DEVICE_TEST(series)
{
    static const struct {
        penta_type type;
        autocorr_variant v;
    } series[] = {{PENTA_U8, {PENTA_AUTOCORR_TILED, PENTA_FFT_AUTO}},
                  {PENTA_U16, {PENTA_AUTOCORR_FFT, PENTA_FFT_AUTO}},
                  {PENTA_U8, {PENTA_AUTOCORR_FFT, PENTA_FFT_VKFFT}},
                  {PENTA_U16, {PENTA_AUTOCORR_NTT, PENTA_FFT_AUTO}}};

    for (size_t i = 0; i < sizeof series / sizeof *series; i++)
        if (is_run(ctx, series[i].v))
            check_series(ctx, series[i].type, series[i].v);
}

/* One image per run through engines for batches of 1, and all 9 at once. */
DEVICE_TEST(batches)
{
    enum { FRAMES = 9, PIXELS = FRAME_W * FRAME_H, WINDOW = (FRAME_R + 1) * (2 * FRAME_R + 1) };
    const autocorr_shape s = {FRAME_W, FRAME_H, FRAME_R, PENTA_U16, false, false};
    uint16_t images[FRAMES * PIXELS];
    int64_t at_once[FRAMES * WINDOW], one_by_one[WINDOW];
    penta_buffer a = {0}, out = {0};

    for (int f = 0; f < FRAMES; f++)
        reference_hash_image(PENTA_U16, FRAME_W, FRAME_H, 40 * (uint32_t)f, images + f * PIXELS);
    for (int i = 0; i < AUTOCORR_VARIANTS; i++) {
        autocorr_variant v = autocorr_variants[i];

        if (!is_run(ctx, v) || v.fft == PENTA_FFT_CLFFT)
            continue;
        EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof images, &a));
        EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof at_once, &out));
        for (size_t batch = FRAMES; batch > 0; batch = batch == FRAMES ? 1 : 0) {
            autocorr_correlator *engine = NULL;

            EXPECT_OK(ctx, autocorr_correlator_create(ctx, &s, (enum penta_autocorr_method)v.method,
                                                      (enum penta_fft_backend)v.fft, batch, &engine));
            for (size_t f = 0; f < FRAMES; f += batch) {
                EXPECT_OK(ctx, penta_buffer_write(&a, 0, images + f * PIXELS, batch * PIXELS * sizeof *images));
                EXPECT_OK(ctx, autocorr_correlator_run(engine, batch, &a, NULL, &out));
                EXPECT_OK(ctx, penta_buffer_read(&out, 0, batch == FRAMES ? at_once : one_by_one,
                                                 batch * WINDOW * sizeof(int64_t)));
                if (batch == 1)
                    assert_memory_equal(one_by_one, at_once + f * WINDOW, sizeof one_by_one);
            }
            EXPECT_OK(ctx, autocorr_correlator_verify(engine));
            autocorr_correlator_destroy(engine);
        }
        penta_buffer_release(&a);
        penta_buffer_release(&out);
    }
}

/* The numbers of the enumerations are for good; the defaults are not the first of them, and NULL means the defaults. */
DEVICE_TEST_IN(AS_IT_IS, defaults)
{
    uint8_t image[FRAME_W * FRAME_H];
    reference_autocorr c = {FRAME_W, FRAME_H, FRAME_R, PENTA_U8, image, NULL, NULL, 0, 0};
    penta_autocorr_options options, zeroed = {0}, sized = {.size = sizeof sized};
    penta_autocorr_frame frame = {image, NULL, NULL};
    size_t R = FRAME_H / 3, side = 2 * R + 1;
    HELD double *want = must_calloc(side * side, sizeof *want);
    HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(R, false);
    penta_autocorr *plan = NULL;

    assert_int_equal(PENTA_AUTOCORR_EQ1, 0);
    assert_int_equal(PENTA_AUTOCORR_UNBIASED, 1);
    assert_int_equal(PENTA_AUTOCORR_PEARSON, 2);
    assert_int_equal(PENTA_AUTOCORR_DEMEAN_NONE, 0);
    assert_int_equal(PENTA_AUTOCORR_DEMEAN_MEAN, 1);
    assert_int_equal(PENTA_AUTOCORR_DEMEAN_PLANE, 2);
    penta_autocorr_options_init(&options);
    assert_int_equal(options.estimator, PENTA_AUTOCORR_UNBIASED);
    assert_int_equal(options.demean, PENTA_AUTOCORR_DEMEAN_MEAN);
    reference_hash_image(PENTA_U8, FRAME_W, FRAME_H, 0, image);
    c.max_offset = R;
    assert_int_equal(penta_autocorr_create(ctx, FRAME_W, FRAME_H, PENTA_U8, &zeroed, &plan), PENTA_INVALID);
    sized.prominence = options.prominence;
    for (int i = 0; i < 2; i++) { /* NULL, then zeros behind the size: equation 1 as printed */
        c.estimator = i ? PENTA_AUTOCORR_EQ1 : PENTA_AUTOCORR_UNBIASED;
        c.demean = i ? PENTA_AUTOCORR_DEMEAN_NONE : PENTA_AUTOCORR_DEMEAN_MEAN;
        reference_c2d(&c, want, NULL);
        EXPECT_OK(ctx, penta_autocorr_create(ctx, FRAME_W, FRAME_H, PENTA_U8, i ? &sized : NULL, &plan));
        assert_int_equal(penta_autocorr_max_offset(plan), R);
        EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &frame, &r));
        for (size_t k = 0; k < side * side; k++)
            assert_true(fabs(r.c2d[k] - want[k]) < 1e-12);
        penta_autocorr_destroy(plan);
    }
}

/* ---- what is refused ---- */

static void expect_refused(penta_context *ctx, size_t width, size_t height, penta_type type, int max_offset,
                           const char *text)
{
    penta_autocorr *plan = (penta_autocorr *)1;
    penta_autocorr_options options;

    penta_autocorr_options_init(&options);
    options.max_offset = max_offset;
    assert_int_equal(penta_autocorr_create(ctx, width, height, type, &options, &plan), PENTA_INVALID);
    assert_null(plan);
    if (!strstr(penta_last_error(ctx), text))
        fail_msg("'%s' does not say '%s'", penta_last_error(ctx), text);
}

DEVICE_TEST_IN(AS_IT_IS, refusals)
{
    expect_refused(ctx, 0, 10, PENTA_U8, 1, "empty");
    expect_refused(ctx, 10, 0, PENTA_U8, 1, "empty");
    expect_refused(ctx, 1, 1, PENTA_U8, 0, "too small to have an offset");
    expect_refused(ctx, 10, 12, PENTA_U8, 10, "`max_offset` is 10 px");
    expect_refused(ctx, 10, 12, PENTA_U8, 11, "10 x 12");
    expect_refused(ctx, 10, 12, PENTA_U8, -1, "`max_offset`");
    expect_refused(ctx, 10, 12, PENTA_I64, 3, "i64");
    expect_refused(ctx, SIZE_MAX / 2, 12, PENTA_U8, 3, "pixels");
    expect_refused(ctx, 65536, 32768, PENTA_U8, 3, "2^31");
}

/* Frames that do not fit one another, or what was planned; the plan works on afterwards. */
DEVICE_TEST_IN(AS_IT_IS, refused_frames)
{
    uint8_t image[FRAME_W * FRAME_H] = {1}, mask[FRAME_W * FRAME_H] = {1};
    reference_autocorr c = {FRAME_W, FRAME_H, FRAME_R, PENTA_U8, image, NULL, NULL, 0, 0};
    penta_autocorr_options options = autocorr_case_options(&c, autocorr_variants[2]);
    penta_autocorr *plan = NULL;
    penta_autocorr_result results[2] = {autocorr_arrays(FRAME_R, true), autocorr_arrays(FRAME_R, true)};
    penta_autocorr_frame frames[2] = {{image, NULL, NULL}, {NULL, NULL, NULL}};

    if (ctx) {
        EXPECT_OK(ctx, penta_autocorr_create(ctx, FRAME_W, FRAME_H, PENTA_U8, &options, &plan));
        assert_int_equal(penta_autocorr_run(plan, 2, frames, results), PENTA_INVALID);
        assert_non_null(strstr(penta_last_error(ctx), "frame 1"));
        frames[1] = (penta_autocorr_frame){image, image, NULL};
        assert_int_equal(penta_autocorr_run(plan, 2, frames, results), PENTA_INVALID);
        frames[1] = (penta_autocorr_frame){image, NULL, mask};
        assert_int_equal(penta_autocorr_run(plan, 2, frames, results), PENTA_INVALID);
        check_frames(ctx, plan, &c, 2, 31, false);
        penta_autocorr_destroy(plan);
    }
    autocorr_arrays_free(&results[0]);
    autocorr_arrays_free(&results[1]);
}

/* Numerators are exact or refused. */
DEVICE_TEST_IN(AS_IT_IS, numerators_of_single)
{
    uint8_t image[FRAME_W * FRAME_H];
    reference_autocorr c = {FRAME_W, FRAME_H, FRAME_R, PENTA_U8, image, NULL, NULL, 0, 0};
    penta_autocorr_options options = autocorr_case_options(&c, autocorr_variants[2]);
    HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(FRAME_R, true);
    penta_autocorr_frame frame = {image, NULL, NULL};
    penta_autocorr *plan = NULL;

    reference_hash_image(PENTA_U8, FRAME_W, FRAME_H, 0, image);
    for (int i = 0; i < 2; i++) {
        options.precision = i == 0 ? PENTA_PRECISION_SINGLE : PENTA_PRECISION_AUTO;
        options.demean = i == 0 ? PENTA_AUTOCORR_DEMEAN_NONE : PENTA_AUTOCORR_DEMEAN_PLANE;
        if (i > 0 && lacks_double(ctx, "a plane taken off"))
            break;
        EXPECT_OK(ctx, penta_autocorr_create(ctx, FRAME_W, FRAME_H, PENTA_U8, &options, &plan));
        assert_int_equal(penta_autocorr_run(plan, 1, &frame, &r), PENTA_INVALID);
        assert_non_null(strstr(penta_last_error(ctx), "numerators"));
        penta_autocorr_destroy(plan);
    }
}

ON_DEVICE;
AS_ON_A_GPU;
