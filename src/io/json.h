/* JSON through jansson. Internal to src/io: no public header includes jansson's. */
#pragma once

#include <jansson.h>

/* The number as JSON; null if it is not finite. */
json_t *io_json_number(double value);

/* Encodes a file name of any bytes as a string, to be freed: %XX stands for bytes that are not printable ASCII, and for
 * %. NULL: out of memory. io_json_take_name decodes it; NULL for NULL, an invalid string, or out of memory. */
char *io_json_name_text(const char *name);
json_t *io_json_name(const char *name);
char *io_json_take_name(const char *text);

/* An object as text, to be freed: one member per line, each number with the fewest of 15 to 17 digits that read back
 * the same. NULL: out of memory. */
char *io_json_object_text(const json_t *object);
