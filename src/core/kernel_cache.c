/*
 * Where PoCL keeps compiled kernels: POCL_CACHE_DIR, else pocl/kcache in XDG_CACHE_HOME, else in HOME/.cache, else in
 * /tmp, a place that others can prepare. PoCL 3.1 loads shared objects from there, finds no device when it cannot make
 * the folder, and ends the process when it cannot write to it or finds a damaged file.
 */
#include "core/kernel_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/folders.h"
#include "core/kernel_files.h"

enum { LEAST_FREE = 4 << 20 }; /* bytes; all kernels of a workload take less */

/* Why the folder cannot be PoCL's cache, or NULL. private_only: others must not write to it, and it is this user's. */
static const char *fault_of(const char *path, bool private_only)
{
    struct stat about;
    struct statvfs disk;

    if (!penta_make_folders(path) || stat(path, &about) != 0)
        return strerror(errno);
    if (!S_ISDIR(about.st_mode))
        return "is no folder";
    if (private_only && about.st_uid != geteuid())
        return "belongs to another user";
    if (private_only && (about.st_mode & S_IWOTH))
        return "can be written to by everybody";
    if (access(path, W_OK | X_OK) != 0)
        return strerror(errno);
    if (statvfs(path, &disk) == 0 && disk.f_blocks > 0 && (double)disk.f_bavail * (double)disk.f_frsize < LEAST_FREE)
        return "has less than 4 MB left";
    return NULL;
}

/* PoCL's own choice; false: /tmp/pocl, where others may have put something before. */
static bool usual_place(penta_folder *out)
{
    const char *switched = penta_environment("POCL_KERNEL_CACHE");

    return penta_folder_in_cache(out, switched && atoi(switched) == 0 ? "pocl/uncached" : "pocl/kcache");
}

/* Our own, beside PoCL's, or in the folder for temporary files, with the user's number. */
static bool own_place(penta_folder *out)
{
    const char *temporary = penta_environment("TMPDIR");
    char name[48];

    if (penta_folder_in_cache(out, "pentacl/pocl") && !fault_of(out->path, true))
        return true;
    temporary = temporary ? temporary : "/tmp";
    snprintf(name, sizeof name, "pentacl-%lu", (unsigned long)geteuid());
    if (penta_folder_put(out, temporary, name)) {
        struct stat about;
        bool ours = (mkdir(out->path, 0700) == 0 || errno == EEXIST) && lstat(out->path, &about) == 0 &&
                    S_ISDIR(about.st_mode) && about.st_uid == geteuid() && (about.st_mode & 077) == 0;

        if (ours && !fault_of(out->path, true))
            return true;
    }
    /* Somebody else has a thing of that name: a new folder for this process. */
    strcat(name, "-XXXXXX");
    return penta_folder_put(out, temporary, name) && mkdtemp(out->path) && !fault_of(out->path, true);
}

/* Damaged files of the cache go. false: some could not be removed. */
static bool mend(const char *path, char *note, size_t size)
{
    penta_kernel_files found = penta_kernel_files_check(path);

    if (found.removed > 0)
        snprintf(note, size, "removed %zu damaged file%s from PoCL's kernel cache %.200s; kernels are compiled again",
                 found.removed, found.removed == 1 ? "" : "s", path);
    if (found.stuck > 0)
        snprintf(note, size, "PoCL's kernel cache %.200s has damaged files that cannot be removed", path);
    return found.stuck == 0;
}

static bool check_given(const char *path, char *note, size_t size)
{
    const char *fault = fault_of(path, false);

    if (fault)
        snprintf(note, size,
                 "PoCL cannot keep kernels in POCL_CACHE_DIR %.200s: %s; set it to another folder, or unset it", path,
                 fault);
    return !fault && mend(path, note, size);
}

bool penta_kernel_cache_prepare(char *note, size_t size)
{
    const char *given = penta_environment("POCL_CACHE_DIR"), *fault;
    char why[400] = "HOME and XDG_CACHE_HOME are not set";
    penta_folder usual, own;

    *note = '\0';
    if (given)
        return check_given(given, note, size);
    if (usual_place(&usual)) {
        fault = fault_of(usual.path, true);
        if (!fault && mend(usual.path, note, size))
            return true;
        if (fault)
            snprintf(why, sizeof why, "%.200s: %s", usual.path, fault);
        else
            snprintf(why, sizeof why, "%s", note);
    }
    if (!own_place(&own)) {
        snprintf(note, size, "PoCL finds no place for compiled kernels (%s); set POCL_CACHE_DIR to a folder of yours",
                 why);
        return false;
    }
    snprintf(note, size, "kernels are kept in %.200s (%s)", own.path, why);
    return setenv("POCL_CACHE_DIR", own.path, 1) == 0 && penta_kernel_files_check(own.path).stuck == 0;
}
