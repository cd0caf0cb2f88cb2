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

/* ---- one step, as the formulas are written ---- */

/* Of body i, as the formula is written. */
static void reference_jerk(size_t n, const double *rows, double eps, size_t i, double jerk[3])
{
    const double *a = rows + 7 * i;
    long double sum[3] = {0, 0, 0};

    for (size_t j = 0; j < n; j++) {
        const double *b = rows + 7 * j;
        long double d[3], w[3], r2 = (long double)eps * eps, dw = 0;

        for (int k = 0; k < 3; k++) {
            d[k] = (long double)b[1 + k] - a[1 + k];
            w[k] = (long double)b[4 + k] - a[4 + k];
            r2 += d[k] * d[k];
            dw += d[k] * w[k];
        }
        for (int k = 0; j != i && r2 > 0 && k < 3; k++)
            sum[k] += b[0] * (w[k] - 3 * dw / r2 * d[k]) / (r2 * sqrtl(r2));
    }
    for (int k = 0; k < 3; k++)
        jerk[k] = (double)sum[k];
}

/* Accelerations and jerks of all bodies: six numbers each. */
static void reference_field(size_t n, const double *rows, double eps, double *field)
{
    for (size_t i = 0; i < n; i++) {
        reference_nbody_field(n, rows, eps, rows + 7 * i + 1, i, field + 6 * i, NULL);
        reference_jerk(n, rows, eps, i, field + 6 * i + 3);
    }
}

static void reference_step(size_t n, double *rows, double eps, double h)
{
    double *from = must_calloc(6 * n, sizeof *from), *to = must_calloc(6 * n, sizeof *to);

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
    free(from);
    free(to);
}

static void one_step(void **state)
{
    method m = {PENTA_NBODY_FIXED, PENTA_PRECISION_DOUBLE, 0.5, 0, 0.1};
    const double first[21] = {1, 0.5, 0.1, 0.3, 0.7, 0, 0.2, 2, -0.5, 0, 0, 0.3, 0.3, 0, 0.5, 0.2, 1, 0.4};
    double rows[21], want[21];

    memcpy(rows, first, sizeof rows);
    memcpy(want, first, sizeof want);
    integrate(*state, m, 3, rows, 1);
    reference_step(3, want, m.eps, m.dt);
    print_message("one step: difference %.3g\n", largest_difference(3, rows, want, 6));
    assert_true(largest_difference(3, rows, want, 6) <= 1e-14);
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

/* Over one period; the error falls with the fourth power of eta. */
static void eccentric_orbits(void **state)
{
    static const double e[] = {0, 0.5, 0.9, 0.99};

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
static void back_in_time(void **state)
{
    method m = {PENTA_NBODY_BLOCK, PENTA_PRECISION_DOUBLE, -0.75, 0.02, 0};

    assert_true(kepler_error(*state, 0.9, m, 4) <= 2e-8);
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
        assert_true(error <= 1e-8);
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
        method m = {mode, PENTA_PRECISION_DOUBLE, 0.125, 0.01, 0};
        double rows[21] = {3, 1, 3, 0, 0, 0, 0, 4, -2, -1, 0, 0, 0, 0, 5, 1, -1}, error = 0, pairs;

        pairs = integrate(*state, m, 3, rows, 80);
        for (size_t i = 0; i < 9; i++)
            error = fmax(error, fabs(rows[7 * (i / 3) + 1 + i % 3] - want[i / 3][i % 3]));
        print_message("pythagorean, mode %d: error %.3g, %.0f interactions\n", mode, error, pairs);
        assert_true(error <= 2e-8);
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

/* ---- forms of the kernels ---- */

/* The state that is kept: 2 numbers, accelerations and jerks as arrays of coordinates, levels. */
static double *kept_of(simulation *s, size_t *count)
{
    double *kept;

    *count = nbody_hermite.kept(s->state);
    kept = must_calloc(*count, sizeof *kept);
    EXPECT_OK(context_of(s), nbody_hermite.save(s->state, &s->bodies, kept));
    return kept;
}

/* Accelerations and jerks at the end of a step, which come from the predicted bodies: the step is too short to move. */
static void compare_with_reference(penta_context *ctx, int precision, size_t n, double eps, double tolerance)
{
    method m = {PENTA_NBODY_FIXED, precision, 1e-300, 0, eps};
    double *rows = plummer(n), *a = must_calloc(3 * n, sizeof *a), *want = must_calloc(3 * n, sizeof *want), *kept;
    reference_nbody_errors of_a, of_j;
    simulation s;
    size_t count;

    if (n > 2) /* at one place: no force between these two where eps is 0 */
        memcpy(rows + 7 * (n - 1) + 1, rows + 1, 3 * sizeof *rows);
    s = start(ctx, m, n, rows);
    go(&s, 1);
    kept = kept_of(&s, &count);
    for (size_t i = 0; i < 3 * n; i++)
        a[i] = kept[2 + i % 3 * n + i / 3];
    reference_nbody_forces(n, rows, eps, want, NULL);
    of_a = reference_nbody_compare(n, a, want);
    for (size_t i = 0; i < n; i++)
        reference_jerk(n, rows, eps, i, want + 3 * i);
    for (size_t i = 0; i < 3 * n; i++)
        a[i] = kept[2 + (3 + i % 3) * n + i / 3];
    of_j = reference_nbody_compare(n, a, want);
    print_message("precision %d, n %zu, eps %g: acceleration %.2g (median) %.2g (worst), jerk %.2g %.2g\n", precision,
                  n, eps, of_a.median, of_a.largest, of_j.median, of_j.largest);
    assert_true(of_a.median <= tolerance && of_a.largest <= 20 * tolerance);
    assert_true(of_j.median <= 2 * tolerance && of_j.largest <= 100 * tolerance);
    assert_true(s.interactions >= 2.0 * (double)(n * n) && s.interactions <= 2.0 * (double)(n * n));
    stop(&s);
    free(rows);
    free(a);
    free(want);
    free(kept);
}

static void accelerations_and_jerks(void **state)
{
    penta_context *ctx = device_of(state);
    static const size_t sizes[] = {1, 2, 17, 300, 1500, 2500}; /* 2500: CPUs with few cores meet each pair once */
    static const double softening[] = {0, 0.01};

    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t k = 0; k < COUNT(softening); k++) {
            compare_with_reference(ctx, PENTA_PRECISION_DOUBLE, sizes[i], softening[k], 1e-15);
            compare_with_reference(ctx, PENTA_PRECISION_DS, sizes[i], softening[k], 3e-7);
            compare_with_reference(ctx, PENTA_PRECISION_SINGLE, sizes[i], softening[k], 5e-7);
        }
}

/*
 * Few active bodies among many share the sources out in other ways, and lists have several blocks: the forms must
 * agree, and with steps that all bodies share.
 */
static void forms_agree(void **state)
{
    enum { N = 1300 };
    method m = {PENTA_NBODY_BLOCK, PENTA_PRECISION_DOUBLE, 1.0 / 16, 0.05, 1e-3};
    void *gpu_form = NULL;
    double *a = plummer(N), *b = copy_of(N, a), *c = copy_of(N, a), *first = copy_of(N, a), pairs_a, pairs_b;

    assert_int_equal(open_gpu_form(&gpu_form), 0);
    pairs_a = integrate(*state, m, N, a, 1);
    assert_true(energy_error(N, first, a, m.eps) <= 1e-8);
    if (gpu_form) {
        pairs_b = integrate(gpu_form, m, N, b, 1);
        print_message("forms: %.3g and %.3g interactions, difference %.3g\n", pairs_a, pairs_b,
                      largest_difference(N, a, b, 6));
        assert_true(largest_difference(N, a, b, 6) <= 1e-11);
        close_device(&gpu_form);
    }
    m.mode = PENTA_NBODY_SHARED;
    pairs_b = integrate(*state, m, N, c, 1);
    print_message("shared steps: %.3g interactions, difference %.3g\n", pairs_b, largest_difference(N, a, c, 6));
    assert_true(pairs_b > 2 * pairs_a);
    assert_true(largest_difference(N, a, c, 6) <= 1e-6);
    free(a);
    free(b);
    free(c);
    free(first);
}

/* ---- restart ---- */

static void restarts(void **state)
{
    penta_context *ctx = device_of(state);
    enum { N = 100 };
    static const int modes[] = {PENTA_NBODY_FIXED, PENTA_NBODY_SHARED, PENTA_NBODY_BLOCK};

    for (size_t i = 0; i < COUNT(modes); i++) {
        method m = {modes[i], PENTA_PRECISION_DOUBLE, -1.0 / 32, 0.05, 1e-3};
        double *rows = plummer(N), *middle = copy_of(N, rows), *a = copy_of(N, rows), *b = copy_of(N, rows), *kept;
        simulation s = start(ctx, m, N, rows), t;
        size_t count;

        go(&s, 3);
        get_bodies(&s, middle);
        kept = kept_of(&s, &count);
        go(&s, 3);
        get_bodies(&s, a);
        t = start(ctx, m, N, middle);
        EXPECT_OK(ctx, nbody_hermite.load(t.state, &t.bodies, kept));
        go(&t, 3);
        get_bodies(&t, b);
        assert_memory_equal(a, b, 7 * N * sizeof *a); /* saved and loaded: as if nothing had been */
        integrate(ctx, m, N, rows, 6);
        assert_memory_equal(a, rows, 7 * N * sizeof *a); /* another run: the same bits */
        if (modes[i] == PENTA_NBODY_BLOCK) {             /* without what was kept levels begin anew, so the bits tell */
            integrate(ctx, m, N, middle, 3);
            assert_memory_not_equal(a, middle, 7 * N * sizeof *a);
        }
        kept[count - 1] = 0.5;
        assert_int_equal(nbody_hermite.load(t.state, &t.bodies, kept), PENTA_INVALID);
        expect_text(penta_last_error(ctx), "level");
        stop(&s);
        stop(&t);
        free(rows);
        free(middle);
        free(a);
        free(b);
        free(kept);
    }
}

/* ---- corners ---- */

/* The scheme is not symmetric in time: what is left after a way there and back falls with dt as its error does. */
static void there_and_back(void **state)
{
    double error[3];

    for (int i = 0; i < 3; i++) {
        int steps = 500 << i;
        double first[14], rows[14];

        kepler_bodies(0.5, 1, first);
        memcpy(rows, first, sizeof rows);
        integrate(*state, fixed_steps(2 * pi / steps), 2, rows, steps);
        integrate(*state, fixed_steps(-2 * pi / steps), 2, rows, steps);
        error[i] = largest_difference(2, rows, first, 6);
        print_message("there and back, %d steps: %.3g\n", steps, error[i]);
    }
    for (int i = 1; i < 3; i++)
        assert_true(log2(error[i - 1] / error[i]) > 3.8);
    assert_true(error[2] <= 1e-8);
}

static void straight_lines(void **state)
{
    for (int mode = PENTA_NBODY_FIXED; mode <= PENTA_NBODY_BLOCK; mode++) {
        method m = {mode, PENTA_PRECISION_DOUBLE, 0.25, 0.01, 0};
        double one[7] = {2, 1, 2, 3, 4, 5, 6};
        double two[14] = {0, 1, 2, 3, 4, 5, 6, 0, -1, -2, -3, 1, 1, 1}; /* massless */

        integrate(*state, m, 1, one, 4);
        integrate(*state, m, 2, two, 4);
        for (int k = 0; k < 3; k++) {
            expect_near(one[1 + k], 5 + 2 * k, 0);
            expect_near(one[4 + k], 4 + k, 0);
            expect_near(two[1 + k], 5 + 2 * k, 0);
            expect_near(two[8 + k], -k, 0);
        }
    }
}

/* Two bodies fall onto one another; a third looks on. */
static void collisions(void **state)
{
    for (int mode = PENTA_NBODY_SHARED; mode <= PENTA_NBODY_BLOCK; mode++) {
        method m = {mode, PENTA_PRECISION_DOUBLE, 2, 0.1, 0};
        const double first[21] = {1, 0.5, 0, 0, 0, 0, 0, 1, -0.5, 0, 0, 0, 0, 0, 1e-3, 0, 9, 0, 0, 0, 0};
        double rows[21];
        simulation s = start(*state, m, 3, first);

        assert_int_equal(nbody_hermite.step(s.state, &s.bodies, &s.interactions), PENTA_INVALID);
        expect_text(penta_last_error(*state), "2^40");
        expect_text(penta_last_error(*state), "softening");
        get_bodies(&s, rows);
        assert_memory_equal(rows, first, sizeof rows);
        stop(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step),
        cmocka_unit_test(fourth_order),
        cmocka_unit_test(eccentric_orbits),
        cmocka_unit_test(back_in_time),
        cmocka_unit_test(figure_eight),
        cmocka_unit_test(pythagorean),
        cmocka_unit_test(cluster_conserves_energy),
        cmocka_unit_test(accelerations_and_jerks),
        cmocka_unit_test(forms_agree),
        cmocka_unit_test(restarts),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(straight_lines),
        cmocka_unit_test(collisions),
    };
    const struct CMUnitTest gpu_form[] = {
        cmocka_unit_test(accelerations_and_jerks),
        cmocka_unit_test(restarts),
    };

    return cmocka_run_group_tests_name("nbody: hermite", tests, open_device, close_device) +
           cmocka_run_group_tests_name("nbody: hermite, form for GPUs", gpu_form, open_gpu_form, close_device);
}
