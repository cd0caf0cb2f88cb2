/* Pixels that the camera's converter cut off. */
#ifndef PENTA_TOOLS_OPTMAP_SATURATION_H
#define PENTA_TOOLS_OPTMAP_SATURATION_H

#include <pentacl/io/movie.h>

typedef struct optmap_saturation {
    size_t pixels; /* saturated: at `level` in two successive frames */
    double level;  /* the largest number of the type, or of a converter of 8, 10, 12, 14 or 16 bits if that is the
                      largest of the movie; 0: the movie reaches neither */
} optmap_saturation;

bool optmap_find_saturation(const penta_io_movie *movie, optmap_saturation *out, penta_io_error *err);

#endif
