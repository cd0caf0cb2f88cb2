/* What reading and writing by GDAL share. Internal to tools/io. */
#ifndef PENTA_IO_CUBE_GDAL_H
#define PENTA_IO_CUBE_GDAL_H

#ifdef PENTA_HAVE_GDAL

#include <gdal.h>

#include "io/cube_format.h"

/* Between enter and leave GDAL prints nothing; its first error is kept. One thread, one guard at a time. */
typedef struct {
    char text[512]; /* empty: no error */
} io_gdal_guard;

void io_gdal_enter(io_gdal_guard *guard);
void io_gdal_leave(void);

GDALDataType io_gdal_type(penta_type type);
/* The file that a cube was read from, NULL if not by GDAL. */
GDALDatasetH io_gdal_dataset(const io_cube *cube);

#endif
#endif
