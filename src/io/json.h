/* JSON through jansson. Internal to src/io: no public header includes jansson's. */
#ifndef PENTA_IO_JSON_H
#define PENTA_IO_JSON_H

#include <jansson.h>

/* null stands for a number that is not finite. */
json_t *io_json_number(double value);

/* An object as text, to be freed: one member per line, each number with the fewest of 15 to 17 digits that read back
 * the same. NULL: out of memory. */
char *io_json_object_text(const json_t *object);

#endif
