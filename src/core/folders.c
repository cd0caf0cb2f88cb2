/* Folders for caches. */
#include "core/folders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *penta_environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

bool penta_folder_put(penta_folder *out, const char *folder, const char *name)
{
    int length = snprintf(out->path, sizeof out->path, "%s/%s", folder, name);

    return length > 0 && (size_t)length < sizeof out->path;
}

bool penta_folder_in_cache(penta_folder *out, const char *name)
{
    const char *cache = penta_environment("XDG_CACHE_HOME"), *home = penta_environment("HOME");
    penta_folder in_home;

    if (cache)
        return penta_folder_put(out, cache, name);
    return home && penta_folder_put(&in_home, home, ".cache") && penta_folder_put(out, in_home.path, name);
}

bool penta_make_folders(const char *path)
{
    penta_folder part;
    size_t length = strlen(path);

    if (length >= sizeof part.path) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(part.path, path, length + 1);
    for (size_t i = 1; i < length; i++)
        if (part.path[i] == '/') {
            part.path[i] = '\0';
            mkdir(part.path, 0700);
            part.path[i] = '/';
        }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}
