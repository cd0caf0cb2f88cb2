/* Shared by reading and writing through GDAL. Internal to src/io. */
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
/* Copies the file's facts about its bands to cube->whole: no-data values, masks, wavelengths, scales, bad bands. */
bool io_gdal_take_bands(penta_io_cube *cube, GDALDatasetH set, const penta_io_cube_hints *hints, penta_io_error *err);
/* Like io_cube_format.valid; false: the reason is GDAL's error. */
bool io_gdal_valid(const penta_io_cube *cube, GDALDatasetH set, size_t y, size_t count, bool no_data, uint8_t *out);

/* The file that a cube was read from; NULL if GDAL did not read it. */
GDALDatasetH io_gdal_dataset(const penta_io_cube *cube);

#endif
#endif
