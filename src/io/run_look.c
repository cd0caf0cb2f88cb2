/* For readers of a run's files: whether a file is as the manifest describes it. */
#define _FILE_OFFSET_BITS 64
#include <pentacl/io/run.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/checksum.h"
#include "io/manifest.h"
#include "io/path.h"
#include "io/staging.h"

bool penta_io_run_covers(const char *path)
{
    return io_staging_covers(path);
}

char *penta_io_run_where(const char *path)
{
    char *waiting = io_staging_where(path);

    return waiting ? waiting : strdup(path);
}

/* Looks up the file `name`, in or below the directory, in the directory's manifest. The caller releases *manifest. */
static bool find_in(const char *directory, const char *name, json_t **manifest, io_manifest_file *out)
{
    penta_io_error ignored;

    if (directory && name && io_manifest_read(directory, manifest, &ignored) && io_manifest_find(*manifest, name, out))
        return true;
    json_decref(*manifest);
    *manifest = NULL;
    return false;
}

/* Looks up the file in the manifest beside it or, for files such as .prepare/state.json, in the one a directory above.
 */
static bool find(const char *path, json_t **manifest, io_manifest_file *out)
{
    char *parent = io_path_parent(path), *above = parent ? io_path_parent(parent) : NULL;
    char *name = parent ? penta_io_join_path(io_path_base(parent), io_path_base(path), "") : NULL;
    bool found = find_in(parent, io_path_base(path), manifest, out) || find_in(above, name, manifest, out);

    free(parent);
    free(above);
    free(name);
    return found;
}

static enum penta_io_run_state compare(int fd, const io_manifest_file *known)
{
    struct stat st;
    uint64_t sum, bytes;

    if (fstat(fd, &st) != 0 || !io_checksum_file(fd, &sum, &bytes))
        return PENTA_IO_RUN_UNKNOWN; /* reading the file will fail, too, and say why */
    if (bytes == known->bytes && sum == known->sum)
        return PENTA_IO_RUN_WHOLE;
    return io_manifest_time(st.st_mtim) == known->time ? PENTA_IO_RUN_DAMAGED : PENTA_IO_RUN_CHANGED;
}

enum penta_io_run_state penta_io_run_look(const char *path)
{
    enum penta_io_run_state state = PENTA_IO_RUN_UNKNOWN;
    json_t *manifest = NULL;
    io_manifest_file known;

    if (find(path, &manifest, &known)) {
        int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

        state = fd >= 0 ? compare(fd, &known) : PENTA_IO_RUN_UNKNOWN;
        if (fd >= 0)
            close(fd);
    }
    json_decref(manifest);
    return state;
}

/* Settles the directories whose manifests may list the file. */
static bool settle_around(const char *path, penta_io_error *err)
{
    char *parent = io_path_parent(path), *above = parent ? io_path_parent(parent) : NULL;
    bool ok = (!parent || penta_io_run_settle(parent, err)) && (!above || penta_io_run_settle(above, err));

    free(parent);
    free(above);
    return ok;
}

static bool refuse_damaged(const char *path, penta_io_error *err)
{
    return penta_io_fail(err,
                         "%s: is damaged: it is not what the run wrote (.penta-run.json), and has not been changed "
                         "since; take a copy, or run again",
                         path);
}

bool penta_io_run_check(const char *path, penta_io_error *err)
{
    return settle_around(path, err) && (penta_io_run_look(path) != PENTA_IO_RUN_DAMAGED || refuse_damaged(path, err));
}

bool penta_io_run_check_unedited(const char *path, penta_io_error *err)
{
    enum penta_io_run_state state;

    if (!settle_around(path, err))
        return false;
    state = penta_io_run_look(path);
    if (state == PENTA_IO_RUN_DAMAGED)
        return refuse_damaged(path, err);
    return state != PENTA_IO_RUN_CHANGED ||
           penta_io_fail(err,
                         "%s: is not what the run wrote (.penta-run.json): it was changed or replaced since; put the "
                         "run's file back, or use it from a directory of its own",
                         path);
}

static bool same_parent(const char *a, const char *b)
{
    char *first = io_path_parent(a), *second = io_path_parent(b);
    bool same = first && second && strcmp(first, second) == 0;

    free(first);
    free(second);
    return same;
}

/* Whether the file is as it was left; one whose time says so is not read. */
static bool is_there(const char *directory, const json_t *manifest, const char *name)
{
    char *path = penta_io_join_path(directory, name, "");
    io_manifest_file known;
    struct stat st;
    bool there = path && io_manifest_find(manifest, name, &known) && stat(path, &st) == 0 &&
                 (uint64_t)st.st_size == known.bytes &&
                 (io_manifest_time(st.st_mtim) == known.time || penta_io_run_look(path) == PENTA_IO_RUN_WHOLE);

    free(path);
    return there;
}

/* Whether the run is of this command and, unless there are none, among these ids. */
static bool is_among(const json_t *run, const char *command, const json_t *ids)
{
    const char *of = json_string_value(json_object_get(run, "command"));
    const json_t *id;
    size_t i;

    if (!of || strcmp(of, command) != 0 || json_array_size(ids) == 0)
        return of && strcmp(of, command) == 0;
    json_array_foreach(ids, i, id)
    {
        if (json_equal(id, json_object_get(run, "id")))
            return true;
    }
    return false;
}

/* The first file of the run that is not as it was left, to be freed; NULL: all are. */
static char *first_lacking(const char *directory, const json_t *manifest, const json_t *run)
{
    const char *key;
    json_t *about;

    json_object_foreach(json_object_get(run, "files"), key, about)
    {
        char *name = io_json_take_name(key);

        if (name && !is_there(directory, manifest, name))
            return name;
        free(name);
    }
    return NULL;
}

bool penta_io_run_lacks(const char *directory, const char *command, const char *record, char *name, size_t size)
{
    json_t *manifest = NULL, *ids, *run;
    penta_io_error ignored;
    char *lacking = NULL;
    bool lacks;
    size_t i;

    if (!io_manifest_read(directory, &manifest, &ignored))
        return false;
    ids = record ? io_manifest_series(manifest, record) : NULL;
    json_array_foreach(json_object_get(manifest, "runs"), i, run)
    {
        if (!lacking && is_among(run, command, ids))
            lacking = first_lacking(directory, manifest, run);
    }
    lacks = lacking != NULL;
    if (lacks)
        snprintf(name, size, "%s", lacking);
    json_decref(ids);
    json_decref(manifest);
    free(lacking);
    return lacks;
}

bool penta_io_run_same(const char *a, const char *b, penta_io_error *err)
{
    json_t *first = NULL, *second = NULL;
    io_manifest_file of_a, of_b;
    bool differ =
        same_parent(a, b) && find(a, &first, &of_a) && find(b, &second, &of_b) && strcmp(of_a.run, of_b.run) != 0;

    json_decref(first);
    json_decref(second);
    return !differ || penta_io_fail(err, "%s and %s are of different runs; run again, or take files of one run", a, b);
}
