/*
 * Correlation by number-theoretic transforms: exact for every radix, for two and three primes, 8 and 16 bits, one image
 * and two; and plans on a device that counts as one without double precision give the bits of the same device with it.
 */
#include "support/test.h"

#include "autocorr/engine.h"
#include "autocorr/ntt_layout.h"
#include "core/internal.h"
#include "support/autocorr_run.h"

enum { LOCAL_MEMORY = 32768, GROUP = 256 };

/* ---- layouts ---- */

/* They have every radix along the lines, which the columns share the code with, and both orders of the columns'. */
static const struct {
    size_t width, height, max_offset;
    int x[PENTA_NTT_STAGES], y[PENTA_NTT_STAGES];
} layouts[] = {
    {31, 23, 22, {2, 3, 3, 3}, {4, 4, 3, 1}},
    {139, 73, 72, {8, 4, 7, 1}, {16, 2, 5, 1}},
    {110, 90, 40, {2, 5, 5, 3}, {4, 4, 3, 3}},
    {280, 5, 3, {16, 2, 3, 3}, {2, 2, 2, 1}},
};

static autocorr_shape shape_of(size_t i, penta_type type, bool cross)
{
    return (autocorr_shape){layouts[i].width, layouts[i].height, layouts[i].max_offset, type, cross, false};
}

TEST(layouts)
{
    int seen = 0;
    autocorr_ntt_layout l;

    for (size_t i = 0; i < COUNT(layouts); i++) {
        autocorr_shape s = shape_of(i, PENTA_U16, false);

        assert_true(autocorr_ntt_choose(&s, LOCAL_MEMORY, GROUP, &l));
        assert_true(l.x.n >= s.width + s.max_offset && l.y.n >= s.height + s.max_offset);
        assert_int_equal(l.order % l.x.n, 0);
        assert_int_equal(l.order % l.y.n, 0);
        assert_true(l.fold >= l.x.n / 2 + 1 && l.fold % l.lanes == 0);
        for (int k = 0; k < PENTA_NTT_STAGES; k++) {
            assert_int_equal(l.x.radix[k], layouts[i].x[k]);
            assert_int_equal(l.y.radix[k], layouts[i].y[k]);
            seen |= 1 << l.x.radix[k];
        }
    }
    assert_int_equal(seen, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 16);
}

/* Primes enough for the largest sum, and no more. */
TEST(primes_of_sizes)
{
    autocorr_shape small = {1500, 750, 250, PENTA_U8, false, false}, deep = {1500, 750, 250, PENTA_U16, false, false};
    autocorr_shape huge = {40000, 20000, 50, PENTA_U8, false, false}, real = {64, 64, 8, PENTA_F32, false, false};
    autocorr_ntt_layout l;

    assert_true(autocorr_ntt_choose(&small, 49152, 1024, &l));
    assert_int_equal(l.primes, 2);
    assert_true((uint64_t)l.prime[0] * l.prime[1] > (uint64_t)255 * 255 * 1500 * 750);
    assert_true(autocorr_ntt_choose(&deep, 49152, 1024, &l));
    assert_int_equal(l.primes, 3);
    assert_true((uint64_t)l.prime[0] * l.prime[1] * l.prime[2] > (uint64_t)65535 * 65535 * 1500 * 750);
    assert_false(autocorr_ntt_choose(&huge, 49152, 1024, &l)); /* lines do not fit into local memory */
    assert_false(autocorr_ntt_choose(&real, 49152, 1024, &l));
    small.single = true;
    assert_false(autocorr_ntt_choose(&small, 49152, 1024, &l));
}

/* ---- sums ---- */

static void check_exact(penta_context *ctx, const reference_autocorr *c)
{
    penta_autocorr_options options = autocorr_case_options(c, (autocorr_variant){PENTA_AUTOCORR_NTT, PENTA_FFT_AUTO});
    HELD_BY(autocorr_arrays_free) penta_autocorr_result r = autocorr_arrays(c->max_offset, true);
    long R = (long)c->max_offset, side = 2 * R + 1;
    HELD int64_t *expected = must_calloc((size_t)(side * side), sizeof *expected);

    reference_numerators(c, expected);
    autocorr_run_case(ctx, c, &options, &r);
    assert_string_equal(r.method, "ntt");
    for (long i = 0; i < side * side; i++)
        if (r.numerators[i] != expected[i])
            fail_msg("%zu x %zu %s%s, R = %zu: N(%ld,%ld) is %lld, not %lld", c->width, c->height,
                     penta_type_name(c->type), c->with ? " with another" : "", c->max_offset, i % side - R,
                     i / side - R, (long long)r.numerators[i], (long long)expected[i]);
}

/* Random images, white ones, and pixels that are all or nothing. */
static void fill(penta_type type, size_t pixels, size_t width, size_t height, int what, uint32_t seed, void *out)
{
    uint8_t *bytes = out;
    size_t size = penta_type_size(type);

    reference_hash_image(type, width, height, seed, out);
    if (what == 1)
        memset(out, 0xFF, pixels * size);
    if (what == 2)
        for (size_t i = 0; i < pixels; i++)
            memset(bytes + i * size, bytes[i * size] & 1 ? 0xFF : 0, size);
}

DEVICE_TEST(exact)
{
    for (size_t i = 0; i < COUNT(layouts); i++)
        for (int type = PENTA_U8; type <= PENTA_U16; type++) {
            size_t pixels = layouts[i].width * layouts[i].height;
            HELD uint16_t *image = must_calloc(pixels, sizeof *image), *with = must_calloc(pixels, sizeof *with);
            reference_autocorr c = {
                layouts[i].width, layouts[i].height, layouts[i].max_offset, (penta_type)type, image, NULL, NULL, 0, 0};

            for (int what = 0; what < 3; what++) {
                fill(c.type, pixels, c.width, c.height, what, 11, image);
                fill(c.type, pixels, c.width, c.height, what, 777, with);
                c.with = NULL;
                check_exact(ctx, &c);
                c.with = with;
                check_exact(ctx, &c);
            }
        }
}

/* ---- without double precision ---- */

enum { WIDTH = 61, HEIGHT = 47, R = 15, SIDE = 2 * R + 1 };

static void run_both(penta_context *with_double, penta_context *without, const reference_autocorr *c)
{
    penta_autocorr_options options = autocorr_case_options(c, (autocorr_variant){PENTA_AUTOCORR_AUTO, PENTA_FFT_AUTO});
    HELD_BY(autocorr_arrays_free) penta_autocorr_result a = autocorr_arrays(R, true), b = autocorr_arrays(R, true);

    options.bootstrap = 20;
    autocorr_run_case(with_double, c, &options, &a);
    autocorr_run_case(without, c, &options, &b);
    assert_memory_equal(a.numerators, b.numerators, SIDE * SIDE * sizeof *a.numerators);
    assert_memory_equal(a.c2d, b.c2d, SIDE * SIDE * sizeof *a.c2d);
    assert_memory_equal(a.c1d, b.c1d, (R + 1) * sizeof *a.c1d);
    assert_int_equal(a.peak.status, b.peak.status);
    assert_memory_equal(&a.peak.r_max, &b.peak.r_max, sizeof a.peak.r_max);
}

/* Kernels with the word double do not compile in that context, so the run also shows that none is left. */
TEST(without_double)
{
    penta_context *ctx = device_of(state), *without = NULL;
    uint16_t image[WIDTH * HEIGHT], with[WIDTH * HEIGHT];
    uint8_t mask[WIDTH * HEIGHT];

    assert_int_equal(penta_context_create(NULL, &without), PENTA_OK);
    penta_context_without_double(without);
    assert_false(penta_context_device(without)->fp64);
    reference_hash_image(PENTA_U8, WIDTH, HEIGHT, 3, mask);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        mask[i] = mask[i] > 90;
    for (int type = PENTA_U8; type <= PENTA_U16; type++)
        for (int cross = 0; cross < 2; cross++)
            for (int masked = 0; masked < 2; masked++)
                for (int estimator = PENTA_AUTOCORR_EQ1; estimator <= PENTA_AUTOCORR_PEARSON; estimator++) {
                    reference_autocorr c = {WIDTH,
                                            HEIGHT,
                                            R,
                                            (penta_type)type,
                                            image,
                                            cross ? with : NULL,
                                            masked ? mask : NULL,
                                            estimator,
                                            PENTA_AUTOCORR_DEMEAN_MEAN};

                    reference_hash_image(c.type, WIDTH, HEIGHT, 1, image);
                    reference_hash_image(c.type, WIDTH, HEIGHT, 2, with);
                    run_both(ctx, without, &c);
                }
    penta_context_destroy(without);
}

/* `method` auto takes ntt for integers on a GPU; on a CPU the FFT, and without double precision direct sums. */
DEVICE_TEST(choice)
{
    const struct {
        penta_device_type type;
        const char *method;
    } all[] = {{PENTA_DEVICE_GPU, "ntt"}, {PENTA_DEVICE_CPU, ctx->info.fp64 ? "fft" : "tiled"}};
    const autocorr_shape s = {.type = PENTA_U8, .width = 200, .height = 180, .max_offset = 120};
    penta_device_type type = ctx->info.type;

    for (size_t i = 0; i < COUNT(all); i++) {
        autocorr_correlator *c = NULL;

        if (type != PENTA_DEVICE_CPU && all[i].type == PENTA_DEVICE_CPU)
            continue; /* a GPU is no CPU */
        ctx->info.type = all[i].type;
        EXPECT_OK(ctx, autocorr_correlator_create(ctx, &s, PENTA_AUTOCORR_AUTO, PENTA_FFT_AUTO, 1, &c));
        ctx->info.type = type;
        assert_string_equal(autocorr_correlator_method(c), all[i].method);
        autocorr_correlator_destroy(c);
    }
}

/* What is left out says what it needs. */
TEST(refusals)
{
    HELD_BY(penta_context_held) penta_context *without = NULL;
    penta_autocorr_options options;
    penta_autocorr *plan = NULL;

    assert_int_equal(penta_context_create(NULL, &without), PENTA_OK);
    penta_context_without_double(without);
    penta_autocorr_options_init(&options);
    EXPECT_REFUSED(without, penta_autocorr_create(without, 64, 64, PENTA_F32, &options, &plan), PENTA_UNSUPPORTED,
                   "no double precision; use `precision` single");
    options.method = PENTA_AUTOCORR_FFT;
    EXPECT_REFUSED(without, penta_autocorr_create(without, 64, 64, PENTA_U8, &options, &plan), PENTA_UNSUPPORTED,
                   "double precision");
    options.method = PENTA_AUTOCORR_NTT;
    EXPECT_REFUSED(without, penta_autocorr_create(without, 64, 64, PENTA_F32, &options, &plan), PENTA_INVALID,
                   "`method` ntt is for unsigned 8- and 16-bit images");
}

ON_DEVICE;
