/* The camera of a run without its attitude. */
#pragma once

#include "stars/flags.h"

typedef struct stars_optics {
    bool on_sky;          /* false: stars come by pixel, and there is nothing but a size */
    size_t width, height; /* px */
    penta_sky_view view;  /* of a camera without its attitude; of a WCS all */
    bool fk5;             /* the frame of the WCS is FK5, else ICRS */
} stars_optics;

/* Reads the header of --wcs. */
bool stars_optics_open(const stars_request *r, stars_optics *out, penta_io_error *err);

/* The view with this attitude, which is ignored with a WCS. */
bool stars_optics_look(const stars_optics *optics, const penta_attitude *attitude, penta_sky_view *out,
                       penta_io_error *err);
