/* Names of types in kernels, and which devices have matrix units. */
#pragma once

#include "pca/pca.h"

/* "uchar" ...; of doubles "ulong", their bits, where the device has no double precision. */
const char *pca_cl_type(const penta_context *ctx, penta_type type);
int pca_cl_kind(penta_type type); /* KIND of cl/pca/centre.clh */
/* Whether kernels may multiply by cl/pca/mma.clh. */
bool pca_has_matrix_units(const penta_context *ctx);
bool pca_has_byte_units(const penta_context *ctx); /* by cl/pca/triangle_bytes.cl */
