/* Symmetric problems: householder.c, then tridiagonal.c. Ours, not a LAPACK's, whose bits depend on its threads. */
#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "math/tridiagonal.h"
#include "math/wide.h"

enum { LANES = 8 };
static const double least_condition = 16 * DBL_EPSILON; /* reciprocal, for each row, of unit diagonals */

PENTA_WIDE double penta_dot(size_t n, const double *x, const double *y)
{
    double lane[LANES] = {0};
    size_t i = 0;

    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            lane[k] += x[i + k] * y[i + k];
    for (; i < n; i++)
        lane[0] += x[i] * y[i];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

/* ---- a v = lambda v ---- */

/* Multiplies the lower triangle by a power of two, so that its largest entry is about 1. Returns the exponent. */
static int scale_to_one(size_t n, double *a)
{
    double largest = 0;
    int exponent = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            largest = fmax(largest, fabs(a[i * n + j]));
    frexp(largest, &exponent);
    for (size_t i = 0; i < n && exponent != 0; i++)
        for (size_t j = 0; j <= i; j++)
            a[i * n + j] = ldexp(a[i * n + j], -exponent);
    return exponent;
}

static void swap_rows(size_t n, double *a, double *b)
{
    for (size_t k = 0; k < n; k++) {
        double entry = a[k];

        a[k] = b[k];
        b[k] = entry;
    }
}

static void largest_first(size_t n, double *vectors, double *values)
{
    for (size_t i = 0; i < n; i++) {
        size_t largest = i;

        for (size_t j = i + 1; j < n; j++)
            if (values[j] > values[largest])
                largest = j;
        if (largest == i)
            continue;
        swap_rows(1, values + i, values + largest);
        swap_rows(n, vectors + i * n, vectors + largest * n);
    }
}

penta_status penta_eigen_symmetric(penta_context *ctx, size_t n, double *a, double *values)
{
    penta_status status = PENTA_OK;
    double *scratch = NULL, *side, *factor;
    int exponent;

    TRY(penta_calloc(ctx, n, 4 * sizeof *scratch, &scratch));
    side = scratch + 2 * n;
    factor = side + n;
    exponent = scale_to_one(n, a);
    penta_tridiagonal_reduce(n, a, values, side, factor, scratch);
    TRY(penta_tridiagonal_solve(ctx, n, a, values, side, factor));
    for (size_t i = 0; i < n; i++)
        values[i] = ldexp(values[i], exponent);
    largest_first(n, a, values);
cleanup:
    free(scratch);
    return status;
}

/* ---- a v = lambda b v, by b = L L^T: L^-1 a L^-T w = lambda w, v = L^-T w ---- */

/* length[i] = sqrt(b_ii); divides rows and columns of a and b by it. Returns 0, or the first row (from 1) with b_ii <=
 * 0. */
static size_t scale(size_t n, double *a, double *b, double *length)
{
    for (size_t i = 0; i < n; i++) {
        if (!(b[i * n + i] > 0))
            return i + 1;
        length[i] = sqrt(b[i * n + i]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            a[i * n + j] = a[i * n + j] / length[i] / length[j];
            b[i * n + j] = b[i * n + j] / length[i] / length[j];
        }
    return 0;
}

/* L in the lower triangle of b. Returns 0, or the first row (from 1) that depends on those before. */
static size_t factorise(size_t n, double *b)
{
    for (size_t i = 0; i < n; i++) {
        double *row = b + i * n, rest;

        for (size_t j = 0; j < i; j++)
            row[j] = (row[j] - penta_dot(j, row, b + j * n)) / b[j * n + j];
        rest = row[i] - penta_dot(i, row, row);
        if (!(rest > 0))
            return i + 1;
        row[i] = sqrt(rest);
    }
    return 0;
}

typedef struct {
    size_t n;
    const double *factor; /* L */
    double *rows;         /* n x n; of inverse_sum, nothing */
    double *sums;
} triangle;

/* Row x of rows becomes L^-1 x. */
static void solve_lower(void *data, size_t index)
{
    const triangle *t = data;
    double *x = t->rows + index * t->n;

    for (size_t k = 0; k < t->n; k++)
        x[k] = (x[k] - penta_dot(k, t->factor + k * t->n, x)) / t->factor[k * t->n + k];
}

/* Row x of rows becomes L^-T x. */
static void solve_upper(void *data, size_t index)
{
    const triangle *t = data;
    double *x = t->rows + index * t->n;

    for (size_t k = t->n; k-- > 0;) {
        x[k] /= t->factor[k * t->n + k];
        for (size_t j = 0; j < k; j++)
            x[j] -= x[k] * t->factor[k * t->n + j];
    }
}

/* sums[index] = sum over j of |b^-1|_(index, j); row `index` of rows is used for it. */
static void inverse_sum(void *data, size_t index)
{
    const triangle *t = data;
    double *x = t->rows + index * t->n;

    t->sums[index] = 0;
    for (size_t k = 0; k < t->n; k++)
        x[k] = k == index;
    solve_lower(data, index);
    solve_upper(data, index);
    for (size_t k = 0; k < t->n; k++)
        t->sums[index] += fabs(x[k]);
}

/* The largest sum of |b_ij| over j. */
static double norm(size_t n, const double *b)
{
    double largest = 0;

    for (size_t i = 0; i < n; i++) {
        double sum = 0;

        for (size_t j = 0; j < n; j++)
            sum += fabs(b[i * n + j]);
        largest = fmax(largest, sum);
    }
    return largest;
}

/* The reciprocal of the condition of b in the norm above. scratch: n x n + n. */
static double condition(size_t n, const double *factor, double norm_of_b, double *scratch)
{
    triangle t = {n, factor, scratch, scratch + n * n};
    double largest = 0;

    penta_parallel(n, inverse_sum, &t);
    for (size_t i = 0; i < n; i++)
        largest = t.sums[i] <= largest ? largest : t.sums[i]; /* also what is not a number */
    return 1 / (norm_of_b * largest);
}

/* The row that depends most on the rows before it: for a unit diagonal, factor_ii^2 is the part of row i that they do
 * not explain. */
static size_t most_dependent(size_t n, const double *factor)
{
    size_t least = 0;

    for (size_t i = 1; i < n; i++)
        if (factor[i * n + i] < factor[least * n + least])
            least = i;
    return least + 1;
}

static void transpose(size_t n, double *a)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double entry = a[i * n + j];

            a[i * n + j] = a[j * n + i];
            a[j * n + i] = entry;
        }
}

static penta_status solve_factorised(penta_context *ctx, size_t n, double *a, const double *factor, double *values)
{
    penta_status status = PENTA_OK;
    triangle t = {.n = n, .factor = factor, .rows = a};

    penta_parallel(n, solve_lower, &t); /* a L^-T, since a is symmetric */
    transpose(n, a);
    penta_parallel(n, solve_lower, &t);
    TRY(penta_eigen_symmetric(ctx, n, a, values));
    penta_parallel(n, solve_upper, &t);
cleanup:
    return status;
}

penta_status penta_eigen_generalised(penta_context *ctx, size_t n, double *a, double *b, double *values,
                                     size_t *dependent)
{
    penta_status status = PENTA_OK;
    double *length = NULL, *scratch = NULL, size_of_b;

    TRY(penta_calloc(ctx, n, sizeof *length, &length));
    TRY(penta_calloc(ctx, n * n + n, sizeof *scratch, &scratch));
    *dependent = scale(n, a, b, length);
    if (*dependent)
        goto cleanup;
    size_of_b = norm(n, b);
    *dependent = factorise(n, b);
    if (*dependent)
        goto cleanup;
    if (!(condition(n, b, size_of_b, scratch) > least_condition * (double)n)) {
        *dependent = most_dependent(n, b);
        goto cleanup;
    }
    TRY(solve_factorised(ctx, n, a, b, values));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i * n + j] /= length[j];
cleanup:
    free(length);
    free(scratch);
    return status;
}
