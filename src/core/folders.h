/* Folders for caches: names, and making them. */
#pragma once

#include <limits.h>
#include <stdbool.h>

typedef struct penta_folder {
    char path[PATH_MAX];
} penta_folder;

/* The variable's value; NULL: not set, or empty. */
const char *penta_environment(const char *name);

/* folder/name; false: too long. */
bool penta_folder_put(penta_folder *out, const char *folder, const char *name);

/* XDG_CACHE_HOME/name, otherwise HOME/.cache/name; false: neither is set. */
bool penta_folder_in_cache(penta_folder *out, const char *name);

/* Makes the folder and those above it, for this user only. false, with errno: it is not there now. */
bool penta_make_folders(const char *path);
