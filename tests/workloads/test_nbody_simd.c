/* Forces on CPU devices: cl/nbody/simd_few.cl, simd_pairs.cl and simd.cl against the formula in long double. */
#include "support/test.h"

#include <pentacl/nbody.h>

#include "math/rng.h"
#include "reference/nbody.h"

static const int kernels[] = {PENTA_NBODY_SIMD, PENTA_NBODY_DS, PENTA_NBODY_DOUBLE};

static bool is_there(penta_context *ctx, int kernel)
{
    return kernel != PENTA_NBODY_DOUBLE || !lacks_double(ctx, "kernel double");
}

/* Bodies with a dense middle, masses that differ a thousandfold, some of them 0, at a distance from the origin. */
static double *cloud(size_t n, double away)
{
    double *bodies = must_calloc(7 * n, sizeof *bodies);

    for (size_t i = 0; i < n; i++) {
        penta_rng rng = penta_rng_at(5, PENTA_RNG_GENERAL, i);
        double r = tan(1.5 * penta_rng_uniform(&rng));

        bodies[7 * i] = i % 7 == 3 ? 0 : exp(-7 * penta_rng_uniform(&rng)) / (double)n;
        for (int k = 0; k < 3; k++)
            bodies[7 * i + 1 + (size_t)k] = away + r * penta_rng_normal(&rng);
    }
    return bodies;
}

static void forces(penta_context *ctx, int kernel, double eps, size_t n, const double *bodies, double *a)
{
    penta_nbody_options o;
    HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;

    penta_nbody_options_init(&o);
    o.kernel = kernel;
    o.eps = eps;
    EXPECT_OK(ctx, penta_nbody_create(ctx, n, &o, &plan));
    EXPECT_OK(ctx, penta_nbody_set(plan, bodies));
    EXPECT_OK(ctx, penta_nbody_forces(plan, a, NULL));
}

/* Largest errors that are let pass: median, 99th percentile; errors of single pairs do not average where there are few.
 */
static void check(penta_context *ctx, int kernel, double eps, size_t n, double median, double p99)
{
    HELD double *bodies = cloud(n, 0), *want = must_calloc(3 * n, sizeof *want);
    HELD double *got = must_calloc(3 * n, sizeof *got), *again = must_calloc(3 * n, sizeof *again);
    double few = n < 100 ? 4 : 1;
    reference_nbody_errors e;

    reference_nbody_forces(n, bodies, eps, want, NULL);
    forces(ctx, kernel, eps, n, bodies, got);
    forces(ctx, kernel, eps, n, bodies, again);
    assert_memory_equal(got, again, 3 * n * sizeof *got);
    e = reference_nbody_compare(n, got, want);
    if (!(e.median <= few * median && e.p99 <= few * p99))
        fail_msg("kernel %d, n %zu, eps %g: median error %.3g, 99th percentile %.3g", kernel, n, eps, e.median, e.p99);
}

TEST(accuracy)
{
    static const struct {
        double median, p99;
    } allowed[] = {{3e-7, 3e-6}, {2e-7, 6e-7}, {1e-15, 4e-15}};
    const size_t sizes[] = {1, 2, 3, 16, 17, 31, 257, 511, 513, 960, 961, 1024, 1025, 2049, 5000};

    for (size_t k = 0; k < COUNT(kernels); k++)
        for (size_t i = 0; is_there(*state, kernels[k]) && i < COUNT(sizes); i++)
            for (int softened = 0; softened < 2; softened++)
                check(*state, kernels[k], softened ? 0.01 : 0, sizes[i], allowed[k].median, allowed[k].p99);
}

/* Far from the origin float places are coarse, and pairs of floats are not. A body there keeps the state's frame. */
TEST(far_away)
{
    enum { N = 700 };
    double *bodies = cloud(N, 1000), want[3 * N], got[3 * N];
    reference_nbody_errors e;

    memset(bodies, 0, 7 * sizeof *bodies);
    reference_nbody_forces(N, bodies, 0.01, want, NULL);
    forces(*state, PENTA_NBODY_DS, 0.01, N, bodies, got);
    e = reference_nbody_compare(N, got, want);
    assert_true(e.median < 1e-7 && e.p99 < 1e-6);
    forces(*state, PENTA_NBODY_SIMD, 0.01, N, bodies, got);
    assert_true(reference_nbody_compare(N, got, want).median > 1e-6);
    free(bodies);
}

/* Two bodies that round to one place in float, without softening: finite, by every kernel. */
TEST(close_pair)
{
    enum { N = 600 };
    double *bodies = cloud(N, 1), a[3 * N];

    memcpy(bodies + 7, bodies, 7 * sizeof *bodies);
    bodies[8] += 1e-13;
    for (size_t k = 0; k < COUNT(kernels); k++) {
        if (!is_there(*state, kernels[k]))
            continue;
        forces(*state, kernels[k], 0, N, bodies, a);
        for (int i = 0; i < 3 * N; i++)
            assert_true(isfinite(a[i]));
    }
    free(bodies);
}

/* Two bodies without softening, down to distances whose cubes no float can hold: the force is right or too large for
 * floats altogether. ds resolves such distances anywhere. */
TEST(near_pair)
{
    const double distances[] = {1e-3, 1e-7, 5e-9, 1e-12, 1e-15};

    for (size_t k = 0; k < COUNT(kernels); k++)
        for (size_t i = 0; is_there(*state, kernels[k]) && i < COUNT(distances); i++) {
            double d = distances[i], bodies[14] = {0.5, d, 0, 0, 0, 0, 0, 0.5}, a[6];

            forces(*state, kernels[k], 0, 2, bodies, a);
            expect_near(a[0] * d * d, -0.5, 1e-6);
            expect_near(a[3] * d * d, 0.5, 1e-6);
        }
}

ON_DEVICE;
