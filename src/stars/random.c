/* Random lists of stars, as in the tests of the paper. */
#include <pentacl/stars.h>

#include "core/core.h"
#include "math/rng.h"

enum { PIECE = 1 << 16 };

typedef struct {
    uint64_t seed;
    size_t n;
    double width, height, faintest, *x, *y, *magnitude;
} lot;

/* Star i has its own place in the generator, so the list does not depend on its length. */
static void draw_piece(void *data, size_t piece)
{
    const lot *l = data;
    size_t end = (piece + 1) * PIECE < l->n ? (piece + 1) * PIECE : l->n;

    for (size_t i = piece * PIECE; i < end; i++) {
        penta_rng rng = penta_rng_at(l->seed, PENTA_RNG_STAR_LIST, i);

        l->x[i] = penta_rng_uniform(&rng) * l->width - 0.5;
        l->y[i] = penta_rng_uniform(&rng) * l->height - 0.5;
        l->magnitude[i] = penta_rng_uniform(&rng) * l->faintest;
    }
}

void penta_stars_random(uint64_t seed, size_t n, size_t width, size_t height, double faintest, double *x, double *y,
                        double *magnitude)
{
    lot l = {seed, n, (double)width, (double)height, faintest, x, y, magnitude};

    penta_parallel((n + PIECE - 1) / PIECE, draw_piece, &l);
}
