/* The softening length of the forces. */
#include <math.h>

#include <pentacl/numbers.h>

#include "nbody/run.h"

enum { FEW_ENOUGH = 2000 }; /* bodies: without softening */

static const double least = 1e-6, most = 0.1; /* softening that is believed, of the half-mass radius */

static void range_of(const penta_io_bodies *b, double *low, double *high)
{
    *low = *high = b->softening[0];
    for (size_t i = 1; i < b->n; i++) {
        *low = fmin(*low, b->softening[i]);
        *high = fmax(*high, b->softening[i]);
    }
}

/* The file's softening: its median by mass; 0: none that can be believed. */
static double of_file(const nbody_run *run, double radius)
{
    const penta_io_bodies *b = &run->bodies;
    double low, high, eps;
    size_t out = 0;
    char besides[96] = "";

    range_of(b, &low, &high);
    for (size_t i = 0; i < b->n; i++)
        out += !(b->softening[i] >= least * radius && b->softening[i] <= most * radius);
    eps = penta_nbody_median_by_mass(b->n, b->rows, b->softening, least * radius, most * radius);
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

static double choose(const nbody_run *run, double radius)
{
    double eps = run->bodies.softening ? of_file(run, radius) : 0;

    return eps > 0 || run->bodies.n <= FEW_ENOUGH ? eps : of_number(run, radius);
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
    char line[256];
    double radius;

    if (run->bodies.softening && (given || run->flags.restart))
        note_own(run);
    if (run->flags.restart || (run->flags.ic && !given))
        return CLI_OK;
    /* Models of few bodies stand for many, so their distances say nothing. */
    if (given &&
        penta_nbody_doubt_softening(n, run->bodies.rows, run->options.eps, run->flags.input, line, sizeof line))
        job_warn(&run->job, "%s", cli_name_flags(line));
    if (given)
        return CLI_OK;
    radius = penta_nbody_half_mass_radius(n, run->bodies.rows);
    run->options.eps = choose(run, radius);
    return isnan(radius) || isnan(run->options.eps)
               ? cli_fail(run->job.command, CLI_ERROR, "out of memory for %zu bodies", n)
               : CLI_OK;
}
