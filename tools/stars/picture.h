/* The image file of a frame: its pixel type, PNG by rounding or by a stretch for display, and the header of FITS. */
#ifndef PENTA_TOOLS_STARS_PICTURE_H
#define PENTA_TOOLS_STARS_PICTURE_H

#include "stars/run.h"

/* The pixel value that the file clips: infinite where it holds them as they are. */
double star_picture_limit(const star_request *r);

/* Whether the file has a header for more than its size. */
bool star_picture_is_fits(const star_request *r);

bool star_picture_write(const star_run *run, const star_shot *shot, const char *path, penta_io_error *err);

#endif
