/* Elimination without exchange of rows, which a positive definite matrix does not need. */
#include "math/solve.h"

bool penta_solve_positive(size_t n, size_t stride, double *a, double *x, double least)
{
    for (size_t i = 0; i < n; i++) {
        const double *row = a + i * stride;

        if (!(row[i] > least))
            return false;
        for (size_t j = i + 1; j < n; j++) {
            double *below = a + j * stride, f = below[i] / row[i];

            for (size_t k = i; k < n; k++)
                below[k] -= f * row[k];
            x[j] -= f * x[i];
        }
    }
    for (size_t i = n; i-- > 0;) {
        const double *row = a + i * stride;

        for (size_t j = i + 1; j < n; j++)
            x[i] -= row[j] * x[j];
        x[i] /= row[i];
    }
    return true;
}
