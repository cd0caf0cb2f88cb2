/* Numbers in arrays of any penta_type. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/array.h>

/* The types of pixels of cubes. */
extern const penta_type pixel_types[7];

bool is_integer(penta_type type);

/* Element i of data; the type must hold v. */
void put_number(penta_type type, void *data, size_t i, double v);
double get_number(penta_type type, const void *data, size_t i);

/* v converted to a type: the nearest integer, half away from 0, clamped to its range. */
double nearest_number(penta_type type, double v);

/* The next random number: over the whole range of an integer type; -300 .. 700 for floats. */
double random_number(penta_type type);
