/* Temporary directories and files of tests. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Creates an empty directory BASE/penta-NAME-XXXXXX, where BASE is TMPDIR or /tmp, and writes its path to out. */
bool make_scratch_directory(const char *name, char *out, size_t size);

/* Removes the contents of a directory and returns the number of its direct entries. */
size_t empty_directory(const char *path);
/* Removes the directory too. 0 on success. */
int remove_tree(const char *path);

/* The number of entries of a directory. */
size_t entries_in(const char *path);

/* The whole file, NUL-terminated, to be freed; NULL if there is none. */
char *file_contents(const char *path, size_t *size);
