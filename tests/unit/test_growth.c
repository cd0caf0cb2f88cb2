/* The three growth laws: exact recovery, textbook errors, AICc, series without a power law, and outliers. */
#include "support/test.h"

#include <pentacl/autocorr.h>

#include "support/random.h"

enum { MOST = 256 };

/* A series and what comes of it. */
typedef struct {
    size_t n;
    double t[MOST], r[MOST];
    bool outlier[MOST];
    penta_growth_fit fits[PENTA_GROWTH_MODELS];
} series;

static void fit(series *s)
{
    assert_int_equal(penta_growth_fit_all(s->n, s->t, s->r, NULL, s->outlier, s->fits), PENTA_OK);
    for (int model = 0; model < PENTA_GROWTH_MODELS; model++) {
        const penta_growth_fit *f = s->fits + model;

        assert_int_equal(f->model, model);
        assert_int_equal(f->parameters, model + 1);
        for (size_t j = f->parameters; j < 3; j++)
            assert_true(isnan(f->value[j]));
        if (f->ok)
            for (size_t j = 0; j < f->parameters; j++)
                assert_true(isfinite(f->value[j]));
        else
            assert_true(isnan(f->value[0]) && isnan(f->standard_error[0]) && isnan(f->aicc) && isnan(f->rss));
    }
}

static size_t flagged(const series *s)
{
    size_t count = 0;

    for (size_t i = 0; i < s->n; i++)
        count += s->outlier[i];
    return count;
}

/* r = amplitude (t - t0)^a at t = start, start + 1, ... */
static void fill_power(series *s, size_t n, double start, double amplitude, double t0, double a)
{
    s->n = n;
    for (size_t i = 0; i < n; i++) {
        s->t[i] = start + (double)i;
        s->r[i] = amplitude * pow(s->t[i] - t0, a);
    }
}

static void fill_line(series *s, size_t n, double r0, double v)
{
    s->n = n;
    for (size_t i = 0; i < n; i++) {
        s->t[i] = (double)i;
        s->r[i] = r0 + v * s->t[i];
    }
}

/* ---- fits ---- */

TEST(power_is_recovered)
{
    static const double exponents[] = {0.2, 1.0 / 3, 0.5, 1, 2, -0.5}, leads[] = {0.05, 1, 2, 10, 100};
    static const size_t sizes[] = {3, 4, 5, 20, 200};
    series s;

    for (size_t e = 0; e < 6; e++)
        for (size_t l = 0; l < 5; l++)
            for (size_t k = 0; k < 5; k++) {
                const penta_growth_fit *f = s.fits + PENTA_GROWTH_POWER;
                double d = leads[l];

                fill_power(&s, sizes[k], 7, 10, 7 - d, exponents[e]);
                fit(&s);
                if (!f->ok)
                    fail_msg("no fit of (t - t0)^%g, t0 %g before the first of %zu", exponents[e], d, sizes[k]);
                expect_near(f->value[0], 10, 1e-5);
                expect_near(f->value[1], 7 - d, d * 1e-6);
                expect_near(f->value[2], exponents[e], 1e-6);
                expect_near(penta_growth_at(f, 9), 10 * pow(2 + d, exponents[e]), 1e-7);
                assert_int_equal(flagged(&s), 0);
            }
}

TEST(power_from_nothing)
{
    series s;
    const penta_growth_fit *f = s.fits + PENTA_GROWTH_POWER;

    fill_power(&s, 20, 0, 10, 0, 1.0 / 3); /* r = 0 at the first time, which is t0 */
    fit(&s);
    assert_true(f->ok);
    expect_near(f->value[0], 10, 1e-6);
    expect_near(f->value[1], 0, 1e-6);
    expect_near(f->value[2], 1.0 / 3, 1e-6);
    assert_int_equal(flagged(&s), 0);
    assert_true(isnan(penta_growth_at(f, -1)));
}

TEST(far_times)
{
    series s;

    fill_power(&s, 20, 2455000, 10, 2454998, 1.0 / 3); /* Julian days */
    fit(&s);
    assert_true(s.fits[PENTA_GROWTH_POWER].ok);
    expect_near(s.fits[PENTA_GROWTH_POWER].value[1], 2454998, 1e-6);
    expect_near(s.fits[PENTA_GROWTH_POWER].value[2], 1.0 / 3, 1e-6);
    fill_line(&s, 20, 3, 2);
    for (size_t i = 0; i < 20; i++)
        s.t[i] += 1.6e9;
    fit(&s);
    expect_near(s.fits[PENTA_GROWTH_LINEAR].value[1], 2, 1e-10);
    expect_near(s.fits[PENTA_GROWTH_LINEAR].rss, 0, 1e-12);
}

TEST(line_is_a_power_law)
{
    series s;
    const penta_growth_fit *f = s.fits + PENTA_GROWTH_POWER;

    fill_line(&s, 20, 5, 2);
    fit(&s);
    assert_true(f->ok);
    expect_near(f->value[0], 2, 1e-6);
    expect_near(f->value[1], -2.5, 1e-6);
    expect_near(f->value[2], 1, 1e-6);
    expect_near(s.fits[PENTA_GROWTH_LINEAR].value[0], 5, 1e-12);
    expect_near(s.fits[PENTA_GROWTH_LINEAR].value[1], 2, 1e-12);
    assert_true(s.fits[PENTA_GROWTH_LINEAR].aicc < f->aicc); /* both are exact: the fewer parameters win */
}

TEST(no_power_law)
{
    series s;

    fill_line(&s, 20, 100, -2); /* falls in a straight line: t0 to minus infinity */
    fit(&s);
    assert_false(s.fits[PENTA_GROWTH_POWER].ok);
    expect_near(s.fits[PENTA_GROWTH_LINEAR].value[1], -2, 1e-12);
    assert_int_equal(flagged(&s), 0);
    fill_line(&s, 20, 5.3, 0); /* constant: any t0 */
    fit(&s);
    assert_false(s.fits[PENTA_GROWTH_POWER].ok);
    expect_near(s.fits[PENTA_GROWTH_LINEAR].value[0], 5.3, 1e-12);
    fill_line(&s, 20, 0, 0);
    fit(&s);
    assert_false(s.fits[PENTA_GROWTH_POWER].ok);
    assert_true(isfinite(s.fits[PENTA_GROWTH_LINEAR].aicc));
    fill_line(&s, 20, 1e6, 1); /* t0 could be any time long ago */
    fit(&s);
    assert_false(s.fits[PENTA_GROWTH_POWER].ok);
    for (size_t i = 0; i < 20; i++)
        s.r[i] = exp(0.1 * (double)i); /* exponential: a and -t0 to infinity */
    fit(&s);
    assert_false(s.fits[PENTA_GROWTH_POWER].ok);
    for (size_t i = 0; i < 20; i++)
        s.r[i] = pow(fmax(0, (double)i - 3), 2); /* would have t0 after the first time */
    s.r[0] = 0.5;
    fit(&s);
    assert_false(s.fits[PENTA_GROWTH_POWER].ok);
    fill_line(&s, 20, -5, 2); /* crosses zero after the first time */
    fit(&s);
    expect_near(s.fits[PENTA_GROWTH_LINEAR].rss, 0, 1e-20);
    assert_false(s.fits[PENTA_GROWTH_POWER].ok);
    assert_int_equal(flagged(&s), 0);
}

TEST(few_points)
{
    series s;

    s.n = 0;
    fit(&s);
    fill_line(&s, 1, 5, 2);
    s.t[0] = 2;
    fit(&s);
    assert_true(s.fits[PENTA_GROWTH_PROPORTIONAL].ok);
    assert_true(isnan(s.fits[PENTA_GROWTH_PROPORTIONAL].standard_error[0]));
    assert_false(s.fits[PENTA_GROWTH_LINEAR].ok);
    fill_line(&s, 2, 5, 2);
    fit(&s);
    assert_true(s.fits[PENTA_GROWTH_LINEAR].ok);
    assert_false(s.fits[PENTA_GROWTH_POWER].ok);
    fill_power(&s, 5, 1, 10, 0, 0.5);
    fit(&s);
    assert_true(isfinite(s.fits[PENTA_GROWTH_LINEAR].aicc));
    assert_true(isnan(s.fits[PENTA_GROWTH_POWER].aicc)); /* n = parameters + 2 */
    for (size_t i = 0; i < 5; i++)
        s.t[i] = 3; /* one time only */
    fit(&s);
    assert_true(s.fits[PENTA_GROWTH_PROPORTIONAL].ok);
    assert_false(s.fits[PENTA_GROWTH_LINEAR].ok || s.fits[PENTA_GROWTH_POWER].ok);
    for (size_t i = 0; i < 5; i++)
        s.t[i] = 0;
    fit(&s);
    assert_false(s.fits[PENTA_GROWTH_PROPORTIONAL].ok);
}

/* The formulas of any textbook, and the header's for AICc. */
TEST(line_errors)
{
    static const double t[] = {1, 2, 3, 4, 5, 6, 7, 8}, r[] = {2.1, 3.9, 6.2, 7.8, 10.3, 11.8, 14.1, 16.2};
    double tt = 0, tr = 0, st = 0, sr = 0, v, r0, rss = 0, through = 0, sxx, n = 8;
    series s = {.n = 8};
    const penta_growth_fit *line = s.fits + PENTA_GROWTH_LINEAR, *ray = s.fits + PENTA_GROWTH_PROPORTIONAL;

    memcpy(s.t, t, sizeof t);
    memcpy(s.r, r, sizeof r);
    for (int i = 0; i < 8; i++) {
        st += t[i];
        sr += r[i];
        tt += t[i] * t[i];
        tr += t[i] * r[i];
    }
    sxx = tt - st * st / n;
    v = (tr - st * sr / n) / sxx;
    r0 = (sr - v * st) / n;
    for (int i = 0; i < 8; i++) {
        rss += pow(r[i] - r0 - v * t[i], 2);
        through += pow(r[i] - tr / tt * t[i], 2);
    }
    fit(&s);
    expect_near(line->value[0], r0, 1e-12);
    expect_near(line->value[1], v, 1e-12);
    expect_near(line->rss, rss, 1e-12);
    expect_near(line->standard_error[1], sqrt(rss / 6 / sxx), 1e-12);
    expect_near(line->standard_error[0], sqrt(rss / 6 * tt / (n * sxx)), 1e-12);
    expect_near(line->aicc, 8 * log(rss / 8) + 6 + 24.0 / 4, 1e-10); /* k = 3 */
    expect_near(ray->value[0], tr / tt, 1e-12);
    expect_near(ray->rss, through, 1e-12);
    expect_near(ray->standard_error[0], sqrt(through / 7 / tt), 1e-12);
    expect_near(ray->aicc, 8 * log(through / 8) + 4 + 12.0 / 5, 1e-10); /* k = 2 */
    expect_near(penta_growth_at(line, 20), r0 + 20 * v, 1e-11);
    expect_near(penta_growth_at(ray, 20), 20 * tr / tt, 1e-11);
}

/* The standard errors of the power law are the scatter of the fits of many noisy series. */
TEST(power_errors)
{
    enum { RUNS = 300 };
    double sum[3] = {0}, square[3] = {0}, error[3] = {0};
    series s;

    random_seed(1);
    for (int run = 0; run < RUNS; run++) {
        const penta_growth_fit *f = s.fits + PENTA_GROWTH_POWER;

        fill_power(&s, 40, 1, 10, -2, 0.5);
        for (size_t i = 0; i < s.n; i++)
            s.r[i] += 0.05 * random_normal();
        fit(&s);
        assert_true(f->ok);
        for (int j = 0; j < 3; j++) {
            sum[j] += f->value[j];
            square[j] += f->value[j] * f->value[j];
            error[j] += f->standard_error[j] / RUNS;
        }
    }
    for (int j = 0; j < 3; j++) {
        double scatter = sqrt(square[j] / RUNS - sum[j] * sum[j] / RUNS / RUNS);

        expect_near(error[j] / scatter, 1, 0.15);
    }
    expect_near(sum[2] / RUNS, 0.5, 4 * error[2] / sqrt(RUNS));
}

/* AICc names the law that made the data, most of the time. */
TEST(choice)
{
    series s;
    const penta_growth_fit *f = s.fits;
    int right[PENTA_GROWTH_MODELS] = {0};

    random_seed(2);
    for (int run = 0; run < 40; run++)
        for (int law = 0; law < PENTA_GROWTH_MODELS; law++) {
            fill_line(&s, 30, law ? 20 : 0, 2);
            if (law == PENTA_GROWTH_POWER)
                fill_power(&s, 30, 1, 10, 0, 1.0 / 3);
            for (size_t i = 0; i < s.n; i++)
                s.r[i] += 0.3 * random_normal();
            fit(&s);
            right[law] += (law == 0 || f[law].aicc < f[0].aicc) && (law == 1 || !(f[law].aicc > f[1].aicc)) &&
                          (law == 2 || !(f[law].aicc > f[2].aicc));
        }
    for (int law = 0; law < PENTA_GROWTH_MODELS; law++)
        if (right[law] < 28)
            fail_msg("%s wins in %d of its 40 series", penta_growth_model_name((enum penta_growth_model)law),
                     right[law]);
}

TEST(order_and_gaps)
{
    series s, shuffled;

    random_seed(3);
    fill_power(&s, 31, 1, 10, -1, 0.4);
    for (size_t i = 0; i < s.n; i++)
        s.r[i] += 0.1 * random_normal();
    s.r[12] *= 1.5;
    shuffled.n = 33;
    shuffled.t[0] = NAN;
    shuffled.r[0] = 1;
    shuffled.t[32] = 5;
    shuffled.r[32] = INFINITY;
    for (size_t i = 0; i < s.n; i++) {
        shuffled.t[1 + i * 7 % 31] = s.t[i];
        shuffled.r[1 + i * 7 % 31] = s.r[i];
    }
    fit(&s);
    fit(&shuffled);
    assert_int_equal(flagged(&s), 1);
    assert_int_equal(flagged(&shuffled), 1);
    assert_true(s.outlier[12] && shuffled.outlier[1 + 12 * 7 % 31]);
    for (int model = 0; model < PENTA_GROWTH_MODELS; model++) {
        expect_near(s.fits[model].rss / shuffled.fits[model].rss, 1, 1e-9);
        expect_near(s.fits[model].value[0], shuffled.fits[model].value[0], 1e-4);
    }
}

TEST(arguments)
{
    double t[] = {1, 2}, r[] = {1, 2};
    penta_growth_fit fits[PENTA_GROWTH_MODELS];

    assert_int_equal(penta_growth_fit_all(2, NULL, r, NULL, NULL, fits), PENTA_INVALID);
    assert_int_equal(penta_growth_fit_all(2, t, NULL, NULL, NULL, fits), PENTA_INVALID);
    assert_int_equal(penta_growth_fit_all(2, t, r, NULL, NULL, NULL), PENTA_INVALID);
    assert_int_equal(penta_growth_fit_all(0, NULL, NULL, NULL, NULL, fits), PENTA_OK);
    assert_int_equal(penta_growth_fit_all(2, t, r, NULL, NULL, fits), PENTA_OK);
    assert_true(isnan(penta_growth_at(fits + PENTA_GROWTH_POWER, 1)));
}

TEST(names)
{
    assert_string_equal(penta_growth_model_name(PENTA_GROWTH_PROPORTIONAL), "proportional");
    assert_string_equal(penta_growth_model_name(PENTA_GROWTH_LINEAR), "linear");
    assert_string_equal(penta_growth_model_name(PENTA_GROWTH_POWER), "power");
    assert_string_equal(penta_growth_parameter_name(PENTA_GROWTH_PROPORTIONAL, 0), "v");
    assert_null(penta_growth_parameter_name(PENTA_GROWTH_PROPORTIONAL, 1));
    assert_string_equal(penta_growth_parameter_name(PENTA_GROWTH_LINEAR, 0), "R0");
    assert_string_equal(penta_growth_parameter_name(PENTA_GROWTH_LINEAR, 1), "v");
    assert_null(penta_growth_parameter_name(PENTA_GROWTH_LINEAR, 2));
    assert_string_equal(penta_growth_parameter_name(PENTA_GROWTH_POWER, 0), "A");
    assert_string_equal(penta_growth_parameter_name(PENTA_GROWTH_POWER, 1), "t0");
    assert_string_equal(penta_growth_parameter_name(PENTA_GROWTH_POWER, 2), "a");
    assert_null(penta_growth_parameter_name(PENTA_GROWTH_POWER, 3));
    assert_null(penta_growth_parameter_name(PENTA_GROWTH_MODELS, 0));
}

/* ---- outliers ---- */

/* The series is clean, and with any one point 30 % off that point is found and no other. */
static void expect_single_outliers(series *s, size_t stride)
{
    fit(s);
    if (flagged(s))
        fail_msg("%zu points of %zu flagged in a clean series from %g", flagged(s), s->n, s->r[0]);
    for (size_t i = 0; i < s->n; i += stride) {
        double good = s->r[i];

        if (s->n < 12 && i < 2) /* t0 follows the first of few */
            continue;
        for (int sign = -1; sign <= 1 && good > 0; sign += 2) {
            s->r[i] = good * (1 + 0.3 * sign);
            fit(s);
            if (!s->outlier[i] || flagged(s) != 1)
                fail_msg("point %zu of %zu is %+d %% off: %s, %zu flagged", i, s->n, 30 * sign,
                         s->outlier[i] ? "found" : "missed", flagged(s));
        }
        s->r[i] = good;
    }
}

TEST(single_outlier)
{
    static const size_t sizes[] = {7, 12, 13, 20, 200};
    series s;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t stride = sizes[k] > 20 ? 39 : sizes[k] > 7 ? 3 : 1;

        fill_power(&s, sizes[k], 0, 10, -2, 1.0 / 3);
        expect_single_outliers(&s, stride);
        fill_power(&s, sizes[k], 1, 10, 0, 1.0 / 3);
        expect_single_outliers(&s, stride);
        fill_power(&s, sizes[k], 0, 10, 0, 0.5);
        expect_single_outliers(&s, stride);
        fill_power(&s, sizes[k], 0, 10, 0, 0.2);
        expect_single_outliers(&s, stride);
        fill_line(&s, sizes[k], 20, 1);
        expect_single_outliers(&s, stride);
    }
}

TEST(outlier_in_noise)
{
    int wrong = 0;
    series s;

    random_seed(4);
    for (int run = 0; run < 50; run++) {
        size_t at = (size_t)(30 * random_uniform());

        fill_power(&s, 30, 1, 10, 0, 1.0 / 3);
        for (size_t i = 0; i < s.n; i++)
            s.r[i] *= 1 + 0.01 * random_normal();
        fit(&s);
        wrong += flagged(&s) > 0;
        s.r[at] *= 1.3;
        fit(&s);
        assert_true(s.outlier[at]);
        expect_near(s.fits[PENTA_GROWTH_POWER].value[2], 1.0 / 3, 0.05); /* as if it had not been there */
    }
    if (wrong > 2)
        fail_msg("points flagged in %d of 50 clean noisy series", wrong);
}

/* Growth by t^a from 7 px at times 1 .. n, or 1 .. 300 of equal ratios, with relative scatter. */
static void fill_scattered(series *s, size_t n, double a, bool ratios, double scatter, double *se)
{
    s->n = n;
    for (size_t i = 0; i < n; i++) {
        s->t[i] = ratios ? pow(300, (double)i / (double)(n - 1)) : 1 + (double)i;
        s->r[i] = 7 * pow(s->t[i], a);
        se[i] = scatter * s->r[i] * exp(0.25 * random_normal());
        s->r[i] *= 1 + scatter * random_normal();
    }
}

/* How many of the correct frames of 40 series each of t^(1/3) and t^(1/2), at both kinds of times, are set aside. */
static size_t count_set_aside(size_t n, double scatter, bool errors)
{
    static const double laws[] = {1.0 / 3, 0.5};
    double se[MOST];
    size_t aside = 0;
    series s;

    for (int law = 0; law < 2; law++)
        for (int ratios = 0; ratios < 2; ratios++) {
            double sum = 0;

            random_seed(1000 * n + (uint64_t)(10 * law + ratios));
            for (int run = 0; run < 40; run++) {
                fill_scattered(&s, n, laws[law], ratios, scatter, se);
                assert_int_equal(penta_growth_fit_all(n, s.t, s.r, errors ? se : NULL, s.outlier, s.fits), PENTA_OK);
                aside += flagged(&s);
                sum += s.fits[PENTA_GROWTH_POWER].value[2] / 40;
            }
            if (!(fabs(sum - laws[law]) < 0.01))
                fail_msg("%zu frames, scatter %g: the mean exponent is %.4f, not %.4f", n, scatter, sum, laws[law]);
        }
    return aside;
}

TEST(correct_frames)
{
    static const double scatters[] = {0.005, 0.01, 0.02, 0.03};
    static const size_t sizes[] = {16, 40};
    size_t aside = 0;

    for (int errors = 0; errors < 2; errors++)
        for (size_t k = 0; k < 4; k++)
            aside += count_set_aside(12, fmin(scatters[k], 0.01), errors);
    assert_int_equal(aside, 0);
    for (int errors = 0; errors < 2; errors++)
        for (size_t i = 0; i < 2; i++)
            for (size_t k = 0; k < 4; k++) {
                aside = count_set_aside(sizes[i], scatters[k], errors);
                if (aside > (scatters[k] < 0.03 ? 1 : 4))
                    fail_msg("%zu correct frames set aside: %zu frames, scatter %g", aside, sizes[i], scatters[k]);
            }
}

/* One frame that is off is found, in at least so many of 40 series for each law and kind of times. */
static void expect_found(size_t n, size_t at, double off, double scatter, int least)
{
    static const double laws[] = {1.0 / 3, 0.5};
    double se[MOST];
    series s;

    for (int law = 0; law < 2; law++)
        for (int ratios = 0; ratios < 2; ratios++)
            for (int errors = 0; errors < 2; errors++) {
                int found = 0;

                random_seed(77 * n + at + (uint64_t)(10 * law + ratios));
                for (int run = 0; run < 40; run++) {
                    fill_scattered(&s, n, laws[law], ratios, scatter, se);
                    s.r[at] *= 1 + off;
                    se[at] *= 1 + off;
                    assert_int_equal(penta_growth_fit_all(n, s.t, s.r, errors ? se : NULL, s.outlier, s.fits),
                                     PENTA_OK);
                    found += s.outlier[at];
                }
                if (found < least)
                    fail_msg("frame %zu of %zu, %+g off at a scatter of %g, is found in %d of 40", at, n, off, scatter,
                             found);
            }
}

TEST(frames_that_are_off)
{
    for (size_t n = 16; n <= 36; n += 20)
        for (int sign = -1; sign <= 1; sign += 2) {
            expect_found(n, n / 2, 0.3 * sign, 0.03, 38);
            expect_found(n, n - 1, 0.3 * sign, 0.03, 37);
            expect_found(n, n / 2, 0.1 * sign, 0.01, 38);
            expect_found(n, n - 1, 0.1 * sign, 0.01, 36);
            expect_found(n, 0, 0.3 * sign, 0.01, sign > 0 ? 39 : n > 16 ? 38 : 32); /* t0 follows a low one */
        }
}

TEST(several_outliers)
{
    series s;

    fill_power(&s, 40, 1, 10, 0, 1.0 / 3);
    s.r[3] *= 2;
    s.r[4] *= 2;
    s.r[17] *= 0.5;
    s.r[39] *= 1.5;
    fit(&s);
    assert_true(s.outlier[3] && s.outlier[4] && s.outlier[17] && s.outlier[39]);
    assert_int_equal(flagged(&s), 4);
    expect_near(s.fits[PENTA_GROWTH_POWER].value[2], 1.0 / 3, 1e-6);

    fill_line(&s, 20, 20, 1); /* six of twenty are too many to be called outliers */
    for (size_t i = 0; i < 6; i++)
        s.r[3 * i + 1] *= i % 2 ? 1.5 + 0.1 * (double)i : 0.5 - 0.04 * (double)i;
    fit(&s);
    assert_int_equal(flagged(&s), 0);
}

/* Another law is not a series of outliers. */
TEST(other_laws)
{
    series s = {.n = 60};

    for (size_t i = 0; i < 60; i++) { /* t^(1/3), then t: a crossover */
        s.t[i] = (double)i;
        s.r[i] = i < 30 ? 10 * cbrt((double)i + 1) : 10 * cbrt(31) + 1.5 * ((double)i - 30);
    }
    fit(&s);
    assert_int_equal(flagged(&s), 0);
    for (size_t i = 0; i < 60; i++)
        s.r[i] = i < 30 ? 10 : 20;
    fit(&s);
    assert_int_equal(flagged(&s), 0);
    for (size_t i = 0; i < 60; i++)
        s.r[i] = 20 + 10 * tanh(((double)i - 30) / 8);
    fit(&s);
    assert_int_equal(flagged(&s), 0);
}

/* Lengths that stay the same to a thousandth: none is off by 5 %, whatever law is fitted to the others. */
TEST(constant)
{
    static const double lengths[] = {19.981, 19.973, 19.982, 19.984, 19.987};
    series s = {.n = 5};

    for (size_t i = 0; i < 5; i++) {
        s.t[i] = 60 * (double)i;
        s.r[i] = lengths[i];
    }
    fit(&s);
    assert_int_equal(flagged(&s), 0);
    random_seed(11);
    for (int run = 0; run < 2000; run++) {
        s.n = 5 + (size_t)(12 * random_uniform());
        for (size_t i = 0; i < s.n; i++) {
            s.t[i] = (double)i;
            s.r[i] = 20 + 0.02 * random_normal();
        }
        fit(&s);
        if (flagged(&s) > 0)
            fail_msg("%zu of %zu points of run %d are flagged", flagged(&s), s.n, run);
    }
}

TEST(never_below_five)
{
    series s;

    for (size_t n = 1; n < 5; n++) {
        fill_power(&s, n, 1, 10, 0, 0.5);
        s.r[0] *= 100;
        fit(&s);
        assert_int_equal(flagged(&s), 0);
    }
    fill_power(&s, 6, 1, 10, 0, 0.5);
    s.r[2] = NAN; /* six points, five usable */
    s.r[4] *= 1.3;
    fit(&s);
    assert_true(s.outlier[4]);
    assert_int_equal(flagged(&s), 1);
    s.r[5] = NAN;
    fit(&s);
    assert_int_equal(flagged(&s), 0);
}
