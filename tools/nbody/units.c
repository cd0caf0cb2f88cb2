/* Whether G is 1 in the units of the bodies. */
#include <math.h>

#include "nbody/run.h"

/* G in units of many files. 2 T / |W| is near it where the bodies are in equilibrium. */
static const struct {
    const char *units;
    double g;
} systems[] = {{"kpc, 10^10 solar masses and km/s, GADGET's usual units,", 43009.17},
               {"AU, solar masses and years", 39.4769},
               {"pc, solar masses and km/s", 4.300917e-3},
               {"AU, solar masses and days", 2.959122e-4},
               {"kpc, solar masses and km/s", 4.300917e-6},
               {"cgs units", 6.6743e-8},
               {"SI units", 6.6743e-11}};

static const double unbound = 20, alike = 1.5; /* 2 T / |W|; a factor */

void nbody_check_stated_units(nbody_run *run)
{
    const penta_io_units *u = &run->bodies.units;
    const double g = penta_nbody_gravity(u->length, u->mass, u->velocity);

    run->other_units = fabs(g - 1) > 0.01;
    if (run->other_units)
        job_warn(&run->job,
                 "in the units of the bodies (%g cm, %g g, %g cm/s) G is %g, but forces are those of G = 1; scale the "
                 "masses by it, and state no units or those of G = 1",
                 u->length, u->mass, u->velocity, g);
}

/* A pair may be far apart or at its apocentre. */
void nbody_check_units(nbody_run *run, double kinetic, double potential)
{
    const double ratio = 2 * kinetic / -potential;
    size_t k = 0, count = sizeof systems / sizeof *systems;

    if (!run->flags.input || run->flags.restart || run->other_units || run->bodies.n < 3 || !(potential < 0) ||
        !isfinite(ratio))
        return;
    while (k < count && !(ratio < alike * systems[k].g && ratio > systems[k].g / alike))
        k++;
    if (k == count && !(ratio > unbound))
        return;
    run->other_units = true;
    if (k < count)
        job_warn(&run->job,
                 "kinetic energy is %.3g of potential energy, so the units are not those of G = 1: in %s G is %g; "
                 "multiply the masses by it (--steps 0 --format csv makes a table)",
                 ratio / 2, systems[k].units, systems[k].g);
    else
        job_warn(&run->job,
                 "kinetic energy is %.3g times the potential energy: with G = 1 the bodies fly apart; where the units "
                 "have another G, multiply the masses by it (--steps 0 --format csv makes a table)",
                 ratio / 2);
}

void nbody_check_units_at(nbody_run *run, const double *potential)
{
    const size_t n = run->flags.input && !run->flags.restart ? run->bodies.n : 0; /* else the rows are of no use */
    double mass = 0, sums[3] = {0}, kinetic = 0, twice = 0;

    for (size_t i = 0; i < n; i++) {
        const double *b = run->bodies.rows + 7 * i;

        mass += *b;
        twice += *b * potential[i];
        for (int k = 0; k < 3; k++)
            sums[k] += *b * b[4 + k];
    }
    for (size_t i = 0; mass > 0 && i < n; i++)
        for (int k = 0; k < 3; k++)
            kinetic += run->bodies.rows[7 * i] / 2 * pow(run->bodies.rows[7 * i + 4 + k] - sums[k] / mass, 2);
    nbody_check_units(run, kinetic, twice / 2);
}
