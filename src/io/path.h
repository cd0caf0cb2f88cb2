/* Paths of outputs. pentacl/io/output.h has the public functions. */
#pragma once

#include <stdbool.h>

#include <pentacl/io/output.h>

/* The name after the last slash. */
const char *io_path_base(const char *path);

/* The real path of the file's directory, to be freed. NULL: errno says why. */
char *io_path_parent(const char *path);

/* Fails where penta_io_special has a word for the path. */
bool io_path_check_file(const char *path, penta_io_error *err);

/*
 * Whether the path is a symbolic link of another user, which outputs must not follow. Links of the system do not count:
 * links of root in a directory that only root can write to, such as /dev/stderr.
 */
bool io_path_is_foreign_link(const char *path);

/* Fails with a message about such a link. */
bool io_path_refuse_link(const char *path, penta_io_error *err);
