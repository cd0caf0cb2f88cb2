#include "reference/nbody.h"

#include <math.h>
#include <stdlib.h>

#include "core/core.h"

void reference_nbody_field(size_t n, const double *bodies, double eps, const double point[3], size_t self,
                           double acceleration[3], double *potential)
{
    long double a[3] = {0, 0, 0}, phi = 0;

    for (size_t j = 0; j < n; j++) {
        const double *b = bodies + 7 * j;
        long double d[3], r2 = (long double)eps * eps;

        for (int k = 0; k < 3; k++) {
            d[k] = (long double)b[1 + k] - point[k];
            r2 += d[k] * d[k];
        }
        if (j == self || r2 <= 0)
            continue;
        for (int k = 0; k < 3; k++)
            a[k] += b[0] * d[k] / (r2 * sqrtl(r2));
        phi -= b[0] / sqrtl(r2);
    }
    for (int k = 0; acceleration && k < 3; k++)
        acceleration[k] = (double)a[k];
    if (potential)
        *potential = (double)phi;
}

typedef struct {
    size_t n;
    const double *bodies;
    double eps, *acceleration, *potential;
} forces;

static void one_body(void *data, size_t i)
{
    const forces *f = data;

    reference_nbody_field(f->n, f->bodies, f->eps, f->bodies + 7 * i + 1, i,
                          f->acceleration ? f->acceleration + 3 * i : NULL, f->potential ? f->potential + i : NULL);
}

void reference_nbody_forces(size_t n, const double *bodies, double eps, double *acceleration, double *potential)
{
    forces f = {n, bodies, eps, acceleration, potential};

    penta_parallel(n, one_body, &f);
}

/* ---- sums ---- */

typedef struct {
    double r, mass;
} shell;

static int nearer(const void *a, const void *b)
{
    const shell *x = a, *y = b;

    return (x->r > y->r) - (x->r < y->r);
}

static void find_radii(size_t n, const double *bodies, penta_nbody_diagnostics *d)
{
    static const double parts[PENTA_NBODY_RADII] = {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9};
    shell *shells = calloc(n, sizeof *shells);
    long double mass = 0;
    int k = 0;

    for (size_t i = 0; shells && i < n; i++) {
        const double *b = bodies + 7 * i;
        double x = b[1] - d->center[0], y = b[2] - d->center[1], z = b[3] - d->center[2];

        shells[i] = (shell){sqrt(x * x + y * y + z * z), b[0]};
    }
    if (!shells)
        abort();
    qsort(shells, n, sizeof *shells, nearer);
    for (size_t i = 0; i < n; i++) {
        mass += shells[i].mass;
        while (k < PENTA_NBODY_RADII && d->mass > 0 && mass >= (parts[k] - 1e-10L) * d->mass)
            d->radii[k++] = shells[i].r;
    }
    free(shells);
}

void reference_nbody_diagnose(size_t n, const double *bodies, double eps, penta_nbody_diagnostics *out)
{
    long double mass = 0, kinetic = 0, potential = 0, p[3] = {0}, l[3] = {0}, c[3] = {0};
    double *phi = calloc(n, sizeof *phi);

    if (!phi)
        abort();
    reference_nbody_forces(n, bodies, eps, NULL, phi);
    for (size_t i = 0; i < n; i++) {
        const double *b = bodies + 7 * i, *x = b + 1, *v = b + 4;
        long double m = b[0];

        mass += m;
        potential += m * phi[i] / 2;
        for (int k = 0; k < 3; k++) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;

            kinetic += m * v[k] * v[k] / 2;
            p[k] += m * v[k];
            c[k] += m * x[k];
            l[k] += m * ((long double)x[k1] * v[k2] - (long double)x[k2] * v[k1]);
        }
    }
    *out = (penta_nbody_diagnostics){.mass = (double)mass,
                                     .kinetic = (double)kinetic,
                                     .potential = (double)potential,
                                     .energy = (double)(kinetic + potential),
                                     .virial = potential < 0 ? (double)(kinetic / -potential) : 0};
    for (int k = 0; k < 3; k++) {
        out->momentum[k] = (double)p[k];
        out->angular[k] = (double)l[k];
        out->center[k] = mass > 0 ? (double)(c[k] / mass) : 0;
    }
    find_radii(n, bodies, out);
    free(phi);
}

/* ---- comparing ---- */

static int smaller(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

reference_nbody_errors reference_nbody_compare(size_t n, const double *got, const double *want)
{
    double *errors = calloc(n, sizeof *errors);
    reference_nbody_errors e;

    if (!errors)
        abort();
    for (size_t i = 0; i < n; i++) {
        const double *a = got + 3 * i, *b = want + 3 * i;
        double size = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        double d = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));

        errors[i] = size > 0 ? d / size : d;
        if (!(errors[i] <= HUGE_VAL)) /* NaN sorts last */
            errors[i] = HUGE_VAL;
    }
    qsort(errors, n, sizeof *errors, smaller);
    e = (reference_nbody_errors){errors[n / 2], errors[n - 1 - n / 100], errors[n - 1]};
    free(errors);
    return e;
}
