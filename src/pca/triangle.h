/* Inside the covariance on GPUs: how it runs, for those who want it otherwise than create chooses. */
#pragma once

#include "pca/pca.h"

enum { PCA_TRIANGLE_TILES = 24 }; /* no bundle has more band tiles */

/* All zero: chosen by the device. */
typedef struct pca_triangle_form {
    size_t slices;       /* of the pixels */
    size_t pairs;        /* of a work-group, at most */
    size_t each;         /* pairs of a warp, with matrix units for doubles: 1 or 2 */
    size_t teams;        /* of a work-group of cl/pca/triangle_few.cl */
    bool no_few;         /* without that kernel */
    bool plain;          /* without matrix units */
    bool no_bytes;       /* without those for bytes */
    const char *defines; /* more defines for the kernel */
} pca_triangle_form;

/* As pca_triangle.create. */
penta_status pca_triangle_create(penta_context *ctx, const pca_shape *shape, const pca_triangle_form *form,
                                 void **state);
