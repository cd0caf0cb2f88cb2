/* Numbers for kernels that take more digits than a float has: wide_t of cl/stars/wide.clh. */
#ifndef PENTA_STARS_WIDE_H
#define PENTA_STARS_WIDE_H

#include "core/core.h"

/* A double as the sum of two floats. */
typedef struct stars_wide {
    float high, low;
} stars_wide;

stars_wide stars_wide_of(double x);

/* A buffer of wide_t that holds data: doubles, or pairs of floats where the device has no double precision. */
penta_status stars_upload_wide(penta_resources *owner, const double *data, size_t count, penta_buffer *out);

#endif
