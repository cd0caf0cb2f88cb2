/* Inside the maps on GPUs: how they run, for tests that override the choice of create. */
#pragma once

#include "pca/pca.h"

/* All zero: chosen by the device. */
typedef struct pca_project_form {
    size_t blocks, out_tiles; /* of a work-group, at most; with matrix units: blocks of pixels, of results */
    bool plain;               /* without matrix units */
    bool many;                /* the form for many results in any case */
    const char *defines;      /* more defines for the kernel */
} pca_project_form;

/* As pca_project_gpu.create. */
penta_status pca_project_gpu_create(penta_context *ctx, const pca_map_shape *shape, const penta_affine *affine,
                                    const pca_project_form *form, void **state);
