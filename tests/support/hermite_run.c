/* The Hermite integrator without a plan. */
#include "support/hermite_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/nbody.h"
#include "support/device.h"
#include "support/random.h"

static const double pi = 3.14159265358979323846;

static penta_context *context_of(const simulation *s)
{
    return s->setup.ctx;
}

int finest_precision(const penta_context *ctx)
{
    return penta_context_device(ctx)->fp64 ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_DS;
}

static void set_bodies(simulation *s, const double *rows)
{
    nbody_bodies *b = &s->bodies;
    double *host = must_calloc(b->pitch, 7 * sizeof *host);

    for (size_t i = 0; i < b->pitch; i++)
        for (size_t k = 0; k < 7; k++)
            host[k * b->pitch + i] = i < b->n ? rows[7 * i + k] : k >= 1 && k <= 3 ? rows[k] : 0;
    EXPECT_OK(b->mass.ctx, nbody_write_numbers(b->mass.ctx, &b->mass, 0, host, b->pitch));
    EXPECT_OK(b->mass.ctx, nbody_write_numbers(b->mass.ctx, &b->position, 0, host + b->pitch, 3 * b->pitch));
    EXPECT_OK(b->mass.ctx, nbody_write_numbers(b->mass.ctx, &b->velocity, 0, host + 4 * b->pitch, 3 * b->pitch));
    nbody_hermite.forget(s->state);
    free(host);
}

void simulation_bodies(simulation *s, double *rows)
{
    nbody_bodies *b = &s->bodies;
    double *host = must_calloc(b->pitch, 7 * sizeof *host);

    EXPECT_OK(b->mass.ctx, nbody_read_numbers(b->mass.ctx, &b->mass, 0, host, b->pitch));
    EXPECT_OK(b->mass.ctx, nbody_read_numbers(b->mass.ctx, &b->position, 0, host + b->pitch, 3 * b->pitch));
    EXPECT_OK(b->mass.ctx, nbody_read_numbers(b->mass.ctx, &b->velocity, 0, host + 4 * b->pitch, 3 * b->pitch));
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; k < 7; k++)
            rows[7 * i + k] = host[k * b->pitch + i];
    free(host);
}

simulation simulation_start(penta_context *ctx, method m, size_t n, const double *rows)
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
    EXPECT_OK(ctx, penta_buffer_create(ctx, 4 * sizeof(double), &s.bodies.scale));
    EXPECT_OK(ctx, penta_buffer_create(ctx, pitch * sizeof(double), &s.bodies.worst));
    EXPECT_OK(ctx, penta_buffer_zero(&s.bodies.scale, 0, 4 * sizeof(double)));
    EXPECT_OK(ctx, penta_buffer_zero(&s.bodies.worst, 0, pitch * sizeof(double)));
    EXPECT_OK(ctx, nbody_hermite.create(&s.setup, &s.state));
    set_bodies(&s, rows);
    return s;
}

void simulation_go(simulation *s, int steps)
{
    for (int i = 0; i < steps; i++)
        EXPECT_OK(context_of(s), nbody_hermite.step(s->state, &s->bodies, &s->interactions));
}

void simulation_stop(simulation *s)
{
    nbody_state_free(s->state);
    penta_buffer_release(&s->bodies.mass);
    penta_buffer_release(&s->bodies.position);
    penta_buffer_release(&s->bodies.velocity);
    penta_buffer_release(&s->bodies.scale);
    penta_buffer_release(&s->bodies.worst);
}

double integrate_bodies(penta_context *ctx, method m, size_t n, double *rows, int steps)
{
    simulation s = simulation_start(ctx, m, n, rows);

    simulation_go(&s, steps);
    simulation_bodies(&s, rows);
    simulation_stop(&s);
    return s.interactions;
}

double energy_error(size_t n, const double *before, const double *after, double eps)
{
    penta_nbody_diagnostics a, b;

    reference_nbody_diagnose(n, before, eps, &a);
    reference_nbody_diagnose(n, after, eps, &b);
    return fabs(b.energy / a.energy - 1);
}

double largest_difference(size_t n, const double *a, const double *b, size_t columns)
{
    double largest = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 1; k <= columns; k++)
            largest = fmax(largest, fabs(a[7 * i + k] - b[7 * i + k]));
    return largest;
}

void reference_jerk(size_t n, const double *rows, double eps, size_t i, double jerk[3])
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

double *plummer_sphere(size_t n)
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

double *copy_of_bodies(size_t n, const double *rows)
{
    double *copy = must_calloc(7 * n, sizeof *copy);

    memcpy(copy, rows, 7 * n * sizeof *copy);
    return copy;
}
