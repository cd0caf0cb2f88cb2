/* Sizes of transforms. */
#include "math/fft_shape.h"

size_t penta_fft_good_size(size_t n)
{
    static const size_t primes[] = {2, 3, 5, 7};

    for (;; n++) {
        size_t rest = n;

        for (size_t i = 0; i < 4; i++)
            while (rest > 1 && rest % primes[i] == 0)
                rest /= primes[i];
        if (rest <= 1)
            return n;
    }
}

penta_status penta_fft_bytes(penta_context *ctx, const penta_fft_shape *shape, size_t *bytes)
{
    penta_status status = PENTA_OK;
    size_t row = shape->real ? 2 * (shape->nx / 2 + 1) : 2 * shape->nx;

    TRY(penta_size(ctx, row, shape->ny, shape->batch, bytes));
    TRY(penta_size(ctx, *bytes, shape->dbl ? sizeof(double) : sizeof(float), 1, bytes));
cleanup:
    return status;
}
