/* Files that libraries write by themselves, taken over as outputs. */
#pragma once

#include <stdint.h>

#include <pentacl/io/output.h>

/* Takes over a finished file, on the file system of `path`, as the contents of an output of that path, and commits it.
 * On failure the file may be gone. */
bool io_output_adopt(const char *file, const char *path, penta_io_error *err);

/* Fails with the reason, an errno, why a file cannot be written, and what to do. */
bool io_write_failed(const char *path, int code, penta_io_error *err);

/* As penta_io_output_commit, where it is known what was written, so that the file need not be read. */
bool io_output_commit_known(penta_io_output *output, uint64_t bytes, uint64_t sum, penta_io_error *err);

/* The temporary file that it goes to; NULL: it is written directly. */
const char *io_output_file(const penta_io_output *output);
