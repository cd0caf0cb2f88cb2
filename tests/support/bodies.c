/* Initial conditions for tests. */
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
#include "support/distribution.h"

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
