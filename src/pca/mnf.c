/* Maximum noise fractions: v C = lambda v N of the largest lambda first, v N v^T = 1, so lambda = signal / noise + 1.
 */
#include <stdlib.h>
#include <string.h>

#include "math/eigen.h"
#include "pca/pca.h"

penta_status pca_mnf_decompose(penta_context *ctx, size_t bands, const double *noise, double *vectors, double *values)
{
    penta_status status = PENTA_OK;
    double *factor = NULL;
    size_t dependent = 0;

    TRY(penta_calloc(ctx, bands * bands, sizeof *factor, &factor));
    memcpy(factor, noise, bands * bands * sizeof *factor);
    TRY(penta_eigen_generalised(ctx, bands, vectors, factor, values, &dependent));
    if (dependent && !(noise[(dependent - 1) * (bands + 1)] > 0))
        TRY(penta_fail(ctx, PENTA_INVALID,
                       "band %zu has no noise: neighbours never differ in it; leave it out of the noise fractions",
                       dependent));
    if (dependent)
        TRY(penta_fail(ctx, PENTA_INVALID,
                       "the noise of band %zu is a sum of that of bands before it: leave it out of the noise "
                       "fractions, or give more pixels than bands",
                       dependent));
cleanup:
    free(factor);
    return status;
}

/* V N V^T = 1, so N V^T is the inverse of V, and of some of its rows the part of the inverse that belongs to them. */
typedef struct {
    size_t bands, components;
    const double *noise, *loadings;
    double *inverse;
} back;

static void back_of_band(void *data, size_t band)
{
    const back *b = data;

    for (size_t k = 0; k < b->components; k++)
        b->inverse[band * b->components + k] =
            penta_dot(b->bands, b->noise + band * b->bands, b->loadings + k * b->bands);
}

void pca_mnf_inverse(size_t bands, size_t components, const double *noise, const double *loadings, double *inverse)
{
    back b = {bands, components, noise, loadings, inverse};

    penta_parallel(bands, back_of_band, &b);
}
