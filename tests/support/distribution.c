/* Distributions of numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "support/distribution.h"

static int smaller(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

void expect_distributed(double *values, size_t n, double (*share)(double x), const char *what)
{
    double largest = 0, root = sqrt((double)n);

    qsort(values, n, sizeof *values, smaller);
    for (size_t i = 0; i < n; i++) {
        double s = share(values[i]);

        largest = fmax(largest, fmax((double)(i + 1) / (double)n - s, s - (double)i / (double)n));
    }
    if (!(largest * root < 1.95))
        fail_msg("%s: the distribution is off by %g, %g standard errors", what, largest, 2 * largest * root);
}
