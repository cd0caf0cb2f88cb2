/* HDF5 files read without GDAL. Internal to src/io. */
#pragma once

#include "io/cube_format.h"
#include "io/hdf5_file.h"

#ifdef PENTA_HAVE_HDF5

enum { IO_HDF5_WAVES = 8, IO_HDF5_NAME = 240 };

/* A list that may hold the wavelengths of a cube's bands: a data set, or an attribute of the root or the cube. */
typedef struct {
    char object[IO_HDF5_NAME], name[IO_HDF5_NAME]; /* name "": no attribute */
    uint64_t length;
} io_hdf5_wave;

typedef struct {
    const penta_io_cube_hints *hints;
    size_t planes; /* data sets of two indices or more that hold numbers */
    size_t fitting;
    bool exact; /* `name` is all of hints->variable, from the root */
    char name[IO_HDF5_NAME];
    char names[400]; /* "a (12 x 14 x 5)" of those that fit */
    io_hdf5_wave waves[IO_HDF5_WAVES];
    size_t wave_count;
    const char *owner; /* of the attributes that are looked at */
} io_hdf5_walk;

/* Texts of an attribute, of fixed or variable length, `count` of them, each cut to IO_HDF5_NAME - 1 bytes. */
bool io_hdf5_read_texts(hid_t object, const char *name, size_t count, char out[][IO_HDF5_NAME]);
/* Adds a data set (name ""), or the attribute `name` of an object, if it is called like a list of wavelengths. */
void io_hdf5_add_wave(io_hdf5_walk *w, const char *object, const char *name, uint64_t length);
/* Adds those of the object's attributes. */
void io_hdf5_add_attributes(io_hdf5_walk *w, hid_t object, const char *owner);
/* Which of three extents are rows, columns and bands, as "rbc": by names of dimensions, else by known products, else by
 * the one extent that is as long as a list of wavelengths; false: nothing says it. */
bool io_hdf5_find_axes(hid_t set, const io_hdf5_walk *w, const uint64_t extents[3], char axes[4]);
/* Wavelengths, no-data value, gain and offset of the bands to cube->whole.each. */
bool io_hdf5_take_facts(penta_io_cube *cube, hid_t file, hid_t set, const io_hdf5_walk *w, penta_io_error *err);
/* The wavelengths alone. */
void io_hdf5_take_waves(penta_io_cube *cube, hid_t file, const io_hdf5_walk *w);

#endif
