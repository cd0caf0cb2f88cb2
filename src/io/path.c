/* Paths: joins and compares names, makes directories, detects links of other users. */
#define _XOPEN_SOURCE     700 /* realpath */
#define _FILE_OFFSET_BITS 64
#include "io/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ---- */

char *penta_io_join_path(const char *directory, const char *name, const char *suffix)
{
    size_t size = strlen(directory) + strlen(name) + strlen(suffix) + 2;
    char *path = malloc(size);

    if (path)
        snprintf(path, size, "%s/%s%s", directory, name, suffix);
    return path;
}

bool penta_io_same_file(const char *a, const char *b)
{
    struct stat first, second;

    return a && b && stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

const char *io_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static char *parent_of(const char *path)
{
    size_t length = (size_t)(io_path_base(path) - path);

    if (length == 0)
        return strdup(".");
    return strndup(path, length > 1 ? length - 1 : 1);
}

char *io_path_parent(const char *path)
{
    char *parent = parent_of(path), *real = parent ? realpath(parent, NULL) : NULL;

    free(parent);
    return real;
}

const char *penta_io_special(const char *path)
{
    struct stat st;

    if (lstat(path, &st) == 0 && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)))
        return "a device";
    if (stat(path, &st) != 0)
        return NULL;
    return S_ISFIFO(st.st_mode) ? "a FIFO" : S_ISSOCK(st.st_mode) ? "a socket" : NULL;
}

bool io_path_check_file(const char *path, penta_io_error *err)
{
    const char *special = penta_io_special(path);

    return !special ||
           penta_io_fail(err, "%s: is %s in the place of a file; remove it or choose another directory", path, special);
}

/* ---- links ---- */

/* Whether only root can change the names in the directory of the path. */
static bool is_of_system(const char *path)
{
    char *parent = parent_of(path);
    struct stat st;
    bool ok = parent && stat(parent, &st) == 0 && st.st_uid == 0 && !(st.st_mode & (S_IWGRP | S_IWOTH));

    free(parent);
    return ok;
}

bool io_path_is_foreign_link(const char *path)
{
    struct stat link;

    return lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && link.st_uid != geteuid() &&
           !(link.st_uid == 0 && is_of_system(path));
}

bool io_path_refuse_link(const char *path, penta_io_error *err)
{
    return penta_io_fail(err,
                         "%s: is a symbolic link of another user and is not followed; name the place that it "
                         "leads to, or remove it",
                         path);
}

/* ---- directories ---- */

/* Creates one directory; an existing one is fine. `part` is a leading part of `path`. */
static bool make_one(const char *part, const char *path, penta_io_error *err)
{
    struct stat st;
    int code;

    if (io_path_is_foreign_link(part))
        return io_path_refuse_link(part, err);
    if (mkdir(part, 0777) == 0)
        return penta_io_pending_directory(part) || penta_io_fail(err, "%s: out of memory", path);
    code = errno;
    if (stat(part, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return true;
        return penta_io_fail(err, "%s: cannot be made: %s is a file, not a directory; remove it or choose another name",
                             path, part);
    }
    return penta_io_fail(err, "%s: cannot be made: %s: %s; choose another place or change the permissions", path, part,
                         strerror(code));
}

bool penta_io_make_directory(const char *path, penta_io_error *err)
{
    char *part = strdup(path);
    bool ok = false;

    if (!part)
        return penta_io_fail(err, "%s: out of memory", path);
    if (!*path) {
        penta_io_fail(err, "the name of the output directory is empty");
        goto cleanup;
    }
    for (char *at = part + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = 0;
        if (!make_one(part, path, err))
            goto cleanup;
        *at = '/';
    }
    if (!make_one(part, path, err))
        goto cleanup;
    if (access(path, W_OK | X_OK) != 0) {
        penta_io_fail(err, "%s: the directory cannot be written to: %s; choose another or change its permissions", path,
                      strerror(errno));
        goto cleanup;
    }
    ok = true;
cleanup:
    free(part);
    return ok;
}
