/* HDF5 files read without GDAL. Internal to src/io. */
#ifndef PENTA_IO_CUBE_HDF5_H
#define PENTA_IO_CUBE_HDF5_H

#include "io/cube_format.h"
#include "io/hdf5_file.h"

/* Opens the cube of a file that is HDF5 by its content, inside a user block too; cube->format becomes this one, or that
 * of GDAL. matlab: axes are those of MATLAB, the reverse of the file's. */
bool io_hdf5_open_cube(penta_io_cube *cube, const penta_io_cube_hints *hints, bool matlab, penta_io_error *err);

#ifdef PENTA_HAVE_HDF5

enum { IO_HDF5_WAVES = 8, IO_HDF5_NAME = 240 };

/* A list that may hold the wavelengths of a cube's bands: a data set, or an attribute of the root. */
typedef struct {
    char name[IO_HDF5_NAME];
    bool attribute;
    uint64_t length;
} io_hdf5_wave;

/* Whether a data set or attribute of this name lists wavelengths: adds it. */
void io_hdf5_add_wave(io_hdf5_wave waves[IO_HDF5_WAVES], size_t *count, const char *name, bool attribute,
                      uint64_t length);
/* Lists among the root's attributes. */
void io_hdf5_find_waves(hid_t file, io_hdf5_wave waves[IO_HDF5_WAVES], size_t *count);

/* Which of three extents are rows, columns and bands, as "rbc": by names of dimensions, else by known products, else by
 * the one extent that is as long as a list of wavelengths; false: nothing says it. */
bool io_hdf5_find_axes(hid_t set, const char *name, const uint64_t extents[3], const io_hdf5_wave *waves, size_t count,
                       char axes[4]);
/* Wavelengths, no-data value, gain and offset of the bands to cube->whole.each, which exists. */
void io_hdf5_take_facts(penta_io_cube *cube, hid_t file, hid_t set, const io_hdf5_wave *waves, size_t count,
                        bool raw_values);
/* The wavelengths alone. */
void io_hdf5_take_waves(penta_io_cube *cube, hid_t file, const io_hdf5_wave *waves, size_t count);

#endif
#endif
