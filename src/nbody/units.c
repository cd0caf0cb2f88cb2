/* Whether bodies look like ones whose units have G = 1. */
#include <math.h>

#include <pentacl/nbody.h>
#include <pentacl/numbers.h>

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

/* A pair may be far apart or at its apocentre. */
bool penta_nbody_doubt_units(size_t n, double kinetic, double potential, char *message, size_t size)
{
    const double ratio = 2 * kinetic / -potential;
    size_t k = 0, count = sizeof systems / sizeof *systems;

    if (n < 3 || !(potential < 0) || !isfinite(ratio))
        return false;
    while (k < count && !(ratio < alike * systems[k].g && ratio > systems[k].g / alike))
        k++;
    if (k < count)
        penta_snprintf(message, size,
                       "kinetic energy is %.3g of potential energy, so the units are not those of G = 1: in %s G is "
                       "%g; multiply the masses by it",
                       ratio / 2, systems[k].units, systems[k].g);
    else if (ratio > unbound)
        penta_snprintf(message, size,
                       "kinetic energy is %.3g times the potential energy: with G = 1 the bodies fly apart; where the "
                       "units have another G, multiply the masses by it",
                       ratio / 2);
    return k < count || ratio > unbound;
}
