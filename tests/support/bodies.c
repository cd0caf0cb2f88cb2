/* Initial conditions of tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include <pentacl/nbody.h>

#include "support/bodies.h"
#include "support/device.h"

static const double pi = 3.14159265358979323846;

double *initial_bodies(int model, uint64_t seed, size_t n)
{
    double *bodies = must_calloc(n, 7 * sizeof *bodies);

    EXPECT_OK(NULL, penta_nbody_initial(model, seed, n, bodies));
    return bodies;
}

double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

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

void expect_quantity(const double *bodies, size_t n, quantity value, double (*share)(double x), const char *what)
{
    double *values = must_calloc(n, sizeof *values);
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        double v = value(bodies + 7 * i, i);

        if (!isnan(v))
            values[count++] = v;
    }
    assert_true(count > n / 4);
    expect_distributed(values, count, share, what);
    free(values);
}

double angle_share(double angle)
{
    return 0.5 + angle / (2 * pi);
}

double hernquist_share(double r)
{
    return r * r / ((1 + r) * (1 + r)) * 1.01 * 1.01;
}
