/* Whether equation 1 as printed measures a frame's structure or its mean. */
#ifndef PENTA_TOOLS_AUTOCORR_BACKGROUND_H
#define PENTA_TOOLS_AUTOCORR_BACKGROUND_H

#include <pentacl/autocorr.h>

#include "shared/job.h"
#include <pentacl/io/image.h>

typedef struct background {
    size_t frames, carried; /* looked at; with mean^2 above the variance */
    double worst;           /* the largest mean^2 / variance */
} background;

/* Whether these options leave the mean in a curve that falls with the overlap. */
bool background_matters(const penta_autocorr_options *o);

/* mean^2 / variance of the pixels that count and are numbers, mask NULL: all of them; 0 for a constant image, which has
 * no peak whatever is done. */
double background_ratio(const penta_io_image *image, const uint8_t *mask);

/* Counts a frame of this ratio. */
void background_add(background *b, double ratio);

/* The note, where there is something to say. */
void background_note(const background *b, job *j);

#endif
