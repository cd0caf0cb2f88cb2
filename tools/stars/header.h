/* The header of a FITS frame: coordinates, exposure, and the options of the run. */
#pragma once

#include "stars/run.h"

/* Writes the pixels with the header; formats other than FITS leave it out. */
bool stars_header_write(const stars_run *run, const stars_shot *shot, const penta_io_image *pixels, const char *path,
                        penta_io_error *err);

/*
 * Fits SIP polynomials to the distortion of a run, forward and inverse: of the lowest order whose error is at most
 * STARS_HEADER_ERROR, or the best order if none is. False where part of the frame lies beyond what the distortion is
 * one-to-one for: then headers get no coordinates.
 */
#define STARS_HEADER_ERROR 0.001 /* px */
bool stars_header_fit(const stars_optics *optics, stars_coordinates *out);
