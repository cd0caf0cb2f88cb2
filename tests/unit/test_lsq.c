/* Linear, polynomial and non-linear least squares: exact answers, covariance, and problems without a solution. */
#include "support/test.h"

#include "math/lsq.h"

/* y over x of a line: slope Sxy / Sxx, and the textbook covariance. */
TEST(line)
{
    const double x[] = {1, 2, 3, 4, 5}, y[] = {2, 3, 1, 2, 6};
    double a[10], rhs[5], c[2], cofactor[4];
    penta_lsq_result result;

    for (int i = 0; i < 5; i++) {
        a[i] = 1;
        a[5 + i] = x[i];
        rhs[i] = y[i];
    }
    assert_int_equal(penta_lsq_linear(5, 2, a, rhs, c, cofactor, &result), PENTA_OK);
    assert_true(result.ok);
    expect_near(c[0], 0.7, 1e-14);
    expect_near(c[1], 0.7, 1e-14);
    expect_near(result.rss, 14.8 - 0.7 * 7, 1e-13); /* Syy - slope Sxy */
    expect_near(cofactor[0], 55.0 / 50, 1e-14);     /* sum x^2 / (n Sxx) */
    expect_near(cofactor[1], -3.0 / 10, 1e-14);
    expect_near(cofactor[2], -3.0 / 10, 1e-14);
    expect_near(cofactor[3], 1.0 / 10, 1e-14);
}

/* Factors serve several right-hand sides, with the bits of a fit of its own to each. */
TEST(factors)
{
    enum { N = 9, P = 4 };
    double rows[P * N], memory[PENTA_LSQ_FACTORS(P)], x[P];
    penta_lsq_factors factors;

    for (size_t i = 0; i < P * N; i++)
        rows[i] = cos(1.7 * (double)(i * i));
    for (size_t round = 0; round < 4; round++) {
        double own[P * N], y[N], same[N], alone[P];
        penta_lsq_result result;

        for (size_t i = 0; i < P * N; i++)
            own[i] = cos(1.7 * (double)(i * i));
        for (size_t i = 0; i < N; i++)
            y[i] = same[i] = round == 3 && i == 5 ? INFINITY : sin((double)(i + 10 * round));
        if (round == 0)
            assert_true(penta_lsq_factor(N, P, rows, memory, &factors));
        assert_int_equal(penta_lsq_linear(N, P, own, y, alone, NULL, &result), PENTA_OK);
        assert_int_equal(penta_lsq_solve(&factors, same, x), result.ok);
        assert_int_equal(result.ok, round < 3);
        assert_true(!result.ok || memcmp(x, alone, sizeof x) == 0);
    }
}

TEST(no_solution)
{
    double dependent[] = {1, 1, 1, 2, 2, 2}, zero[] = {1, 2, 3, 0, 0, 0}, bad[] = {1, 2, 3, 1, NAN, 1}, y[] = {1, 2, 3};
    double x[3];
    penta_lsq_result result;

    assert_int_equal(penta_lsq_linear(3, 2, dependent, y, x, NULL, &result), PENTA_OK);
    assert_false(result.ok);
    assert_int_equal(penta_lsq_linear(3, 2, zero, y, x, NULL, &result), PENTA_OK);
    assert_false(result.ok);
    assert_int_equal(penta_lsq_linear(3, 2, bad, y, x, NULL, &result), PENTA_OK);
    assert_false(result.ok);
    assert_int_equal(penta_lsq_linear(1, 2, zero, y, x, NULL, &result), PENTA_OK);
    assert_false(result.ok);
}

TEST(polynomial)
{
    double x[9], y[9], w[9], c[5];
    penta_lsq_result result;

    for (int i = 0; i < 9; i++) {
        x[i] = (i - 4) / 4.0;
        y[i] = 3 - 2 * x[i] + 0.5 * x[i] * x[i] - 7 * pow(x[i], 4);
        w[i] = 1;
    }
    y[8] += 100;
    w[8] = 0;
    assert_int_equal(penta_lsq_polynomial(9, x, y, w, 4, c, NULL, &result), PENTA_OK);
    assert_true(result.ok);
    expect_near(result.rss, 0, 1e-24);
    expect_near(c[1], -2, 1e-12);
    expect_near(c[3], 0, 1e-12);
    expect_near(penta_polynomial_at(4, c, 0.3), 3 - 0.6 + 0.045 - 7 * 0.0081, 1e-12);
    expect_near(penta_polynomial_slope(4, c, 0.3), -2 + 0.3 - 28 * 0.027, 1e-12);
}

/* Weights act as repeated points. */
TEST(weights)
{
    const double x[] = {-1, 0, 0.5, 1}, y[] = {1, 0, 3, 2}, w[] = {1, 3, 2, 1};
    const double xx[] = {-1, 0, 0, 0, 0.5, 0.5, 1}, yy[] = {1, 0, 0, 0, 3, 3, 2};
    double c[2], cc[2];
    penta_lsq_result result, repeated;

    assert_int_equal(penta_lsq_polynomial(4, x, y, w, 1, c, NULL, &result), PENTA_OK);
    assert_int_equal(penta_lsq_polynomial(7, xx, yy, NULL, 1, cc, NULL, &repeated), PENTA_OK);
    expect_near(c[0], cc[0], 1e-14);
    expect_near(c[1], cc[1], 1e-14);
    expect_near(result.rss, repeated.rss, 1e-13);
}

/* Rosenbrock's valley: residuals 10 (y - x^2) and 1 - x. */
static bool valley(const void *user, const double *x, double *residual, double *jacobian)
{
    (void)user;
    residual[0] = 10 * (x[1] - x[0] * x[0]);
    residual[1] = 1 - x[0];
    jacobian[0] = -20 * x[0];
    jacobian[1] = -1;
    jacobian[2] = 10;
    jacobian[3] = 0;
    return true;
}

/* Exponential decay through three points that it does not meet: a minimum with a residual. */
static bool decay(const void *user, const double *x, double *residual, double *jacobian)
{
    const double *y = user;

    for (int i = 0; i < 4; i++) {
        residual[i] = x[0] * exp(-x[1] * i) - y[i];
        jacobian[i] = exp(-x[1] * i);
        jacobian[4 + i] = -i * x[0] * exp(-x[1] * i);
    }
    return x[1] > -50;
}

TEST(minimise)
{
    const double y[] = {4, 2.5, 1, 0.75};
    penta_lsq_model model = {2, 2, valley, NULL, 1e-28};
    double x[] = {-1.2, 1}, cofactor[4], residual[4], jacobian[8];
    penta_lsq_result result;

    assert_int_equal(penta_lsq_minimise(&model, x, cofactor, &result), PENTA_OK);
    assert_true(result.ok);
    expect_near(x[0], 1, 1e-10);
    expect_near(x[1], 1, 1e-10);

    model = (penta_lsq_model){4, 2, decay, y, 0};
    x[0] = 1;
    x[1] = 0.1;
    assert_int_equal(penta_lsq_minimise(&model, x, cofactor, &result), PENTA_OK);
    assert_true(result.ok);
    decay(y, x, residual, jacobian);
    for (int j = 0; j < 2; j++) {
        double gradient = 0;

        for (int i = 0; i < 4; i++)
            gradient += jacobian[4 * j + i] * residual[i];
        expect_near(gradient, 0, 1e-6);
    }
    assert_true(result.rss > 0.01);
}

/* The sum of two parameters is all that the data fix. */
static bool degenerate(const void *user, const double *x, double *residual, double *jacobian)
{
    (void)user;
    for (int i = 0; i < 3; i++) {
        residual[i] = x[0] + x[1] - i;
        jacobian[i] = jacobian[3 + i] = 1;
    }
    return true;
}

TEST(minimise_without_solution)
{
    penta_lsq_model model = {3, 2, degenerate, NULL, 0};
    double x[] = {0, 0};
    penta_lsq_result result;

    assert_int_equal(penta_lsq_minimise(&model, x, NULL, &result), PENTA_OK);
    assert_false(result.ok);
    expect_near(result.rss, 2, 1e-9);
    model.n = 1;
    assert_int_equal(penta_lsq_minimise(&model, x, NULL, &result), PENTA_OK);
    assert_false(result.ok);
}
