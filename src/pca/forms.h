/* Names of types in kernels, and which devices have matrix units. */
#ifndef PENTA_PCA_FORMS_H
#define PENTA_PCA_FORMS_H

#include "pca/pca.h"

const char *pca_cl_type(penta_type type); /* "uchar" ... */
/* Whether kernels may multiply by cl/pca/mma.clh. */
bool pca_has_matrix_units(const penta_context *ctx);
bool pca_has_byte_units(const penta_context *ctx); /* by cl/pca/triangle_bytes.cl */

#endif
