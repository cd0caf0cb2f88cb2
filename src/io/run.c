/*
 * A commit takes four steps. The files go to the disk under temporary names. A manifest that lists the pending steps
 * (renames and removals) replaces the old manifest: this is the commit point. The pending steps are carried out
 * (settle.c). A manifest without them replaces the one that listed them.
 */
#define _GNU_SOURCE       /* syncfs */
#define _FILE_OFFSET_BITS 64
#include <pentacl/io/run.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/lock.h"
#include "io/path.h"
#include "io/run_parts.h"
#include "io/settle.h"
#include "io/staging.h"
#include "io/temporary.h"
#include "io/written.h"

enum { LOCK_PAUSE_MS = 20 };

struct penta_io_run {
    char id[32];
    char *directory, *command;
    io_lock lock;
    io_staging *staging;
    json_t *keep;    /* {from: to} of the next commit */
    bool again;      /* penta_io_run_open_again */
    json_t *goes_on; /* the ids of the runs that it goes on with; NULL: not known yet, or none */
};

static bool out_of_memory(const penta_io_run *run, penta_io_error *err)
{
    return penta_io_fail(err, "%s: out of memory", run->directory);
}

/* ---- opening ---- */

static void make_id(char *id, size_t size)
{
    static atomic_uint next;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(id, size, "%016" PRIx64 "%04x%04x", (uint64_t)io_manifest_time(now), (unsigned)getpid() & 0xffff,
             atomic_fetch_add(&next, 1) & 0xffff);
}

static bool has_entry(const char *directory, const char *name)
{
    char *path = penta_io_join_path(directory, name, "");
    struct stat st;
    bool there = path && lstat(path, &st) == 0;

    free(path);
    return there;
}

/* Whether runs write to the directory itself: what they have left there is for the next one of them, or for --resume.
 */
static bool has_own_runs(const char *directory)
{
    return has_entry(directory, ".penta-run.json") || has_entry(directory, PENTA_IO_RUN_RECORD);
}

/* Removes temporaries from subdirectories, such as report, but not from those that another run has locked. */
static void sweep_below(const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;

    while (dir && (entry = readdir(dir)) != NULL) {
        bool is_folder = entry->d_type == DT_DIR && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
        char *path = is_folder ? penta_io_join_path(directory, entry->d_name, "") : NULL;
        io_lock lock;

        if (path && io_lock_take(path, &lock) == IO_LOCK_TAKEN) {
            if (!has_own_runs(path))
                io_temporary_sweep(path);
            io_lock_release(&lock);
        }
        free(path);
    }
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
}

/* Waits up to `seconds` for a lock that another run holds. */
static enum io_lock_result wait_for_lock(const char *directory, double seconds, io_lock *lock)
{
    const struct timespec pause = {0, LOCK_PAUSE_MS * 1000000L};
    enum io_lock_result result = io_lock_take(directory, lock);

    for (double left = seconds; result == IO_LOCK_BUSY && left > 0; left -= 1e-3 * LOCK_PAUSE_MS) {
        nanosleep(&pause, NULL);
        result = io_lock_take(directory, lock);
    }
    return result;
}

static bool take_lock(penta_io_run *run, double patience, penta_io_error *err)
{
    switch (wait_for_lock(run->directory, patience, &run->lock)) {
    case IO_LOCK_TAKEN:
        return true;
    case IO_LOCK_BUSY:
        return penta_io_fail(err, "%s: another run writes there; wait until it ends, or choose another directory",
                             run->directory);
    default:
        return penta_io_fail(err, "%s: cannot be locked: %s; choose another place or change the permissions",
                             run->directory, strerror(errno));
    }
}

/* Finishes commits and removes temporary files that earlier runs have left, unless they are still of use. */
static bool clean_up(const penta_io_run *run, bool again, penta_io_error *err)
{
    json_t *manifest = NULL;
    char *record = penta_io_join_path(run->directory, PENTA_IO_RUN_RECORD, "");
    bool ok = record ? io_path_check_file(record, err) : out_of_memory(run, err);

    free(record);
    ok = ok && io_manifest_read(run->directory, &manifest, err) && io_settle_found(run->directory, manifest, err);

    json_decref(manifest);
    if (ok && !again) {
        io_temporary_sweep(run->directory);
        sweep_below(run->directory);
    }
    return ok;
}

static penta_io_run *make_run(const char *directory, const char *command, penta_io_error *err)
{
    penta_io_run *run = calloc(1, sizeof *run);

    if (run) {
        run->lock.fd = -1;
        make_id(run->id, sizeof run->id);
        run->directory = strdup(directory);
        run->command = strdup(command);
        run->keep = json_object();
        if (run->directory && run->command && run->keep)
            return run;
    }
    penta_io_run_close(run);
    penta_io_fail(err, "%s: out of memory", directory);
    return NULL;
}

static bool open_run(const char *directory, const char *command, double seconds, bool again, penta_io_run **out,
                     penta_io_error *err)
{
    penta_io_run *run = make_run(directory, command, err);
    bool ok;

    *out = NULL;
    if (!run)
        return false;
    run->again = again;
    ok = take_lock(run, seconds, err) && clean_up(run, again, err);
    if (ok)
        run->staging = io_staging_open(directory, err);
    if (run->staging)
        *out = run;
    else
        penta_io_run_close(run);
    return *out != NULL;
}

bool penta_io_run_open(const char *directory, const char *command, penta_io_run **out, penta_io_error *err)
{
    return open_run(directory, command, 0, false, out, err);
}

bool penta_io_run_open_patiently(const char *directory, const char *command, double seconds, penta_io_run **out,
                                 penta_io_error *err)
{
    return open_run(directory, command, seconds, false, out, err);
}

bool penta_io_run_open_again(const char *directory, const char *command, penta_io_run **out, penta_io_error *err)
{
    return open_run(directory, command, 0, true, out, err);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(io_path_base(*(char *const *)a), io_path_base(*(char *const *)b));
}

typedef struct {
    char **paths;
    size_t count;
} kept_files;

static bool is_kept(const void *user, const char *name)
{
    const kept_files *k = user;

    return bsearch(&name, k->paths, k->count, sizeof *k->paths, compare_names) != NULL;
}

void penta_io_run_sweep(penta_io_run *run)
{
    kept_files kept = {0};

    kept.paths = io_staging_temporaries(run->staging, &kept.count);
    if (!kept.paths)
        return; /* the next run there does it */
    qsort(kept.paths, kept.count, sizeof *kept.paths, compare_names);
    io_temporary_sweep_others(run->directory, is_kept, &kept);
    sweep_below(run->directory);
    for (size_t i = 0; i < kept.count; i++)
        free(kept.paths[i]);
    free(kept.paths);
}

bool penta_io_run_join(const char *directory, const char *command, penta_io_run **out, penta_io_error *err)
{
    penta_io_run *run = make_run(directory, command, err);

    *out = NULL;
    if (run)
        run->staging = io_staging_open(directory, err);
    if (run && run->staging) {
        run->staging->joined = true;
        *out = run;
    } else {
        penta_io_run_close(run);
    }
    return *out != NULL;
}

void penta_io_run_close(penta_io_run *run)
{
    if (!run)
        return;
    io_staging_close(run->staging);
    io_lock_release(&run->lock);
    json_decref(run->keep);
    json_decref(run->goes_on);
    free(run->directory);
    free(run->command);
    free(run);
}

/* ---- setting aside ---- */

/* NAME-N.END. A name whose only dot comes first, such as .prepare, has no END. */
static void number_name(const char *name, unsigned n, char *out, size_t size)
{
    const char *dot = strrchr(io_path_base(name), '.');
    int length = dot && dot > io_path_base(name) ? (int)(dot - name) : (int)strlen(name);

    snprintf(out, size, "%.*s-%u%s", length, name, n, name + length);
}

bool penta_io_run_keep(penta_io_run *run, const char *name, char *kept, size_t size, penta_io_error *err)
{
    char *key = io_json_name_text(name), *value;
    bool ok;

    *kept = 0;
    if (!has_entry(run->directory, name)) {
        free(key);
        return true;
    }
    for (unsigned n = 1; n == 1 || has_entry(run->directory, kept); n++)
        number_name(name, n, kept, size);
    value = io_json_name_text(kept);
    ok = key && value && json_object_set_new(run->keep, key, json_string(value)) == 0;
    free(key);
    free(value);
    return ok || out_of_memory(run, err);
}

/* ---- the commit ---- */

bool io_run_sync_path(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP);
    int code = errno;

    if (fd >= 0)
        close(fd);
    errno = code;
    return ok;
}

/* Syncs the whole file system; false where that is not possible. */
bool io_run_sync_system(const char *path)
{
#if defined(__linux__)
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && syncfs(fd) == 0;

    if (fd >= 0)
        close(fd);
    return ok;
#else
    (void)path;
    return false;
#endif
}

/* Whether the file is on the file system of the directory; a link may lead to another one. */
static bool is_on_system(const char *path, const struct stat *directory)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_dev == directory->st_dev;
}

static bool sync_files(const penta_io_run *run, penta_io_error *err)
{
    const io_staging *s = run->staging;
    struct stat st = {0};
    bool together = s->count > MOST_SINGLE_SYNCS && stat(s->directory, &st) == 0 && io_run_sync_system(s->directory);

    for (size_t i = 0; i < s->count; i++) {
        const char *path = s->files[i]->temporary;

        if (path && !(together && is_on_system(path, &st)) && !io_run_sync_path(path))
            return penta_io_fail(err, "%s/%s: cannot be written to the disk: %s", run->directory, s->files[i]->name,
                                 strerror(errno));
    }
    return true;
}

/* Enters the staged files as files of this run, and removes them from earlier runs. */
static bool enter_files(const penta_io_run *run, json_t *manifest)
{
    const io_staging *s = run->staging;
    bool files = false, ok = true;
    json_t *entry;

    for (size_t i = 0; i < s->count; i++) {
        io_manifest_forget(manifest, s->files[i]->name);
        files = files || s->files[i]->temporary;
    }
    entry = files ? io_manifest_run(manifest, run->id, run->command) : NULL;
    if (entry && json_array_size(run->goes_on) > 0)
        ok = json_object_set(entry, "goes_on", run->goes_on) == 0;
    for (size_t i = 0; ok && files && i < s->count; i++) {
        const io_staged *f = s->files[i];
        const io_manifest_file about = {.bytes = f->bytes, .sum = f->sum, .time = io_manifest_time(f->time)};

        ok = entry && (!f->temporary || io_manifest_add(entry, f->name, &about));
    }
    return ok;
}

static bool enter_kept(const penta_io_run *run, json_t *manifest)
{
    const char *from;
    const json_t *to;
    bool ok = true;

    json_object_foreach(run->keep, from, to)
    {
        char *old_name = io_json_take_name(from), *new_name = io_json_take_name(json_string_value(to));

        ok = ok && old_name && new_name && io_manifest_rename(manifest, old_name, new_name);
        free(old_name);
        free(new_name);
    }
    return ok;
}

/* Enters the steps that follow the commit point. */
static bool enter_steps(const penta_io_run *run, json_t *manifest)
{
    const io_staging *s = run->staging;
    json_t *moves = json_object(), *removed = json_array(), *pending;
    bool ok = moves && removed;

    for (size_t i = 0; ok && i < s->count; i++) {
        const io_staged *f = s->files[i];
        char *name = io_json_name_text(f->name);

        if (f->temporary)
            ok = name && json_object_set_new(moves, name, io_json_name(io_path_base(f->temporary))) == 0;
        else
            ok = name && json_array_append_new(removed, json_string(name)) == 0;
        free(name);
    }
    pending = ok ? json_pack("{s:o, s:O, s:O}", "keep", json_copy(run->keep), "move", moves, "remove", removed) : NULL;
    json_decref(moves);
    json_decref(removed);
    return pending && json_object_set_new(manifest, "pending", pending) == 0;
}

static bool make_manifest(penta_io_run *run, json_t **out, penta_io_error *err)
{
    const io_settle_place place = {.directory = run->directory, .own = true};

    if (!io_manifest_read(run->directory, out, err) || !io_settle_finish(&place, *out, err))
        return false; /* steps of a commit before, which has failed, come first */
    return (enter_kept(run, *out) && enter_files(run, *out) && enter_steps(run, *out)) || out_of_memory(run, err);
}

/* Reports the files to the function set by penta_io_output_notify. */
static void tell(const penta_io_run *run)
{
    for (size_t i = 0; i < run->staging->count; i++) {
        const io_staged *f = run->staging->files[i];
        char *path = f->temporary ? penta_io_join_path(run->directory, f->name, "") : NULL;

        if (path)
            io_written(path);
        free(path);
    }
}

bool penta_io_run_commit(penta_io_run *run, penta_io_error *err)
{
    json_t *manifest = NULL;
    bool ok;

    if (run->staging->count == 0)
        return true;
    ok = sync_files(run, err) && make_manifest(run, &manifest, err) && io_manifest_write(run->directory, manifest, err);
    if (ok) {
        tell(run);
        io_staging_forget(run->staging); /* the files are committed, so a failure must not remove them */
        json_object_clear(run->keep);
        (void)io_run_sync_path(run->directory);
        ok = io_settle_finish(&(io_settle_place){.directory = run->directory, .own = true}, manifest, err);
    }
    json_decref(manifest);
    return ok;
}

io_staging *io_run_staging(const penta_io_run *run)
{
    return run->staging;
}

bool io_run_go_on(penta_io_run *run, const char *record, penta_io_error *err)
{
    json_t *manifest;

    if (!run->again || run->goes_on)
        return true;
    if (!io_manifest_read(run->directory, &manifest, err))
        return false;
    run->goes_on = io_manifest_series(manifest, record);
    json_decref(manifest);
    return run->goes_on || out_of_memory(run, err);
}

const char *io_run_directory(const penta_io_run *run)
{
    return run->directory;
}
