/* FFTs in lanes and the correlation on them: lengths and tables against their definitions, N(X,Y) against its sum. */
#include "support/test.h"

#include "autocorr/spectral_cpu.h"
#include "math/fft_lanes.h"
#include "reference/autocorr.h"
#include "support/numbers.h"

/* ---- lengths ---- */

static bool is_smooth(size_t n)
{
    for (size_t p = 2; p <= 7; p++)
        while (n % p == 0)
            n /= p;
    return n == 1;
}

TEST(lengths)
{
    fft_lanes_length l;

    assert_false(fft_lanes_plan(0, &l));
    assert_false(fft_lanes_plan(1, &l));
    assert_false(fft_lanes_plan(FFT_LANES_MOST + 1, &l));
    assert_false(fft_lanes_plan(7 * 7 * 7 * 7 * 7 * 7 * 7, &l)); /* seven stages */
    for (size_t n = 2; n < 5000; n++) {
        size_t product = 1;

        assert_int_equal(fft_lanes_plan(n, &l), is_smooth(n));
        if (!is_smooth(n))
            continue;
        for (int s = 0; s < FFT_LANES_STAGES; s++) {
            assert_in_range(l.radix[s], 1, 10);
            product *= (size_t)l.radix[s];
        }
        assert_int_equal(product, n);
        assert_int_equal(l.n, n);
        assert_in_range(l.radix[FFT_LANES_STAGES - 1], 2, 10);
        assert_true(l.cost > 0);
    }
}

/* Every stage's table against sine and cosine, in the order that the kernels read. */
TEST(twiddles)
{
    const size_t lengths[] = {2, 8, 360, 1000, 1750, 10080};

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        fft_lanes_length l;
        double *w, *at;
        size_t block = lengths[i];

        assert_true(fft_lanes_plan(block, &l));
        at = w = calloc(2 * fft_lanes_twiddle_count(&l) + 1, sizeof *w);
        assert_non_null(w);
        fft_lanes_twiddles(&l, w);
        for (int s = 0; s < FFT_LANES_STAGES - 1; block /= (size_t)l.radix[s++])
            for (size_t k = 0; k < block / (size_t)l.radix[s]; k++)
                for (int q = 1; q < l.radix[s]; q++, at += 2) {
                    long double angle = -2 * acosl(-1) * (long double)(k * (size_t)q) / (long double)block;

                    assert_true(fabs(at[0] - (double)cosl(angle)) <= 0x1p-53);
                    assert_true(fabs(at[1] - (double)sinl(angle)) <= 0x1p-53);
                }
        assert_int_equal(at - w, 2 * fft_lanes_twiddle_count(&l));
        free(w);
    }
}

/* Element k of the spectrum: position digits are those of k in the radices, most significant last. */
TEST(positions)
{
    static unsigned char seen[1750];
    fft_lanes_length l;

    assert_true(fft_lanes_plan(1750, &l));
    for (size_t k = 0; k < 1750; k++) {
        size_t p = fft_lanes_position(&l, k);

        assert_in_range(p, 0, 1749);
        assert_false(seen[p]);
        seen[p] = 1;
    }
    assert_int_equal(fft_lanes_position(&l, 0), 0);
    assert_int_equal(fft_lanes_position(&l, 1), 1750 / l.radix[0]);
}

/* ---- correlations ---- */

static int open_cpu(void **state)
{
    penta_context *ctx = NULL;

    if (penta_context_create("cpu", &ctx) != PENTA_OK)
        ctx = NULL; /* no CPU device: the tests below are skipped */
    *state = ctx;
    return 0;
}

static int close_cpu(void **state)
{
    penta_context_destroy(*state);
    return 0;
}

typedef struct {
    autocorr_shape shape;
    autocorr_spectral_cpu_cut cut;
    size_t frames, batch;
} correlation_case;

/* The hash image of docs/mathematics/autocorr.md, as high as the type is wide. */
static double pixel(penta_type type, size_t frame, size_t x, size_t y)
{
    uint32_t h = reference_hash((uint32_t)(x + 4099 * frame), (uint32_t)y);

    if (type == PENTA_U8)
        return h & 255;
    if (type == PENTA_U16)
        return h & 65535;
    return (double)(float)((h & 65535) / 1024.0 - 32);
}

static void *make_images(const autocorr_shape *s, size_t frames, size_t seed)
{
    size_t count = s->width * s->height * frames;
    char *data = calloc(count, penta_type_size(s->type));

    assert_non_null(data);
    for (size_t i = 0; i < count; i++) {
        double v = pixel(s->type, seed + i / (s->width * s->height), i % s->width, i / s->width % s->height);

        put_number(s->type, data, i, v);
    }
    return data;
}

/* N(X,Y) by its definition. Sums of integers below 2^63 are exact in long double. */
static long double direct_sum(const autocorr_shape *s, size_t frame_a, size_t frame_b, long X, long Y)
{
    long double sum = 0;

    for (long y = Y < 0 ? -Y : 0; y < (long)s->height && y + Y < (long)s->height; y++)
        for (long x = X < 0 ? -X : 0; x < (long)s->width && x + X < (long)s->width; x++)
            sum += (long double)pixel(s->type, frame_a, (size_t)x, (size_t)y) *
                   pixel(s->type, frame_b, (size_t)(x + X), (size_t)(y + Y));
    return sum;
}

enum { SEED_B = 100, GUARD = 64 };

static void compare(const correlation_case *c, const void *results)
{
    const autocorr_shape *s = &c->shape;
    const long R = (long)s->max_offset;
    const bool single = s->single || s->type == PENTA_F32, integer = autocorr_is_integer(s);
    const bool exact = integer && !s->single;
    size_t i = 0;

    for (size_t f = 0; f < c->frames; f++) {
        long double energy = direct_sum(s, f, f, 0, 0);

        for (long Y = autocorr_y0(s); Y <= R; Y++)
            for (long X = -R; X <= R; X++, i++) {
                long double expected = direct_sum(s, f, s->cross ? f + SEED_B : f, X, Y);

                long double got =
                    integer ? (long double)((const int64_t *)results)[i] : (long double)((const double *)results)[i];

                if (exact ? got != expected : !(fabsl(got - expected) <= (single ? 1e-6L : 1e-14L) * energy))
                    fail_msg("frame %zu N(%ld,%ld) = %.17Lg, not %.17Lg", f, X, Y, got, expected);
            }
    }
}

/* Without double precision plans of doubles, which is all but those of single, are refused (test_refusals). */
static bool has_double(const penta_context *ctx)
{
    return penta_context_device(ctx)->fp64;
}

/* Runs a case twice (a plan must not depend on what the last run left) and checks that nothing beyond the answer was
 * written. */
static void check_case(penta_context *ctx, const correlation_case *c)
{
    const autocorr_shape *s = &c->shape;
    const size_t image_bytes = s->width * s->height * c->frames * penta_type_size(s->type);
    const size_t out_bytes = autocorr_rows(s) * autocorr_columns(s) * c->frames * sizeof(int64_t);
    penta_buffer a = {0}, b = {0}, out = {0};
    autocorr_spectral_cpu *plan = NULL;
    void *images[2] = {make_images(s, c->frames, 0), make_images(s, c->frames, SEED_B)};
    HELD unsigned char *results = calloc(out_bytes + GUARD, 1);

    assert_non_null(results);
    if (autocorr_spectral_cpu_create(ctx, s, &c->cut, c->batch, &plan) != PENTA_OK)
        fail_msg("%s", penta_last_error(ctx));
    assert_int_equal(penta_buffer_create(ctx, image_bytes, &a), PENTA_OK);
    assert_int_equal(penta_buffer_create(ctx, image_bytes, &b), PENTA_OK);
    assert_int_equal(penta_buffer_create(ctx, out_bytes + GUARD, &out), PENTA_OK);
    assert_int_equal(penta_buffer_write(&a, 0, images[0], image_bytes), PENTA_OK);
    assert_int_equal(penta_buffer_write(&b, 0, images[1], image_bytes), PENTA_OK);
    for (int run = 0; run < 2; run++) {
        memset(results, 0xA5, out_bytes + GUARD);
        assert_int_equal(penta_buffer_write(&out, 0, results, out_bytes + GUARD), PENTA_OK);
        assert_int_equal(autocorr_spectral_cpu_run(plan, c->frames, &a, s->cross ? &b : NULL, &out), PENTA_OK);
        assert_int_equal(penta_buffer_read(&out, 0, results, out_bytes + GUARD), PENTA_OK);
        compare(c, results);
        for (size_t i = 0; i < GUARD; i++)
            assert_int_equal(results[out_bytes + i], 0xA5);
    }
    assert_int_equal(autocorr_spectral_cpu_verify(plan), PENTA_OK);
    autocorr_spectral_cpu_destroy(plan);
    penta_buffer_release(&a);
    penta_buffer_release(&b);
    penta_buffer_release(&out);
    free(images[0]);
    free(images[1]);
}

/* Each radix, one to six stages, odd sizes, images narrower and lower than a vector, both vector lengths. */
TEST(exact)
{
    static const correlation_case cases[] = {
        {{1, 1, 0, PENTA_U8, false, false}, {0, 0, 0}, 1, 1},
        {{3, 2, 1, PENTA_U8, false, false}, {8, 6, 3}, 5, 2},
        {{50, 41, 13, PENTA_U8, false, false}, {4, 90, 56}, 2, 2},
        {{37, 80, 12, PENTA_U16, true, false}, {8, 49, 96}, 3, 3},
        {{90, 61, 59, PENTA_U16, false, false}, {4, 150, 125}, 1, 1},
        {{40, 3, 1, PENTA_U8, true, false}, {4, 243, 4}, 2, 1},
        {{3, 10077, 2, PENTA_U8, false, false}, {8, 10, 10080}, 1, 1},
        {{100797, 2, 1, PENTA_U8, false, false}, {8, 100800, 7}, 1, 1},
    };

    if (!*state)
        leave_out_test("there is no CPU device");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cases[i].shape.single || has_double(*state))
            check_case(*state, &cases[i]);
}

TEST(floating)
{
    static const correlation_case cases[] = {
        {{33, 29, 8, PENTA_F64, true, false}, {8, 0, 0}, 2, 2},
        {{70, 45, 20, PENTA_F32, false, false}, {16, 0, 0}, 2, 1},
        {{21, 50, 20, PENTA_F32, true, false}, {4, 0, 0}, 1, 1},
        {{21, 50, 9, PENTA_U8, false, true}, {8, 0, 0}, 1, 1},
    };

    if (!*state)
        leave_out_test("there is no CPU device");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cases[i].shape.single || has_double(*state))
            check_case(*state, &cases[i]);
}

/* Published numbers of the 750 x 1500 hash image, lengths and vectors as the plan likes them. */
TEST(known_answers)
{
    static const struct {
        long X, Y;
        int64_t n;
    } known[] = {{0, 0, 24465579385},  {1, 0, 18287023806},  {0, 1, 18299202789},    {-1, 1, 18278285724},
                 {88, 0, 16160488336}, {0, 88, 17235665689}, {-37, 88, 16383195595}, {250, 250, 10165348609}};
    const autocorr_shape s = {750, 1500, 250, PENTA_U8, false, false};
    const size_t columns = 501, count = columns * 251;
    autocorr_spectral_cpu *plan = NULL;
    penta_buffer image = {0}, out = {0};
    HELD void *data = NULL;
    int64_t *n, sum = 0;

    if (!*state || !has_double(*state))
        leave_out_test("there is no CPU device with double precision");
    data = make_images(&s, 1, 0);
    n = calloc(count, sizeof *n);
    assert_non_null(n);
    assert_int_equal(autocorr_spectral_cpu_create(*state, &s, NULL, 1, &plan), PENTA_OK);
    assert_int_equal(penta_buffer_create(*state, 750 * 1500, &image), PENTA_OK);
    assert_int_equal(penta_buffer_create(*state, count * sizeof *n, &out), PENTA_OK);
    assert_int_equal(penta_buffer_write(&image, 0, data, 750 * 1500), PENTA_OK);
    assert_int_equal(autocorr_spectral_cpu_run(plan, 1, &image, NULL, &out), PENTA_OK);
    assert_int_equal(penta_buffer_read(&out, 0, n, count * sizeof *n), PENTA_OK);
    assert_int_equal(autocorr_spectral_cpu_verify(plan), PENTA_OK);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(n[(size_t)known[i].Y * columns + (size_t)(known[i].X + 250)], known[i].n);
    for (size_t i = 0; i < count; i++)
        sum += i < columns ? n[i] : 2 * n[i];
    assert_int_equal(sum, 3507966925347397);
    autocorr_spectral_cpu_destroy(plan);
    penta_buffer_release(&image);
    penta_buffer_release(&out);
    free(n);
}

TEST(refusals)
{
    const autocorr_shape huge = {20000, 20000, 10, PENTA_U8, false, false},
                         wide = {2000000, 2, 1, PENTA_U8, false, false};
    const autocorr_shape small = {10, 10, 5, PENTA_U8, false, false};
    autocorr_spectral_cpu *plan = NULL;

    if (!*state)
        leave_out_test("there is no CPU device");
    assert_int_equal(autocorr_spectral_cpu_create(*state, &huge, NULL, 1, &plan), PENTA_UNSUPPORTED);
    assert_null(plan);
    assert_int_equal(autocorr_spectral_cpu_create(*state, &wide, NULL, 1, &plan), PENTA_UNSUPPORTED);
    assert_null(plan);
    assert_int_equal(autocorr_spectral_cpu_create(*state, &small, &(autocorr_spectral_cpu_cut){0, 14, 0}, 1, &plan),
                     has_double(*state) ? PENTA_INTERNAL : PENTA_UNSUPPORTED);
    assert_null(plan);
    autocorr_spectral_cpu_destroy(NULL);
}

RUN(EVERYWHERE, NULL, open_cpu, close_cpu);
