/* Initial conditions: distributions of spheres against their formulas, equilibrium by the reference's sums, and the
 * rules of seeds; test_nbody_disc.c has discs. The seeds are fixed, so that a test passes always or never. */
#include "support/test.h"

#include <pentacl/nbody.h>

#include "nbody/initial_hernquist.h"
#include "reference/nbody.h"
#include "support/bodies.h"

static const double pi = 3.14159265358979323846;

/* ---- distributions ---- */

static double radius(const double *b, size_t i)
{
    return (void)i, length_of(b + 1);
}

static double longitude(const double *b, size_t i)
{
    return (void)i, atan2(b[2], b[1]);
}

static double latitude(const double *b, size_t i)
{
    return (void)i, b[3] / length_of(b + 1);
}

static double velocity_latitude(const double *b, size_t i)
{
    return (void)i, b[6] / length_of(b + 4);
}

/* Of the angle between place and velocity. */
static double cosine(const double *b, size_t i)
{
    return (void)i, (b[1] * b[4] + b[2] * b[5] + b[3] * b[6]) / length_of(b + 1) / length_of(b + 4);
}

static double plummer_share(double r)
{
    double x = r / (3 * pi / 16);

    return pow(1 + 1 / (x * x), -1.5) / 0.999;
}

static double sphere_share(double r)
{
    return r * r * r;
}

static double cosine_share(double c)
{
    return (1 + c) / 2;
}

static void expect_isotropic(const double *bodies, size_t n)
{
    expect_quantity(bodies, n, longitude, angle_share, "longitude");
    expect_quantity(bodies, n, latitude, cosine_share, "latitude");
    expect_quantity(bodies, n, velocity_latitude, cosine_share, "latitude of velocities");
    expect_quantity(bodies, n, cosine, cosine_share, "angle between place and velocity");
}

/* ---- equilibrium ---- */

/* Mean of a quantity and its standard error. */
typedef struct {
    double mean, error;
} estimate;

static estimate average(const double *values, size_t n)
{
    double sum = 0, squares = 0, mean;

    for (size_t i = 0; i < n; i++)
        sum += values[i];
    mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return (estimate){mean, sqrt(squares / (double)n / (double)n)};
}

/* Kinetic and potential energy within 3 standard errors; equal masses, their sum 1. */
static void expect_energies(const double *bodies, size_t n, double kinetic, double potential)
{
    HELD double *t = must_calloc(n, sizeof *t), *phi = must_calloc(n, sizeof *phi);
    estimate T, W;

    reference_nbody_forces(n, bodies, 0, NULL, phi);
    for (size_t i = 0; i < n; i++)
        t[i] = length_of(bodies + 7 * i + 4) * length_of(bodies + 7 * i + 4) / 2;
    T = average(t, n);
    W = average(phi, n);
    print_message("kinetic %.4f +- %.4f, potential %.4f +- %.4f, virial %.4f\n", T.mean, T.error, W.mean / 2, W.error,
                  -2 * T.mean / W.mean);
    expect_near(T.mean, kinetic, 3 * T.error);
    expect_near(W.mean / 2, potential, 3 * W.error);
}

TEST(plummer)
{
    enum { N = 20000, FEW = 6000 };
    static const double r[] = {0.30868, 0.76857, 2.18367}, part[] = {0.1, 0.5, 0.9};
    HELD double *bodies = initial_bodies(PENTA_NBODY_PLUMMER, 1, N), *few = initial_bodies(PENTA_NBODY_PLUMMER, 2, FEW);

    for (size_t k = 0; k < COUNT(r); k++) {
        size_t inside = 0;

        for (size_t i = 0; i < N; i++)
            inside += length_of(bodies + 7 * i + 1) < r[k];
        expect_near((double)inside / N, part[k], 3 * sqrt(part[k] * (1 - part[k]) / N));
    }
    expect_quantity(bodies, N, radius, plummer_share, "radius");
    expect_isotropic(bodies, N);
    expect_energies(few, FEW, 0.25, -0.5);
}

/* Speeds at any radius: v = q v_escape, where q^2 is distributed as Beta(3/2, 9/2), so that its mean is 1/4 and its
 * variance 3/112. */
TEST(plummer_speeds)
{
    enum { N = 20000 };
    const double scale = 3 * pi / 16;
    HELD double *bodies = initial_bodies(PENTA_NBODY_PLUMMER, 3, N), *q2 = must_calloc(N, sizeof *q2);
    estimate e;

    for (size_t i = 0; i < N; i++) {
        const double *b = bodies + 7 * i;

        q2[i] = length_of(b + 4) * length_of(b + 4) / 2 * sqrt(scale * scale + length_of(b + 1) * length_of(b + 1));
    }
    e = average(q2, N);
    expect_near(e.mean, 0.25, 3 * e.error);
    expect_near(e.error * e.error * N, 3.0 / 112, 0.03 * 3 / 112);
}

/* Hernquist 1990, eq. 10: the radial dispersion squared. */
static double hernquist_dispersion(double r)
{
    return (12 * r * pow(1 + r, 3) * log((1 + r) / r) - r / (1 + r) * (25 + r * (52 + r * (42 + 12 * r)))) / 12;
}

/* In shells of radius: v^2 relative to 3 sigma^2, both of the model with mass 1.01^2. */
static void hernquist_shells(const double *bodies, size_t n)
{
    static const double edges[] = {0, 0.05, 0.2, 0.5, 1, 2, 5, 15, 40};
    HELD double *ratio = must_calloc(n, sizeof *ratio);

    for (size_t k = 0; k + 1 < COUNT(edges); k++) {
        size_t count = 0;
        estimate e;

        for (size_t i = 0; i < n; i++) {
            const double *b = bodies + 7 * i;
            double r = length_of(b + 1);

            if (r >= edges[k] && r < edges[k + 1])
                ratio[count++] = length_of(b + 4) * length_of(b + 4) / (3 * 1.01 * 1.01 * hernquist_dispersion(r));
        }
        assert_true(count > 100);
        e = average(ratio, count);
        expect_near(e.mean, 1, 3.5 * e.error);
    }
}

/* With the model's centre at the origin, from which the bodies' centre of mass strays: the tail is heavy. */
static double *make_hernquist(uint64_t seed, size_t n)
{
    double *bodies = initial_bodies(PENTA_NBODY_HERNQUIST, seed, n), first[6], off[6];
    penta_rng rng = penta_rng_at(seed, PENTA_RNG_BODIES, 0);

    nbody_hernquist_body(&rng, first);
    for (size_t k = 0; k < 6; k++)
        off[k] = bodies[1 + k] - first[k];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 6; k++)
            bodies[7 * i + 1 + k] -= off[k];
    return bodies;
}

/* Half of the whole model's mass is inside 1 + sqrt 2; the cut leaves 1 / 1.01^2 of it. Energies of the uncut model:
 * 1/12 and -1/6. */
TEST(hernquist)
{
    enum { N = 50000, FEW = 6000 };
    HELD double *bodies = make_hernquist(1, N), *few = make_hernquist(4, FEW);
    const double half = 0.5 * 1.01 * 1.01;
    size_t inside = 0;
    penta_nbody_diagnostics d;

    for (size_t i = 0; i < N; i++)
        inside += length_of(bodies + 7 * i + 1) < 1 + sqrt(2);
    expect_near((double)inside / N, half, 3 * sqrt(half * (1 - half) / N));
    expect_quantity(bodies, N, radius, hernquist_share, "radius");
    expect_isotropic(bodies, N);
    hernquist_shells(bodies, N);
    expect_energies(few, FEW, 1.01 * 1.01 / 12, -1.01 * 1.01 * 1.01 * 1.01 / 6);
    reference_nbody_diagnose(FEW, few, 0, &d);
    expect_near(d.virial, 0.5, 0.02);
}

TEST(uniform)
{
    enum { N = 20000 };
    HELD double *bodies = initial_bodies(PENTA_NBODY_UNIFORM, 5, N);

    expect_quantity(bodies, N, radius, sphere_share, "radius");
    expect_quantity(bodies, N, longitude, angle_share, "longitude");
    expect_quantity(bodies, N, latitude, cosine_share, "latitude");
    for (size_t i = 0; i < N; i++) {
        expect_near(bodies[7 * i], 1.0 / N, 0);
        expect_near(length_of(bodies + 7 * i + 4), 0, 0);
    }
}

TEST(ngon)
{
    static const size_t corners[] = {3, 1024};
    static const double tolerance[] = {1e-15, 1e-11}; /* near corners: places round */
    static const double force[] = {0.192450089729875, 1.123173086494841};

    for (size_t k = 0; k < COUNT(corners); k++) {
        size_t n = corners[k];
        HELD double *bodies = initial_bodies(PENTA_NBODY_NGON, 0, n), *a = must_calloc(n, 3 * sizeof *a);

        reference_nbody_forces(n, bodies, 0, a, NULL);
        for (size_t i = 0; i < n; i++) {
            const double *b = bodies + 7 * i;

            expect_near(length_of(b + 1), 1, 1e-15);
            expect_near(length_of(b + 4), 0, 0);
            for (int j = 0; j < 3; j++)
                expect_near(a[3 * i + (size_t)j], -force[k] * b[1 + j], tolerance[k]);
        }
    }
}

/* ---- rules ---- */

enum { MODELS = PENTA_NBODY_NGON + 1 };

/* Any number of bodies: finite, masses positive, centre of mass at rest at the origin. */
TEST(centered)
{
    static const size_t sizes[] = {1, 2, 3, 4, 7, 100, 3000};

    for (int model = 0; model < MODELS; model++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            HELD double *bodies = initial_bodies(model, 11, sizes[s]);
            long double mass = 0, sums[6] = {0};

            for (size_t i = 0; i < sizes[s]; i++) {
                const double *b = bodies + 7 * i;

                assert_true(b[0] > 0);
                mass += b[0];
                for (int k = 0; k < 6; k++)
                    sums[k] += (long double)b[0] * b[1 + k];
            }
            for (int k = 0; k < 6; k++)
                expect_near((double)(sums[k] / mass), 0, 1e-14);
        }
}

TEST(same_seed_same_bodies)
{
    enum { N = 3000 };

    for (int model = 0; model < MODELS; model++) {
        HELD double *a = initial_bodies(model, 12, N), *b = initial_bodies(model, 12, N),
                    *c = initial_bodies(model, 13, N);
        HELD double *d = initial_bodies(model, 12 + (UINT64_C(1) << 32), N);

        assert_memory_equal(a, b, N * 7 * sizeof *a);
        for (size_t i = 0; model != PENTA_NBODY_NGON && i < N; i++) {
            assert_true(a[7 * i + 1] != c[7 * i + 1]);
            assert_true(a[7 * i + 1] != d[7 * i + 1]);
        }
    }
}

/* The first bodies of many are those of few, but for the shift to the centre of mass. */
TEST(body_depends_on_its_number)
{
    enum { N = 500, MANY = 3001 };

    for (int model = 0; model < PENTA_NBODY_NGON; model++) {
        HELD double *few = initial_bodies(model, 14, N), *many = initial_bodies(model, 14, MANY);

        for (size_t i = 1; i < N; i++)
            for (size_t k = 1; k < 7; k++)
                expect_near(few[7 * i + k] - few[k], many[7 * i + k] - many[k], 1e-12);
    }
}

TEST(refused)
{
    double body[7];

    assert_int_equal(penta_nbody_initial(-1, 1, 1, body), PENTA_INVALID);
    EXPECT_REFUSED(NULL, penta_nbody_initial(MODELS, 1, 1, body), PENTA_INVALID, "model 6");
    EXPECT_REFUSED(NULL, penta_nbody_initial(PENTA_NBODY_PLUMMER, 1, 0, body), PENTA_INVALID, "no bodies");
}
