/* Small dense least-squares problems on the host, in double. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/status.h>

/* Most parameters of one problem: a polynomial of order 9 in two variables has 55. */
enum { PENTA_LSQ_MAX = 64 };

typedef struct {
    bool ok;    /* false: fewer rows than columns, dependent columns, values that are not finite, or no convergence */
    double rss; /* residual sum of squares (weighted if weights are given); undefined if !ok */
} penta_lsq_result;

/*
 * Least |a x - y| by QR. a is n x p, column-major; a and y are overwritten. cofactor (p x p, may be NULL) is
 * (a^T a)^-1: times the residual variance it is the covariance of x. x and cofactor are written if ok. Allocates
 * nothing. A problem without a solution returns PENTA_OK and !ok.
 */
penta_status penta_lsq_linear(size_t n, size_t p, double *a, double *y, double *x, double *cofactor,
                              penta_lsq_result *result);

/* The factors of a matrix, for several right-hand sides: columns of unit length, reflections and R. */
typedef struct {
    size_t n, p;
    double *a, *length, *factor, *r;
} penta_lsq_factors;
#define PENTA_LSQ_FACTORS(p) ((p) * ((p) + 2)) /* doubles of memory for those of p columns */

/* penta_lsq_linear in two steps, with the same bits. a and memory stay in use; false where there is no solution. */
bool penta_lsq_factor(size_t n, size_t p, double *a, double *memory, penta_lsq_factors *f);
/* y (n) is overwritten, its last n - p entries by the residuals in other axes. x (p) is not written where there is no
 * solution. */
bool penta_lsq_solve(const penta_lsq_factors *f, double *y, double *x);

/*
 * Polynomial coefficient[0] + coefficient[1] x + ... of least sum w (y - polynomial)^2. Centre and scale x to about
 * [-1, 1] first. w >= 0, or NULL for 1. cofactor (of the coefficients) and solution as in penta_lsq_linear. Returns
 * PENTA_OK, PENTA_MEMORY or PENTA_INTERNAL.
 */
penta_status penta_lsq_polynomial(size_t n, const double *x, const double *y, const double *w, size_t degree,
                                  double *coefficient, double *cofactor, penta_lsq_result *result);

double penta_polynomial_at(size_t degree, const double *coefficient, double x);
double penta_polynomial_slope(size_t degree, const double *coefficient, double x);

typedef struct {
    size_t n, p;
    /* Writes residual[n] = model - data and jacobian[n x p] (column-major) at x; false if the model is undefined there.
     */
    bool (*evaluate)(const void *user, const double *x, double *residual, double *jacobian);
    const void *user;
    double floor; /* a residual sum of squares that is as good as zero */
} penta_lsq_model;

/*
 * Levenberg-Marquardt, damped in proportion to the columns' lengths. x holds the start and receives the best point
 * reached, converged (ok) or not; rss is the value there. cofactor as in penta_lsq_linear; dependent columns at the
 * minimum count as not converged. Returns PENTA_OK, PENTA_MEMORY or PENTA_INTERNAL.
 */
penta_status penta_lsq_minimise(const penta_lsq_model *model, double *x, double *cofactor, penta_lsq_result *result);
