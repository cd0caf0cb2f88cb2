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

/* To be called before the first pixels. Memory of earlier slabs is used again. */
void kept_begin(kept_slabs *k);
/* Takes over a full slab and gives the memory of another one, or an empty slab, for it. Without host memory all kept
 * slabs are dropped, and this one stays with the caller. */
void kept_put(kept_slabs *k, pca_slab *slab);
/* Drops all slabs. heir: a slab that gets the memory of one of them if it has none; or NULL. */
void kept_drop(kept_slabs *k, pca_slab *heir);
void kept_release(kept_slabs *k);

#endif
