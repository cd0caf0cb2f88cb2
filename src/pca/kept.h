/* Inside the streams: slabs that stay on the device. */
#ifndef PENTA_PCA_KEPT_H
#define PENTA_PCA_KEPT_H

#include "pca/pca.h"

/* Zero-initialise; kept_release releases. */
typedef struct kept_slabs {
    uint64_t room;      /* bytes that all slabs of the stream may take; 0: none is kept */
    bool on;            /* none is missing yet */
    pca_slab *slabs;    /* full and closed; those from `count` to `made` are memory for further ones */
    size_t count, made; /* `made` includes `count` */
    size_t places;
} kept_slabs;

/* Before the first pixels: the memory stays for the next ones. */
void kept_begin(kept_slabs *k);
/* Takes over a full slab, in exchange for the memory of another one or for an empty slab. Without host memory for it
 * all are dropped and the slab stays where it is. */
void kept_put(kept_slabs *k, pca_slab *slab);
/* Nothing is kept any more. heir: a slab without memory gets that of one; or NULL. */
void kept_drop(kept_slabs *k, pca_slab *heir);
void kept_release(kept_slabs *k);

#endif
