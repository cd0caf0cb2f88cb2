/* The Hermite integrator: order, known orbits, energy, restart, and both forms of its kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nbody/nbody.h"
#include "reference/nbody.h"
#include "support/device.h"
#include "support/expect.h"
#include "support/random.h"

static const double pi = 3.14159265358979323846;

/* ---- bodies and an integrator, without a plan ---- */

typedef struct {
    nbody_setup setup;
    nbody_bodies bodies;
    void *state;
    double interactions;
} simulation;

typedef struct {
    int mode, precision;
    double dt, eta, eps;
} method;

static penta_context *context_of(const simulation *s)
{
    return s->setup.ctx;
}

static void set_bodies(simulation *s, const double *rows)
{
    nbody_bodies *b = &s->bodies;
    double *host = must_calloc(b->pitch, 7 * sizeof *host);

    for (size_t i = 0; i < b->pitch; i++)
        for (size_t k = 0; k < 7; k++)
            host[k * b->pitch + i] = i < b->n ? rows[7 * i + k] : k >= 1 && k <= 3 ? rows[k] : 0;
    EXPECT_OK(b->mass.ctx, penta_buffer_write(&b->mass, 0, host, b->pitch * sizeof *host));
    EXPECT_OK(b->mass.ctx, penta_buffer_write(&b->position, 0, host + b->pitch, 3 * b->pitch * sizeof *host));
    EXPECT_OK(b->mass.ctx, penta_buffer_write(&b->velocity, 0, host + 4 * b->pitch, 3 * b->pitch * sizeof *host));
    nbody_hermite.forget(s->state);
    free(host);
}

static void get_bodies(simulation *s, double *rows)
{
    nbody_bodies *b = &s->bodies;
    double *host = must_calloc(b->pitch, 7 * sizeof *host);

    EXPECT_OK(b->mass.ctx, penta_buffer_read(&b->mass, 0, host, b->pitch * sizeof *host));
    EXPECT_OK(b->mass.ctx, penta_buffer_read(&b->position, 0, host + b->pitch, 3 * b->pitch * sizeof *host));
    EXPECT_OK(b->mass.ctx, penta_buffer_read(&b->velocity, 0, host + 4 * b->pitch, 3 * b->pitch * sizeof *host));
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; k < 7; k++)
            rows[7 * i + k] = host[k * b->pitch + i];
    free(host);
}

static simulation start(penta_context *ctx, method m, size_t n, const double *rows)
{
    size_t pitch = (n + NBODY_PITCH - 1) / NBODY_PITCH * NBODY_PITCH;
    simulation s = {.bodies = {.n = n, .pitch = pitch}};

    s.setup = (nbody_setup){
        .ctx = ctx,
        .shape = {n, pitch, m.eps},
        .options = {.dt = m.dt, .eps = m.eps, .eta = m.eta, .step_mode = m.mode, .integrator = PENTA_NBODY_HERMITE4},
        .choice = {.precision = m.precision}};
    EXPECT_OK(ctx, penta_buffer_create(ctx, pitch * sizeof(double), &s.bodies.mass));
    EXPECT_OK(ctx, penta_buffer_create(ctx, 3 * pitch * sizeof(double), &s.bodies.position));
    EXPECT_OK(ctx, penta_buffer_create(ctx, 3 * pitch * sizeof(double), &s.bodies.velocity));
    EXPECT_OK(ctx, nbody_hermite.create(&s.setup, &s.state));
    set_bodies(&s, rows);
    return s;
}

static void go(simulation *s, int steps)
{
    for (int i = 0; i < steps; i++)
        EXPECT_OK(context_of(s), nbody_hermite.step(s->state, &s->bodies, &s->interactions));
}

static void stop(simulation *s)
{
    nbody_hermite.destroy(s->state);
    penta_buffer_release(&s->bodies.mass);
    penta_buffer_release(&s->bodies.position);
    penta_buffer_release(&s->bodies.velocity);
}

/* rows become the bodies after `steps`; returns the interactions. */
static double integrate(penta_context *ctx, method m, size_t n, double *rows, int steps)
{
    simulation s = start(ctx, m, n, rows);

    go(&s, steps);
    get_bodies(&s, rows);
    stop(&s);
    return s.interactions;
}

/* Relative to the first; eps as the method has it. */
static double energy_error(size_t n, const double *before, const double *after, double eps)
{
    penta_nbody_diagnostics a, b;

    reference_nbody_diagnose(n, before, eps, &a);
    reference_nbody_diagnose(n, after, eps, &b);
    return fabs(b.energy / a.energy - 1);
}

/* Largest difference of a coordinate (first 1) or of anything but masses. */
static double largest_difference(size_t n, const double *a, const double *b, size_t columns)
{
    double largest = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 1; k <= columns; k++)
            largest = fmax(largest, fabs(a[7 * i + k] - b[7 * i + k]));
    return largest;
}

static method fixed_steps(double dt)
{
    return (method){PENTA_NBODY_FIXED, PENTA_PRECISION_DOUBLE, dt, 0, 0};
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
    integrate(ctx, m, 2, rows, steps);
    return largest_difference(2, rows, want, 3);
}

static void fourth_order(void **state)
{
    double error[4];

    for (int i = 0; i < 4; i++) {
        int steps = 500 << i;

        error[i] = kepler_error(*state, 0.5, fixed_steps(2 * pi / steps), steps);
        print_message("kepler e 0.5, %d steps a period: error %.3g\n", steps, error[i]);
    }
    for (int i = 1; i < 4; i++)
        expect_near(log2(error[i - 1] / error[i]), 4, 0.15);
}

static void eccentric_orbits(void **state)
{
    static const double e[] = {0, 0.5, 0.9, 0.99};

    for (size_t i = 0; i < COUNT(e); i++)
        for (int mode = PENTA_NBODY_SHARED; mode <= PENTA_NBODY_BLOCK; mode++) {
            method m = {mode, PENTA_PRECISION_DOUBLE, pi / 8, 0.005, 0};
            double error = kepler_error(*state, e[i], m, 16);

            print_message("kepler e %g, mode %d: error %.3g\n", e[i], mode, error);
            assert_true(error <= 1e-6);
        }
}

/* ---- three bodies ---- */

static void figure_eight(void **state)
{
    static const double x = 0.97000436, y = -0.24308753, u = -0.9324073681390788, v = -0.8647314618349538;
    static const double period = 6.325914009782139, energy = -1.287141991988917;
    static const int modes[] = {PENTA_NBODY_FIXED, PENTA_NBODY_SHARED, PENTA_NBODY_BLOCK};
    const double first[21] = {1, x, y, 0, -u / 2, -v / 2, 0, 1, -x, -y, 0, -u / 2, -v / 2, 0, 1, 0, 0, 0, u, v, 0};

    for (size_t i = 0; i < COUNT(modes); i++) {
        int steps = modes[i] == PENTA_NBODY_FIXED ? 2000 : 50;
        method m = {modes[i], PENTA_PRECISION_DOUBLE, period / steps, 0.01, 0};
        penta_nbody_diagnostics d;
        double rows[21], error;

        memcpy(rows, first, sizeof rows);
        integrate(*state, m, 3, rows, steps);
        error = largest_difference(3, rows, first, 6);
        reference_nbody_diagnose(3, rows, 0, &d);
        print_message("figure-eight, mode %d: error %.3g, energy %.3g\n", modes[i], error, d.energy / energy - 1);
        assert_true(error <= 1e-6);
        expect_near(d.energy, energy, 1e-9);
    }
}

/* Three bodies from rest, with encounters closer than 1e-2. */
static void pythagorean(void **state)
{
    static const double want[3][3] = {{0.778480410138, 0.141392300290, 0},
                                      {-2.025092477978, 0.097219384146, 0},
                                      {1.152985736300, -0.162610887488, 0}};

    for (int mode = PENTA_NBODY_SHARED; mode <= PENTA_NBODY_BLOCK; mode++) {
        method m = {mode, PENTA_PRECISION_DOUBLE, 0.125, 0.004, 0};
        double rows[21] = {3, 1, 3, 0, 0, 0, 0, 4, -2, -1, 0, 0, 0, 0, 5, 1, -1}, error = 0, pairs;

        pairs = integrate(*state, m, 3, rows, 80);
        for (size_t i = 0; i < 9; i++)
            error = fmax(error, fabs(rows[7 * (i / 3) + 1 + i % 3] - want[i / 3][i % 3]));
        print_message("pythagorean, mode %d: error %.3g, %.0f interactions\n", mode, error, pairs);
        assert_true(error <= 1e-6);
    }
}

/* ---- a cluster ---- */

/* Plummer's sphere: mass 1, scale length 1, velocities of its distribution function (Aarseth, Henon, Wielen 1974). */
static double *plummer(size_t n)
{
    double *rows = must_calloc(7 * n, sizeof *rows);

    random_seed(4);
    for (size_t i = 0; i < n; i++) {
        double *b = rows + 7 * i, q, g;
        double r = 1 / sqrt(pow(0.01 + 0.98 * random_uniform(), -2.0 / 3) - 1);

        do {
            q = random_uniform();
            g = 0.1 * random_uniform();
        } while (g >= q * q * pow(1 - q * q, 3.5));
        b[0] = 1.0 / (double)n;
        for (int k = 0; k < 2; k++) {
            double c = 2 * random_uniform() - 1, phi = 2 * pi * random_uniform(), s = sqrt(1 - c * c);
            double size = k == 0 ? r : q * sqrt(2) * pow(1 + r * r, -0.25);

            b[1 + 3 * k] = size * s * cos(phi);
            b[2 + 3 * k] = size * s * sin(phi);
            b[3 + 3 * k] = size * c;
        }
    }
    return rows;
}

static double *copy_of(size_t n, const double *rows)
{
    double *copy = must_calloc(7 * n, sizeof *copy);

    memcpy(copy, rows, 7 * n * sizeof *copy);
    return copy;
}

static void cluster_conserves_energy(void **state)
{
    enum { N = 256 };
    static const int precisions[] = {PENTA_PRECISION_DOUBLE, PENTA_PRECISION_DS, PENTA_PRECISION_SINGLE};
    double *first = plummer(N);

    for (size_t i = 0; i < COUNT(precisions); i++) {
        method m = {PENTA_NBODY_BLOCK, precisions[i], 1.0 / 8, 0.05, 1e-3};
        double *rows = copy_of(N, first), pairs = integrate(*state, m, N, rows, 8);
        double error = energy_error(N, first, rows, m.eps);

        print_message("cluster, precision %d: energy %.3g, %.3g interactions\n", precisions[i], error, pairs);
        assert_true(error <= 1e-6);
        free(rows);
    }
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fourth_order), cmocka_unit_test(eccentric_orbits),         cmocka_unit_test(figure_eight),
        cmocka_unit_test(pythagorean),  cmocka_unit_test(cluster_conserves_energy),
    };

    return cmocka_run_group_tests_name("nbody: hermite", tests, open_device, close_device);
}
