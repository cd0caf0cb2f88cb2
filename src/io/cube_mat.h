/* MATLAB files before matio reads them. Internal to src/io. */
#ifndef PENTA_IO_CUBE_MAT_H
#define PENTA_IO_CUBE_MAT_H

#include "io/cube_format.h"

/* Whether it is version 5, and every array lies in the file. */
bool io_mat_check_file(const penta_io_cube *cube, penta_io_error *err);

/* Whether the numbers of the array of this name, real ones, are as many as its size asks for, and decompress to what
 * was compressed. *stored: their type in the file; PENTA_I64: none that a cube has. */
bool io_mat_check_array(const penta_io_cube *cube, const char *name, penta_type *stored, penta_io_error *err);

#endif
