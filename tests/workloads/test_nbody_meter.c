/* Sums over bodies, potentials, radii and the field against the reference, in the forms of kernels for this device and
 * for GPUs. */
#include "support/test.h"

#include "nbody/nbody.h"
#include "reference/nbody.h"
#include "support/random.h"

static const size_t sizes[] = {1, 2, 3, 100, 1000, 5000};
/* And more than one work-item of a CPU takes, not the same number each; too many for sums over pairs here. */
static const size_t more_sizes[] = {1, 2, 3, 100, 1000, 5000, 10000};
static const double softenings[] = {0, 0.05};

/* Relative to the sum of the sizes of the terms. On a CPU the errors stay below 1e-15. */
static const double tolerance = 4e-15;

enum masses { EQUAL, UNEQUAL, SOME_ZERO, ALL_ZERO, MASSES };

/* ---- bodies and meters ---- */

static double *make_bodies(size_t n, enum masses masses)
{
    double *bodies = must_calloc(n, 7 * sizeof *bodies);

    random_seed(5 + n);
    for (size_t i = 0; i < n; i++) {
        double *b = bodies + 7 * i, mass = pow(10, -4 * random_uniform());
        bool none = masses == ALL_ZERO || (masses == SOME_ZERO && i % 3 == 1);

        b[0] = none ? 0 : masses == EQUAL ? 1.0 / (double)n : mass;
        for (int k = 1; k < 7; k++)
            b[k] = random_normal() + 0.3 * k;
    }
    return bodies;
}

/* Bodies on the device with a meter for them. */
typedef struct {
    penta_context *ctx;
    nbody_bodies b;
    nbody_meter *meter;
} measured;

static void upload(penta_context *ctx, const double *bodies, size_t n, size_t column, size_t count, size_t pitch,
                   penta_buffer *out)
{
    HELD double *values = must_calloc(count * pitch, sizeof *values);

    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < pitch; i++)
            values[k * pitch + i] = i < n ? bodies[7 * i + column + k] : column == 1 ? bodies[1 + k] : 0;
    EXPECT_OK(ctx, penta_buffer_create(ctx, count * pitch * sizeof *values, out));
    EXPECT_OK(ctx, penta_buffer_write(out, 0, values, count * pitch * sizeof *values));
}

static measured measure(penta_context *ctx, size_t n, const double *bodies, double eps)
{
    measured m = {.ctx = ctx, .b = {.n = n, .pitch = (n + NBODY_PITCH - 1) / NBODY_PITCH * NBODY_PITCH}};
    nbody_shape shape = {n, m.b.pitch, eps, NULL};

    upload(ctx, bodies, n, 0, 1, m.b.pitch, &m.b.mass);
    upload(ctx, bodies, n, 1, 3, m.b.pitch, &m.b.position);
    upload(ctx, bodies, n, 4, 3, m.b.pitch, &m.b.velocity);
    EXPECT_OK(ctx, nbody_meter_create(ctx, &shape, &m.meter));
    return m;
}

static void release(measured *m)
{
    nbody_meter_destroy(m->meter);
    penta_buffer_release(&m->b.velocity);
    penta_buffer_release(&m->b.position);
    penta_buffer_release(&m->b.mass);
}

static penta_nbody_diagnostics read_all(penta_context *ctx, size_t n, const double *bodies, double eps)
{
    penta_nbody_diagnostics d;
    HELD_BY(release) measured m = measure(ctx, n, bodies, eps);

    EXPECT_OK(ctx, nbody_meter_read(m.meter, &m.b, &d));
    return d;
}

/* ---- sums ---- */

/* What the terms of each sum add up to without their signs. */
typedef struct {
    double center, momentum, angular;
} sizes_of_terms;

static sizes_of_terms size_terms(size_t n, const double *bodies)
{
    sizes_of_terms s = {0};

    for (size_t i = 0; i < n; i++) {
        const double *b = bodies + 7 * i;
        double r = sqrt(b[1] * b[1] + b[2] * b[2] + b[3] * b[3]), v = sqrt(b[4] * b[4] + b[5] * b[5] + b[6] * b[6]);

        s.center += b[0] * r;
        s.momentum += b[0] * v;
        s.angular += b[0] * r * v;
    }
    return s;
}

static void expect_sums(const penta_nbody_diagnostics *got, const penta_nbody_diagnostics *want, sizes_of_terms s)
{
    expect_near(got->mass, want->mass, tolerance * want->mass);
    expect_near(got->kinetic, want->kinetic, tolerance * want->kinetic);
    expect_near(got->potential, want->potential, -tolerance * want->potential);
    expect_near(got->energy, want->energy, tolerance * (want->kinetic - want->potential));
    expect_near(got->virial, want->virial, 2 * tolerance * want->virial);
    for (int k = 0; k < 3; k++) {
        expect_near(got->momentum[k], want->momentum[k], tolerance * s.momentum);
        expect_near(got->angular[k], want->angular[k], tolerance * s.angular);
        expect_near(got->center[k], want->center[k], want->mass > 0 ? tolerance * s.center / want->mass : 0);
    }
}

DEVICE_TEST(sums)
{
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int masses = 0; masses < MASSES; masses++)
            for (size_t e = 0; e < COUNT(softenings); e++) {
                size_t n = sizes[i];
                HELD double *bodies = make_bodies(n, (enum masses)masses);
                penta_nbody_diagnostics got = read_all(ctx, n, bodies, softenings[e]), want;

                reference_nbody_diagnose(n, bodies, softenings[e], &want);
                expect_sums(&got, &want, size_terms(n, bodies));
            }
}

DEVICE_TEST(same_bits_each_time)
{
    HELD double *bodies = make_bodies(5000, UNEQUAL);

    for (int i = 0; i < 3; i++) {
        penta_nbody_diagnostics a = read_all(ctx, 5000, bodies, 0.01), b = read_all(ctx, 5000, bodies, 0.01);

        assert_memory_equal(&a, &b, sizeof a);
    }
}

/* ---- radii ---- */

typedef struct {
    double r, mass;
} shell;

static int nearer(const void *a, const void *b)
{
    const shell *x = a, *y = b;

    return (x->r > y->r) - (x->r < y->r);
}

/* Distances from the centre that the meter found: a test of the order, not of the centre. */
static shell *sort_shells(size_t n, const double *bodies, const double center[3])
{
    shell *shells = must_calloc(n, sizeof *shells);

    for (size_t i = 0; i < n; i++) {
        const double *b = bodies + 7 * i;
        double x = b[1] - center[0], y = b[2] - center[1], z = b[3] - center[2];

        shells[i] = (shell){sqrt(x * x + y * y + z * z), b[0]};
    }
    qsort(shells, n, sizeof *shells, nearer);
    return shells;
}

static void expect_radii(size_t n, const double *bodies, const penta_nbody_diagnostics *d)
{
    static const int percent[PENTA_NBODY_RADII] = {1, 5, 10, 25, 50, 75, 90};
    HELD shell *shells = sort_shells(n, bodies, d->center);

    for (int k = 0; k < PENTA_NBODY_RADII; k++) {
        long double inside = 0;
        size_t i = 0;

        while (i < n && (inside += shells[i].mass) * 100 < (percent[k] - 1e-8L) * d->mass)
            i++;
        expect_near(d->radii[k], shells[i].r, 1e-15 * shells[i].r);
    }
}

DEVICE_TEST(radii)
{
    for (size_t i = 0; i < COUNT(more_sizes); i++)
        for (int masses = 0; masses < ALL_ZERO; masses++) {
            HELD double *bodies = make_bodies(more_sizes[i], (enum masses)masses);
            penta_nbody_diagnostics d = read_all(ctx, more_sizes[i], bodies, 0);

            expect_radii(more_sizes[i], bodies, &d);
        }
}

/* Of 100 equal bodies 1, 5, 10 ... are enough, whichever way the masses' sums round. */
DEVICE_TEST(radii_of_equal_masses)
{
    static const double expected[PENTA_NBODY_RADII] = {1, 5, 10, 25, 50, 75, 90};

    for (size_t each = 1; each <= 30; each += 29) {
        size_t n = 100 * each;
        HELD double *bodies = must_calloc(2 * n, 7 * sizeof *bodies);
        penta_nbody_diagnostics d;

        for (size_t i = 0; i < 2 * n; i++) {
            bodies[7 * i] = 0.1 / (double)n;
            bodies[7 * i + 1] = (i % 2 ? 1 : -1) * (double)(1 + i / 2) / (double)each;
        }
        d = read_all(ctx, 2 * n, bodies, 0);
        for (int k = 0; k < PENTA_NBODY_RADII; k++)
            expect_near(d.radii[k], expected[k], 1e-13);
    }
}

/* Masses and places many powers of ten apart. */
TEST(radii_of_extremes)
{
    HELD double *bodies = must_calloc(400, 7 * sizeof *bodies);
    penta_nbody_diagnostics d;

    random_seed(8);
    for (int i = 0; i < 400; i++)
        for (int k = 0; k < 4; k++)
            bodies[7 * i + k] = pow(10, (k ? 280 : 30) * (random_uniform() - 0.5)) * (k && i % 2 ? -1 : 1);
    if (*state) {
        d = read_all(*state, 400, bodies, 0);
        expect_radii(400, bodies, &d);
    }
}

/* ---- potentials ---- */

DEVICE_TEST(potentials)
{
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t e = 0; e < COUNT(softenings); e++) {
            size_t n = sizes[i];
            HELD double *bodies = make_bodies(n, SOME_ZERO);
            HELD double *got = must_calloc(n, sizeof *got), *want = must_calloc(n, sizeof *want);
            HELD_BY(release) measured m = measure(ctx, n, bodies, softenings[e]);

            EXPECT_OK(m.ctx, nbody_meter_potentials(m.meter, &m.b, got));
            reference_nbody_forces(n, bodies, softenings[e], NULL, want);
            for (size_t k = 0; k < n; k++)
                expect_near(got[k], want[k], -tolerance * want[k]);
        }
}

/* Close pairs and far ones: the reciprocal root over many powers of two. */
DEVICE_TEST(potentials_of_far_scales)
{
    double bodies[2 * 7] = {1, 0, 0, 0, 0, 0, 0, 1}, got[2];

    for (int power = -440; power <= 440; power += 11) {
        double distance = 1.2345 * pow(2, power);
        HELD_BY(release) measured m;

        bodies[8] = distance;
        m = measure(ctx, 2, bodies, 0);
        EXPECT_OK(m.ctx, nbody_meter_potentials(m.meter, &m.b, got));
        expect_near(got[0], -1 / distance, 1e-15 / distance);
        expect_near(got[1], got[0], 0);
    }
}

/* With eps = 0 a plan refuses bodies at one place; if they meet later, the pair counts nothing. */
DEVICE_TEST(bodies_at_one_place)
{
    static const double bodies[3 * 7] = {1, 1, 2, 3, 0, 0, 0, 2, 1, 2, 3, 0, 0, 0, 4, 1, 2, 5, 0, 0, 0};
    static const double hard[3] = {-2, -2, -1.5};
    double got[3];

    for (int e = 0; e < 2; e++) {
        double eps = 0.5 * e, far = sqrt(4 + eps * eps);
        const double soft[3] = {-2 / 0.5 - 4 / far, -1 / 0.5 - 4 / far, -3 / far};
        HELD_BY(release) measured m = measure(ctx, 3, bodies, eps);

        EXPECT_OK(m.ctx, nbody_meter_potentials(m.meter, &m.b, got));
        for (int k = 0; k < 3; k++)
            expect_near(got[k], e ? soft[k] : hard[k], 1e-14);
    }
}

/* ---- the field ---- */

/* Points around the bodies; every seventh is where a body is. */
static double *make_points(size_t count, size_t n, const double *bodies)
{
    double *points = must_calloc(count, 3 * sizeof *points);

    random_seed(77 + count);
    for (size_t i = 0; i < 3 * count; i++)
        points[i] = 2 * random_normal();
    for (size_t i = 0; i < count; i += 7)
        memcpy(points + 3 * i, bodies + 7 * (i % n) + 1, 3 * sizeof *points);
    return points;
}

/* The sizes of the forces at a point added up. */
static double force_terms(size_t n, const double *bodies, double eps, const double *point)
{
    double sum = 0;

    for (size_t j = 0; j < n; j++) {
        const double *b = bodies + 7 * j;
        double x = b[1] - point[0], y = b[2] - point[1], z = b[3] - point[2];
        double d2 = x * x + y * y + z * z, r2 = d2 + eps * eps;

        if (r2 > 0)
            sum += b[0] * sqrt(d2) / (r2 * sqrt(r2));
    }
    return sum;
}

static void expect_field(size_t n, const double *bodies, double eps, size_t count, const double *points,
                         const double *acceleration, const double *potential)
{
    for (size_t i = 0; i < count; i++) {
        const double *p = points + 3 * i;
        double a[3], phi, terms = force_terms(n, bodies, eps, p);

        reference_nbody_field(n, bodies, eps, p, n, a, &phi);
        expect_near(potential[i], phi, -tolerance * phi);
        for (int k = 0; k < 3; k++)
            expect_near(acceleration[3 * i + k], a[k], tolerance * terms);
    }
}

static void check_field(penta_context *ctx, size_t n, size_t count, double eps)
{
    HELD double *bodies = make_bodies(n, SOME_ZERO), *points = make_points(count, n, bodies);
    HELD double *a = must_calloc(count, 3 * sizeof *a), *phi = must_calloc(count, sizeof *phi);
    HELD double *a2 = must_calloc(count, 3 * sizeof *a), *phi2 = must_calloc(count, sizeof *phi);
    HELD_BY(release) measured m = measure(ctx, n, bodies, eps);

    EXPECT_OK(ctx, nbody_meter_field(m.meter, &m.b, count, points, (const double[3]){0}, a, phi));
    expect_field(n, bodies, eps, count, points, a, phi);
    EXPECT_OK(ctx, nbody_meter_field(m.meter, &m.b, count, points, (const double[3]){0}, a2, NULL));
    EXPECT_OK(ctx, nbody_meter_field(m.meter, &m.b, count, points, (const double[3]){0}, NULL, phi2));
    assert_memory_equal(a, a2, 3 * count * sizeof *a);
    for (size_t i = 0; i < count; i++)
        expect_near(phi2[i], phi[i], -tolerance * phi[i]);
}

DEVICE_TEST(field)
{
    static const size_t counts[] = {1, 5, 130, 1000};

    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t k = 0; k < COUNT(counts); k++)
            check_field(ctx, sizes[i], counts[k], softenings[(i + k) % 2]);
}

/* More points than the device is given at once; few bodies. */
TEST(field_in_batches)
{
    if (*state)
        check_field(*state, 3, 2 * 65536 + 21, 0.1);
}

TEST(field_nowhere)
{
    double *bodies = make_bodies(3, EQUAL), point[3] = {0}, phi = 7;
    measured m;

    if (*state) {
        m = measure(*state, 3, bodies, 0);
        EXPECT_OK(m.ctx, nbody_meter_field(m.meter, &m.b, 0, point, (const double[3]){0}, NULL, &phi));
        EXPECT_OK(m.ctx, nbody_meter_field(m.meter, &m.b, 1, point, (const double[3]){0}, NULL, NULL));
        expect_near(phi, 7, 0);
        release(&m);
    }
    free(bodies);
}

/* ---- finite numbers ---- */

static bool is_finite(penta_context *ctx, size_t n, const double *bodies)
{
    HELD_BY(release) measured m = measure(ctx, n, bodies, 0.1);
    bool finite;

    EXPECT_OK(ctx, nbody_meter_finite(m.meter, &m.b, &finite));
    return finite;
}

DEVICE_TEST(finite)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY};

    for (size_t i = 0; i < COUNT(more_sizes); i++) {
        size_t n = more_sizes[i];
        HELD double *bodies = make_bodies(n, EQUAL);

        bodies[1] = 1.7e308;
        assert_true(is_finite(ctx, n, bodies));
        for (size_t k = 1; k < 7; k++) {
            size_t at = 7 * (n - 1 - k % n) + k;
            double kept = bodies[at];

            bodies[at] = wrong[(i + k) % COUNT(wrong)];
            assert_false(is_finite(ctx, n, bodies));
            bodies[at] = kept;
        }
    }
}

ON_DEVICE;
AS_ON_A_GPU;
