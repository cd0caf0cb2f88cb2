/* Sums over all bodies on the host, for devices without double precision: O(n), and O(n log n) for the radii. */
#include "nbody/meter_host.h"

#include <math.h>
#include <stdlib.h>

#include "math/pair.h"

enum { MASS, POSITION, VELOCITY = POSITION + 3 }; /* arrays of `pitch` numbers */

static void add_product(penta_pair *sum, penta_pair a, penta_pair b)
{
    *sum = penta_pair_add(*sum, penta_pair_multiply(a, b));
}

void nbody_host_sums(const nbody_host_bodies *b, const double *potential, double sums[NBODY_SUMS])
{
    const penta_pair one = {1, 0};
    penta_pair total[NBODY_SUMS] = {{0, 0}};
    size_t p = b->pitch;

    for (size_t i = 0; i < b->n; i++) {
        const double *x = b->numbers + POSITION * p + i, *v = b->numbers + VELOCITY * p + i;
        penta_pair m = {b->numbers[MASS * p + i], 0};

        add_product(&total[0], m, one);
        for (size_t k = 0; k < 3; k++) {
            size_t u = (k + 1) % 3, w = (k + 2) % 3;

            add_product(&total[1 + k], m, (penta_pair){x[k * p], 0});
            add_product(&total[4 + k], m, (penta_pair){v[k * p], 0});
            add_product(
                &total[7 + k], m,
                penta_pair_add(penta_pair_product(x[u * p], v[w * p]), penta_pair_product(-x[w * p], v[u * p])));
            add_product(&total[10], m, penta_pair_product(v[k * p], v[k * p]));
        }
        add_product(&total[11], m, (penta_pair){potential[i], 0});
    }
    for (size_t q = 0; q < NBODY_SUMS; q++)
        sums[q] = total[q].hi;
}

typedef struct {
    double squared, mass;
} shell;

static int by_distance(const void *a, const void *b)
{
    const shell *p = a, *q = b;

    return (p->squared > q->squared) - (p->squared < q->squared);
}

penta_status nbody_host_radii(penta_context *ctx, const nbody_host_bodies *b, const double center[3],
                              const double enough[PENTA_NBODY_RADII], double radii[PENTA_NBODY_RADII])
{
    penta_status status = PENTA_OK;
    shell *shells = NULL;
    penta_pair inside = {0, 0};
    size_t next = 0;

    TRY(penta_calloc(ctx, b->n, sizeof *shells, &shells));
    for (size_t i = 0; i < b->n; i++) {
        shells[i].mass = b->numbers[MASS * b->pitch + i];
        for (size_t k = 0; k < 3; k++)
            shells[i].squared += pow(b->numbers[(POSITION + k) * b->pitch + i] - center[k], 2);
    }
    while (next < PENTA_NBODY_RADII && !(enough[next] > 0)) /* all masses are 0 */
        radii[next++] = 0;
    qsort(shells, b->n, sizeof *shells, by_distance);
    for (size_t i = 0; i < b->n && next < PENTA_NBODY_RADII; i++) {
        inside = penta_pair_add(inside, (penta_pair){shells[i].mass, 0});
        while (next < PENTA_NBODY_RADII && inside.hi >= enough[next])
            radii[next++] = sqrt(shells[i].squared);
    }
    while (next < PENTA_NBODY_RADII) /* what rounding took */
        radii[next++] = sqrt(shells[b->n - 1].squared);
cleanup:
    free(shells);
    return status;
}
