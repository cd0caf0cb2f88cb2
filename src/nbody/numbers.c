/* Numbers of the device (cl/nbody/number.clh): doubles, or without double precision pairs of floats in as many bytes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nbody/nbody.h"

/* The pair as it lies in memory: high, then low. */
static void split(double value, float pair[2])
{
    pair[0] = (float)value;
    pair[1] = isfinite(pair[0]) ? (float)(value - (double)pair[0]) : 0;
}

long nbody_number(const penta_context *ctx, double value)
{
    long bits;
    float pair[2];

    _Static_assert(sizeof bits == sizeof value && sizeof bits == sizeof pair, "a number has eight bytes");
    split(value, pair);
    if (penta_context_device(ctx)->fp64)
        memcpy(&bits, &value, sizeof bits);
    else
        memcpy(&bits, pair, sizeof bits);
    return bits;
}

penta_status nbody_write_numbers(penta_context *ctx, penta_buffer *to, size_t first, const double *values, size_t count)
{
    penta_status status = PENTA_OK;
    float *pairs = NULL;
    const void *data = values;

    if (!penta_context_device(ctx)->fp64) {
        TRY(penta_calloc(ctx, count, 2 * sizeof *pairs, &pairs));
        for (size_t i = 0; i < count; i++)
            split(values[i], pairs + 2 * i);
        data = pairs;
    }
    TRY(penta_buffer_write(to, first * sizeof *values, data, count * sizeof *values));
cleanup:
    free(pairs);
    return status;
}

penta_status nbody_read_numbers(penta_context *ctx, penta_buffer *from, size_t first, double *values, size_t count)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_read(from, first * sizeof *values, values, count * sizeof *values));
    for (size_t i = 0; i < count && !penta_context_device(ctx)->fp64; i++) {
        float pair[2];

        memcpy(pair, values + i, sizeof pair);
        values[i] = (double)pair[0] + (double)pair[1];
    }
cleanup:
    return status;
}
