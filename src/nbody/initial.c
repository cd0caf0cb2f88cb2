/*
 * Initial conditions. Body i has random numbers of its own, so its position and velocity do not depend on n except for
 * the shift to the centre of mass; masses do.
 */
#include <math.h>
#include <string.h>

#include <pentacl/nbody.h>

#include "math/pair.h"
#include "nbody/initial_disc.h"
#include "nbody/initial_draw.h"
#include "nbody/initial_hernquist.h"

static const double pi = 3.14159265358979323846;

enum { BODIES_AT_ONCE = 1024 }; /* of a thread */

/* What body i depends on, apart from the shift to the centre of mass. */
typedef struct {
    int model;
    uint64_t seed;
    size_t n;
    nbody_disc *disc; /* NULL where the model has none */
    double *bodies;
} job;

/* ---- models of one kind of body ---- */

/*
 * S. Aarseth, M. Henon, R. Wielen, A&A 37 (1974) 183, appendix: radii by inversion, speeds by rejection. Only the
 * innermost 99.9 per cent of the mass are drawn from, up to 22.8 scale lengths or r = 13.4. The model's scale length
 * in Henon's units is 3 pi / 16.
 */
static void plummer(penta_rng *rng, double body[6])
{
    const double scale = 3 * pi / 16;
    double r = 1 / sqrt(pow(0.999 * penta_rng_open(rng), -2.0 / 3) - 1), q, q2, escape = sqrt(2 / sqrt(1 + r * r));

    do {
        q = penta_rng_uniform(rng);
        q2 = q * q;
    } while (0.1 * penta_rng_uniform(rng) > q2 * pow(1 - q2, 3.5)); /* largest: 0.092 */
    nbody_isotropic(rng, scale * r, body);
    nbody_isotropic(rng, q * escape / sqrt(scale), body + 3);
}

static void uniform(penta_rng *rng, double body[6])
{
    nbody_isotropic(rng, cbrt(penta_rng_open(rng)), body);
}

static void corner(size_t n, size_t i, double body[6])
{
    body[0] = cos(2 * pi * (double)i / (double)n);
    body[1] = sin(2 * pi * (double)i / (double)n);
}

/* ---- galaxies ---- */

/* Turns x, y, z about the axis in the x-y plane at `node` to x. */
static void tilt(double v[3], double node, double angle)
{
    double c = cos(node), s = sin(node), along = v[0] * c + v[1] * s, across = v[1] * c - v[0] * s;
    double turned = across * cos(angle) - v[2] * sin(angle);

    v[2] = across * sin(angle) + v[2] * cos(angle);
    v[0] = along * c - turned * s;
    v[1] = along * s + turned * c;
}

/*
 * Even bodies are one galaxy, odd ones the other, each body i / 2 of a disc in its halo. Two points of their mass, 6
 * each, would be on a parabola in the x-y plane, `apart` now and `nearest` at the closest. The first disc turns with
 * the orbit, 30 degrees out of its plane, the second one 60 degrees about another axis.
 */
static void galaxies(const nbody_disc *disc, penta_rng *rng, size_t i, double body[6])
{
    const double apart = 20, nearest = 4, mass = 12;
    const double across = sqrt(2 * mass * nearest) / apart, inward = sqrt(2 * mass / apart - across * across);
    double side = i % 2 ? -0.5 : 0.5, node = i % 2 ? pi / 3 : 0, angle = i % 2 ? pi / 3 : pi / 6;

    nbody_disc_body(disc, rng, i / 2, body);
    tilt(body, node, angle);
    tilt(body + 3, node, angle);
    body[0] += side * apart;
    body[3] -= side * inward;
    body[4] += side * across;
}

static double galaxy_mass(size_t n, size_t i)
{
    return nbody_disc_mass((n + 1 - i % 2) / 2, i / 2);
}

/* ---- all bodies ---- */

static void make_body(const job *j, size_t i, double body[7])
{
    penta_rng rng = penta_rng_at(j->seed, PENTA_RNG_BODIES, i);

    memset(body, 0, 7 * sizeof *body);
    body[0] = 1 / (double)j->n;
    switch (j->model) {
    case PENTA_NBODY_PLUMMER:
        plummer(&rng, body + 1);
        break;
    case PENTA_NBODY_HERNQUIST:
        nbody_hernquist_body(&rng, body + 1);
        break;
    case PENTA_NBODY_DISC:
        body[0] = nbody_disc_mass(j->n, i);
        nbody_disc_body(j->disc, &rng, i, body + 1);
        break;
    case PENTA_NBODY_UNIFORM:
        uniform(&rng, body + 1);
        break;
    case PENTA_NBODY_GALAXIES:
        body[0] = galaxy_mass(j->n, i);
        galaxies(j->disc, &rng, i, body + 1);
        break;
    case PENTA_NBODY_NGON:
        corner(j->n, i, body + 1);
        break;
    }
}

static void make_some(void *data, size_t part)
{
    const job *j = data;
    size_t first = part * BODIES_AT_ONCE, end = first + BODIES_AT_ONCE < j->n ? first + BODIES_AT_ONCE : j->n;

    for (size_t i = first; i < end; i++)
        make_body(j, i, j->bodies + 7 * i);
}

/* The centre of mass to the origin, and at rest. */
static void center(size_t n, double *bodies)
{
    penta_pair mass = {0, 0}, sums[6] = {{0, 0}};

    for (size_t i = 0; i < n; i++) {
        mass = penta_pair_add(mass, (penta_pair){bodies[7 * i], 0});
        for (int k = 0; k < 6; k++)
            sums[k] = penta_pair_add(sums[k], penta_pair_product(bodies[7 * i], bodies[7 * i + 1 + k]));
    }
    for (int k = 0; k < 6; k++)
        sums[k] = penta_pair_divide(sums[k], mass);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 6; k++)
            bodies[7 * i + 1 + k] -= sums[k].hi;
}

penta_status penta_nbody_initial(int model, uint64_t seed, size_t n, double *bodies)
{
    penta_status status = PENTA_OK;
    job j = {model, seed, n, NULL, bodies};

    if (model < PENTA_NBODY_PLUMMER || model > PENTA_NBODY_NGON)
        return penta_fail(NULL, PENTA_INVALID, "there is no model %d of initial conditions", model);
    if (n == 0)
        return penta_fail(NULL, PENTA_INVALID, "there are no bodies");
    if (model == PENTA_NBODY_DISC || model == PENTA_NBODY_GALAXIES)
        TRY(nbody_disc_create(&j.disc));
    penta_parallel((n + BODIES_AT_ONCE - 1) / BODIES_AT_ONCE, make_some, &j);
    center(n, bodies);
cleanup:
    nbody_disc_destroy(j.disc);
    return status;
}
