/* The number that marks pixels without data. */
#pragma once

#include <pentacl/array.h>

#include "core/core.h"

enum slab_no_data_kind { SLAB_NO_DATA_NONE = 0, SLAB_NO_DATA_VALUE, SLAB_NO_DATA_NAN };

/* What is left out, in any type. */
typedef struct slab_no_data {
    int kind; /* enum slab_no_data_kind */
    double value;
} slab_no_data;

/* What is left out, as far as this type can hold it: exact in it, or kind SLAB_NO_DATA_NONE. */
slab_no_data slab_no_data_in(const slab_no_data *any, penta_type type);
/* A number or "nan"; NULL: none. Errors: PENTA_INVALID. */
penta_status slab_no_data_parse(penta_context *ctx, const char *text, slab_no_data *out);
/* Whether both leave out the same. */
bool slab_no_data_equal(const slab_no_data *a, const slab_no_data *b);
