/* Pictures of bodies: their mass projected to a plane, each body a small disc of light. */
#pragma once

#include <pentacl/context.h>

#include <pentacl/io/error.h>
#include "nbody/flags.h"

typedef struct nbody_picture nbody_picture;

/* Of n bodies, by the flags that say how. Errors of the library are in err too. */
bool nbody_picture_open(penta_context *ctx, size_t n, const nbody_flags *flags, nbody_picture **out,
                        penta_io_error *err);

/* Half the side that shows nine tenths of the bodies, or less where a few are far off. */
double nbody_picture_extent(nbody_picture *p, const double *rows, const double center[3]);

/*
 * Draws rows (n x 7) about center, extent length units to each side: x right and y up, or as --view has it. A file
 * whole or not at all.
 */
bool nbody_picture_draw(nbody_picture *p, const double *rows, const double center[3], double extent, const char *path,
                        penta_io_error *err);

void nbody_picture_close(nbody_picture *p); /* NULL is fine */
