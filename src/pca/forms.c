#include "pca/forms.h"

const char *pca_cl_type(const penta_context *ctx, penta_type type)
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
        return penta_context_device(ctx)->fp64 ? "double" : "ulong";
    }
}

int pca_cl_kind(penta_type type)
{
    return type == PENTA_F64 ? 3 : type == PENTA_F32 ? 2 : pca_is_exact(type) ? 0 : 1;
}

bool pca_has_matrix_units(const penta_context *ctx)
{
    return penta_is_nvidia(ctx) && penta_compute_capability(ctx) >= 90;
}

bool pca_has_byte_units(const penta_context *ctx)
{
    return penta_is_nvidia(ctx) && penta_compute_capability(ctx) >= 80;
}
