/* What the pages of a TIFF are of, as its first description says. Internal to src/io. */
#pragma once

#include "io/format.h"

/*
 * Reads OME-XML, ImageJ's lines channels=, slices= and frames=, or the axes that tifffile keeps as JSON, into the place
 * of each page. path: pages of other files in OME-XML do not count. samples: numbers of a pixel, which OME counts as
 * channels. depth_stated: slices are surely depths. False, with places undefined, where the text says nothing; or
 * what it says does not agree with the pages: then unclear.
 */
bool io_tiff_axes_read(const char *description, const char *path, uint32_t samples, size_t pages, io_page_place *places,
                       bool *depth_stated, bool *unclear);
