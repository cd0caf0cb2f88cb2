/* Pictures of bodies: their mass projected to a plane, each body a small disc of light. */
#ifndef PENTA_TOOLS_NBODY_PICTURE_H
#define PENTA_TOOLS_NBODY_PICTURE_H

#include <pentacl/context.h>

#include <pentacl/io/error.h>
#include "nbody/flags.h"

typedef struct gravity_picture gravity_picture;

/* Of n bodies, by the flags that say how. Errors of the library are in err too. */
bool gravity_picture_open(penta_context *ctx, size_t n, const gravity_flags *flags, gravity_picture **out,
                          penta_io_error *err);

/* Half the side that shows nine tenths of the bodies, or less where a few are far off. */
double gravity_picture_extent(gravity_picture *p, const double *rows, const double center[3]);

/*
 * Draws rows (n x 7) about center, extent length units to each side: x right and y up, or as --view has it. A file
 * whole or not at all.
 */
bool gravity_picture_draw(gravity_picture *p, const double *rows, const double center[3], double extent,
                          const char *path, penta_io_error *err);

void gravity_picture_close(gravity_picture *p); /* NULL is fine */

#endif
