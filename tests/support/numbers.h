/* Numbers in arrays of any penta_type. */
#ifndef PENTA_TESTS_NUMBERS_H
#define PENTA_TESTS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/array.h>

/* Those that pixels of cubes may have. */
extern const penta_type pixel_types[7];

bool is_integer(penta_type type);

/* Element i of data; v is one that the type holds. */
void put_number(penta_type type, void *data, size_t i, double v);
double get_number(penta_type type, const void *data, size_t i);

/* What v becomes in a type: integers nearest to it, half away from 0, within their range. */
double nearest_number(penta_type type, double v);

/* The next random number of an integer type, all of its range; of floats: -300 .. 700. */
double random_number(penta_type type);

#endif
