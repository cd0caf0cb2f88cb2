#define _GNU_SOURCE /* dladdr, RTLD_DEFAULT */
#include "shared/drivers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pentacl/cache.h>
#include <pentacl/io/output.h>
#include "shared/launch.h"

/* What devices a driver has, by the beginning of its file's name. Others may have any. */
static const struct {
    const char *name, *type;
} known[] = {{"libpocl.so", "cpu"},     {"libintelocl.so", "cpu"}, {"libnvidia-opencl.so", "gpu"},
             {"libamdocl64.so", "gpu"}, {"libigdrcl.so", "gpu"},   {"libMesaOpenCL.so", "gpu"}};

enum { MOST = 32, NONE = -1 };

typedef struct {
    char file[512];
    int row;     /* of known; or NONE */
    bool listed; /* in OCL_ICD_FILENAMES, else in the folder */
} driver;

static driver drivers[MOST + 1];
static size_t count; /* MOST + 1: too many to know them */
static char hidden[1024];

static void add(const char *file, size_t length, bool listed)
{
    driver *d = &drivers[count];
    const char *slash;

    if (length == 0 || count > MOST)
        return;
    if (count++ == MOST || length >= sizeof d->file) {
        count = MOST + 1;
        return;
    }
    *d = (driver){.row = NONE, .listed = listed};
    memcpy(d->file, file, length);
    slash = strrchr(d->file, '/');
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++)
        if (strncmp(slash ? slash + 1 : d->file, known[i].name, strlen(known[i].name)) == 0)
            d->row = i;
}

/* ---- what the loader would open ---- */

static void read_list(const char *list)
{
    while (list && *list) {
        size_t length = strcspn(list, ":");

        add(list, length, true);
        list += length + (list[length] == ':');
    }
}

/* The first line of a file *.icd is the name of a library. */
static bool read_icd(const char *folder, const char *name)
{
    char *path = penta_io_join_path(folder, name, ""), line[600] = "";
    FILE *file = path ? fopen(path, "r") : NULL;
    bool ok = file && fgets(line, sizeof line, file);

    if (ok)
        add(line, strcspn(line, " \t\r\n"), false);
    if (file)
        fclose(file);
    free(path);
    return ok;
}

/* False where it is no folder whose files can all be read: ocl-icd takes the name of a file, too. */
static bool read_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *e;
    bool ok = dir || (errno == ENOENT && !strstr(folder, ".icd") && !strstr(folder, ".so"));

    while (ok && dir && (e = readdir(dir))) {
        const char *end = strrchr(e->d_name, '.');

        if (end && strcmp(end, ".icd") == 0)
            ok = read_icd(folder, e->d_name);
    }
    if (dir)
        closedir(dir);
    return ok;
}

/* That of the environment, or that of the system's loader; NULL: other loaders, as conda's and CUDA's, have others. */
static const char *vendors_folder(void)
{
    const char *given = getenv("OCL_ICD_VENDORS"), *older = getenv("OPENCL_VENDOR_PATH");
    void *call = dlsym(RTLD_DEFAULT, "clGetPlatformIDs");
    Dl_info loader;

    if (given || older)
        return given ? given : older;
    if (!call || !dladdr(call, &loader) ||
        (strncmp(loader.dli_fname, "/usr/lib", 8) != 0 && strncmp(loader.dli_fname, "/lib", 4) != 0))
        return NULL;
    return "/etc/OpenCL/vendors";
}

/* ---- what it is to open ---- */

static bool is_wanted(const driver *d, const char *type)
{
    return d->row == NONE || strcmp(known[d->row].type, type) == 0;
}

/* The one driver that stays, which may be in the folder and in the list; NULL: there are none or several, whose order
 * is not for us to change, or nothing to hide. */
static const driver *find_one(const char *type)
{
    const driver *one = NULL;
    size_t in_folder = 0, in_list = 0, others = 0;

    for (const driver *d = drivers; d < drivers + count; d++) {
        if (!is_wanted(d, type)) {
            others++;
            continue;
        }
        if (d->row == NONE || (one && one->row != d->row))
            return NULL;
        *(d->listed ? &in_list : &in_folder) += 1;
        one = d;
    }
    return others > 0 && in_folder < 2 && in_list < 2 ? one : NULL;
}

static bool is_ours(const char *path)
{
    struct stat about;

    return lstat(path, &about) == 0 && about.st_uid == geteuid() && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
           (S_ISDIR(about.st_mode) || S_ISREG(about.st_mode));
}

/* Puts the file into its place in one step, as other processes may do. */
static bool write_icd(const char *path, const char *library)
{
    char temporary[4400];
    FILE *file;
    bool ok;

    if (is_ours(path))
        return true;
    snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    file = fopen(temporary, "wx");
    if (!file)
        return false;
    ok = fprintf(file, "%s\n", library) > 0;
    ok = fclose(file) == 0 && ok && chmod(temporary, 0600) == 0 && rename(temporary, path) == 0;
    if (!ok)
        unlink(temporary);
    return ok;
}

/* A folder for this library alone, beside compiled programs, where only this user writes; library NULL: for none. */
static bool make_folder(const char *library, char *path, size_t size)
{
    penta_cache_info cache = {.size = sizeof cache};
    penta_io_error error;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    char file[4352];

    for (const char *p = library ? library : ""; *p; p++)
        hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3); /* FNV-1a */
    penta_cache_look(&cache);
    if (!*cache.folder || *cache.fault ||
        (size_t)snprintf(path, size, "%s/driver-%016" PRIx64, cache.folder, hash) >= size ||
        !penta_io_make_directory(path, &error) || !is_ours(cache.folder) || !is_ours(path))
        return false;
    snprintf(file, sizeof file, "%s/only.icd", path);
    return !library || write_icd(file, library);
}

/* False, and nothing has changed, where the folder cannot be made. */
static bool show_only(const driver *one)
{
    const char *in_folder = NULL, *in_list = NULL;
    bool hides_in_folder = false;
    char folder[4200];

    for (const driver *d = drivers; d < drivers + count; d++) {
        if (d->row == one->row)
            *(d->listed ? &in_list : &in_folder) = d->file;
        else if (!d->listed)
            hides_in_folder = true;
    }
    if (hides_in_folder && !make_folder(in_folder, folder, sizeof folder))
        return false;
    if (hides_in_folder)
        setenv("OCL_ICD_VENDORS", folder, 1);
    if (in_list)
        setenv("OCL_ICD_FILENAMES", in_list, 1);
    else
        unsetenv("OCL_ICD_FILENAMES");
    return true;
}

void drivers_choose(const char *selector)
{
    const char *asked = selector && *selector ? selector : getenv("PENTACL_DEVICE"), *folder, *type;
    const driver *one;

    type = !asked ? NULL : strcasecmp(asked, "cpu") == 0 ? "cpu" : strcasecmp(asked, "gpu") == 0 ? "gpu" : NULL;
    if (!type || launch_look()->size > 1) /* ranks tell each other indices of devices */
        return;
    folder = vendors_folder();
    if (folder && !read_folder(folder)) /* where it is not known, the list alone is cut */
        return;
    read_list(getenv("OCL_ICD_FILENAMES"));
    one = count <= MOST ? find_one(type) : NULL;
    if (!one || !show_only(one))
        return;
    for (const driver *d = drivers; d < drivers + count; d++)
        if (d->row != one->row && !strstr(hidden, d->file) && strlen(hidden) + strlen(d->file) + 3 < sizeof hidden) {
            strcat(hidden, *hidden ? ", " : "");
            strcat(hidden, d->file);
        }
}

const char *drivers_hidden(void)
{
    return hidden;
}
