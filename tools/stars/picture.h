/* The image file of a frame: its pixel type, PNG and JPEG by rounding or by a stretch for display, and the header of
 * FITS. */
#pragma once

#include "stars/run.h"

/* The pixel value that the file clips at; INFINITY if it does not clip. */
double stars_picture_limit(const stars_request *r);

/* Whether the file keeps its pixels only approximately. */
bool stars_picture_is_jpeg(const stars_request *r);

/* Whether the file has a header for more than its size. */
bool stars_picture_is_fits(const stars_request *r);

bool stars_picture_write(const stars_run *run, const stars_shot *shot, const char *path, penta_io_error *err);
