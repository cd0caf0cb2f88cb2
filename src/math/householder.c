/* A symmetric matrix made tridiagonal by reflections of Householder, the last row first (J. H. Wilkinson and C.
 * Reinsch, Linear Algebra (1971), II/2): rows are contiguous, and every sum has an order that depends on n alone. */
#include <math.h>

#include "math/eigen.h"
#include "math/tridiagonal.h"
#include "math/wide.h"

/* to += x from */
PENTA_WIDE static void add_scaled(size_t n, double x, const double *from, double *to)
{
    for (size_t k = 0; k < n; k++)
        to[k] += x * from[k];
}

/* row -= x p + y q */
PENTA_WIDE static void take_both(size_t n, double x, const double *p, double y, const double *q, double *row)
{
    for (size_t k = 0; k < n; k++)
        row[k] -= x * p[k] + y * q[k];
}

/* row becomes u, whose reflection leaves of the n entries of row the last one, *left; returns 2 / u u, or 0 for none.
 */
static double reflection(size_t n, double *row, double *left)
{
    double last = row[n - 1], others = penta_dot(n - 1, row, row), length;

    *left = last;
    if (!(others > PENTA_NEGLIGIBLE * PENTA_NEGLIGIBLE))
        return 0;
    length = sqrt(others + last * last);
    *left = last > 0 ? -length : length;
    row[n - 1] = last - *left;
    return 1 / (length * (length + fabs(last)));
}

/* product = A u of the n x n part of A whose lower triangle is stored; A first becomes A - u v^T - v u^T of the
 * reflection before (before: its u, of one entry more; v), if there was one. */
static void multiply(size_t n, size_t stride, double *a, const double *before, const double *v, const double *u,
                     double *product)
{
    for (size_t j = 0; j < n; j++)
        product[j] = 0;
    for (size_t j = 0; j < n; j++) {
        double *row = a + j * stride;

        if (before)
            take_both(j + 1, before[j], v, v[j], before, row);
        product[j] += penta_dot(j + 1, row, u);
        add_scaled(j, u[j], row, product);
    }
}

void penta_tridiagonal_reduce(size_t n, double *a, double *diagonal, double *side, double *factor, double *scratch)
{
    const double *before = NULL; /* the u of the last reflection, which the rows above have not seen yet */
    double *v = scratch, *product = scratch + n;

    factor[0] = 0;
    side[n - 1] = 0;
    for (size_t i = n - 1; i > 0; i--) {
        double *row = a + i * n, *swap, share;

        if (before)
            take_both(i + 1, before[i], v, v[i], before, row);
        diagonal[i] = row[i];
        factor[i] = reflection(i, row, &side[i - 1]);
        if (factor[i] == 0) { /* the rows above stay as they are */
            for (size_t j = 0; before && j < i; j++)
                take_both(j + 1, before[j], v, v[j], before, a + j * n);
            before = NULL;
            continue;
        }
        multiply(i, n, a, before, v, row, product);
        swap = v;
        v = product;
        product = swap;
        for (size_t k = 0; k < i; k++)
            v[k] *= factor[i];
        share = 0.5 * factor[i] * penta_dot(i, v, row);
        add_scaled(i, -share, row, v);
        before = row;
    }
    if (before)
        a[0] -= 2 * before[0] * v[0];
    diagonal[0] = a[0];
}
