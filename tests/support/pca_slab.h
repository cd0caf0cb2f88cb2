/* Slabs of pixels filled by a test, in the state after pca_slab_close. */
#pragma once

#include "pca/pca.h"

/*
 * Creates and fills the buffers of a slab whose other fields are set: data (bands x pitch), flags (pitch), shift
 * (bands); NULL: any contents. Release with pca_slab_release.
 */
void upload_slab(pca_slab *slab, const void *data, const uint8_t *flags, const double *shift);
