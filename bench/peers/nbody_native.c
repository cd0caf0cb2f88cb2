/* Gravity in plain C. The loop over the bodies of a block is the inner one: gcc makes vectors of it, with its
 * reciprocal square root, and the sums need no reduction. */
#include "peers.h"

#include <math.h>

enum { BLOCK = 64 };

/* Bodies first .. first + BLOCK - 1; beyond the last body, the last again. */
static void forces_on_block(const peer_bodies *b, size_t first, float *acceleration)
{
    const float *restrict x = b->x, *restrict y = b->y, *restrict z = b->z, *restrict m = b->mass;
    float px[BLOCK], py[BLOCK], pz[BLOCK], ax[BLOCK] = {0}, ay[BLOCK] = {0}, az[BLOCK] = {0}, eps2 = b->eps * b->eps;
    size_t n = b->n;

    for (size_t k = 0; k < BLOCK; k++) {
        size_t i = first + k < n ? first + k : n - 1;

        px[k] = x[i];
        py[k] = y[i];
        pz[k] = z[i];
    }
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < BLOCK; k++) {
            float dx = x[j] - px[k], dy = y[j] - py[k], dz = z[j] - pz[k];
            float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + eps2), s = m[j] * inverse * inverse * inverse;

            ax[k] += dx * s;
            ay[k] += dy * s;
            az[k] += dz * s;
        }
    for (size_t k = 0; k < BLOCK && first + k < n; k++) {
        acceleration[first + k] = ax[k];
        acceleration[n + first + k] = ay[k];
        acceleration[2 * n + first + k] = az[k];
    }
}

void peer_nbody_forces(const peer_bodies *b, int threads, float *acceleration)
{
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (size_t first = 0; first < b->n; first += BLOCK)
        forces_on_block(b, first, acceleration);
}
