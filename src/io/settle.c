#define _XOPEN_SOURCE     700 /* realpath */
#define _FILE_OFFSET_BITS 64
#include "io/settle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io/lock.h"
#include "io/path.h"
#include "io/temporary.h"
#include <pentacl/io/run.h>

static bool incomplete(const char *directory, const char *name, const char *why, penta_io_error *err)
{
    return penta_io_fail(err,
                         "%s: a run was ended while it replaced its results, which are incomplete: %s: %s; run penta "
                         "where it may write there, or remove .penta-run.json and the results",
                         directory, name, why);
}

/* ---- names from the manifest, which are untrusted ---- */

/* Whether the name can only mean something below the directory. */
static bool is_below(const char *name)
{
    for (const char *part = name; part; part = strchr(part, '/'), part += part != NULL) {
        size_t length = strcspn(part, "/");

        if (length == 0 || (length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.'))
            return false;
    }
    return true;
}

static bool is_changeable(const io_settle_place *p, const struct stat *st)
{
    return S_ISDIR(st->st_mode) && (p->own || st->st_uid == p->owner);
}

/* Whether the manifest's owner can change the directory that holds the name, and the path to it has no links. */
static bool is_reachable(const io_settle_place *p, const char *name)
{
    struct stat st;
    bool ok = stat(p->directory, &st) == 0 && is_changeable(p, &st);

    for (const char *slash = strchr(name, '/'); ok && slash; slash = strchr(slash + 1, '/')) {
        char *part = strndup(name, (size_t)(slash - name));
        char *path = part ? penta_io_join_path(p->directory, part, "") : NULL;

        ok = path && lstat(path, &st) == 0 && is_changeable(p, &st);
        free(part);
        free(path);
    }
    return ok;
}

/* The path that a name in the manifest stands for, to be freed; NULL: the name must not be followed, or out of memory.
 */
static char *place_of(const io_settle_place *p, const char *text)
{
    char *name = io_json_take_name(text), *path = NULL;

    if (name && is_below(name) && is_reachable(p, name))
        path = penta_io_join_path(p->directory, name, "");
    free(name);
    return path;
}

/* ---- steps ---- */

static bool is_there(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

/* Why a name is refused that no run writes, or that the manifest's owner may not change. */
static const char no_place[] = "its name is damaged, or in a directory of another user";

static bool keep(const io_settle_place *p, const char *from, const char *to, penta_io_error *err)
{
    char *old_place = place_of(p, from), *new_place = place_of(p, to);
    bool ok = old_place && new_place, needed = ok && is_there(old_place) && !is_there(new_place);

    if (!ok)
        incomplete(p->directory, from, no_place, err);
    else if (needed && rename(old_place, new_place) != 0)
        ok = incomplete(p->directory, from, strerror(errno), err);
    free(old_place);
    free(new_place);
    return ok;
}

/* The file that a rename to the path must replace, to be freed: of a link, the file that it leads to. */
static char *target_of(const char *path)
{
    struct stat st;

    if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
        return io_path_is_foreign_link(path) ? NULL : realpath(path, NULL);
    return strdup(path);
}

/* The path of the temporary file beside the target, to be freed; NULL: the text is no name of one. */
static char *temporary_of(const char *target, const char *text)
{
    char *name = io_json_take_name(text), *path = NULL;
    size_t before = (size_t)(io_path_base(target) - target);

    if (name && io_temporary_is(name, io_path_base(target)) && !strchr(name, '/'))
        path = malloc(before + strlen(name) + 1);
    if (path) {
        memcpy(path, target, before);
        strcpy(path + before, name);
    }
    free(name);
    return path;
}

static bool move(const io_settle_place *p, const char *name, const char *from, penta_io_error *err)
{
    char *place = place_of(p, name), *target = place ? target_of(place) : NULL;
    char *temporary = target && from ? temporary_of(target, from) : NULL;
    bool ok = temporary != NULL;

    if (!ok)
        incomplete(p->directory, name, no_place, err);
    else if (is_there(temporary) && rename(temporary, target) != 0)
        ok = incomplete(p->directory, name, strerror(errno), err);
    free(place);
    free(target);
    free(temporary);
    return ok;
}

static void take_away(const io_settle_place *p, const char *name)
{
    char *place = name ? place_of(p, name) : NULL;
    struct stat st;

    if (place && lstat(place, &st) == 0 && S_ISREG(st.st_mode))
        unlink(place);
    free(place);
}

bool io_settle_finish(const io_settle_place *p, json_t *manifest, penta_io_error *err)
{
    const json_t *pending = json_object_get(manifest, "pending"), *value;
    const char *name;
    bool ok = true;
    size_t i;

    if (!pending)
        return true;
    json_object_foreach(json_object_get(pending, "keep"), name, value) if (ok) ok =
        keep(p, name, json_string_value(value), err);
    json_object_foreach(json_object_get(pending, "move"), name, value) if (ok) ok =
        move(p, name, json_string_value(value), err);
    json_array_foreach(json_object_get(pending, "remove"), i, value) if (ok) take_away(p, json_string_value(value));
    if (!ok)
        return false;
    json_object_del(manifest, "pending");
    return io_manifest_write(p->directory, manifest, err);
}

bool io_settle_found(const char *directory, json_t *manifest, penta_io_error *err)
{
    io_settle_place p = {.directory = directory};

    p.own = !io_manifest_owner(directory, &p.owner) || p.owner == geteuid();
    return io_settle_finish(&p, manifest, err);
}

/* ---- for readers ---- */

enum { PAUSE_MS = 20, MOST_PAUSES = 500 };

/* Carries out the pending steps. If a living run is in the middle of its commit, waits for it instead. */
static bool settle(const char *directory, json_t *manifest, penta_io_error *err)
{
    const struct timespec pause = {0, PAUSE_MS * 1000000L};
    enum io_lock_result result = IO_LOCK_BUSY;
    io_lock lock = {.fd = -1};
    bool ok;

    for (int i = 0; i < MOST_PAUSES && json_object_get(manifest, "pending"); i++) {
        json_t *now;

        result = io_lock_take(directory, &lock);
        if (result == IO_LOCK_FAILED)
            return incomplete(directory, "lock", strerror(errno), err);
        if (result == IO_LOCK_BUSY)
            nanosleep(&pause, NULL);
        if (!io_manifest_read(directory, &now, err)) {
            io_lock_release(&lock);
            return false;
        }
        json_object_clear(manifest);
        json_object_update(manifest, now);
        json_decref(now);
        if (result == IO_LOCK_TAKEN)
            break;
    }
    if (result == IO_LOCK_BUSY)
        return !json_object_get(manifest, "pending") || incomplete(directory, "lock", "another run holds it", err);
    ok = io_settle_found(directory, manifest, err);
    io_lock_release(&lock);
    return ok;
}

bool penta_io_run_settle(const char *directory, penta_io_error *err)
{
    char *path = penta_io_join_path(directory, ".penta-run", ".json");
    bool there = path && is_there(path), ok = path || penta_io_fail(err, "%s: out of memory", directory);
    json_t *manifest = NULL;

    free(path);
    if (!ok || !there)
        return ok;
    ok = io_manifest_read(directory, &manifest, err);
    if (ok && json_object_get(manifest, "pending"))
        ok = settle(directory, manifest, err);
    json_decref(manifest);
    return ok;
}
