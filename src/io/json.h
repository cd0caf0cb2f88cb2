/* JSON by jansson. Internal to src/io: no public header includes jansson's. */
#ifndef PENTA_IO_JSON_H
#define PENTA_IO_JSON_H

#include <jansson.h>
#include <math.h>

/* null stands for a number that is not finite. */
static inline json_t *io_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

#endif
