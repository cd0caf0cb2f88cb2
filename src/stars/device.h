/* A plan's work on the device: packing, slabs, batches and the engine. */
#pragma once

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
/* Rows first .. first + rows - 1 of the frame; result->image holds those alone. */
penta_status stars_device_run_rows(stars_device *device, const penta_stars_list *stars, size_t first, size_t rows,
                                   penta_stars_result *result);
void stars_device_destroy(stars_device *device); /* NULL is fine */
