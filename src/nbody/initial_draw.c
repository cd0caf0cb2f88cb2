#include "nbody/initial_draw.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

void nbody_isotropic(penta_rng *rng, double length, double out[3])
{
    double z = 2 * penta_rng_open(rng) - 1, angle = 2 * pi * penta_rng_uniform(rng), flat = sqrt(1 - z * z);

    out[0] = length * flat * cos(angle);
    out[1] = length * flat * sin(angle);
    out[2] = length * z;
}
