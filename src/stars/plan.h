/* The plan of `stars` as its own files see it. */
#ifndef PENTA_STARS_PLAN_H
#define PENTA_STARS_PLAN_H

#include "stars/device.h"
#include "stars/pieces.h"

struct penta_stars {
    penta_resources resources;
    penta_context *ctx; /* borrowed, outlives the plan */
    size_t width, height;
    penta_stars_options options;
    stars_psf psf;
    enum penta_stars_engine engine; /* never AUTO */
    bool dbl;
    stars_device *device[2]; /* for stars at rest, for stars that move; NULL until needed */
};

/* PENTA_INVALID with the reason where the plan cannot draw the list. */
penta_status stars_check_list(const penta_stars *plan, const penta_stars_list *stars);

/* PENTA_INVALID where stars with this PSF cannot move: it is not a round Gaussian. */
penta_status stars_check_motion(penta_context *ctx, const penta_stars_options *options);

/* Copies the error text of a function without a context into the context. Returns status. */
penta_status stars_explain(penta_context *ctx, penta_status status);

#endif
