/* What the header of a FITS frame says beside the pixels: coordinates, exposure, and the options of the run. */
#ifndef PENTA_TOOLS_STARS_HEADER_H
#define PENTA_TOOLS_STARS_HEADER_H

#include "stars/run.h"

/* Writes the pixels with the header; formats other than FITS leave it out. */
bool star_header_write(const star_run *run, const star_shot *shot, const penta_io_image *pixels, const char *path,
                       penta_io_error *err);

/*
 * Fits SIP polynomials to the distortion of a run, forward and inverse: of the lowest order whose error is at most
 * STAR_HEADER_ERROR, or the best order if none is. False where part of the frame lies beyond what the distortion is
 * one-to-one for: then headers get no coordinates.
 */
#define STAR_HEADER_ERROR 0.001 /* px */
bool star_header_fit(const star_optics *optics, star_coordinates *out);

#endif
