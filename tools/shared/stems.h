/* What outputs are called by the files that they come from. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The file name without directory and last extension; to be freed. NULL: out of memory. */
char *stem_of(const char *path);

/* Stems of files in different directories may be the same, and their outputs must not write over one another: the
 * second one is replaced by STEM-2, or the next number that gives no stem of another file. False: out of memory. */
bool stems_tell_apart(char **stems, size_t count);

/* Whether paths are a numbered series in the order in which a shell lists it, frame1, frame10, frame2, and not in that
 * of its numbers: the first that comes after a higher number, or NULL. */
const char *stems_out_of_order(char *const *paths, size_t count);
