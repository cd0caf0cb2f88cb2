/*
 * Growth fits of points with standard errors: weights, the coverage of the stated errors, and chi-square. The laws are
 * written here (Lifshitz and Slyozov's t^(1/3), a straight line, a line through the origin), the scatter is Gaussian of
 * known and unequal size; seeds, sizes and noise are several.
 */
#include "support/test.h"

#include <pentacl/autocorr.h>

#include "math/chi2.h"
#include "support/random.h"

enum { MOST = 64 };

typedef struct {
    size_t n;
    double t[MOST], r[MOST], se[MOST];
    bool outlier[MOST];
    penta_growth_fit fits[PENTA_GROWTH_MODELS];
} series;

static double law(int model, double t)
{
    return model == PENTA_GROWTH_PROPORTIONAL ? 0.05 * t
           : model == PENTA_GROWTH_LINEAR     ? 14 + 0.02 * t
                                              : 4 * cbrt(t + 20);
}

static const double truth[PENTA_GROWTH_MODELS][3] = {{0.05}, {14, 0.02}, {4, -20, 1.0 / 3}};

/* n points of a law at times 30 .. 900 of equal ratios, whose errors range over a factor of 8. */
static void fill(series *s, int model, size_t n, double noise)
{
    s->n = n;
    for (size_t i = 0; i < n; i++) {
        s->t[i] = 30 * pow(30, (double)i / (double)(n - 1));
        s->se[i] = noise * pow(8, random_uniform());
        s->r[i] = law(model, s->t[i]) + s->se[i] * random_normal();
    }
}

static void fit(series *s, const double *se)
{
    assert_int_equal(penta_growth_fit_all(s->n, s->t, s->r, se, s->outlier, s->fits), PENTA_OK);
}

/* ---- chi-square ---- */

/* Two degrees of freedom are exp(-x/2), one is erfc(sqrt(x/2)), and Q(dof+2) = Q(dof) + (x/2)^(dof/2) e^(-x/2) / Gamma.
 */
TEST(tail)
{
    for (double x = 0.01; x < 300; x *= 1.7) {
        expect_near(penta_chi2_tail(x, 2) / exp(-x / 2), 1, 1e-12);
        expect_near(penta_chi2_tail(x, 1) / erfc(sqrt(x / 2)), 1, 1e-11);
        for (double dof = 1; dof < 200; dof += 13) {
            double step = exp(dof / 2 * log(x / 2) - x / 2 - lgamma(dof / 2 + 1));

            expect_near(penta_chi2_tail(x, dof + 2), penta_chi2_tail(x, dof) + step, 1e-12);
        }
    }
    expect_near(penta_chi2_tail(18.307038053275146, 10), 0.05, 1e-12); /* tables */
    expect_near(penta_chi2_tail(124.34211340400407, 100), 0.05, 1e-12);
    assert_true(penta_chi2_tail(0, 3) == 1 && penta_chi2_tail((double)INFINITY, 3) == 0);
    assert_true(isnan(penta_chi2_tail(1, 0)) && isnan(penta_chi2_tail((double)NAN, 3)));
}

/* ---- weights ---- */

/* The weighted line of any textbook. */
TEST(weighted_line)
{
    static const double t[] = {1, 2, 3, 4, 5, 6, 7}, r[] = {2.1, 3.9, 6.2, 7.8, 10.3, 11.8, 14.1},
                        se[] = {0.1, 0.4, 0.1, 0.2, 0.8, 0.1, 0.3};
    double w = 0, wt = 0, wr = 0, wtt = 0, wtr = 0, d, v, r0, chi2 = 0, rss = 0, pull;
    series s = {.n = 7};
    const penta_growth_fit *f = s.fits + PENTA_GROWTH_LINEAR, *ray = s.fits + PENTA_GROWTH_PROPORTIONAL;

    memcpy(s.t, t, sizeof t);
    memcpy(s.r, r, sizeof r);
    for (int i = 0; i < 7; i++) {
        double u = 1 / (se[i] * se[i]);

        w += u;
        wt += u * t[i];
        wr += u * r[i];
        wtt += u * t[i] * t[i];
        wtr += u * t[i] * r[i];
    }
    d = w * wtt - wt * wt;
    v = (w * wtr - wt * wr) / d;
    r0 = (wtt * wr - wt * wtr) / d;
    for (int i = 0; i < 7; i++) {
        chi2 += pow((r[i] - r0 - v * t[i]) / se[i], 2);
        rss += pow(r[i] - r0 - v * t[i], 2);
    }
    pull = sqrt(fmax(1, chi2 / 5));
    fit(&s, se);
    assert_true(f->ok && f->weighted && ray->weighted);
    expect_near(f->value[0], r0, 1e-12);
    expect_near(f->value[1], v, 1e-12);
    expect_near(f->chi2, chi2, 1e-11);
    expect_near(f->rss, rss, 1e-11);
    assert_int_equal(f->dof, 5);
    expect_near(f->p_value, penta_chi2_tail(chi2, 5), 1e-12);
    expect_near(f->standard_error[0], pull * sqrt(wtt / d), 1e-12);
    expect_near(f->standard_error[1], pull * sqrt(w / d), 1e-12);
    expect_near(f->aicc, 7 * log(chi2 / w) + 6 + 24.0 / 3, 1e-10); /* chi2 times 7 / w, over 7 */
    expect_near(ray->value[0], wtr / wtt, 1e-12);
}

/* Equal errors change no value; errors that are missing, 0 or NaN for one point weigh none. */
TEST(no_weights)
{
    series s, plain;

    random_seed(21);
    fill(&plain, PENTA_GROWTH_POWER, 20, 0.05);
    s = plain;
    for (size_t i = 0; i < s.n; i++)
        s.se[i] = 0.3;
    fit(&plain, NULL);
    fit(&s, s.se);
    for (int m = 0; m < PENTA_GROWTH_MODELS; m++) {
        assert_true(s.fits[m].weighted && !plain.fits[m].weighted && !plain.fits[m].contradicted);
        assert_true(isnan(plain.fits[m].chi2) && isnan(plain.fits[m].p_value));
        expect_near(s.fits[m].value[0] / plain.fits[m].value[0], 1, 1e-6);
        expect_near(s.fits[m].aicc, plain.fits[m].aicc, 1e-6);
        expect_near(s.fits[m].rss, plain.fits[m].rss, 1e-6 * plain.fits[m].rss + 1e-12);
    }
    for (int k = 0; k < 3; k++) {
        s.se[7] = k == 0 ? 0 : k == 1 ? (double)NAN : -1;
        fit(&s, s.se);
        assert_false(s.fits[PENTA_GROWTH_LINEAR].weighted);
        expect_near(s.fits[PENTA_GROWTH_LINEAR].value[1], plain.fits[PENTA_GROWTH_LINEAR].value[1], 1e-12);
    }
    s.r[7] = (double)NAN; /* a point that is not used may lack its error */
    fit(&s, s.se);
    assert_true(s.fits[PENTA_GROWTH_LINEAR].weighted);
    s.n = 2; /* two points of known error have a line of known error */
    fit(&s, s.se);
    assert_true(isfinite(s.fits[PENTA_GROWTH_LINEAR].standard_error[1]));
    assert_true(isnan(s.fits[PENTA_GROWTH_LINEAR].p_value) && !s.fits[PENTA_GROWTH_LINEAR].contradicted);
}

/* A point that its own large error excuses is no outlier; with a small one it is. */
TEST(outlier_by_its_error)
{
    series s;

    random_seed(5);
    for (int k = 0; k < 2; k++) {
        s.n = 20;
        for (size_t i = 0; i < s.n; i++) {
            s.t[i] = 10 * (double)i;
            s.se[i] = 0.05;
            s.r[i] = 20 + 0.1 * s.t[i] + s.se[i] * random_normal();
        }
        s.r[9] += 4;
        s.se[9] = k ? 3 : 0.05;
        fit(&s, s.se);
        assert_int_equal(s.outlier[9], !k);
        expect_near(s.fits[PENTA_GROWTH_LINEAR].value[1], 0.1, 0.002);
        assert_false(s.fits[PENTA_GROWTH_LINEAR].contradicted);
    }
}

/* ---- coverage ---- */

/* How often the truth lies within one and two stated errors, and how often the right law is contradicted. */
static void expect_coverage(int model, size_t n, double noise, uint64_t seed)
{
    enum { RUNS = 500 };
    size_t one = 0, two = 0, all = 0, contradicted = 0;
    const penta_growth_fit *f;
    series s;

    random_seed(seed);
    for (int run = 0; run < RUNS; run++) {
        fill(&s, model, n, noise);
        fit(&s, s.se);
        f = &s.fits[model];
        assert_true(f->ok && f->weighted);
        contradicted += f->contradicted;
        for (size_t j = 0; j < f->parameters; j++) {
            double pull = fabs(f->value[j] - truth[model][j]) / f->standard_error[j];

            one += pull < 1;
            two += pull < 2;
            all++;
        }
    }
    if (one < 0.63 * (double)all || one > 0.79 * (double)all || two < 0.92 * (double)all ||
        contradicted > RUNS * 3 / 100)
        fail_msg("%s, %zu points, noise %g: %.3f within one error, %.3f within two, contradicted %zu of %d times",
                 penta_growth_model_name((enum penta_growth_model)model), n, noise, (double)one / (double)all,
                 (double)two / (double)all, contradicted, (int)RUNS);
}

TEST(coverage)
{
    static const size_t sizes[] = {8, 20, 45};

    for (size_t k = 0; k < 3; k++) {
        expect_coverage(PENTA_GROWTH_PROPORTIONAL, sizes[k], 0.1, 100 + k);
        expect_coverage(PENTA_GROWTH_LINEAR, sizes[k], 0.05, 200 + k);
        expect_coverage(PENTA_GROWTH_POWER, sizes[k], 0.01, 300 + k);
    }
}

/* ---- wrong laws ---- */

/* A cube root is no straight line and a line no ray: said in nearly every series; a law with more freedom is not. */
TEST(wrong_laws)
{
    enum { RUNS = 200 };
    int line = 0, ray = 0, right = 0, bent = 0;
    series s;

    random_seed(77);
    for (int run = 0; run < RUNS; run++) {
        fill(&s, PENTA_GROWTH_POWER, 16, 0.1);
        fit(&s, s.se);
        line += s.fits[PENTA_GROWTH_LINEAR].contradicted;
        right += s.fits[PENTA_GROWTH_POWER].contradicted;
        fill(&s, PENTA_GROWTH_LINEAR, 16, 0.1);
        fit(&s, s.se);
        ray += s.fits[PENTA_GROWTH_PROPORTIONAL].contradicted;
        right += s.fits[PENTA_GROWTH_LINEAR].contradicted;
        bent += s.fits[PENTA_GROWTH_POWER].ok && s.fits[PENTA_GROWTH_POWER].contradicted;
    }
    if (line < RUNS * 98 / 100 || ray < RUNS || right > 2 * RUNS * 3 / 100 || bent > RUNS * 3 / 100)
        fail_msg("contradicted of %d: line %d, ray %d; right ones %d of %d, power law for a line %d", (int)RUNS, line,
                 ray, right, 2 * RUNS, bent);
}

/* Errors stated too small by 3: the scatter speaks, the stated errors cover, and the fit says that something is off. */
TEST(errors_too_small)
{
    enum { RUNS = 300 };
    int within = 0, contradicted = 0;
    series s;

    random_seed(9);
    for (int run = 0; run < RUNS; run++) {
        fill(&s, PENTA_GROWTH_LINEAR, 20, 0.05);
        for (size_t i = 0; i < s.n; i++)
            s.se[i] /= 3;
        fit(&s, s.se);
        within += fabs(s.fits[PENTA_GROWTH_LINEAR].value[1] - 0.02) < s.fits[PENTA_GROWTH_LINEAR].standard_error[1];
        contradicted += s.fits[PENTA_GROWTH_LINEAR].contradicted;
    }
    if (within < RUNS * 60 / 100 || contradicted < RUNS * 99 / 100)
        fail_msg("%d within the stated error, %d contradicted of %d", within, contradicted, (int)RUNS);
}
