/* Directories and files of a test's own. */
#ifndef PENTA_TESTS_FILES_H
#define PENTA_TESTS_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Makes an empty directory BASE/penta-NAME-XXXXXX, BASE being TMPDIR or /tmp, and puts its path into out. */
bool make_scratch_directory(const char *name, char *out, size_t size);

/* Removes what is in a directory, and returns how many entries of its own that was. */
size_t empty_directory(const char *path);
/* The same, and the directory itself. 0 if it is gone. */
int remove_tree(const char *path);

/* How many entries a directory has. */
size_t entries_in(const char *path);

/* The whole file with a NUL behind it, to be freed; NULL if there is none. */
char *file_contents(const char *path, size_t *size);

#endif
