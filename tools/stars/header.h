/* What the header of a FITS frame says beside the pixels: coordinates, exposure, and the options of the run. */
#ifndef PENTA_TOOLS_STARS_HEADER_H
#define PENTA_TOOLS_STARS_HEADER_H

#include "io/image.h"
#include "stars/shot.h"

/* Writes the pixels with the header; formats other than FITS leave it out. */
bool star_header_write(const star_run *run, const star_shot *shot, const io_image *pixels, const char *path,
                       io_error *err);

/* Whether the coordinates of the camera fit into a header. They do not where part of the frame lies beyond what its
 * distortion is one-to-one for. *error: by how much they are off at most, px. */
bool star_header_possible(const star_optics *optics, double *error);

#endif
