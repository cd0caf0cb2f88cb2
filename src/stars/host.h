/* What the engines on the host share: bands of rows, which threads draw. */
#pragma once

#include "stars/engine.h"

typedef struct stars_drawing stars_drawing;

struct stars_drawing {
    const stars_psf *psf;
    const penta_stars_options *options;
    const penta_stars_list *stars;
    size_t width, height;
    void (*draw)(const stars_drawing *d, size_t i, long row0, long row1); /* adds the rows [row0, row1) of star i */
    double *sums;                                                         /* height x width */
    const void *more;                                                     /* what else `draw` takes */
    size_t *start, *order; /* threads: stars of band b are order[start[b] .. start[b+1]-1], ascending */
    size_t first_band;     /* of those drawn at present */
};

/* Draws all stars: each band's in their order, by one thread. */
penta_status stars_draw_bands(penta_context *ctx, stars_drawing *d);
void stars_add_totals(const stars_drawing *d, penta_stars_result *result);

/* stars_draw_on_host for the engine `fixed` (fixed_host.c): the bits of its other forms. */
penta_status stars_draw_fixed_on_host(penta_context *ctx, const stars_psf *psf, const penta_stars_options *o,
                                      size_t width, size_t height, bool dbl, const penta_stars_list *stars,
                                      penta_stars_result *result);
