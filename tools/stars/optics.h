/* The camera of a run: what it sees, but for where it looks. */
#ifndef PENTA_TOOLS_STARS_OPTICS_H
#define PENTA_TOOLS_STARS_OPTICS_H

#include "stars/flags.h"

typedef struct star_optics {
    bool on_sky;          /* false: stars come by pixel, and there is nothing but a size */
    size_t width, height; /* px */
    penta_sky_view view;  /* of a camera without its attitude; of a WCS all */
    bool fk5;             /* the frame of the WCS is FK5, else ICRS */
} star_optics;

/* Reads the header of --wcs. */
bool star_optics_open(const star_request *r, star_optics *out, penta_io_error *err);

/* What the camera sees with this attitude, which counts for nothing with a WCS. */
bool star_optics_look(const star_optics *optics, const penta_attitude *attitude, penta_sky_view *out,
                      penta_io_error *err);

#endif
