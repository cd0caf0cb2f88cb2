/* Doubles as pairs of floats, for devices without double precision. */
#include "stars/wide.h"

#include <stdlib.h>

stars_wide stars_wide_of(double x)
{
    float high = (float)x;

    return (stars_wide){high, (float)(x - (double)high)};
}

penta_status stars_upload_wide(penta_resources *owner, const double *data, size_t count, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    stars_wide *pairs = NULL;

    if (penta_context_device(owner->ctx)->fp64)
        return penta_buffer_upload(owner, data, count * sizeof *data, out);
    TRY(penta_calloc(owner->ctx, count + 1, sizeof *pairs, &pairs));
    for (size_t i = 0; i < count; i++)
        pairs[i] = stars_wide_of(data[i]);
    TRY(penta_buffer_upload(owner, pairs, count * sizeof *pairs, out));
cleanup:
    free(pairs);
    return status;
}
