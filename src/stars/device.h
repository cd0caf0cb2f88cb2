/* A plan's work on the device: packing, slabs, batches and the engine. */
#ifndef PENTA_STARS_DEVICE_H
#define PENTA_STARS_DEVICE_H

#include "stars/engine.h"

typedef struct stars_device stars_device;

/* What is drawn at a time, at most; 0: what the device has the memory for. Only tests ask for less than that. */
typedef struct stars_limits {
    size_t rows;  /* of a slab */
    size_t batch; /* stars */
    bool no_few;  /* short lists are drawn as long ones are */
} stars_limits;

/* Everything that a run needs, for stars that move or do not. penta_stars_create's errors. */
penta_status stars_device_create(penta_context *ctx, const stars_psf *psf, const penta_stars_options *o, size_t width,
                                 size_t height, enum penta_stars_engine kind, bool moving, bool dbl,
                                 stars_limits limits, stars_device **out);
penta_status stars_device_run(stars_device *device, const penta_stars_list *stars, penta_stars_result *result);
/* Rows first .. first + rows - 1 of the frame; result->image holds those alone. */
penta_status stars_device_run_rows(stars_device *device, const penta_stars_list *stars, size_t first, size_t rows,
                                   penta_stars_result *result);
/* The same by weights (stars_device_weights) of which the list may be a part. */
penta_status stars_device_run_weighed(stars_device *device, const penta_stars_list *stars, double weights, size_t first,
                                      size_t rows, penta_stars_result *result);
/* An engine's `weights` from an upper bound of all stars' light (bound.h), which it wants where it is bounded. */
double stars_device_weights(const stars_device *device, double fluxes);
bool stars_device_is_bounded(const stars_device *device);

/* Stars that come batch by batch. */
typedef struct stars_feed {
    void *data;
    size_t batches, most; /* most: stars of a batch, at most stars_device_most_batch */
    bool kept;            /* arrays stay as they are; otherwise until the batch after the next is asked for */
    penta_status (*batch)(void *data, size_t number, penta_stars_list *out);
    penta_status (*refuse)(void *data, size_t number, size_t star); /* PENTA_INVALID: a star of a batch is bad */
} stars_feed;

/* Batches that are kept may be asked for several times; of others at most stars_device_most_rows rows are drawn.
 * PENTA_MEMORY where stars_device_ask_for_less may help. */
penta_status stars_device_run_feed(stars_device *device, const stars_feed *feed, double weights, size_t first,
                                   size_t rows, penta_stars_result *result);
size_t stars_device_most_rows(const stars_device *device);
size_t stars_device_most_batch(const stars_device *device);
bool stars_device_ask_for_less(stars_device *device);
void stars_device_destroy(stars_device *device); /* NULL is fine */

#endif
