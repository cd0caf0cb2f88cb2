/*
 * Standard input and output, and pipes, where a file is named. Readers look at a file's size and go to and fro in it,
 * so what comes through a pipe is copied to a temporary file first, which has the pipe's name in messages; writers
 * choose the format by the name, so what goes to standard output is written to a temporary file and copied then.
 * Temporary files lie in a directory of the run below TMPDIR (/tmp), which goes with the run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/io/error.h>

/* Whether the name is "-", or that of standard input where that is no file, or of a pipe or socket. */
bool streams_is_input(const char *name);
/* Whether the name is that of standard input, and it was read before. */
bool streams_is_read(const char *name);
/* Reads it to its end. *path: the copy, valid until streams_close. */
bool streams_copy_in(const char *name, const char **path, penta_io_error *err);

/* Whether a file goes to standard output, so that no text may. */
bool streams_stdout_taken(void);
void streams_take_stdout(void);
/* The temporary file that goes to standard output, "stdout" with this suffix; valid until streams_close. */
bool streams_place_out(const char *suffix, const char **path, penta_io_error *err);
/* Copies it there, once it is written. */
bool streams_pass_on(const char *path, penta_io_error *err);

/* What the user called it, where path is such a copy; else path. */
const char *streams_name(const char *path);
/* Names of temporary files in the text become those that the user gave, as far as they fit. */
void streams_show(char *text, size_t size);

/* Removes the temporary files. */
void streams_close(void);
