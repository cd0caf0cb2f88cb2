/*
 * The frame of the state, and the bodies' velocity about the centre of mass. Far from the origin coordinates leave few
 * bits for distances, so what bodies have in common is taken off once: along an axis where all of them lie within half
 * of the centre's distance, so that subtracting is exact; and of velocities where it is far above their scatter. Files
 * and results keep the caller's frame.
 */
#include "nbody/frame.h"

#include <math.h>
#include <stdlib.h>

static const double far_places = 2;      /* centre / largest distance from it */
static const double far_velocities = 16; /* of the centre / rms velocity about it */
static const double least_speed = 1e-5;  /* of sqrt(mass / size); rounding decides below it */

/* *mean: of column k, weighted by mass; *scatter: the rms about it; *reach: the largest distance from it. */
static void measure(size_t n, const double *rows, size_t k, double *mean, double *scatter, double *reach)
{
    double mass = 0, sum = 0, squares = 0;

    *reach = 0;
    for (size_t i = 0; i < n; i++) {
        mass += rows[7 * i];
        sum += rows[7 * i] * rows[7 * i + k];
    }
    *mean = mass > 0 && isfinite(sum / mass) ? sum / mass : 0;
    for (size_t i = 0; i < n; i++) {
        double d = rows[7 * i + k] - *mean;

        squares += rows[7 * i] * d * d;
        *reach = fmax(*reach, fabs(d));
    }
    *scatter = mass > 0 ? sqrt(squares / mass) : 0;
}

static double mass_of(size_t n, const double *rows)
{
    double mass = 0;

    for (size_t i = 0; i < n; i++)
        mass += rows[7 * i];
    return mass;
}

void nbody_frame_choose(size_t n, const double *rows, nbody_frame *f)
{
    double mean[6], scatter[6], reach[6], size, spread;

    for (size_t k = 0; k < 6; k++)
        measure(n, rows, 1 + k, &mean[k], &scatter[k], &reach[k]);
    size = hypot(hypot(reach[0], reach[1]), reach[2]);
    spread = hypot(hypot(scatter[3], scatter[4]), scatter[5]);
    for (size_t k = 0; k < 3; k++) {
        f->origin[k] = fabs(mean[k]) >= far_places * reach[k] ? mean[k] : 0;
        f->drift[k] = fabs(mean[3 + k]) >= far_velocities * spread ? mean[3 + k] : 0;
        f->scale[k] = mean[3 + k] - f->drift[k];
    }
    f->scale[3] = size > 0 ? least_speed * sqrt(mass_of(n, rows) / size) : 0;
}

bool nbody_frame_moves(const nbody_frame *f)
{
    for (size_t k = 0; k < 3; k++)
        if (fabs(f->origin[k]) > 0 || fabs(f->drift[k]) > 0)
            return true;
    return false;
}

void nbody_frame_place(const nbody_frame *f, double time, double place[3])
{
    for (size_t k = 0; k < 3; k++)
        place[k] = f->origin[k] + f->drift[k] * time;
}

/* Rows from the caller's frame to the state's (sign -1), and back. */
static void shift(const nbody_frame *f, double time, double sign, size_t n, double *rows)
{
    double place[3];

    nbody_frame_place(f, time, place);
    for (size_t i = 0; nbody_frame_moves(f) && i < n; i++)
        for (size_t k = 0; k < 3; k++) {
            rows[7 * i + 1 + k] += sign * place[k];
            rows[7 * i + 4 + k] += sign * f->drift[k];
        }
}

void nbody_frame_enter(const nbody_frame *f, size_t n, double *rows)
{
    shift(f, 0, -1, n, rows);
}

void nbody_frame_leave(const nbody_frame *f, double time, size_t n, double *rows)
{
    shift(f, time, 1, n, rows);
}

void nbody_frame_sums(const nbody_frame *f, double time, penta_nbody_diagnostics *d)
{
    const double m = d->mass, *p = d->momentum, *v = f->drift;
    double place[3], center[3];

    d->energy_com = d->energy;
    for (size_t k = 0; m > 0 && k < 3; k++)
        d->energy_com -= p[k] * p[k] / m / 2;
    if (!nbody_frame_moves(f))
        return;
    nbody_frame_place(f, time, place);
    for (size_t k = 0; k < 3; k++) {
        size_t u = (k + 1) % 3, w = (k + 2) % 3;

        center[k] = d->center[k];
        d->kinetic += v[k] * (p[k] + m * v[k] / 2);
        d->angular[k] += place[u] * (p[w] + m * v[w]) - place[w] * (p[u] + m * v[u]);
        d->angular[k] += m * (d->center[u] * v[w] - d->center[w] * v[u]);
    }
    for (size_t k = 0; k < 3; k++) {
        d->center[k] = center[k] + place[k];
        d->momentum[k] += m * v[k];
    }
    d->energy = d->kinetic + d->potential;
    d->virial = d->potential < 0 ? d->kinetic / -d->potential : 0;
}

/* ---- the step check ---- */

enum { FEW = 64, PART = 20 }; /* of more bodies the largest value that one in PART exceeds counts */

static int from_largest(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

void nbody_judge_steps(size_t n, double *worst, penta_nbody_diagnostics *d)
{
    d->step_body = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(worst[i]))
            worst[i] = INFINITY;
        if (worst[i] > worst[d->step_body])
            d->step_body = i;
    }
    d->step_check = d->step_judged = worst[d->step_body];
    if (n > FEW) {
        qsort(worst, n, sizeof *worst, from_largest);
        d->step_judged = worst[n / PART];
    }
}
