/*
 * L. Hernquist, "An analytical model for spherical galaxies and bulges", ApJ 356 (1990) 359. In units of its mass and
 * scale length the mass inside r is (r / (1 + r))^2, the potential -1 / (1 + r), and the number of bodies with energy
 * -q^2 goes as (eq. 17)
 *
 *     f(q) = b(q) / (1 - q^2)^(5/2),  b(q) = 3 asin q + q sqrt(1 - q^2) (1 - 2 q^2) (8 q^4 - 8 q^2 - 3).
 */
#include "nbody/initial_hernquist.h"

#include <math.h>

#include "nbody/initial_draw.h"

double nbody_hernquist_radius(penta_rng *rng)
{
    double root = NBODY_HERNQUIST_CUT / (1 + NBODY_HERNQUIST_CUT) * sqrt(penta_rng_open(rng));

    return root / (1 - root);
}

static double numerator(double q)
{
    double q2 = q * q;

    return 3 * asin(q) + q * sqrt(1 - q2) * (1 - 2 * q2) * (8 * q2 * q2 - 8 * q2 - 3);
}

/*
 * Speeds at r go as v^2 f with q^2 = psi - v^2 / 2, where 1 - q^2 = s + v^2 / 2 with s = 1 - psi. Candidates go as
 * v^2 / (s + v^2 / 2)^(5/2), which can be inverted: the share below v is in proportion to (v^2 / (s + v^2 / 2))^(3/2).
 * One in b(q) / b(sqrt psi) of them is right; b rises with q. At any r at least one in six is.
 */
static double draw_speed(penta_rng *rng, double r)
{
    double psi = 1 / (1 + r), s = r / (1 + r), most = numerator(sqrt(psi)), v2;

    do {
        double root = cbrt(penta_rng_open(rng)), half = psi * root * root; /* v^2 / (2 s + v^2), at most psi */

        v2 = 2 * s * half / (1 - half);
    } while (penta_rng_uniform(rng) * most > numerator(sqrt(fmax(psi - v2 / 2, 0))));
    return sqrt(v2);
}

void nbody_hernquist_body(penta_rng *rng, double body[6])
{
    double r = nbody_hernquist_radius(rng);

    nbody_isotropic(rng, r, body);
    nbody_isotropic(rng, sqrt(NBODY_HERNQUIST_MASS) * draw_speed(rng, r), body + 3);
}
