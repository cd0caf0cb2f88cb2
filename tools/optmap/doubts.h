/* Signs that a movie was not meant as it is read. */
#ifndef PENTA_TOOLS_OPTMAP_DOUBTS_H
#define PENTA_TOOLS_OPTMAP_DOUBTS_H

#include <pentacl/beats.h>

#include <pentacl/io/movie.h>

/* Pixels of a movie of u16 that jump between the lowest and the highest quarter of the numbers from one frame to the
 * next, as those below 0 do that wrapped round; of other types none. */
bool optmap_count_wrapped(const penta_io_movie *movie, size_t *pixels, penta_io_error *err);

/* Skewness of the steps from frame to frame: the median of up to 4096 valid pixels. Upstrokes are steeper than
 * repolarisations: positive where the signal rises on depolarisation, negative where it falls. 0: no memory, or no
 * pixel with a signal. */
double optmap_step_skewness(const penta_movie_view *movie);

#endif
