/* QR with unit columns for linear problems; the Levenberg-Marquardt step is a linear problem with p more rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "math/eigen.h"
#include "math/lsq.h"

static const double least_condition = 1e-13; /* reciprocal, of columns scaled to unit length */

static double norm(size_t n, const double *v)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* Divides each column by its length; false if a length is zero or not finite. */
static bool scale_columns(size_t n, size_t p, double *a, double *length)
{
    for (size_t j = 0; j < p; j++) {
        length[j] = norm(n, a + j * n);
        if (!(length[j] > 0) || !isfinite(length[j]))
            return false;
        for (size_t i = 0; i < n; i++)
            a[j * n + i] /= length[j];
    }
    return true;
}

/* v becomes 1, v_1 .. of the reflection 1 - *factor v v^T that leaves of the n entries of v the first one, which is
 * returned. */
static double reflection(size_t n, double *v, double *factor)
{
    double first = v[0], others = penta_dot(n - 1, v + 1, v + 1), left;

    v[0] = 1;
    *factor = 0;
    if (others == 0)
        return first;
    left = first > 0 ? -sqrt(others + first * first) : sqrt(others + first * first);
    *factor = (left - first) / left;
    for (size_t i = 1; i < n; i++)
        v[i] /= first - left;
    return left;
}

static void reflect(size_t n, const double *v, double factor, double *column)
{
    double share = factor * penta_dot(n, v, column);

    for (size_t i = 0; i < n; i++)
        column[i] -= share * v[i];
}

/* a becomes R in f->r (upper triangle) and the reflections that make it, column k from its row k on. */
static void triangularise(penta_lsq_factors *f)
{
    size_t n = f->n, p = f->p;

    for (size_t k = 0; k < p; k++) {
        double *v = f->a + k * n + k;

        for (size_t i = 0; i < k; i++)
            f->r[k * p + i] = f->a[k * n + i];
        f->r[k * p + k] = reflection(n - k, v, &f->factor[k]);
        for (size_t j = k + 1; j < p; j++)
            reflect(n - k, v, f->factor[k], f->a + j * n + k);
    }
}

/* x = R^-1 x */
static void solve_upper(size_t p, const double *r, size_t rows, double *x)
{
    for (size_t k = rows; k-- > 0;) {
        x[k] /= r[k * p + k];
        for (size_t i = 0; i < k; i++)
            x[i] -= x[k] * r[k * p + i];
    }
}

/* R^-1 in the upper triangle of out; the rest is 0. */
static void invert(size_t p, const double *r, double *out)
{
    memset(out, 0, p * p * sizeof *out);
    for (size_t j = 0; j < p; j++) {
        out[j * p + j] = 1;
        solve_upper(p, r, j + 1, out + j * p);
    }
}

/* The largest sum of a column of |R|. */
static double norm_of(size_t p, const double *r)
{
    double largest = 0;

    for (size_t j = 0; j < p; j++) {
        double sum = 0;

        for (size_t i = 0; i <= j; i++)
            sum += fabs(r[j * p + i]);
        largest = sum <= largest ? largest : sum; /* also what is not a number */
    }
    return largest;
}

/* (R^T R)^-1 = R^-1 R^-T of the columns before they were scaled. */
static void cofactor_of(size_t p, const double *inverse, const double *length, double *cofactor)
{
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;

            for (size_t k = i; k < p; k++)
                sum += inverse[k * p + i] * inverse[k * p + j];
            cofactor[j * p + i] = cofactor[i * p + j] = sum / (length[i] * length[j]);
        }
}

bool penta_lsq_factor(size_t n, size_t p, double *a, double *memory, penta_lsq_factors *f)
{
    double inverse[PENTA_LSQ_MAX * PENTA_LSQ_MAX];

    *f = (penta_lsq_factors){n, p, a, memory, memory + p, memory + 2 * p};
    if (p == 0 || p > PENTA_LSQ_MAX || n < p || !scale_columns(n, p, a, f->length))
        return false;
    triangularise(f);
    invert(p, f->r, inverse);
    return 1 / (norm_of(p, f->r) * norm_of(p, inverse)) > least_condition;
}

bool penta_lsq_solve(const penta_lsq_factors *f, double *y, double *x)
{
    if (!isfinite(norm(f->n, y)))
        return false;
    for (size_t k = 0; k < f->p; k++)
        reflect(f->n - k, f->a + k * f->n + k, f->factor[k], y + k);
    memcpy(x, y, f->p * sizeof *x);
    solve_upper(f->p, f->r, f->p, x);
    for (size_t j = 0; j < f->p; j++)
        x[j] /= f->length[j];
    return true;
}

penta_status penta_lsq_linear(size_t n, size_t p, double *a, double *y, double *x, double *cofactor,
                              penta_lsq_result *result)
{
    double memory[PENTA_LSQ_FACTORS(PENTA_LSQ_MAX)], inverse[PENTA_LSQ_MAX * PENTA_LSQ_MAX];
    penta_lsq_factors f;

    *result = (penta_lsq_result){false, NAN};
    if (!penta_lsq_factor(n, p, a, memory, &f) || !penta_lsq_solve(&f, y, x))
        return PENTA_OK;
    result->ok = true;
    result->rss = norm(n - p, y + p);
    result->rss *= result->rss;
    if (cofactor) {
        invert(p, f.r, inverse);
        cofactor_of(p, inverse, f.length, cofactor);
    }
    return PENTA_OK;
}

/* ---- polynomials ---- */

penta_status penta_lsq_polynomial(size_t n, const double *x, const double *y, const double *w, size_t degree,
                                  double *coefficient, double *cofactor, penta_lsq_result *result)
{
    penta_status status = PENTA_OK;
    size_t p = degree + 1;
    double *a = NULL, *rhs;

    TRY(penta_calloc(NULL, n * (p + 1), sizeof *a, &a));
    rhs = a + n * p;
    for (size_t i = 0; i < n; i++) {
        double power = w ? sqrt(w[i]) : 1;

        rhs[i] = power * y[i];
        for (size_t j = 0; j < p; j++, power *= x[i])
            a[j * n + i] = power;
    }
    TRY(penta_lsq_linear(n, p, a, rhs, coefficient, cofactor, result));
cleanup:
    free(a);
    return status;
}

double penta_polynomial_at(size_t degree, const double *coefficient, double x)
{
    double value = 0;

    for (size_t j = degree + 1; j-- > 0;)
        value = value * x + coefficient[j];
    return value;
}

double penta_polynomial_slope(size_t degree, const double *coefficient, double x)
{
    double value = 0;

    for (size_t j = degree; j > 0; j--)
        value = value * x + (double)j * coefficient[j];
    return value;
}

/* ---- Levenberg-Marquardt ---- */

enum { MOST_STEPS = 100 };
static const double first_damping = 1e-3, least_damping = 1e-16, most_damping = 1e20;
static const double small_reduction = 1e-13; /* relative, of rss: the linear model promises no further gain */

typedef struct {
    const penta_lsq_model *model;
    double *residual, *jacobian;             /* at x */
    double *trial_residual, *trial_jacobian; /* at x + step */
    double *rows, *rhs;                      /* (n + p) x p and n + p: the damped linear problem */
    double damping;
} search;

static penta_status search_begin(search *s, const penta_lsq_model *model, double **memory)
{
    size_t n = model->n, p = model->p;
    penta_status status = penta_calloc(NULL, 2 * n * (p + 1) + (n + p) * (p + 1), sizeof **memory, memory);

    *s = (search){.model = model, .damping = first_damping};
    if (status != PENTA_OK)
        return status;
    s->residual = *memory;
    s->jacobian = s->residual + n;
    s->trial_residual = s->jacobian + n * p;
    s->trial_jacobian = s->trial_residual + n;
    s->rows = s->trial_jacobian + n * p;
    s->rhs = s->rows + (n + p) * p;
    return PENTA_OK;
}

/* Step of least |jacobian step + residual|^2 + damping sum (|column j| step[j])^2; that least value is linear->rss. */
static penta_status damped_step(search *s, double *step, penta_lsq_result *linear)
{
    size_t n = s->model->n, p = s->model->p, m = n + p;
    double length;

    memset(s->rows, 0, m * p * sizeof *s->rows);
    memset(s->rhs, 0, m * sizeof *s->rhs);
    for (size_t j = 0; j < p; j++) {
        memcpy(s->rows + j * m, s->jacobian + j * n, n * sizeof *s->rows);
        length = norm(n, s->jacobian + j * n);
        s->rows[j * m + n + j] = sqrt(s->damping) * (length > 0 ? length : 1);
    }
    for (size_t i = 0; i < n; i++)
        s->rhs[i] = -s->residual[i];
    return penta_lsq_linear(m, p, s->rows, s->rhs, step, NULL, linear);
}

/* Moves to x + step if that lowers rss. */
static bool try_step(search *s, double *x, const double *step, double *rss)
{
    size_t n = s->model->n, p = s->model->p;
    double trial[PENTA_LSQ_MAX], sum, *swap;

    for (size_t j = 0; j < p; j++)
        trial[j] = x[j] + step[j];
    if (!s->model->evaluate(s->model->user, trial, s->trial_residual, s->trial_jacobian))
        return false;
    sum = norm(n, s->trial_residual);
    sum *= sum;
    if (!(sum < *rss))
        return false;
    memcpy(x, trial, p * sizeof *x);
    *rss = sum;
    swap = s->residual;
    s->residual = s->trial_residual;
    s->trial_residual = swap;
    swap = s->jacobian;
    s->jacobian = s->trial_jacobian;
    s->trial_jacobian = swap;
    return true;
}

/* Steps until converged; a rejected step raises the damping, an accepted one lowers it. */
static penta_status descend(search *s, double *x, double *rss, bool *converged)
{
    double step[PENTA_LSQ_MAX];
    penta_lsq_result linear;

    *converged = *rss <= s->model->floor;
    for (int i = 0; i < MOST_STEPS && !*converged && s->damping < most_damping; i++) {
        penta_status status = damped_step(s, step, &linear);

        if (status != PENTA_OK)
            return status;
        /* Under heavy damping every step promises little, so a small promise does not prove convergence. */
        *converged = linear.ok && s->damping <= 1 && *rss - linear.rss <= small_reduction * *rss;
        if (linear.ok && try_step(s, x, step, rss))
            s->damping = fmax(s->damping / 10, least_damping);
        else
            s->damping *= 10;
        *converged = *converged || *rss <= s->model->floor;
    }
    return PENTA_OK;
}

penta_status penta_lsq_minimise(const penta_lsq_model *model, double *x, double *cofactor, penta_lsq_result *result)
{
    penta_status status = PENTA_OK;
    double *memory = NULL, at_minimum[PENTA_LSQ_MAX], rss;
    bool converged = false;
    penta_lsq_result linear;
    search s;

    *result = (penta_lsq_result){false, NAN};
    if (model->p == 0 || model->p > PENTA_LSQ_MAX || model->n < model->p)
        return PENTA_OK;
    TRY(search_begin(&s, model, &memory));
    if (!model->evaluate(model->user, x, s.residual, s.jacobian))
        goto cleanup;
    rss = norm(model->n, s.residual);
    rss *= rss;
    if (!isfinite(rss))
        goto cleanup;
    TRY(descend(&s, x, &rss, &converged));
    result->rss = rss;
    TRY(penta_lsq_linear(model->n, model->p, s.jacobian, s.residual, at_minimum, cofactor, &linear));
    result->ok = converged && linear.ok;
cleanup:
    free(memory);
    return status;
}
