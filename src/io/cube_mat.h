/* Arrays of MATLAB files: which one is the cube, and checks before matio reads them. Internal to src/io. */
#pragma once

#include "io/cube_format.h"

enum { IO_MAT_DIMENSIONS = 6 /* that are shown */ };

typedef struct {
    char name[240], class[24];
    int rank;
    uint64_t dims[IO_MAT_DIMENSIONS]; /* in MATLAB's order */
    bool numeric, complex;
    penta_type type; /* of numbers as a format reads them; they may be handed out as others */
    int stored;
} io_mat_array;

typedef struct {
    io_mat_array *items; /* to be freed */
    size_t count;
} io_mat_list;

/* A further array of the list with no more than its name; NULL: out of memory. */
io_mat_array *io_mat_add(io_mat_list *list, const char *name);
/* Finds the array that is the cube: an index, its order in memory, and cube->whole but for `format`. */
bool io_mat_choose(penta_io_cube *cube, const penta_io_cube_hints *hints, const io_mat_list *list, size_t *index,
                   int *order, penta_io_error *err);
/* "Y (198 x 10000 uint16)" */
void io_mat_describe(const io_mat_array *a, char *out, size_t size);

/* Whether the file is version 5 and holds every array completely, with as many parts (cells, fields) as it claims. */
bool io_mat_check_file(const penta_io_cube *cube, penta_io_error *err);

/* Whether the array of this name holds as many real numbers as its size says, and its compression is undamaged.
 * *stored: their type in the file; PENTA_I64: not a type of cubes. */
bool io_mat_check_array(const penta_io_cube *cube, const char *name, penta_type *stored, penta_io_error *err);
