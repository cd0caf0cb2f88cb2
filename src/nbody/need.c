/*
 * A coordinate of size s is rounded by up to s 2^-24 in floats and s 2^-48 in pairs of them, which changes the distance
 * d of two bodies by at most four times as much: the force between them is accurate to 2^-10 where d >= 2^12 times the
 * rounding. Softening below a few times the rounding has no effect, and forces beyond the range of float are 0 or
 * infinite whatever the coordinates.
 */
#include "nbody/need.h"

#include <math.h>

#include "nbody/closest.h"
#include "nbody/nbody.h"

static const double single_share = 0x1p-12, ds_share = 0x1p-36; /* least distance / coordinate */
static const double single_soft = 0x1p-21, ds_soft = 0x1p-45;   /* least softening / coordinate */
static const double most_length = 1e12, least_length = 1e-17, most_mass = 1e14;
static const double most_force = 1e36, least_force = 1e-37;

/* What the decision depends on. */
typedef struct {
    double mass, length; /* the largest mass; the largest coordinate */
    double eps;
    nbody_closest pair;
} extent;

static void measure(size_t n, const double *bodies, extent *e)
{
    for (size_t i = 0; i < n; i++) {
        e->mass = fmax(e->mass, bodies[7 * i]);
        for (size_t k = 1; k <= 3; k++)
            e->length = fmax(e->length, fabs(bodies[7 * i + k]));
    }
}

/* The largest force at a distance, as an intermediate result of the kernels: softened ones compute m / d^3, others
 * m / d^2. */
static double force_at(const extent *e, double distance)
{
    return e->mass / (distance * distance) / (nbody_softened(e->eps) ? distance : 1);
}

/* The smallest distance at which a float holds the force of the largest mass. */
static double least_distance(const extent *e)
{
    double least = nbody_softened(e->eps) ? cbrt(e->mass / most_force) : sqrt(e->mass / most_force);

    return fmax(least, least_length);
}

static void too_far(const char *what, double value, double limit, nbody_need *out)
{
    *out = (nbody_need){.precision = PENTA_PRECISION_DOUBLE, .out_of_range = true};
    penta_snprintf(out->reason, sizeof out->reason, "%s is %g, %s %g, where floats leave their range", what, value,
                   value > limit ? "beyond" : "below", limit);
}

/* Whether floats cannot hold lengths or masses. */
static bool check_range(size_t n, const extent *e, nbody_need *out)
{
    double nearest = e->pair.found ? fmax(e->pair.least, e->eps) : INFINITY, least = least_distance(e);

    if (e->eps > most_length)
        too_far("the softening", e->eps, most_length, out);
    else if (e->mass > most_mass)
        too_far("the largest mass", e->mass, most_mass, out);
    else if (e->length > most_length)
        too_far("the largest coordinate", e->length, most_length, out);
    else if (e->eps > 0 && e->eps < least)
        too_far("the softening", e->eps, least, out);
    else if (n > 1 && nearest < least)
        too_far("the least distance", nearest, least, out);
    else if (n > 1 && e->mass > 0 && force_at(e, fmax(2 * e->length, e->eps)) < least_force)
        too_far("the largest force across the bodies", force_at(e, fmax(2 * e->length, e->eps)), least_force, out);
    return out->out_of_range;
}

static void check_pair(const extent *e, nbody_need *out)
{
    const nbody_closest *p = &e->pair;
    size_t first = p->first < p->second ? p->first : p->second, second = p->first + p->second - first;
    double share = p->found ? fmax(p->distance, e->eps) / p->size : INFINITY;

    if (share >= single_share)
        return;
    out->precision = share >= ds_share ? PENTA_PRECISION_DS : PENTA_PRECISION_DOUBLE;
    penta_snprintf(out->reason, sizeof out->reason, "bodies %zu and %zu are %.3g apart at coordinates of %.3g", first,
                   second, p->distance, p->size);
}

static void check_softening(const extent *e, nbody_need *out)
{
    int precision = e->eps >= ds_soft * e->length ? PENTA_PRECISION_DS : PENTA_PRECISION_DOUBLE;

    if (!(e->eps > 0) || e->eps >= single_soft * e->length || out->precision == PENTA_PRECISION_DOUBLE)
        return;
    out->precision = precision;
    if (!*out->reason)
        penta_snprintf(out->reason, sizeof out->reason, "the softening of %.3g is lost in coordinates of %.3g", e->eps,
                       e->length);
}

penta_status nbody_need_of(penta_context *ctx, size_t n, const double *bodies, double eps, nbody_need *out)
{
    penta_status status = PENTA_OK;
    extent e = {.eps = eps};
    double reach;

    *out = (nbody_need){.precision = PENTA_PRECISION_SINGLE};
    measure(n, bodies, &e);
    reach = fmax(single_share * e.length, least_distance(&e));
    if (n > 1 && e.mass > 0 && eps < reach)
        TRY(nbody_closest_find(ctx, n, bodies, single_share, least_distance(&e), &e.pair));
    if (n > 1 && e.mass > 0 && !check_range(n, &e, out)) {
        check_pair(&e, out);
        check_softening(&e, out);
    }
cleanup:
    return status;
}
