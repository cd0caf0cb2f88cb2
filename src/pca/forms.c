#include "pca/forms.h"

const char *pca_cl_type(penta_type type)
{
    switch (type) {
    case PENTA_U8:
        return "uchar";
    case PENTA_U16:
        return "ushort";
    case PENTA_I16:
        return "short";
    case PENTA_I32:
        return "int";
    case PENTA_U32:
        return "uint";
    case PENTA_F32:
        return "float";
    default:
        return "double";
    }
}

bool pca_has_matrix_units(const penta_context *ctx)
{
    return penta_is_nvidia(ctx) && penta_compute_capability(ctx) >= 90;
}

bool pca_has_byte_units(const penta_context *ctx)
{
    return penta_is_nvidia(ctx) && penta_compute_capability(ctx) >= 80;
}
