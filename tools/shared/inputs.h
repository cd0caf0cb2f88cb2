/* The files that a command reads: no output takes the place of one. They are compared as files, not by name. */
#pragma once

#include <stddef.h>

typedef struct input_files input_files;

/* Room for so many files; to be closed. NULL: out of memory. */
input_files *inputs_open(size_t most);
/* The name stays the caller's. NULL, and what does not exist, is left out. */
void inputs_add(input_files *inputs, const char *path);
void inputs_close(input_files *inputs);

/* Of a file that is to be written, with the name as a whole or DIRECTORY/NAME + suffix: CLI_OK; or CLI_USAGE after a
 * line where it is one of the inputs, and CLI_ERROR where a FIFO, a socket or a device is in its place. */
int inputs_check_path(input_files *inputs, const char *command, const char *path);
int inputs_check(input_files *inputs, const char *command, const char *directory, const char *name, const char *suffix);
