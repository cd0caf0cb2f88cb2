/* Whether files of PoCL's kernel cache are whole. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct penta_kernel_files {
    size_t checked, removed, stuck; /* stuck: damaged, but not to be removed */
} penta_kernel_files;

/*
 * Looks at the shared objects and LLVM bitcode below the folder that have changed since the last look in this boot, and
 * removes those that are cut, empty or zeroed: PoCL 3.1 ends the process when it loads one. What is removed is compiled
 * again. Within a minute of the last look there is no other one. Other programs may use and fill the cache meanwhile,
 * since PoCL renames files into place.
 */
penta_kernel_files penta_kernel_files_check(const char *folder);
