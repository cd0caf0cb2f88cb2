/* Sums over all bodies on the host, for devices without double precision: O(n), and O(n log n) for the radii. */
#include "nbody/meter_host.h"

#include <math.h>
#include <stdlib.h>

enum { MASS, POSITION, VELOCITY = POSITION + 3 }; /* arrays of `pitch` numbers */

void nbody_host_sums(const nbody_host_bodies *b, const double *potential, double sums[NBODY_SUMS])
{
    long double total[NBODY_SUMS] = {0};
    size_t p = b->pitch;

    for (size_t i = 0; i < b->n; i++) {
        const double *x = b->numbers + POSITION * p + i, *v = b->numbers + VELOCITY * p + i;
        long double m = b->numbers[MASS * p + i];

        total[0] += m;
        for (size_t k = 0; k < 3; k++) {
            size_t u = (k + 1) % 3, w = (k + 2) % 3;

            total[1 + k] += m * x[k * p];
            total[4 + k] += m * v[k * p];
            total[7 + k] += m * ((long double)x[u * p] * v[w * p] - (long double)x[w * p] * v[u * p]);
            total[10] += m * v[k * p] * v[k * p];
        }
        total[11] += m * potential[i];
    }
    for (size_t q = 0; q < NBODY_SUMS; q++)
        sums[q] = (double)total[q];
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
    long double inside = 0;
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
        inside += shells[i].mass;
        while (next < PENTA_NBODY_RADII && inside >= enough[next])
            radii[next++] = sqrt(shells[i].squared);
    }
    while (next < PENTA_NBODY_RADII) /* what rounding took */
        radii[next++] = sqrt(shells[b->n - 1].squared);
cleanup:
    free(shells);
    return status;
}
