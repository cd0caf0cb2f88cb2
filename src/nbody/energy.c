/* The energy of a run as a measure of its error, and G in units of files. */
#include <math.h>

#include <pentacl/nbody.h>

static const double least_share = 0.01; /* of the potential energy: less says nothing of the orbits */

void penta_nbody_energy_begin(penta_nbody_energy *e, double first, double potential)
{
    bool small = fabs(first) < least_share * fabs(potential);

    *e = (penta_nbody_energy){first, first, first, small ? fabs(potential) : fabs(first)};
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
    if (e->scale > 0)
        return fabs(difference) / e->scale;
    return fabs(difference) <= 0 ? 0 : NAN;
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
    return !(largest(e) <= limit * e->scale);
}

double penta_nbody_gravity(double length, double mass, double velocity)
{
    return 6.6743e-8 * mass / length / velocity / velocity;
}
