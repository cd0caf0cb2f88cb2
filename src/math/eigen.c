/* LAPACK's divide and conquer: its method whose vectors are orthogonal to within a few roundings. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <lapacke.h>

#include "core/core.h"
#include "math/eigen.h"

enum { LANES = 8 };
static const double least_condition = 16 * DBL_EPSILON; /* reciprocal, for each row, of unit diagonals */

double penta_dot(size_t n, const double *x, const double *y)
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

/* ---- what dsyevd and dsygvd share ---- */

typedef struct {
    double *real;
    lapack_int *whole, reals, wholes;
} workspace;

static penta_status workspace_begin(penta_context *ctx, size_t n, workspace *w)
{
    penta_status status = PENTA_OK;

    *w = (workspace){.reals = (lapack_int)(1 + 6 * n + 2 * n * n), .wholes = (lapack_int)(3 + 5 * n)};
    TRY(penta_calloc(ctx, (size_t)w->reals, sizeof *w->real, &w->real));
    TRY(penta_calloc(ctx, (size_t)w->wholes, sizeof *w->whole, &w->whole));
cleanup:
    return status;
}

static void workspace_end(workspace *w)
{
    free(w->real);
    free(w->whole);
}

/* LAPACK sorts the smallest first. A row-major matrix with rows v is to LAPACK a column-major one with columns v. */
static void largest_first(size_t n, double *vectors, double *values)
{
    for (size_t i = 0, j = n - 1; i < j; i++, j--) {
        double value = values[i];

        values[i] = values[j];
        values[j] = value;
        for (size_t k = 0; k < n; k++) {
            double entry = vectors[i * n + k];

            vectors[i * n + k] = vectors[j * n + k];
            vectors[j * n + k] = entry;
        }
    }
}

penta_status penta_eigen_symmetric(penta_context *ctx, size_t n, double *a, double *values)
{
    penta_status status = PENTA_OK;
    lapack_int info, size = (lapack_int)n;
    workspace w = {0};

    TRY(workspace_begin(ctx, n, &w));
    info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', size, a, size, values, w.real, w.reals, w.whole, w.wholes);
    if (info)
        TRY(penta_fail(ctx, PENTA_INTERNAL, "LAPACK finds no eigenvalues of a %zu x %zu matrix (%d)", n, n, (int)info));
    largest_first(n, a, values);
cleanup:
    workspace_end(&w);
    return status;
}

/* ---- generalised problems ---- */

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

penta_status penta_eigen_generalised(penta_context *ctx, size_t n, double *a, double *b, double *values,
                                     size_t *dependent)
{
    penta_status status = PENTA_OK;
    double *length = NULL, size_of_b, condition = 0;
    lapack_int info, size = (lapack_int)n;
    workspace w = {0};

    TRY(workspace_begin(ctx, n, &w));
    TRY(penta_calloc(ctx, n, sizeof *length, &length));
    *dependent = scale(n, a, b, length);
    if (*dependent)
        goto cleanup;
    size_of_b = norm(n, b);
    info = LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, 'V', 'L', size, a, size, b, size, values, w.real, w.reals, w.whole,
                               w.wholes);
    if (info > size) {
        *dependent = (size_t)(info - size);
        goto cleanup;
    }
    if (!info)
        info = LAPACKE_dpocon_work(LAPACK_COL_MAJOR, 'L', size, b, size, size_of_b, &condition, w.real, w.whole);
    if (info)
        TRY(penta_fail(ctx, PENTA_INTERNAL, "LAPACK finds no eigenvalues of a pair of %zu x %zu matrices (%d)", n, n,
                       (int)info));
    if (!(condition > least_condition * (double)n)) {
        *dependent = most_dependent(n, b);
        goto cleanup;
    }
    largest_first(n, a, values);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i * n + j] /= length[j];
cleanup:
    workspace_end(&w);
    free(length);
    return status;
}
