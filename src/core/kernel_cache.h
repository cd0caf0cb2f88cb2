/* Where PoCL keeps compiled kernels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes sure, before PoCL is asked for the first time, that its kernel cache is a private folder that can be written to
 * and holds no damaged files. If the usual place is none, POCL_CACHE_DIR is set in the environment of the process. A
 * POCL_CACHE_DIR that the user has set is checked, but stays. note: one line on what is wrong or was mended; "":
 * nothing. Returns whether there is a usable cache. Not for several threads at a time.
 */
bool penta_kernel_cache_prepare(char *note, size_t size);
