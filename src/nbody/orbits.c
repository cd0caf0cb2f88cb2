/* The step that bodies should have had, from the closest orbits among them. */
#include <math.h>

#include <pentacl/nbody.h>
#include <pentacl/numbers.h>

static const double good_check = 1e-3; /* of leapfrog: some hundred steps a revolution */
static const double good_angle =
    0.08; /* rad, times sqrt(1 - e): of a step at the pericentre, for energies within 1e-3 */
static const double least_change = 1e-6; /* of the step: beyond, bodies meet head-on, and no step will do */

/* Of a pair, relative: r^2 with softening, v^2, r v. */
typedef struct {
    double mass, r2, v2, rv;
} pair;

static pair pair_of(const double *a, const double *b, double eps)
{
    pair p = {a[0] + b[0], eps * eps, 0, 0};

    for (int k = 1; k <= 3; k++) {
        p.r2 += (a[k] - b[k]) * (a[k] - b[k]);
        p.v2 += (a[k + 3] - b[k + 3]) * (a[k + 3] - b[k + 3]);
        p.rv += (a[k] - b[k]) * (a[k + 3] - b[k + 3]);
    }
    return p;
}

/* A good angle / the angular speed at the pericentre; INFINITY: not bound. */
static double pericentre_step(const pair *p, double eps)
{
    double energy = p->v2 / 2 - p->mass / sqrt(p->r2), area = fmax(p->r2 * p->v2 - p->rv * p->rv, 0), e, q;

    if (!(energy < 0))
        return INFINITY;
    e = sqrt(fmax(1 + 2 * energy * area / p->mass / p->mass, 0));
    q = hypot(area / p->mass / (1 + e), eps);
    return good_angle * sqrt(fmax(1 - e, 0)) * sqrt(q * q * q / p->mass / (1 + e));
}

double penta_nbody_orbit_step(size_t n, const double *bodies, double eps)
{
    double least = INFINITY;

    for (size_t i = 0; i < n; i++) {
        double strongest = 0;
        pair next = {0};

        for (size_t j = 0; j < n; j++) {
            pair p = pair_of(bodies + 7 * i, bodies + 7 * j, eps);
            double tide = j == i ? 0 : bodies[7 * j] / (p.r2 * sqrt(p.r2));

            if (tide > strongest) {
                strongest = tide;
                next = p;
            }
        }
        if (strongest > 0)
            least = fmin(least, pericentre_step(&next, eps));
    }
    return isfinite(least) ? least : 0;
}

/* The check falls with the square of the step. Two digits, rounded down. */
static double better_step(double step, double check, double orbit)
{
    double wanted = fabs(step) * sqrt(good_check / check), digit;

    if (orbit < wanted && orbit > least_change * wanted)
        wanted = orbit;
    digit = pow(10, floor(log10(wanted)) - 1);
    return copysign(floor(wanted / digit) * digit, step);
}

bool penta_nbody_advise_step(const penta_nbody_options *o, size_t n, const penta_nbody_diagnostics *d,
                             double orbit_step, char *message, size_t size)
{
    const bool fixed = o->step_mode == PENTA_NBODY_FIXED;
    const double check = fmin(d->step_judged, 1e6); /* one that is no number is infinite */
    const double better = fixed ? better_step(o->dt, check, orbit_step) : better_step(o->eta, check, 0);
    char whom[64] = "more than 5 % of the bodies";

    if (d->step_judged <= PENTA_NBODY_ROUGH)
        return false;
    if (n <= PENTA_NBODY_FEW)
        penta_snprintf(whom, sizeof whom, "body %zu", d->step_body);
    if (message && size > 0)
        penta_snprintf(message, size, "steps are too long for %s (step check %.2g, above %g); take `%s` %g%s", whom,
                       d->step_judged, PENTA_NBODY_ROUGH, fixed ? "dt" : "eta", better,
                       fixed ? ", or `integrator` hermite4 with `step_mode` block" : "");
    return true;
}
