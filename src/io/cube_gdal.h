/* Shared by reading and writing through GDAL. Internal to src/io. */
#pragma once

#include "io/cube_format.h"

/* The formats of the usual drivers, as io_cube_format.at. */
bool io_gdal_at(size_t i, penta_io_format *out);

/* In an ENVI header the path of the data becomes their name. False: errno says why. */
bool io_cube_envi_name_data(const char *header, const char *data);

#ifdef PENTA_HAVE_GDAL

#include "io/gdal_module.h"
#include "io/hdf5_file.h"

/* From here on the names of GDAL's functions are those of the table's members. */
#include "io_gdal_names.h"

/* ---- GDAL's state and its drivers: cube_gdal_drivers.c ---- */

enum {
    IO_GDAL_HDF5 = 1 /* the file is HDF5 */,
    IO_GDAL_NAMED = 2 /* the caller named drivers: they may use the network */
};

/* Between enter and leave GDAL prints nothing; its first error is kept. One thread, one guard at a time. */
typedef struct {
    char text[512]; /* empty: no error */
    unsigned what;  /* IO_GDAL_... */
    char *network;  /* previous value of GDAL's setting */
#ifdef PENTA_HAVE_HDF5
    io_hdf5_guard hdf5;
#endif
} io_gdal_guard;

void io_gdal_enter(io_gdal_guard *guard, unsigned what);
void io_gdal_leave(io_gdal_guard *guard);

/* The drivers that may open the cube: the usual ones and those of cube->drivers. *names is GDAL's list of strings, to
 * be freed even on failure. */
bool io_gdal_choose(const penta_io_cube *cube, char ***names, penta_io_error *err);
/* Lists further drivers that read files of such a name, as "HFA, RST"; "" if there are none. */
void io_gdal_suggest(const char *path, char *text, size_t size);

/* ---- sizes and files: cube_gdal_check.c ---- */

/* The images of a TIFF file that are like its first one: the bands of a cube, where there are several. */
typedef struct {
    size_t count;  /* 0: not TIFF */
    uint64_t *at;  /* bytes of their directories, to be freed */
    size_t others; /* images of other sizes or types, but for overviews and masks */
} io_gdal_pages;

/* Checks the file before GDAL opens it, and lists pages to *pages, which is zero. */
bool io_gdal_check_file(const penta_io_cube *cube, io_gdal_pages *pages, penta_io_error *err);
/* Checks sizes before GDAL allocates. named: the caller named drivers, which may use other files. */
bool io_gdal_check_set(const penta_io_cube *cube, GDALDatasetH set, bool named, penta_io_error *err);

/* ---- facts ---- */

GDALDataType io_gdal_type(penta_type type);
/* Copies the file's facts about its bands to cube->whole: no-data values, masks, wavelengths, scales, bad bands. */
bool io_gdal_take_bands(penta_io_cube *cube, GDALDatasetH set, const penta_io_cube_hints *hints, penta_io_error *err);
/* Like io_cube_format.valid; on false GDAL's error has the reason. */
bool io_gdal_valid(const penta_io_cube *cube, GDALDatasetH set, size_t y, size_t count, bool no_data, uint8_t *out);

/* The file that a cube was read from; NULL if GDAL did not read it. */
GDALDatasetH io_gdal_dataset(const penta_io_cube *cube);

#endif
