/* Checks of MATLAB files before matio reads them. Internal to src/io. */
#ifndef PENTA_IO_CUBE_MAT_H
#define PENTA_IO_CUBE_MAT_H

#include "io/cube_format.h"

/* Whether the file is version 5 and holds every array completely, with as many parts (cells, fields) as it claims. */
bool io_mat_check_file(const penta_io_cube *cube, penta_io_error *err);

/* Whether the array of this name holds as many real numbers as its size says, and its compression is undamaged.
 * *stored: their type in the file; PENTA_I64: not a type of cubes. */
bool io_mat_check_array(const penta_io_cube *cube, const char *name, penta_type *stored, penta_io_error *err);

#endif
