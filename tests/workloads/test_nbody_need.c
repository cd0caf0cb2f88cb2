/* Which precision bodies need (src/nbody/need.c, closest.c), against orbits and forces that are known. */
#include "support/test.h"

#include "nbody/closest.h"
#include "nbody/need.h"
#include "support/bodies.h"

static int needed(penta_context *ctx, size_t n, const double *bodies, double eps, bool *out_of_range)
{
    nbody_need need;

    EXPECT_OK(ctx, nbody_need_of(ctx, n, bodies, eps, &need));
    *out_of_range = need.out_of_range;
    assert_int_equal(need.precision == PENTA_PRECISION_SINGLE, *need.reason == 0);
    return need.precision;
}

/* Two equal bodies of mass 1 together, `apart` from one another, on a circle around x. */
static void binary(double x, double apart, double bodies[14])
{
    double speed = sqrt(1 / apart) / 2;
    const double both[14] = {0.5, x + apart / 2, 0, 0, 0, speed, 0, 0.5, x - apart / 2, 0, 0, 0, -speed, 0};

    memcpy(bodies, both, sizeof both);
}

/* Kepler's law: after a period both are where they were. */
static double distance_after_a_period(penta_context *ctx, double x, double apart, const char **precision)
{
    enum { STEPS = 2000 };
    penta_nbody_options o;
    HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;
    double bodies[14], end[14];

    penta_nbody_options_init(&o);
    o.eps = 0;
    o.dt = 2 * 3.14159265358979323846 * sqrt(apart * apart * apart) / STEPS;
    binary(x, apart, bodies);
    EXPECT_OK(ctx, penta_nbody_create(ctx, 2, &o, &plan));
    EXPECT_OK(ctx, penta_nbody_set(plan, bodies));
    *precision = penta_nbody_precision_name(plan);
    EXPECT_OK(ctx, penta_nbody_advance(plan, STEPS));
    EXPECT_OK(ctx, penta_nbody_get(plan, end));
    return hypot(end[8] - end[1], end[9] - end[2]);
}

static bool has_double(const penta_context *ctx)
{
    return penta_context_device(ctx)->fp64;
}

TEST(binaries_far_out)
{
    static const struct {
        double x, apart;
    } cases[] = {{0, 1}, {0, 0.01}, {10, 0.01}, {100, 0.01}, {1e4, 0.01}, {-1e6, 3}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *precision;
        double apart = distance_after_a_period(*state, cases[i].x, cases[i].apart, &precision);

        assert_string_equal(precision, has_double(*state) ? "double" : "ds");
        if (!(fabs(apart / cases[i].apart - 1) < 5e-3))
            fail_msg("at %g a binary of %g became one of %g", cases[i].x, cases[i].apart, apart);
    }
}

/* The pull of two bodies, m / d^2: about their centre of mass, no distance is small. */
TEST(near_pairs)
{
    static const double apart[] = {1e-3, 1e-6, 1e-9, 1e-12};

    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        double bodies[14] = {0.5, 1, 0, 0, 0, 0, 0, 0.5, 1 + apart[i], 0, 0, 0, 0, 0}, a[6], d = bodies[8] - 1;
        penta_nbody_options o;
        HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;
        bool met;

        penta_nbody_options_init(&o);
        o.eps = 0;
        EXPECT_OK(*state, penta_nbody_create(*state, 2, &o, &plan));
        EXPECT_OK(*state, penta_nbody_set(plan, bodies));
        EXPECT_OK(*state, penta_nbody_forces(plan, a, NULL));
        (void)penta_nbody_need(plan, &met);
        assert_true(met);
        if (!(fabs(a[0] * d * d / 0.5 - 1) < 1e-3))
            fail_msg("%g apart: %g instead of %g", apart[i], a[0], 0.5 / (d * d));
    }
}

/* An explicit precision stays, and the plan says that it is not enough; a state keeps what auto chose. */
TEST(explicit_and_saved)
{
    enum { N = 65 }; /* the others have no mass, and lie where no common shift helps */
    double bodies[7 * N] = {0}, kept[10 * N];
    penta_nbody_options o;
    penta_nbody *plan = NULL;
    bool met = true;

    for (size_t i = 2; i < N; i++)
        bodies[7 * i + 1] = -1e4 * (double)i;
    binary(1e4, 0.01, bodies);
    penta_nbody_options_init(&o);
    o.eps = 0;
    o.precision = PENTA_PRECISION_SINGLE;
    EXPECT_OK(*state, penta_nbody_create(*state, N, &o, &plan));
    EXPECT_OK(*state, penta_nbody_set(plan, bodies));
    assert_string_equal(penta_nbody_precision_name(plan), "single");
    assert_non_null(strstr(penta_nbody_need(plan, &met), "bodies 0 and 1 are 0.01 apart"));
    assert_false(met);
    penta_nbody_destroy(plan);

    o.precision = PENTA_PRECISION_AUTO;
    EXPECT_OK(*state, penta_nbody_create(*state, N, &o, &plan));
    EXPECT_OK(*state, penta_nbody_set(plan, bodies));
    assert_true(penta_nbody_state_size(plan) <= 10 * N);
    EXPECT_OK(*state, penta_nbody_save(plan, kept));
    binary(0, 1, bodies);
    for (size_t i = 2; i < N; i++)
        bodies[7 * i + 1] = -2 * (double)i;
    EXPECT_OK(*state, penta_nbody_set(plan, bodies));
    assert_string_equal(penta_nbody_precision_name(plan), "single");
    EXPECT_OK(*state, penta_nbody_load(plan, kept, penta_nbody_state_size(plan)));
    assert_string_equal(penta_nbody_precision_name(plan), "ds");
    penta_nbody_destroy(plan);
}

TEST(scales)
{
    static const struct {
        double mass, length, eps;
        int precision;
        bool out_of_range;
    } cases[] = {
        {1, 1, 0, PENTA_PRECISION_SINGLE, false},     {1, 1, 0.05, PENTA_PRECISION_SINGLE, false},
        {1, 1e-13, 0, PENTA_PRECISION_SINGLE, false}, {1, 1e-18, 0, PENTA_PRECISION_DOUBLE, true},
        {1, 1e-40, 0, PENTA_PRECISION_DOUBLE, true},  {1, 1e11, 0, PENTA_PRECISION_SINGLE, false},
        {1, 1e13, 0, PENTA_PRECISION_DOUBLE, true},   {1e15, 1, 0, PENTA_PRECISION_DOUBLE, true},
        {1e-36, 1, 0, PENTA_PRECISION_SINGLE, false}, {1e-38, 1, 0, PENTA_PRECISION_DOUBLE, true},
        {1, 1, 1e-6, PENTA_PRECISION_SINGLE, false},  {1, 1, 1e-9, PENTA_PRECISION_DS, false},
        {1, 1, 1e-18, PENTA_PRECISION_DOUBLE, true},  {1, 1e4, 1e-3, PENTA_PRECISION_DS, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double m = cases[i].mass, s = cases[i].length;
        double bodies[21] = {m, s, 0, 0, 0, 0, 0, m, -s, s / 3, 0, 0, 0, 0, m / 2, 0, 0, s, 0, 0, 0};
        bool out_of_range;
        int precision = needed(*state, 3, bodies, cases[i].eps, &out_of_range);

        if (precision != cases[i].precision || out_of_range != cases[i].out_of_range)
            fail_msg("mass %g, length %g, eps %g: precision %d", m, s, cases[i].eps, precision);
    }
}

/* Small systems are computed as large ones are: the forces of a triangle at any scale, by whatever auto takes. Without
 * double precision those are refused that floats' exponents do not hold: least_length and most_length of need.c. */
TEST(forces_at_small_scales)
{
    static const double scales[] = {1e-60, 1e-20, 1e-16, 1e-13, 1e-6, 1, 1e6, 1e11, 1e14, 1e60};
    double bodies[21], a[9];

    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        penta_nbody_options o;
        penta_nbody *plan = NULL;
        double s = scales[i], want = 0.192450089729875 / s / s;

        EXPECT_OK(*state, penta_nbody_initial(PENTA_NBODY_NGON, 0, 3, bodies));
        for (int k = 0; k < 21; k++)
            bodies[k] *= k % 7 == 0 ? 1 : s;
        penta_nbody_options_init(&o);
        o.eps = 0;
        EXPECT_OK(*state, penta_nbody_create(*state, 3, &o, &plan));
        if (!has_double(*state) && !(s > 1e-17 && s < 1e12)) {
            assert_int_equal(penta_nbody_set(plan, bodies), PENTA_INVALID);
            assert_non_null(strstr(penta_last_error(*state), "choose other units"));
            penta_nbody_destroy(plan);
            continue;
        }
        EXPECT_OK(*state, penta_nbody_set(plan, bodies));
        EXPECT_OK(*state, penta_nbody_forces(plan, a, NULL));
        for (int k = 0; k < 3; k++)
            if (!(fabs(length_of(a + 3 * k) / want - 1) < 1e-5))
                fail_msg("scale %g: %g instead of %g", s, length_of(a + 3 * k), want);
        penta_nbody_destroy(plan);
    }
}

static double distance_of(const double *p, const double *q)
{
    return sqrt((p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]) + (p[3] - q[3]) * (p[3] - q[3]));
}

static double size_of(const double *p)
{
    return fmax(fabs(p[1]), fmax(fabs(p[2]), fabs(p[3])));
}

/* The tree against all pairs. */
static void compare_with_all_pairs(penta_context *ctx, size_t n, const double *bodies, double share)
{
    nbody_closest got;
    double best = INFINITY, least = INFINITY;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double *p = bodies + 7 * i, *q = bodies + 7 * j;
            double d = distance_of(p, q);

            if (d > 0 && (p[0] > 0 || q[0] > 0) && d <= share * size_of(p)) {
                best = fmin(best, d / size_of(p));
                least = fmin(least, d);
            }
        }
    EXPECT_OK(ctx, nbody_closest_find(ctx, n, bodies, share, 0, &got));
    assert_int_equal(got.found, isfinite(best));
    if (!got.found)
        return;
    assert_true(fabs(got.distance / got.size / best - 1) < 1e-12);
    assert_true(fabs(got.least / least - 1) < 1e-12);
    assert_true(fabs(distance_of(bodies + 7 * got.first, bodies + 7 * got.second) / got.distance - 1) < 1e-12);
    assert_true(fabs(size_of(bodies + 7 * got.first) / got.size - 1) < 1e-12);
}

TEST(closest)
{
    static const double shares[] = {1e-3, 0.02, 0.3};

    for (uint64_t seed = 0; seed < 6; seed++) {
        size_t n = 2 + 171 * (size_t)seed;
        HELD double *bodies = initial_bodies(seed % 2 ? PENTA_NBODY_HERNQUIST : PENTA_NBODY_PLUMMER, seed, n);

        for (size_t i = 0; i < n; i++) {
            bodies[7 * i] = i % 5 == 1 ? 0 : bodies[7 * i];
            if (seed >= 4) /* many of one coordinate, and at one place */
                bodies[7 * i + 1] = floor(4 * bodies[7 * i + 1]);
            if (i % 11 == 3)
                memcpy(bodies + 7 * i + 1, bodies + 7 * (i / 2) + 1, 3 * sizeof *bodies);
        }
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++)
            compare_with_all_pairs(*state, n, bodies, shares[k]);
    }
}

/* More than a thread looks around at a time, in runs of trees of their own. */
TEST(closest_of_many)
{
    enum { N = 9001 };
    HELD double *bodies = initial_bodies(PENTA_NBODY_PLUMMER, 7, N);

    compare_with_all_pairs(*state, N, bodies, 0.02);
    for (size_t i = 0; i < N; i++) /* on a line, most at one place */
        bodies[7 * i + 1] = 1 + 0.25 * (double)(i % 5 ? 0 : i), bodies[7 * i + 2] = bodies[7 * i + 3] = 0;
    compare_with_all_pairs(*state, N, bodies, 0.02);
}

ON_DEVICE;
