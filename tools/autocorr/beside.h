/* How the frames of an earlier `penta prepare` were flattened, by what it has left beside them. */
#ifndef PENTA_TOOLS_AUTOCORR_BESIDE_H
#define PENTA_TOOLS_AUTOCORR_BESIDE_H

#include <stddef.h>

/* The sigma of the Gaussian, px, where it is too narrow for frames of this size and length; 0: it is not, or nothing
 * says that the frame was prepared. */
double beside_narrow_sigma(const char *path, size_t width, size_t height, double length);

#endif
