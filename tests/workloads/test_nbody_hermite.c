/* The Hermite integrator: order, known orbits, energy; test_nbody_hermite_forms.c has its kernels and restart. */
#include "support/test.h"

#include "reference/nbody.h"
#include "support/hermite_run.h"

static const double pi = 3.14159265358979323846;

/* Of tests whose errors are far below those of ds, whose forces have 24 bits. test_nbody_single.c has orbits by ds. */
static const char orbits[] = "an orbit to 1e-8";

static method fixed_steps(double dt)
{
    return (method){PENTA_NBODY_FIXED, PENTA_PRECISION_DOUBLE, dt, 0, 0};
}

/* ---- one step, as the formulas are written ---- */

static void reference_field(size_t n, const double *rows, double eps, double *field)
{
    for (size_t i = 0; i < n; i++) {
        reference_nbody_field(n, rows, eps, rows + 7 * i + 1, i, field + 6 * i, NULL);
        reference_jerk(n, rows, eps, i, field + 6 * i + 3);
    }
}

static void reference_step(size_t n, double *rows, double eps, double h)
{
    HELD double *from = must_calloc(6 * n, sizeof *from), *to = must_calloc(6 * n, sizeof *to);

    reference_field(n, rows, eps, from);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            double *x = rows + 7 * i + 1 + k, *v = x + 3, a = from[6 * i + k], j = from[6 * i + 3 + k];

            *x += *v * h + a * h * h / 2 + j * h * h * h / 6;
            *v += a * h + j * h * h / 2;
        }
    reference_field(n, rows, eps, to);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            double da = from[6 * i + k] - to[6 * i + k], j = from[6 * i + 3 + k], j2 = to[6 * i + 3 + k];
            double snap = (-6 * da - h * (4 * j + 2 * j2)) / (h * h),
                   crackle = (12 * da + 6 * h * (j + j2)) / (h * h * h);

            rows[7 * i + 1 + k] += snap * pow(h, 4) / 24 + crackle * pow(h, 5) / 120;
            rows[7 * i + 4 + k] += snap * pow(h, 3) / 6 + crackle * pow(h, 4) / 24;
        }
}

TEST(one_step)
{
    method m = {PENTA_NBODY_FIXED, finest_precision(*state), 0.5, 0, 0.1};
    const double first[21] = {1, 0.5, 0.1, 0.3, 0.7, 0, 0.2, 2, -0.5, 0, 0, 0.3, 0.3, 0, 0.5, 0.2, 1, 0.4};
    double rows[21], want[21];

    memcpy(rows, first, sizeof rows);
    memcpy(want, first, sizeof want);
    integrate_bodies(*state, m, 3, rows, 1);
    reference_step(3, want, m.eps, m.dt);
    print_message("one step: difference %.3g\n", largest_difference(3, rows, want, 6));
    assert_true(largest_difference(3, rows, want, 6) <= (penta_context_device(*state)->fp64 ? 1e-14 : 0x1p-23));
}

/* ---- two bodies: masses 3/4 and 1/4, semi-major axis 1, period 2 pi, tilted ---- */

/* Relative place and velocity at time t after the pericentre, from Kepler's equation. */
static void kepler(double e, double t, double r[3], double v[3])
{
    double mean = remainder(t, 2 * pi), anomaly = mean < 0 ? -pi : pi, b = sqrt(1 - e * e), x, y, u, w;

    for (int i = 0; i < 100; i++) /* Newton from pi converges for all e < 1 */
        anomaly -= (anomaly - e * sin(anomaly) - mean) / (1 - e * cos(anomaly));
    x = cos(anomaly) - e;
    y = b * sin(anomaly);
    u = -sin(anomaly) / (1 - e * cos(anomaly));
    w = b * cos(anomaly) / (1 - e * cos(anomaly));
    r[0] = 0.6 * x, r[1] = y, r[2] = 0.8 * x;
    v[0] = 0.6 * u, v[1] = w, v[2] = 0.8 * u;
}

static void kepler_bodies(double e, double t, double rows[14])
{
    double r[3], v[3];

    kepler(e, t, r, v);
    rows[0] = 0.75;
    rows[7] = 0.25;
    for (int k = 0; k < 3; k++) {
        rows[1 + k] = -0.25 * r[k];
        rows[8 + k] = 0.75 * r[k];
        rows[4 + k] = -0.25 * v[k];
        rows[11 + k] = 0.75 * v[k];
    }
}

/* Largest error of a coordinate after `steps` steps of dt. */
static double kepler_error(penta_context *ctx, double e, method m, int steps)
{
    double rows[14], want[14];

    kepler_bodies(e, 1, rows);
    kepler_bodies(e, 1 + m.dt * steps, want);
    integrate_bodies(ctx, m, 2, rows, steps);
    return largest_difference(2, rows, want, 3);
}

TEST(fourth_order)
{
    double error[4];

    if (lacks_double(*state, orbits))
        return;

    for (int i = 0; i < 4; i++) {
        int steps = 500 << i;

        error[i] = kepler_error(*state, 0.5, fixed_steps(2 * pi / steps), steps);
        print_message("kepler e 0.5, %d steps a period: error %.3g\n", steps, error[i]);
    }
    for (int i = 1; i < 4; i++)
        expect_near(log2(error[i - 1] / error[i]), 4, 0.15);
}

/* Over one period; the error falls with the fourth power of eta. */
TEST(eccentric_orbits)
{
    static const double e[] = {0, 0.5, 0.9, 0.99};

    if (lacks_double(*state, orbits))
        return;

    for (size_t i = 0; i < COUNT(e); i++)
        for (int mode = PENTA_NBODY_SHARED; mode <= PENTA_NBODY_BLOCK; mode++) {
            method m = {mode, PENTA_PRECISION_DOUBLE, pi / 8, 0.02, 0};
            double coarse = kepler_error(*state, e[i], m, 16), fine;

            m.eta /= 2;
            fine = kepler_error(*state, e[i], m, 16);
            print_message("kepler e %g, mode %d: error %.3g, with half the eta %.3g\n", e[i], mode, coarse, fine);
            assert_true(coarse <= 2e-8);
            expect_near(log2(coarse / fine), 4, 0.3);
        }
}

/* Back in time from another point of the orbit, a pericentre between. */
TEST(back_in_time)
{
    method m = {PENTA_NBODY_BLOCK, PENTA_PRECISION_DOUBLE, -0.75, 0.02, 0};

    if (lacks_double(*state, orbits))
        return;

    assert_true(kepler_error(*state, 0.9, m, 4) <= 2e-8);
}

/* ---- three bodies ---- */

TEST(figure_eight)
{
    static const double x = 0.97000436, y = -0.24308753, u = -0.9324073681390788, v = -0.8647314618349538;
    static const double period = 6.325914009782139, energy = -1.287141991988917;
    static const int modes[] = {PENTA_NBODY_FIXED, PENTA_NBODY_SHARED, PENTA_NBODY_BLOCK};
    const double first[21] = {1, x, y, 0, -u / 2, -v / 2, 0, 1, -x, -y, 0, -u / 2, -v / 2, 0, 1, 0, 0, 0, u, v, 0};

    if (lacks_double(*state, orbits))
        return;

    for (size_t i = 0; i < COUNT(modes); i++) {
        int steps = modes[i] == PENTA_NBODY_FIXED ? 2000 : 50;
        method m = {modes[i], PENTA_PRECISION_DOUBLE, period / steps, 0.01, 0};
        penta_nbody_diagnostics d;
        double rows[21], error;

        memcpy(rows, first, sizeof rows);
        integrate_bodies(*state, m, 3, rows, steps);
        error = largest_difference(3, rows, first, 6);
        reference_nbody_diagnose(3, rows, 0, &d);
        print_message("figure-eight, mode %d: error %.3g, energy %.3g\n", modes[i], error, d.energy / energy - 1);
        assert_true(error <= 1e-8);
        expect_near(d.energy, energy, 1e-9);
    }
}

/* Three bodies from rest, with encounters closer than 1e-2. */
TEST(pythagorean)
{
    static const double want[3][3] = {{0.778480410138, 0.141392300290, 0},
                                      {-2.025092477978, 0.097219384146, 0},
                                      {1.152985736300, -0.162610887488, 0}};

    if (lacks_double(*state, orbits))
        return;

    for (int mode = PENTA_NBODY_SHARED; mode <= PENTA_NBODY_BLOCK; mode++) {
        method m = {mode, PENTA_PRECISION_DOUBLE, 0.125, 0.01, 0};
        double rows[21] = {3, 1, 3, 0, 0, 0, 0, 4, -2, -1, 0, 0, 0, 0, 5, 1, -1}, error = 0, pairs;

        pairs = integrate_bodies(*state, m, 3, rows, 80);
        for (size_t i = 0; i < 9; i++)
            error = fmax(error, fabs(rows[7 * (i / 3) + 1 + i % 3] - want[i / 3][i % 3]));
        print_message("pythagorean, mode %d: error %.3g, %.0f interactions\n", mode, error, pairs);
        assert_true(error <= 2e-8);
    }
}

/* ---- a cluster ---- */

TEST(cluster_conserves_energy)
{
    enum { N = 256 };
    static const int precisions[] = {PENTA_PRECISION_DOUBLE, PENTA_PRECISION_DS, PENTA_PRECISION_SINGLE};
    HELD double *first = plummer_sphere(N);

    for (size_t i = 0; i < COUNT(precisions); i++) {
        method m = {PENTA_NBODY_BLOCK, precisions[i], 1.0 / 8, 0.05, 1e-3};
        double *rows, pairs, error;

        if (precisions[i] == PENTA_PRECISION_DOUBLE && lacks_double(*state, "a cluster by precision double"))
            continue;
        rows = copy_of_bodies(N, first);
        pairs = integrate_bodies(*state, m, N, rows, 8);
        error = energy_error(N, first, rows, m.eps);

        print_message("cluster, precision %d: energy %.3g, %.3g interactions\n", precisions[i], error, pairs);
        assert_true(error <= 1e-6);
        free(rows);
    }
}

/* ---- corners ---- */

/* The scheme is not symmetric in time: what is left after a way there and back falls with dt as its error does. */
TEST(there_and_back)
{
    double error[3];

    if (lacks_double(*state, orbits))
        return;

    for (int i = 0; i < 3; i++) {
        int steps = 500 << i;
        double first[14], rows[14];

        kepler_bodies(0.5, 1, first);
        memcpy(rows, first, sizeof rows);
        integrate_bodies(*state, fixed_steps(2 * pi / steps), 2, rows, steps);
        integrate_bodies(*state, fixed_steps(-2 * pi / steps), 2, rows, steps);
        error[i] = largest_difference(2, rows, first, 6);
        print_message("there and back, %d steps: %.3g\n", steps, error[i]);
    }
    for (int i = 1; i < 3; i++)
        assert_true(log2(error[i - 1] / error[i]) > 3.8);
    assert_true(error[2] <= 1e-8);
}

TEST(straight_lines)
{
    for (int mode = PENTA_NBODY_FIXED; mode <= PENTA_NBODY_BLOCK; mode++) {
        method m = {mode, finest_precision(*state), 0.25, 0.01, 0};
        double one[7] = {2, 1, 2, 3, 4, 5, 6};
        double two[14] = {0, 1, 2, 3, 4, 5, 6, 0, -1, -2, -3, 1, 1, 1}; /* massless */

        integrate_bodies(*state, m, 1, one, 4);
        integrate_bodies(*state, m, 2, two, 4);
        for (int k = 0; k < 3; k++) {
            expect_near(one[1 + k], 5 + 2 * k, 0);
            expect_near(one[4 + k], 4 + k, 0);
            expect_near(two[1 + k], 5 + 2 * k, 0);
            expect_near(two[8 + k], -k, 0);
        }
    }
}

/* Two bodies fall onto one another; a third looks on. */
TEST(collisions)
{
    for (int mode = PENTA_NBODY_SHARED; mode <= PENTA_NBODY_BLOCK; mode++) {
        method m = {mode, finest_precision(*state), 2, 0.1, 0};
        const double first[21] = {1, 0.5, 0, 0, 0, 0, 0, 1, -0.5, 0, 0, 0, 0, 0, 1e-3, 0, 9, 0, 0, 0, 0};
        double rows[21];
        simulation s = simulation_start(*state, m, 3, first);

        EXPECT_OK(*state, nbody_hermite.keep(s.state, &s.bodies));
        assert_int_equal(nbody_hermite.step(s.state, &s.bodies, &s.interactions), PENTA_INVALID);
        expect_text(penta_last_error(*state), "2^40");
        expect_text(penta_last_error(*state), "softening");
        EXPECT_OK(*state, nbody_hermite.bring_back(s.state, &s.bodies));
        simulation_bodies(&s, rows);
        for (size_t k = 0; k < COUNT(rows); k++) /* pairs of floats hold 48 bits */
            expect_near(rows[k], first[k], penta_context_device(*state)->fp64 ? 0 : 0x1p-48 * fabs(first[k]));
        simulation_stop(&s);
    }
}

ON_DEVICE;
