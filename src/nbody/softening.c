/* Whether the softening length suits the bodies. */
#include <math.h>
#include <stdlib.h>

#include <pentacl/nbody.h>
#include <pentacl/numbers.h>

enum { LOOKED_AT = 1000000 }; /* bodies whose numbers are sorted, about */

static const double most = 0.1; /* softening that leaves orbits as they are, of the half-mass radius */

typedef struct {
    double value, weight;
} weighted;

static int by_value(const void *a, const void *b)
{
    const weighted *p = a, *q = b;

    return (p->value > q->value) - (p->value < q->value);
}

/* 0: there are none. */
static double median(size_t n, weighted *items)
{
    double all = 0, sum = 0;
    size_t i = 0;

    for (size_t k = 0; k < n; k++)
        all += items[k].weight;
    qsort(items, n, sizeof *items, by_value);
    while (i + 1 < n && (sum += items[i].weight) < all / 2 * (1 - 1e-12))
        i++;
    return n > 0 ? items[i].value : 0;
}

/* Of many bodies every so many-th; an odd number, since files may have two kinds in turn. */
static size_t stride_of(size_t n)
{
    return (n / LOOKED_AT) | 1;
}

double penta_nbody_median_by_mass(size_t n, const double *bodies, const double *values, double low, double high)
{
    weighted *items = malloc((n / stride_of(n) + 1) * sizeof *items);
    size_t count = 0;
    double found;

    if (!items)
        return NAN;
    for (size_t i = 0; i < n; i += stride_of(n))
        if (bodies[7 * i] > 0 && values[i] >= low && values[i] <= high)
            items[count++] = (weighted){values[i], bodies[7 * i]};
    found = median(count, items);
    free(items);
    return found;
}

/* About the centre of mass; where one body has more than half of the mass, of the others about it. */
double penta_nbody_half_mass_radius(size_t n, const double *rows)
{
    weighted *items = malloc((n / stride_of(n) + 1) * sizeof *items);
    double mass = 0, center[3] = {0}, rest, found;
    const double *heavy = rows;
    size_t count = 0;

    if (!items)
        return NAN;
    for (size_t i = 0; i < n; i++) {
        mass += rows[7 * i];
        heavy = rows[7 * i] > *heavy ? rows + 7 * i : heavy;
        for (int k = 0; k < 3; k++)
            center[k] += rows[7 * i] * rows[7 * i + 1 + k];
    }
    rest = *heavy > mass / 2 ? mass - *heavy : mass;
    for (int k = 0; k < 3; k++)
        center[k] = rest < mass || !(mass > 0) ? heavy[1 + k] : center[k] / mass;
    for (size_t i = 0; i < n; i += stride_of(n)) {
        const double *b = rows + 7 * i;

        if (rest < mass && b == heavy)
            continue;
        items[count].value = hypot(hypot(b[1] - center[0], b[2] - center[1]), b[3] - center[2]);
        items[count++].weight = rest > 0 ? *b : 1;
    }
    found = median(count, items);
    free(items);
    return found;
}

static double least_distance(size_t n, const double *rows)
{
    double nearest = INFINITY;

    for (size_t i = 0; i < 7 * n; i += 7)
        for (size_t j = 0; j < i; j += 7) {
            double d = hypot(hypot(rows[i + 1] - rows[j + 1], rows[i + 2] - rows[j + 2]), rows[i + 3] - rows[j + 3]);

            nearest = d > 0 ? fmin(nearest, d) : nearest;
        }
    return nearest;
}

bool penta_nbody_doubt_softening(size_t n, const double *bodies, double eps, bool pairs, char *message, size_t size)
{
    const double nearest = pairs && eps > 0 && n <= PENTA_NBODY_FEW ? least_distance(n, bodies) : INFINITY;
    const double radius = eps > 0 ? penta_nbody_half_mass_radius(n, bodies) : 0;

    if (eps > 0.1 * nearest)
        penta_snprintf(message, size,
                       "`eps` %g is above a tenth of the smallest distance of two bodies, %.3g; take `eps` 0", eps,
                       nearest);
    else if (radius > 0 && eps > most * radius)
        penta_snprintf(message, size,
                       "`eps` %g is above a tenth of the half-mass radius, %.3g, and changes all orbits; take %.2g or "
                       "less",
                       eps, radius, 0.95 * most * radius); /* as the digits are rounded */
    else
        return false;
    return true;
}
