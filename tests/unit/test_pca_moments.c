/* Slabs' sums merged: exact rational covariances of integers, floats whose mean hides their variance, and the same bits
 * whatever is still open. */
#include "support/test.h"

#include "pca/pca.h"
#include "support/random.h"

__extension__ typedef __int128 wide;
__extension__ typedef __float128 quad;

/* ---- slabs of a test ---- */

/* Pixels as a slab has them, bands x pixels, and their sums about a shift, rounded to double once. */
typedef struct {
    size_t bands, pixels;
    const double *x; /* element (band, pixel) at band * pitch + pixel */
    size_t pitch;
    double *shift, *sums, *gram;
} slab;

/* Of band i times band j; j = bands: of band i. */
static long double sum_of(const slab *s, size_t i, size_t j)
{
    long double sum = 0;

    for (size_t p = 0; p < s->pixels; p++) {
        long double a = s->x[i * s->pitch + p] - s->shift[i];

        sum += j == s->bands ? a : a * (s->x[j * s->pitch + p] - s->shift[j]);
    }
    return sum;
}

static slab make_slab(size_t bands, size_t pixels, const double *x, size_t pitch, bool shifted)
{
    slab s = {bands, pixels, x, pitch, must_calloc(bands, 8), must_calloc(bands, 8), must_calloc(bands * bands, 8)};

    for (size_t i = 0; i < bands; i++) {
        s.shift[i] = shifted ? x[i * pitch] : 0;
        s.sums[i] = (double)sum_of(&s, i, s.bands);
    }
    for (size_t i = 0; i < bands; i++)
        for (size_t j = 0; j <= i; j++)
            s.gram[i * bands + j] = s.gram[j * bands + i] = (double)sum_of(&s, i, j);
    return s;
}

static pca_sums sums_of(const slab *s)
{
    return (pca_sums){s->pixels, s->shift, s->sums, s->gram};
}

static void free_slab(slab *s)
{
    free(s->shift);
    free(s->sums);
    free(s->gram);
}

/* All pixels in slabs of `step`; with `open` the last one is handed over to the result alone. */
static void cover(pca_moments *m, size_t bands, size_t pixels, const double *x, size_t step, bool open, int ddof,
                  double *mean, double *covariance)
{
    for (size_t p = 0; p < pixels; p += step) {
        size_t count = pixels - p < step ? pixels - p : step;
        HELD_BY(free_slab) slab s = make_slab(bands, count, x + p, pixels, true);
        pca_sums sums = sums_of(&s);
        bool last = p + step >= pixels;

        if (!last || !open)
            assert_int_equal(pca_moments_add(m, &sums), PENTA_OK);
        if (last)
            assert_int_equal(pca_moments_result(m, open ? &sums : NULL, ddof, mean, covariance), PENTA_OK);
    }
}

static void expect_symmetric(size_t bands, const double *covariance)
{
    for (size_t i = 0; i < bands; i++)
        for (size_t j = 0; j < i; j++)
            assert_memory_equal(&covariance[i * bands + j], &covariance[j * bands + i], sizeof *covariance);
}

/* ---- known answers ---- */

static const double five[] = {1, 2, 3, 4, 5, 2, 3, 1, 2, 6};

TEST(known_covariance)
{
    for (int exact = 0; exact < 2; exact++)
        for (size_t step = 1; step <= 6; step++) {
            double mean[2], c[4];
            pca_moments *m;

            EXPECT_OK(*state, pca_moments_create(*state, 2, exact, &m));
            for (size_t p = 0; p < 5; p += step) {
                HELD_BY(free_slab) slab s = make_slab(2, 5 - p < step ? 5 - p : step, five + p, 5, !exact);
                pca_sums sums = sums_of(&s);

                EXPECT_OK(*state, pca_moments_add(m, &sums));
            }
            assert_int_equal(pca_moments_pixels(m), 5);
            EXPECT_OK(*state, pca_moments_result(m, NULL, 1, mean, c));
            expect_near(mean[0], 3, exact ? 0 : 1e-15);
            expect_near(mean[1], 2.8, exact ? 0 : 1e-15);
            expect_near(c[0], 2.5, exact ? 0 : 1e-15);
            expect_near(c[1], 1.75, exact ? 0 : 1e-15);
            expect_near(c[2], c[1], 0);
            expect_near(c[3], 3.7, exact ? 0 : 1e-15);
            EXPECT_OK(*state, pca_moments_result(m, NULL, 0, mean, c));
            expect_near(c[0], 2, exact ? 0 : 1e-15);
            pca_moments_destroy(m);
        }
}

TEST(too_few)
{
    HELD_BY(free_slab) slab s = make_slab(2, 3, five, 5, true);
    pca_sums sums = sums_of(&s), none = {0};
    double mean[2], c[4];
    pca_moments *m;

    EXPECT_OK(*state, pca_moments_create(*state, 2, false, &m));
    assert_int_equal(pca_moments_result(m, NULL, 0, mean, c), PENTA_INVALID);
    assert_int_equal(pca_moments_result(m, &none, 0, mean, c), PENTA_INVALID);
    EXPECT_OK(*state, pca_moments_add(m, &none));
    EXPECT_OK(*state, pca_moments_add(m, &sums));
    EXPECT_OK(*state, pca_moments_add(m, &none));
    assert_int_equal(pca_moments_result(m, NULL, 3, mean, c), PENTA_INVALID);
    expect_text(penta_last_error(*state), "3 valid pixels are not more than ddof 3");
    EXPECT_OK(*state, pca_moments_result(m, NULL, 2, mean, c));
    expect_near(c[0], 2, 1e-15);
    pca_moments_destroy(m);
    pca_moments_destroy(NULL);
}

/* ---- integers ---- */

/* Each slab's sums many times over: as many pixels as a scene of years. */
TEST(exact_integers)
{
    enum { BANDS = 7, PIXELS = 1000 };
    static double x[BANDS * PIXELS], mean[BANDS], c[BANDS * BANDS];
    static const int64_t times[] = {1, 3, 1000, 100000};

    random_seed(11);
    for (size_t i = 0; i < BANDS * PIXELS; i++)
        x[i] = i < PIXELS ? 65535 - (double)(i == 3) : floor(65536 * random_uniform()) - (i >= 4 * PIXELS ? 32768 : 0);
    for (size_t t = 0; t < COUNT(times); t++) {
        HELD_BY(free_slab) slab s = make_slab(BANDS, PIXELS, x, PIXELS, false);
        pca_sums sums = sums_of(&s);
        wide n = (wide)times[t] * PIXELS;
        pca_moments *m;

        EXPECT_OK(*state, pca_moments_create(*state, BANDS, true, &m));
        for (int64_t k = 0; k < times[t]; k++)
            EXPECT_OK(*state, pca_moments_add(m, &sums));
        EXPECT_OK(*state, pca_moments_result(m, NULL, 1, mean, c));
        for (size_t i = 0; i < BANDS; i++) {
            wide si = (wide)s.sums[i] * times[t];

            expect_near(mean[i], (double)((quad)si / (quad)n), 0);
            for (size_t j = 0; j < BANDS; j++) {
                wide above = n * (wide)s.gram[i * BANDS + j] * times[t] - si * (wide)s.sums[j] * times[t];

                expect_near(c[i * BANDS + j], (double)((quad)above / (quad)(n * (n - 1))), 0);
            }
        }
        expect_symmetric(BANDS, c);
        pca_moments_destroy(m);
    }
}

TEST(same_bits_of_an_open_integer_slab)
{
    static const double x[] = {1, 65535, 7, 9, 12, 3, 0, 65535, 2, 2, 2, 40000};
    HELD_BY(free_slab) slab a = make_slab(2, 4, x, 6, false), b = make_slab(2, 2, x + 4, 6, false);
    pca_sums first = sums_of(&a), second = sums_of(&b);
    double mean[2][2], c[2][4];
    pca_moments *m;

    EXPECT_OK(*state, pca_moments_create(*state, 2, true, &m));
    EXPECT_OK(*state, pca_moments_add(m, &first));
    EXPECT_OK(*state, pca_moments_result(m, &second, 1, mean[0], c[0]));
    EXPECT_OK(*state, pca_moments_add(m, &second));
    EXPECT_OK(*state, pca_moments_result(m, NULL, 1, mean[1], c[1]));
    assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
    assert_memory_equal(c[0], c[1], sizeof c[0]);
    pca_moments_destroy(m);
}

/* ---- floats ---- */

/* Two columns near centre[b], whose distances d from it are exact, and what they add up to in long double. */
typedef struct {
    double centre[2];
    long double n, sum[2], square[3]; /* of d: 00, 01, 11 */
} exact_sums;

static void note(exact_sums *e, long double d0, long double d1)
{
    e->n++;
    e->sum[0] += d0;
    e->sum[1] += d1;
    e->square[0] += d0 * d0;
    e->square[1] += d0 * d1;
    e->square[2] += d1 * d1;
}

static double covariance_of(const exact_sums *e, int i, int j)
{
    return (double)((e->square[i + j] - e->sum[i] * e->sum[j] / e->n) / (e->n - 1));
}

/* rounded: to float32 first. */
static void hidden_variance(penta_context *ctx, exact_sums e, double sd0, double sd1, bool rounded, double tolerance)
{
    enum { SLAB = 10000, SLABS = 123 };
    static double x[2 * SLAB];
    double mean[2], c[4];
    pca_moments *m;

    random_seed(5);
    EXPECT_OK(ctx, pca_moments_create(ctx, 2, false, &m));
    for (int k = 0; k < SLABS; k++) {
        HELD_BY(free_slab) slab s;
        pca_sums sums;

        for (size_t p = 0; p < SLAB; p++) {
            double z0 = random_normal(), z1 = 0.6 * z0 + 0.8 * random_normal();

            x[p] = e.centre[0] + sd0 * z0;
            x[SLAB + p] = e.centre[1] + sd1 * z1;
            for (size_t b = 0; rounded && b < 2; b++)
                x[b * SLAB + p] = (double)(float)x[b * SLAB + p];
            note(&e, (long double)x[p] - e.centre[0], (long double)x[SLAB + p] - e.centre[1]);
        }
        s = make_slab(2, SLAB, x, SLAB, true);
        sums = sums_of(&s);
        EXPECT_OK(ctx, pca_moments_add(m, &sums));
    }
    EXPECT_OK(ctx, pca_moments_result(m, NULL, 1, mean, c));
    for (int i = 0; i < 2; i++) {
        expect_near(mean[i], (double)(e.centre[i] + e.sum[i] / e.n), 1.2e-16 * fabs(e.centre[i]));
        for (int j = 0; j < 2; j++)
            expect_near(c[2 * i + j], covariance_of(&e, i, j), tolerance * covariance_of(&e, 0, 0));
    }
    assert_true(covariance_of(&e, 0, 0) > 0.5 * sd0 * sd0);
    expect_symmetric(2, c);
    pca_moments_destroy(m);
}

TEST(variance_under_a_mean)
{
    hidden_variance(*state, (exact_sums){.centre = {1e5, 2e5}}, 9e-6, 2e-6, false, 1e-13);
    hidden_variance(*state, (exact_sums){.centre = {1e5, 2e5}}, 3e-3, 3e-3, false, 1e-13);
    hidden_variance(*state, (exact_sums){.centre = {1e5, 1e5}}, 3e-3, 3e-3, true, 1e-13);
    hidden_variance(*state, (exact_sums){.centre = {1e5, -3e5}}, 1, 1, true, 1e-13);
}

/* More bands than one thread takes, against two passes in long double. */
TEST(many_bands)
{
    enum { BANDS = 500, PIXELS = 40, STEP = 7 };
    static double x[BANDS * PIXELS], mean[BANDS], c[BANDS * BANDS];
    pca_moments *m;

    random_seed(8);
    for (size_t i = 0; i < BANDS * PIXELS; i++)
        x[i] = 1000 + (double)(i / PIXELS) + random_normal();
    EXPECT_OK(*state, pca_moments_create(*state, BANDS, false, &m));
    cover(m, BANDS, PIXELS, x, STEP, false, 1, mean, c);
    expect_symmetric(BANDS, c);
    for (size_t i = 0; i < BANDS; i++)
        for (size_t j = 0; j <= i; j++) {
            long double mi = 0, mj = 0, sum = 0;

            for (size_t p = 0; p < PIXELS; p++) {
                mi += x[i * PIXELS + p] / (long double)PIXELS;
                mj += x[j * PIXELS + p] / (long double)PIXELS;
            }
            for (size_t p = 0; p < PIXELS; p++)
                sum += (x[i * PIXELS + p] - mi) * (x[j * PIXELS + p] - mj);
            expect_near(c[i * BANDS + j], (double)(sum / (PIXELS - 1)), 1e-14);
        }
    pca_moments_destroy(m);
}

/* Whether a slab was added or is open, and whatever was asked for in between. */
TEST(same_bits_of_an_open_slab)
{
    enum { BANDS = 3, SLABS = 20, SLAB = 5, PIXELS = SLABS * SLAB };
    double x[BANDS * PIXELS], mean[2][BANDS], c[2][BANDS * BANDS];

    random_seed(9);
    for (size_t i = 0; i < COUNT(x); i++)
        x[i] = 50 * random_normal();
    for (size_t n = 1; n <= SLABS; n++) {
        pca_moments *m[2];

        for (int k = 0; k < 2; k++)
            EXPECT_OK(*state, pca_moments_create(*state, BANDS, false, &m[k]));
        for (size_t at = 0; at < n; at++) {
            HELD_BY(free_slab) slab s = make_slab(BANDS, SLAB, x + at * SLAB, PIXELS, true);
            pca_sums sums = sums_of(&s);

            EXPECT_OK(*state, pca_moments_result(m[1], &sums, 1, mean[1], c[1]));
            EXPECT_OK(*state, pca_moments_add(m[0], &sums));
            EXPECT_OK(*state, pca_moments_add(m[1], &sums));
        }
        EXPECT_OK(*state, pca_moments_result(m[0], NULL, 1, mean[0], c[0]));
        assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
        assert_memory_equal(c[0], c[1], sizeof c[0]);
        for (int k = 0; k < 2; k++)
            pca_moments_destroy(m[k]);
    }
}

TEST(reset_forgets)
{
    enum { BANDS = 2 };
    double mean[2][BANDS], c[2][BANDS * BANDS];

    for (int exact = 0; exact < 2; exact++) {
        HELD_BY(free_slab) slab a = make_slab(BANDS, 5, five, 5, false), b = make_slab(BANDS, 3, five, 5, false);
        pca_sums first = sums_of(&a), second = sums_of(&b);
        pca_moments *m;

        EXPECT_OK(*state, pca_moments_create(*state, BANDS, exact, &m));
        EXPECT_OK(*state, pca_moments_add(m, &second));
        EXPECT_OK(*state, pca_moments_result(m, NULL, 1, mean[0], c[0]));
        for (int k = 0; k < 5; k++)
            EXPECT_OK(*state, pca_moments_add(m, &first));
        pca_moments_begin(m, 0);
        assert_int_equal(pca_moments_pixels(m), 0);
        EXPECT_OK(*state, pca_moments_add(m, &second));
        EXPECT_OK(*state, pca_moments_result(m, NULL, 1, mean[1], c[1]));
        assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
        assert_memory_equal(c[0], c[1], sizeof c[0]);
        pca_moments_destroy(m);
    }
}

ON_DEVICE;
