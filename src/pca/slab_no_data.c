/* The number that marks pixels without data, as text, and in the type of the elements. */
#include "pca/slab_no_data.h"

#include <errno.h>
#include <math.h>

#include <pentacl/pca.h>

penta_status slab_no_data_parse(penta_context *ctx, const char *text, slab_no_data *out)
{
    char *end;

    *out = (slab_no_data){0};
    if (!text)
        return PENTA_OK;
    errno = 0;
    out->value = penta_strtod(text, &end);
    if (end == text || *end)
        return penta_fail(ctx, PENTA_INVALID, "`no_data` '%.60s' is neither a number nor nan", text);
    if (errno == ERANGE && isinf(out->value))
        return penta_fail(ctx, PENTA_INVALID, "`no_data` %.60s is more than a double holds", text);
    out->kind = isnan(out->value) ? SLAB_NO_DATA_NAN : SLAB_NO_DATA_VALUE;
    return PENTA_OK;
}

/* Rounds the value to this type; a file of floats holds the nearest one to -3.4e38. */
static bool can_hold(penta_type type, double *value)
{
    if (!penta_cube_type_holds(type, *value))
        return false;
    if (type == PENTA_F32)
        *value = (double)(float)*value;
    return true;
}

slab_no_data slab_no_data_in(const slab_no_data *any, penta_type type)
{
    slab_no_data in = *any;
    bool real = type == PENTA_F32 || type == PENTA_F64;

    if ((in.kind == SLAB_NO_DATA_NAN && !real) || (in.kind == SLAB_NO_DATA_VALUE && !can_hold(type, &in.value)))
        in.kind = SLAB_NO_DATA_NONE;
    if (in.kind != SLAB_NO_DATA_VALUE)
        in.value = 0;
    return in;
}

bool slab_no_data_equal(const slab_no_data *a, const slab_no_data *b)
{
    return a->kind == b->kind && (a->kind != SLAB_NO_DATA_VALUE || (a->value <= b->value && a->value >= b->value));
}
