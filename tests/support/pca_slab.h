/* Slabs of pixels made by a test, as pca_slab_close leaves them. */
#ifndef PENTA_TESTS_PCA_SLAB_H
#define PENTA_TESTS_PCA_SLAB_H

#include "pca/pca.h"

/*
 * Buffers of a slab that has everything else, with what they hold: data (bands x pitch), flags (pitch), shift (bands);
 * NULL: anything. Release with pca_slab_release.
 */
void upload_slab(pca_slab *slab, const void *data, const uint8_t *flags, const double *shift);

#endif
