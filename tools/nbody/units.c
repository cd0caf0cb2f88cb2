/* Whether G is 1 in the units of the bodies. */
#include <math.h>

#include "nbody/run.h"

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

void nbody_check_units(nbody_run *run, double kinetic, double potential)
{
    char line[512];

    if (!run->flags.input || run->flags.restart || run->other_units ||
        !penta_nbody_doubt_units(run->bodies.n, kinetic, potential, line, sizeof line))
        return;
    run->other_units = true;
    job_warn(&run->job, "%s (--steps 0 --format csv makes a table)", line);
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
