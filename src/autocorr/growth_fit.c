/*
 * R(t) by least squares: v t, R0 + v t and A (t - t0)^a.
 *
 * Points weigh w = variance / se^2, 1 on average, where they have standard errors, else 1. With S = sum w residual^2
 * and k = p + 1 (the parameters and the variance) AICc = n ln(S / n) + 2 k + 2 k (k + 1) / (n - k - 1); standard errors
 * are in the header. Residuals below 1e-9 of the rms of r count as that much, so that exact data give a finite AICc
 * and the model with fewer parameters wins.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "autocorr/growth_fit.h"
#include "core/core.h"
#include "math/chi2.h"
#include "math/lsq.h"

static const double contradiction = 0.01; /* p-value below which a model contradicts the data */

double penta_growth_at(const penta_growth_fit *fit, double t)
{
    if (!fit->ok)
        return NAN;
    switch (fit->model) {
    case PENTA_GROWTH_PROPORTIONAL:
        return fit->value[0] * t;
    case PENTA_GROWTH_LINEAR:
        return fit->value[0] + fit->value[1] * t;
    case PENTA_GROWTH_POWER:
        return t >= fit->value[1] ? fit->value[0] * pow(t - fit->value[1], fit->value[2]) : NAN;
    case PENTA_GROWTH_MODELS:
        break;
    }
    return NAN;
}

/* ---- one model ---- */

penta_status growth_series_alloc(size_t n, growth_series *points)
{
    penta_status status = penta_calloc(NULL, 5 * n, sizeof *points->t, &points->t);

    if (status != PENTA_OK)
        return status;
    points->r = points->t + n;
    points->s = points->r + n;
    points->y = points->s + n;
    points->w = points->y + n;
    return PENTA_OK;
}

void growth_series_free(growth_series *points)
{
    free(points->t);
    *points = (growth_series){0};
}

void growth_series_fill(growth_series *points, size_t n, const double *t, const double *r, const double *se,
                        const bool *take)
{
    double last = -INFINITY, inverse = 0;

    points->n = 0;
    points->first = INFINITY;
    points->height = 0;
    for (size_t i = 0; i < n; i++) {
        if (!take[i])
            continue;
        points->t[points->n] = t[i];
        points->w[points->n] = se ? 1 / (se[i] * se[i]) : 1;
        inverse += points->w[points->n];
        points->r[points->n++] = r[i];
        points->first = fmin(points->first, t[i]);
        last = fmax(last, t[i]);
        points->height = fmax(points->height, fabs(r[i]));
    }
    points->span = last - points->first;
    points->variance = se ? (double)points->n / inverse : NAN;
    for (size_t i = 0; i < points->n; i++) {
        points->w[i] *= se ? points->variance : 1;
        points->s[i] = (points->t[i] - points->first) / points->span;
        points->y[i] = points->r[i] / points->height;
    }
}

penta_growth_fit growth_failed_fit(enum penta_growth_model model)
{
    penta_growth_fit fit = {.model = model,
                            .parameters = (size_t)model + 1,
                            .value = {NAN, NAN, NAN},
                            .standard_error = {NAN, NAN, NAN},
                            .aicc = NAN,
                            .rss = NAN,
                            .chi2 = NAN,
                            .p_value = NAN};

    return fit;
}

/* Variance of the combination sum gradient[j] x[j]; cofactor is p x p. */
static double combined(size_t p, const double *cofactor, const double *gradient)
{
    double sum = 0;

    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            sum += gradient[i] * cofactor[i * p + j] * gradient[j];
    return fmax(sum, 0);
}

/* The weighted residual sum of squares below which a fit counts as exact. */
static double exact_rss(const growth_series *points)
{
    double square = 0;

    for (size_t i = 0; i < points->n; i++)
        square += points->w[i] * points->r[i] * points->r[i];
    return fmax(1e-18 * square, DBL_MIN);
}

static double plain_rss(const growth_series *points, const penta_growth_fit *fit)
{
    double sum = 0;

    for (size_t i = 0; i < points->n; i++) {
        double value = penta_growth_at(fit, points->t[i]); /* NaN where rounding puts t0 behind the first time */
        double residual = points->r[i] - (isnan(value) ? 0 : value);

        sum += residual * residual;
    }
    return sum;
}

/* Judges the fit by the standard errors of the points; returns the variance of a point of weight 1. */
static double judge(const growth_series *points, double rss, penta_growth_fit *fit)
{
    fit->dof = points->n - fit->parameters;
    if (isnan(points->variance)) {
        fit->dof = 0;
        return points->n > fit->parameters ? rss / (double)(points->n - fit->parameters) : NAN;
    }
    fit->weighted = true;
    fit->chi2 = rss / points->variance;
    fit->p_value = penta_chi2_tail(fit->chi2, (double)fit->dof);
    fit->contradicted = fit->p_value < contradiction;
    return points->variance * (fit->dof > 0 ? fmax(1, fit->chi2 / (double)fit->dof) : 1);
}

/* Completes a fit whose values are set; rss is weighted. gradient[j] is value j's derivative by the fitted unknowns. */
static void finish_fit(const growth_series *points, const double *cofactor, double gradient[3][3], double rss,
                       penta_growth_fit *fit)
{
    size_t p = fit->parameters, n = points->n, k = p + 1;
    double variance = judge(points, rss, fit);

    for (size_t j = 0; j < p; j++) {
        fit->standard_error[j] = sqrt(variance * combined(p, cofactor, gradient[j]));
        if (!isfinite(fit->value[j]))
            return;
    }
    if (n > k + 1)
        fit->aicc = (double)n * log(fmax(rss, exact_rss(points)) / (double)n) + 2 * (double)k +
                    2 * (double)k * (double)(k + 1) / (double)(n - k - 1);
    fit->ok = true;
    fit->rss = fit->weighted ? plain_rss(points, fit) : rss;
}

static penta_status fit_proportional(const growth_series *points, penta_growth_fit *fit)
{
    penta_status status = PENTA_OK;
    double *t = NULL, cofactor[1];
    size_t n = points->n;
    penta_lsq_result result;

    TRY(penta_calloc(NULL, 2 * n, sizeof *t, &t));
    for (size_t i = 0; i < n; i++) {
        t[i] = sqrt(points->w[i]) * points->t[i];
        t[n + i] = sqrt(points->w[i]) * points->r[i];
    }
    TRY(penta_lsq_linear(n, 1, t, t + n, fit->value, cofactor, &result));
    if (result.ok)
        finish_fit(points, cofactor, (double[3][3]){{1}}, result.rss, fit);
cleanup:
    free(t);
    return status;
}

/* In s - 1/2, so that times far from zero cost no digits. */
static penta_status fit_linear(const growth_series *points, penta_growth_fit *fit)
{
    penta_status status = PENTA_OK;
    double *x = NULL, c[2], cofactor[4], middle = points->first / points->span + 0.5;
    size_t n = points->n;
    penta_lsq_result result = {false, NAN};

    if (!(points->span > 0))
        return PENTA_OK;
    TRY(penta_calloc(NULL, n, sizeof *x, &x));
    for (size_t i = 0; i < n; i++)
        x[i] = points->s[i] - 0.5;
    TRY(penta_lsq_polynomial(n, x, points->r, points->w, 1, c, cofactor, &result));
    if (result.ok) {
        fit->value[0] = c[0] - c[1] * middle;
        fit->value[1] = c[1] / points->span;
        finish_fit(points, cofactor, (double[3][3]){{1, -middle}, {0, 1 / points->span}}, result.rss, fit);
    }
cleanup:
    free(x);
    return status;
}

/*
 * The power law in s and y, with d = (first - t0) / span > 0 and u = s - 1/2:
 *     y = b ((s + d) / (1/2 + d))^a = b exp(m ln(1 + c u) / c),   c = 1 / (1/2 + d),   m = a c.
 * b, the slope m of ln y in the middle and the bend c are nearly independent, and c runs through 0, the exponential, to
 * t0 beyond the last time (c < 0): a series that is no power law ends there rather than at infinity. The unknown in
 * place of c is z, c = 2 (1 - e^-z), so that t0 approaches the first time (c = 2) like a logarithm.
 */
enum { B, M, Z };

static const double least_bend = 1e-4;  /* c: below it the points show a line or an exponential, and no t0 */
static const double series_bend = 1e-4; /* |c|: below it derivatives come from series, above it closed forms do */

static double bend_of(double z)
{
    return -2 * expm1(-z);
}

/* l = ln(1 + c u) / c and its derivative by c. */
static void log_term(double s, double z, double *l, double *by_c)
{
    double c = bend_of(z), u = s - 0.5, cu = c * u;
    double bracket = fabs(cu) < 0.5 ? 1 + cu : c * s + exp(-z); /* near 0 without cancellation */

    if (fabs(c) < series_bend) {
        *l = u * (1 - cu / 2 + cu * cu / 3);
        *by_c = -u * u * (0.5 - cu * 2 / 3 + cu * cu * 3 / 4);
        return;
    }
    *l = (fabs(cu) < 0.5 ? log1p(cu) : log(bracket)) / c;
    *by_c = (u / bracket - *l) / c;
}

static bool evaluate_power(const void *user, const double *x, double *residual, double *jacobian)
{
    const growth_series *points = user;
    size_t n = points->n;

    for (size_t i = 0; i < n; i++) {
        double l, by_c, power, value, root = sqrt(points->w[i]);

        log_term(points->s[i], x[Z], &l, &by_c);
        power = root * exp(x[M] * l);
        value = x[B] * power;
        residual[i] = value - root * points->y[i];
        jacobian[B * n + i] = power;
        jacobian[M * n + i] = value * l;
        jacobian[Z * n + i] = value * x[M] * by_c * 2 * exp(-x[Z]);
        if (!isfinite(residual[i]) || !isfinite(jacobian[Z * n + i]))
            return false;
    }
    return true;
}

/* b and m for a given d: m from a line through ln y over l, weighted by y^2; then b exactly. */
static void start_power(const growth_series *points, double d, double *x)
{
    double w = 0, wl = 0, wv = 0, wll = 0, wlv = 0, py = 0, pp = 0, determinant, l, by_c;

    x[Z] = log((0.5 + d) / d);
    for (size_t i = 0; i < points->n; i++) {
        double weight = points->w[i] * points->y[i] * points->y[i], v;

        if (!(points->y[i] > 0))
            continue;
        v = log(points->y[i]);
        log_term(points->s[i], x[Z], &l, &by_c);
        w += weight;
        wl += weight * l;
        wv += weight * v;
        wll += weight * l * l;
        wlv += weight * l * v;
    }
    determinant = w * wll - wl * wl;
    x[M] = determinant > 0 ? (w * wlv - wl * wv) / determinant : 0.5;
    for (size_t i = 0; i < points->n; i++) {
        double power;

        log_term(points->s[i], x[Z], &l, &by_c);
        power = exp(x[M] * l);
        py += points->w[i] * power * points->y[i];
        pp += points->w[i] * power * power;
    }
    x[B] = py / pp;
}

/* Values and errors from the unknowns: a = m / c, A = height b (span / c)^-a, t0 = first - span (1/c - 1/2). */
static void finish_power(const growth_series *points, const double *x, const double *cofactor, double rss,
                         penta_growth_fit *fit)
{
    double c = bend_of(x[Z]), c_by_z = 2 * exp(-x[Z]), a = x[M] / c, a_by_z = -a / c * c_by_z;
    double lever = log(points->span / c), unit = points->height * exp(-a * lever), amplitude = unit * x[B];
    double h = points->height; /* rss in caller's units is h^2 rss, so the gradients are divided by h */
    double gradient[3][3] = {{unit / h, -amplitude * lever / c / h, amplitude * (a / c * c_by_z - lever * a_by_z) / h},
                             {0, 0, points->span / (c * c) * c_by_z / h},
                             {0, 1 / c / h, a_by_z / h}};

    if (!isnormal(amplitude)) /* t0 is so far away that A is beyond the range of a double */
        return;
    fit->value[0] = amplitude;
    fit->value[1] = points->first - points->span * exp(-x[Z]) / c;
    fit->value[2] = a;
    finish_fit(points, cofactor, gradient, h * h * rss, fit);
}

/*
 * Starts from several d, because rss has local minima, until two starts agree. The least rss wins, whether that start
 * converged or not, so that a converged but worse minimum does not hide that the series follows no power law.
 */
static penta_status fit_power(const growth_series *points, penta_growth_fit *fit)
{
    static const double leads[] = {0.1, 3, 1e-3, 0.5, 1e-2, 100};
    penta_lsq_model model = {points->n, 3, evaluate_power, points, (double)points->n * 1e-26};
    double best[3] = {0}, cofactor[9] = {0}, rss = INFINITY;
    bool ok = false, agreed = false;

    if (!(points->span > 0) || !(points->height > 0))
        return PENTA_OK;
    for (size_t i = 0; i < sizeof leads / sizeof *leads && !agreed; i++) {
        double x[3], c[9];
        penta_lsq_result result;
        penta_status status;

        start_power(points, leads[i], x);
        status = penta_lsq_minimise(&model, x, c, &result);
        if (status != PENTA_OK)
            return status;
        agreed = ok && result.ok && fabs(result.rss - rss) <= 1e-6 * rss + model.floor;
        if (!(result.rss < rss * (result.ok && !ok ? 1 + 1e-9 : 1)))
            continue;
        memcpy(best, x, sizeof best);
        memcpy(cofactor, c, sizeof cofactor);
        rss = result.rss;
        ok = result.ok;
    }
    if (ok && bend_of(best[Z]) > least_bend)
        finish_power(points, best, cofactor, rss, fit);
    return PENTA_OK;
}

penta_status growth_fit_model(const growth_series *points, enum penta_growth_model model, penta_growth_fit *fit)
{
    static penta_status (*const fits[PENTA_GROWTH_MODELS])(const growth_series *, penta_growth_fit *) = {
        [PENTA_GROWTH_PROPORTIONAL] = fit_proportional,
        [PENTA_GROWTH_LINEAR] = fit_linear,
        [PENTA_GROWTH_POWER] = fit_power,
    };
    penta_status status;

    *fit = growth_failed_fit(model);
    if (points->n < fit->parameters)
        return PENTA_OK;
    status = fits[model](points, fit);
    if (!fit->ok)
        *fit = growth_failed_fit(model);
    return status;
}
