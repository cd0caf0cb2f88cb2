/*
 * An exponential disc in a Hernquist halo, after L. Hernquist, "N-body realizations of compound galaxies", ApJS 86
 * (1993) 389: places from the densities, velocities from moments.
 *
 * Disc: mass 1, surface density exp(-R) / 2 pi, density across it as sech^2(z / HEIGHT). The circular velocity is that
 * of the disc, by its Bessel transform (A. Toomre, ApJ 138 (1963) 385), and of the halo. The radial dispersion goes as
 * exp(-R / 2) and makes Toomre's Q 1.5 at R = 2.5, the azimuthal one follows from epicycles, the vertical one from an
 * isothermal sheet, and the mean rotation lags by the asymmetric drift.
 *
 * Halo: mass 5 and scale length 5; isotropic, at each radius with the dispersion that holds it up against its own mass
 * and the disc's, taken as spherical, and speeds as for a distribution function that is a power of the energy, which
 * ends at the velocity of escape.
 */
#include "nbody/initial_disc.h"

#include <math.h>
#include <stdlib.h>

#include "nbody/initial_draw.h"
#include "nbody/initial_hernquist.h"

enum { FAR = 16, PER_LENGTH = 16, SHELLS = 401 }; /* the disc's table goes to R = FAR */

#define HEIGHT     0.2
#define TOOMRE_Q   1.5
#define TOOMRE_AT  2.5
#define HALO_MASS  5.0
#define HALO_SCALE 5.0

static const double pi = 3.14159265358979323846;
static const double least_shell = 1e-3, most_shell = 1e4; /* of the halo's table, in its logarithm */

struct nbody_disc {
    double circular[FAR * PER_LENGTH + 1]; /* v_c^2 at R = k / PER_LENGTH */
    double hot;                            /* radial dispersion, squared, times exp(R) */
    double halo[SHELLS];                   /* dispersion in one direction, squared */
};

/* ---- the disc ---- */

/*
 * v^2 of the disc alone: R times the integral over k of k J1(k R) / ((1 + k^2)^(3/2) (1 + k HEIGHT)), where the last
 * factor stands for the thickness: two bodies are HEIGHT apart in z on average. From R = FAR on by multipoles.
 */
static double disc_circular(double R)
{
    const double step = 0.05, most = 60;
    double sum = 0, i2 = 1 / (R * R);

    if (R >= FAR)
        return (1 + i2 * (4.5 + i2 * 84.375)) / R;
    for (int i = 1; i * step < most; i++) {
        double k = i * step, k2 = 1 + k * k;

        sum += k * j1(k * R) / (k2 * sqrt(k2) * (1 + k * HEIGHT));
    }
    return R * sum * step;
}

static double circular(double R)
{
    return disc_circular(R) + NBODY_HERNQUIST_MASS * HALO_MASS * R / ((R + HALO_SCALE) * (R + HALO_SCALE));
}

/* v_c^2, and (kappa / 2 Omega)^2 = (d ln v_c^2 / d ln R + 2) / 4. */
static double look_up(const nbody_disc *d, double R, double *epicycle)
{
    bool near = R < FAR;
    double at = near ? floor(R * PER_LENGTH) / PER_LENGTH : R;
    const double *table = d->circular + (near ? (size_t)(R * PER_LENGTH) : 0);
    double inner = near ? table[0] : circular(R), outer = near ? table[1] : circular(R + 1.0 / PER_LENGTH);
    double slope = (outer - inner) * PER_LENGTH, v2 = inner + slope * (R - at);

    *epicycle = (R * slope / v2 + 2) / 4;
    return v2;
}

/* Q = sigma kappa / (3.36 Sigma). */
static void set_dispersion(nbody_disc *d)
{
    double surface = exp(-TOOMRE_AT) / (2 * pi), epicycle, v2 = look_up(d, TOOMRE_AT, &epicycle);
    double kappa = 2 * sqrt(v2 * epicycle) / TOOMRE_AT, sigma = TOOMRE_Q * 3.36 * surface / kappa;

    d->hot = sigma * sigma * exp(TOOMRE_AT);
}

static void disc_body(const nbody_disc *d, penta_rng *rng, double body[6])
{
    double R = -log(penta_rng_open(rng)) - log(penta_rng_open(rng)); /* density R exp(-R) */
    double angle = 2 * pi * penta_rng_uniform(rng), c = cos(angle), s = sin(angle), u = penta_rng_open(rng);
    double epicycle, v2 = look_up(d, R, &epicycle), radial = d->hot * exp(-R);
    double mean = sqrt(fmax(v2 + radial * (1 - epicycle - 2 * R), 0));
    double v_R = sqrt(radial) * penta_rng_normal(rng);
    double v_phi = mean + sqrt(radial * epicycle) * penta_rng_normal(rng);

    body[0] = R * c;
    body[1] = R * s;
    body[2] = HEIGHT / 2 * log(u / (1 - u));
    body[3] = v_R * c - v_phi * s;
    body[4] = v_R * s + v_phi * c;
    body[5] = sqrt(HEIGHT * exp(-R) / 2) * penta_rng_normal(rng); /* pi Sigma HEIGHT */
}

/* ---- the halo ---- */

static double shell_radius(int k)
{
    return least_shell * pow(most_shell / least_shell, (double)k / (SHELLS - 1));
}

/* rho(r) M(r) / r with M of halo and disc, and the density of the halo up to a factor. */
static double pressed(double r)
{
    double x = r / HALO_SCALE, halo = NBODY_HERNQUIST_MASS * HALO_MASS * (x / (1 + x)) * (x / (1 + x));

    return (halo + 1 - (1 + r) * exp(-r)) / (r * x * (1 + x) * (1 + x) * (1 + x));
}

/* rho sigma^2 = integral from r on of rho M / r^2 dr, in steps of ln r. */
static void set_halo(nbody_disc *d)
{
    double step = log(most_shell / least_shell) / (SHELLS - 1), sum = 0, outer = pressed(shell_radius(SHELLS - 1));

    for (int k = SHELLS - 1; k >= 0; k--) {
        double r = shell_radius(k), x = r / HALO_SCALE, inner = pressed(r);

        sum += (inner + outer) / 2 * step;
        outer = inner;
        d->halo[k] = sum * x * (1 + x) * (1 + x) * (1 + x);
    }
}

/* Dispersion in one direction, squared, at r. */
static double halo_dispersion(const nbody_disc *d, double r)
{
    double at = log(r / least_shell) / log(most_shell / least_shell) * (SHELLS - 1);
    size_t k = (size_t)fmin(fmax(at, 0), SHELLS - 2);

    return d->halo[k] + (d->halo[k + 1] - d->halo[k]) * fmax(at - (double)k, 0);
}

/* Speeds q in units of that of escape go as q^2 (1 - q^2)^power; their mean square is 3 / (2 power + 5). */
static void halo_body(const nbody_disc *d, penta_rng *rng, double body[6])
{
    double r = HALO_SCALE * nbody_hernquist_radius(rng);
    double escape2 = 2 * (NBODY_HERNQUIST_MASS * HALO_MASS / (r + HALO_SCALE) - expm1(-r) / r);
    double power = escape2 / (2 * halo_dispersion(d, r)) - 2.5, top = 1 / (1 + power), q, q2;

    do {
        q = penta_rng_uniform(rng);
        q2 = q * q;
    } while (penta_rng_uniform(rng) * top * pow(1 - top, power) > q2 * pow(1 - q2, power));
    nbody_isotropic(rng, r, body);
    nbody_isotropic(rng, q * sqrt(escape2), body + 3);
}

/* ---- both ---- */

penta_status nbody_disc_create(nbody_disc **out)
{
    penta_status status = penta_calloc(NULL, 1, sizeof **out, out);

    if (status != PENTA_OK)
        return status;
    for (int k = 0; k <= FAR * PER_LENGTH; k++)
        (*out)->circular[k] = circular((double)k / PER_LENGTH);
    set_dispersion(*out);
    set_halo(*out);
    return PENTA_OK;
}

void nbody_disc_destroy(nbody_disc *disc)
{
    free(disc);
}

void nbody_disc_body(const nbody_disc *disc, penta_rng *rng, size_t i, double body[6])
{
    if (i % 3 == 0)
        disc_body(disc, rng, body);
    else
        halo_body(disc, rng, body);
}

double nbody_disc_mass(size_t n, size_t i)
{
    size_t in_disc = (n + 2) / 3;

    return i % 3 == 0 ? 1 / (double)in_disc : HALO_MASS / (double)(n - in_disc);
}
