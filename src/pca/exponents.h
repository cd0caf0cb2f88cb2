/* Inside the engines without double precision: how large the pixels of a slab are less an offset. */
#pragma once

#include "pca/pca.h"

typedef struct pca_exponents {
    bool needed; /* integers have no need of them: all are 0 */
    penta_kernel find;
    penta_buffer of_bands; /* bands ints: cl/pca/centre.clh */
} pca_exponents;

penta_status pca_exponents_create(penta_resources *owner, size_t bands, penta_type type, pca_exponents *out);
/* Of the closed slab's pixels less offsets (bands doubles). Enqueued. */
penta_status pca_exponents_find(pca_exponents *e, pca_slab *slab, penta_buffer *offsets);
