/* QR with unit columns for linear problems; the Levenberg-Marquardt step is a linear problem with p more rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lapacke.h>

#include "core/core.h"
#include "math/lsq.h"

enum { WORK = 32 * PENTA_LSQ_MAX };          /* workspace of the LAPACK calls, more than the unblocked ones need */
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

/* (R^T R)^-1 of the scaled columns, from the upper triangle R that geqrf left in a. */
static penta_status cofactor_from_r(size_t n, size_t p, const double *a, const double *length, double *cofactor)
{
    lapack_int info;

    for (size_t j = 0; j < p; j++)
        memcpy(cofactor + j * p, a + j * n, p * sizeof *cofactor);
    info = LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (lapack_int)p, cofactor, (lapack_int)p);
    if (info)
        return penta_fail(NULL, PENTA_INTERNAL, "LAPACK cannot invert a %zu x %zu matrix (%d)", p, p, (int)info);
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i <= j; i++) {
            cofactor[j * p + i] /= length[i] * length[j];
            cofactor[i * p + j] = cofactor[j * p + i];
        }
    return PENTA_OK;
}

penta_status penta_lsq_linear(size_t n, size_t p, double *a, double *y, double *x, double *cofactor,
                              penta_lsq_result *result)
{
    double length[PENTA_LSQ_MAX], tau[PENTA_LSQ_MAX], work[WORK], condition, size = norm(n, y);
    lapack_int whole[PENTA_LSQ_MAX], info, rows = (lapack_int)n, columns = (lapack_int)p;

    *result = (penta_lsq_result){false, NAN};
    if (p == 0 || p > PENTA_LSQ_MAX || n < p || n > INT32_MAX || !isfinite(size) || !scale_columns(n, p, a, length))
        return PENTA_OK;
    info = LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows, columns, a, rows, tau, work, WORK);
    if (info)
        goto refused;
    info = LAPACKE_dtrcon_work(LAPACK_COL_MAJOR, '1', 'U', 'N', columns, a, rows, &condition, work, whole);
    if (info)
        goto refused;
    if (!(condition > least_condition))
        return PENTA_OK;
    info = LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', rows, 1, columns, a, rows, tau, y, rows, work, WORK);
    if (info)
        goto refused;
    result->rss = norm(n - p, y + p);
    result->rss *= result->rss;
    info = LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', 'N', 'N', columns, 1, a, rows, y, rows);
    if (info)
        goto refused;
    for (size_t j = 0; j < p; j++)
        x[j] = y[j] / length[j];
    result->ok = true;
    return cofactor ? cofactor_from_r(n, p, a, length, cofactor) : PENTA_OK;
refused:
    return penta_fail(NULL, PENTA_INTERNAL, "LAPACK refused a least-squares problem of %zu x %zu (%d)", n, p,
                      (int)info);
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
