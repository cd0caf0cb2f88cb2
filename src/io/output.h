/* Files that libraries write by themselves, taken over as outputs. */
#ifndef PENTA_IO_OUTPUT_H
#define PENTA_IO_OUTPUT_H

#include <pentacl/io/output.h>

/* Takes over a finished file, on the file system of `path`, as the contents of an output of that path, and commits it.
 * On failure the file may be gone. */
bool io_output_adopt(const char *file, const char *path, penta_io_error *err);

/* The temporary file that it goes to; NULL: it is written directly. */
const char *io_output_file(const penta_io_output *output);

#endif
