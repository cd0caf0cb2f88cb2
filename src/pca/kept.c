/* Slabs that stay on the device, in the order of the stream. */
#include <stdlib.h>

#include "pca/kept.h"

void kept_begin(kept_slabs *k)
{
    k->count = 0;
    k->on = k->room > 0;
}

void kept_drop(kept_slabs *k, pca_slab *heir)
{
    for (size_t i = 0; i < k->made; i++)
        if (heir && !heir->pitch) {
            *heir = k->slabs[i];
            pca_slab_clear(heir);
        } else {
            pca_slab_release(&k->slabs[i]);
        }
    free(k->slabs);
    k->slabs = NULL;
    k->count = k->made = k->places = 0;
    k->on = false;
}

void kept_release(kept_slabs *k)
{
    kept_drop(k, NULL);
}

static bool have_place(kept_slabs *k)
{
    size_t places = 2 * k->places + 4;
    pca_slab *slabs;

    if (k->count < k->places)
        return true;
    slabs = realloc(k->slabs, places * sizeof *slabs);
    if (!slabs)
        return false;
    k->slabs = slabs;
    k->places = places;
    return true;
}

void kept_put(kept_slabs *k, pca_slab *slab)
{
    pca_slab spare = {0};

    if (!have_place(k)) {
        kept_drop(k, NULL);
        return;
    }
    if (k->count < k->made)
        spare = k->slabs[k->count];
    else
        k->made++;
    k->slabs[k->count++] = *slab;
    *slab = spare;
}
