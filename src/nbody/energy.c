/* The energy of a run as a measure of its error, and G in units of files. */
#include <math.h>

#include <pentacl/nbody.h>

void penta_nbody_energy_begin(penta_nbody_energy *e, double first)
{
    *e = (penta_nbody_energy){first, first, first};
}

/* An end that is not a number stays. */
void penta_nbody_energy_add(penta_nbody_energy *e, double energy)
{
    if (!isnan(e->low) && !(energy >= e->low))
        e->low = energy;
    else if (!isnan(e->high) && !(energy <= e->high))
        e->high = energy;
}

static double relative(const penta_nbody_energy *e, double difference)
{
    return e->first < 0 || e->first > 0 ? fabs(difference) / fabs(e->first) : NAN;
}

/* Largest |E - first|. */
static double largest(const penta_nbody_energy *e)
{
    return isnan(e->low) || isnan(e->high) ? NAN : fmax(e->first - e->low, e->high - e->first);
}

double penta_nbody_energy_error(const penta_nbody_energy *e, double energy)
{
    return relative(e, energy - e->first);
}

double penta_nbody_energy_worst(const penta_nbody_energy *e)
{
    return relative(e, largest(e));
}

bool penta_nbody_energy_exceeds(const penta_nbody_energy *e, double limit)
{
    return !(largest(e) <= limit * fabs(e->first));
}

double penta_nbody_gravity(double length, double mass, double velocity)
{
    return 6.6743e-8 * mass / length / velocity / velocity;
}
