/* The softening length of the forces. */
#include <math.h>
#include <stdlib.h>

#include <pentacl/numbers.h>

#include "nbody/run.h"

enum { FEW_ENOUGH = 2000, LOOKED_AT = 1000000 }; /* bodies: without softening; whose radii are sorted, about */

static const double least = 1e-6, most = 0.1; /* softening that is believed, of the half-mass radius */

typedef struct {
    double value, weight;
} weighted;

static int by_value(const void *a, const void *b)
{
    const weighted *p = a, *q = b;

    return (p->value > q->value) - (p->value < q->value);
}

/* 0: there are none. */
static double median(size_t n, weighted *items)
{
    double all = 0, sum = 0;
    size_t i = 0;

    for (size_t k = 0; k < n; k++)
        all += items[k].weight;
    qsort(items, n, sizeof *items, by_value);
    while (i + 1 < n && (sum += items[i].weight) < all / 2 * (1 - 1e-12))
        i++;
    return n > 0 ? items[i].value : 0;
}

/* Of many bodies every so many-th; an odd number, since files may have two kinds in turn. */
static size_t stride_of(size_t n)
{
    return (n / LOOKED_AT) | 1;
}

/* About the centre of mass; where one body has more than half of the mass, of the others about it. */
static double half_mass_radius(size_t n, const double *rows, weighted *items)
{
    double mass = 0, center[3] = {0}, rest;
    const double *heavy = rows;
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        mass += rows[7 * i];
        heavy = rows[7 * i] > *heavy ? rows + 7 * i : heavy;
        for (int k = 0; k < 3; k++)
            center[k] += rows[7 * i] * rows[7 * i + 1 + k];
    }
    rest = *heavy > mass / 2 ? mass - *heavy : mass;
    for (int k = 0; k < 3; k++)
        center[k] = rest < mass || !(mass > 0) ? heavy[1 + k] : center[k] / mass;
    for (size_t i = 0; i < n; i += stride_of(n)) {
        const double *b = rows + 7 * i;

        if (rest < mass && b == heavy)
            continue;
        items[count].value = hypot(hypot(b[1] - center[0], b[2] - center[1]), b[3] - center[2]);
        items[count++].weight = rest > 0 ? *b : 1;
    }
    return median(count, items);
}

static void range_of(const penta_io_bodies *b, double *low, double *high)
{
    *low = *high = b->softening[0];
    for (size_t i = 1; i < b->n; i++) {
        *low = fmin(*low, b->softening[i]);
        *high = fmax(*high, b->softening[i]);
    }
}

/* The file's softening: its median by mass; 0: none that can be believed. */
static double of_file(const nbody_run *run, double radius, weighted *items)
{
    const penta_io_bodies *b = &run->bodies;
    double low, high, eps;
    size_t count = 0, out = 0;
    char besides[96] = "";

    range_of(b, &low, &high);
    for (size_t i = 0; i < b->n; i++) {
        const double s = b->softening[i];
        const bool good = s >= least * radius && s <= most * radius;

        out += !good;
        if (good && b->rows[7 * i] > 0 && i % stride_of(b->n) == 0)
            items[count++] = (weighted){s, b->rows[7 * i]};
    }
    eps = median(count, items);
    if (out > 0)
        penta_snprintf(besides, sizeof besides, "; that of %zu bodies is below 1e-6 or above 0.1 of it, and left out",
                       out);
    if (eps > 0)
        job_note(&run->job,
                 "forces use one softening, %g, the median by mass of the file's (%g to %g; the half-mass radius is "
                 "%.3g%s); --eps sets another",
                 eps, low, high, radius, besides);
    else
        job_note(&run->job,
                 "the file's softening (%g to %g) is left out: it is below 1e-6 or above 0.1 of the half-mass radius, "
                 "%.3g; --eps sets one",
                 low, high, radius);
    return eps;
}

/* About half of the mean distance of neighbours inside the half-mass radius; two digits, so that --eps can repeat it.
 */
static double of_number(const nbody_run *run, double radius)
{
    char text[32];

    penta_snprintf(text, sizeof text, "%.2g", radius / cbrt((double)run->bodies.n));
    job_warn(&run->job,
             "no softening is known for these %zu bodies; forces use %s, the half-mass radius (%.3g) over the cube "
             "root of their number; set it with --eps",
             run->bodies.n, text, radius);
    return penta_strtod(text, NULL);
}

static double choose(const nbody_run *run, double radius, weighted *items)
{
    double eps = run->bodies.softening ? of_file(run, radius, items) : 0;

    return eps > 0 || run->bodies.n <= FEW_ENOUGH ? eps : of_number(run, radius);
}

static double least_distance(size_t n, const double *rows)
{
    double nearest = INFINITY;

    for (size_t i = 0; i < 7 * n; i += 7)
        for (size_t j = 0; j < i; j += 7) {
            double d = hypot(hypot(rows[i + 1] - rows[j + 1], rows[i + 2] - rows[j + 2]), rows[i + 3] - rows[j + 3]);

            nearest = d > 0 ? fmin(nearest, d) : nearest;
        }
    return nearest;
}

/* Models of few bodies stand for many, so their distances say nothing. */
static void check_given(const nbody_run *run, double radius)
{
    const double eps = run->options.eps;
    const bool few = run->flags.input && run->bodies.n <= PENTA_NBODY_FEW;
    const double nearest = few ? least_distance(run->bodies.n, run->bodies.rows) : INFINITY;

    if (eps > 0.1 * nearest)
        job_warn(&run->job, "--eps %g is above a tenth of the smallest distance of two bodies, %.3g; take --eps 0", eps,
                 nearest);
    else if (radius > 0 && eps > most * radius)
        job_warn(&run->job,
                 "--eps %g is above a tenth of the half-mass radius, %.3g, and changes all orbits; take %.2g or less",
                 eps, radius, 0.95 * most * radius); /* as the digits are rounded */
}

/* The bodies' own softening is kept in files, but not used. */
static void note_own(const nbody_run *run)
{
    double low, high;

    range_of(&run->bodies, &low, &high);
    if (low < run->options.eps || high > run->options.eps)
        job_note(&run->job, "the bodies' own softening (%g to %g) is kept in files, but all forces use --eps %g", low,
                 high, run->options.eps);
}

int nbody_settle_softening(nbody_run *run, bool given)
{
    const size_t n = run->bodies.n;
    weighted *items;
    double radius;

    if (run->bodies.softening && (given || run->flags.restart))
        note_own(run);
    if (run->flags.restart || (run->flags.ic && !given))
        return CLI_OK;
    items = malloc((n / stride_of(n) + 1) * sizeof *items);
    if (!items)
        return cli_fail(run->job.command, CLI_ERROR, "out of memory for %zu bodies", n);
    radius = half_mass_radius(n, run->bodies.rows, items);
    if (given)
        check_given(run, radius);
    else
        run->options.eps = choose(run, radius, items);
    free(items);
    return CLI_OK;
}
