/*
 * Engines of at most two kernels: one adds a batch of stars to sums, another makes the image of them. Where the sums
 * are the image's own pixels, the first is all.
 */
#pragma once

#include "stars/engine.h"

typedef struct stars_sums {
    stars_shape shape;
    penta_kernel add, store;
    penta_buffer sums;
    double scale; /* of fixed point: its units in 1 */
} stars_sums;

/* Kernels of cl/`file`. store NULL: the sums are the image, else `bytes` of the largest slab. For stars_engine.create.
 */
penta_status stars_sums_create(penta_resources *owner, const stars_shape *shape, const char *file, const char *defines,
                               const char *add, const char *store, size_t bytes, void **state);

/* Sets rows of the image to zero. */
penta_status stars_zero_image(const stars_shape *shape, penta_buffer *image, size_t rows);

/* Work-items of kernels that have GROUP of them add EACH stars, as in cl/stars/star.cl and fixed.cl. */
penta_grid stars_groups(size_t stars);
/* Work-items of kernels that make a pixel each. */
penta_grid stars_pixels(const stars_shape *shape, size_t rows);
