/* The temporary folder with inputs, outputs, caches and scripts. */
#include "job.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pentacl/io/output.h>

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    return remove(path);
}

void job_remove_folder(const char *directory)
{
    enum { OPEN_FOLDERS = 16 };

    nftw(directory, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

char *job_make_empty(const char *directory, const char *name)
{
    char *path = penta_io_join_path(directory, name, "");

    if (!path) {
        cli_fail("bench", CLI_ERROR, "out of memory");
        return NULL;
    }
    job_remove_folder(path);
    if (mkdir(path, 0700) == 0)
        return path;
    cli_fail("bench", CLI_ERROR, "%s: cannot be made: %s", path, strerror(errno));
    free(path);
    return NULL;
}

static bool write_script(const char *directory, const job_script *script)
{
    char *path = penta_io_join_path(directory, script->name, "");
    FILE *file = path ? fopen(path, "w") : NULL;
    bool ok = file && fwrite(script->text, 1, *script->bytes, file) == *script->bytes;

    ok = (!file || fclose(file) == 0) && ok;
    free(path);
    return ok;
}

char *job_make_folder(void)
{
    const char *place = getenv("TMPDIR");
    char *path = penta_io_join_path(place && *place ? place : "/tmp", "penta-bench-XXXXXX", "");
    bool made = path && mkdtemp(path), ok = made;

    for (size_t i = 0; ok && i < job_script_count; i++)
        ok = write_script(path, &job_scripts[i]);
    if (ok)
        return path;
    cli_fail("bench", CLI_ERROR, "cannot write to a temporary folder: %s", strerror(errno));
    if (made)
        job_remove_folder(path);
    free(path);
    return NULL;
}
