/* The engine `tile`, GPU form: its fast path, for stars that are spread over the frame. Kernels:
 * cl/stars/tile_slots.cl. */
#pragma once

#include "stars/engine.h"

typedef struct stars_tile_slots {
    stars_shape shape;
    bool possible;           /* for this shape there is the memory, and there are slots enough */
    penta_kernel pack, draw; /* pack: only puts stars into slots where the host packs them */
    penta_buffer counts, slots;
    stars_slots given; /* to the packing */
    bool counting;     /* given, and not drawn since: counts may be other than 0 */
} stars_tile_slots;

penta_status stars_tile_slots_create(penta_resources *owner, const stars_shape *shape, const char *defines,
                                     stars_tile_slots *out);

/* Before a slab: a run that ended between packing and drawing has left counts behind. */
penta_status stars_tile_slots_begin(stars_tile_slots *t);
/* What stars_pack_slots needs for n stars; NULL where they would not fit if they were spread evenly. */
const stars_slots *stars_tile_slots_for(stars_tile_slots *t, size_t n);

/* Draws a batch that was packed this way. *done false: a tile has so many stars that sorting is quicker. */
penta_status stars_tile_slots_draw(stars_tile_slots *t, penta_buffer *image, size_t rows, const stars_batch *batch,
                                   bool fresh, bool *done);
