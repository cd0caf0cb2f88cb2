#define _XOPEN_SOURCE 700 /* realpath, tsearch */
#include "io/staging.h"

#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/path.h"
#include "io/settle.h"
#include "io/temporary.h"

/* Guards everything here, because several threads write frames. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static io_staging *open_ones;
static _Thread_local uint64_t mark_now;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const io_staged *)a)->name, ((const io_staged *)b)->name);
}

static void free_staged(io_staged *f)
{
    free(f->name);
    free(f->target);
    free(f->temporary);
    free(f);
}

static void give_up(io_staged *f)
{
    if (f->temporary)
        unlink(f->temporary);
    penta_io_pending_drop(f->pending);
    f->pending = NULL;
}

/* ---- one run ---- */

io_staging *io_staging_open(const char *directory, penta_io_error *err)
{
    io_staging *s = calloc(1, sizeof *s);

    if (s)
        s->directory = realpath(directory, NULL);
    if (!s || !s->directory) {
        penta_io_fail(err, "%s: cannot be resolved: %s", directory, strerror(s ? errno : ENOMEM));
        free(s);
        return NULL;
    }
    pthread_mutex_lock(&guard);
    s->next = open_ones;
    open_ones = s;
    pthread_mutex_unlock(&guard);
    return s;
}

/* Calls `with` for each file, then frees it; keeps the memory of the list. */
static void empty(io_staging *s, void (*with)(io_staged *f))
{
    for (size_t i = 0; i < s->count; i++) {
        with(s->files[i]);
        tdelete(s->files[i], &s->names, by_name);
        free_staged(s->files[i]);
    }
    s->count = 0;
}

static void drop_pending(io_staged *f)
{
    penta_io_pending_drop(f->pending);
    f->pending = NULL;
}

void io_staged_free(io_staged *f, bool remove)
{
    if (remove)
        give_up(f);
    else
        drop_pending(f);
    free_staged(f);
}

void io_staging_forget(io_staging *s)
{
    pthread_mutex_lock(&guard);
    empty(s, drop_pending);
    pthread_mutex_unlock(&guard);
}

void io_staged_remove(io_staged *files)
{
    for (io_staged *next; files; files = next) {
        next = files->next;
        io_staged_free(files, true);
    }
}

void io_staging_close(io_staging *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&guard);
    for (io_staging **at = &open_ones; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    empty(s, give_up);
    io_staged_remove(s->marked);
    io_staged_remove(s->told);
    pthread_mutex_unlock(&guard);
    for (size_t i = 0; i < s->lock_count; i++) {
        io_lock_release(&s->locks[i]);
        free(s->locked[i]);
    }
    free(s->locks);
    free(s->locked);
    free(s->files);
    free(s->directory);
    free(s);
}

/* ---- names ---- */

/* The innermost run whose directory holds the parent. */
static io_staging *find(const char *parent)
{
    io_staging *best = NULL;

    for (io_staging *s = open_ones; s; s = s->next) {
        size_t length = strlen(s->directory);
        bool inside = strncmp(parent, s->directory, length) == 0 &&
                      (parent[length] == 0 || parent[length] == '/' || s->directory[length - 1] == '/');

        if (inside && (!best || length > strlen(best->directory)))
            best = s;
    }
    return best;
}

/* The staging of a path under the guard, and the name there, to be freed. NULL: none, or no memory. */
static io_staging *enter(const char *path, char **name)
{
    char *parent;
    io_staging *s = NULL;

    *name = NULL;
    pthread_mutex_lock(&guard);
    parent = open_ones ? io_path_parent(path) : NULL;
    if (parent)
        s = find(parent);
    if (s) {
        const char *below = parent + strlen(s->directory);

        below += *below == '/';
        *name = *below ? penta_io_join_path(below, io_path_base(path), "") : strdup(io_path_base(path));
    }
    free(parent);
    if (s && *name)
        return s;
    pthread_mutex_unlock(&guard);
    return NULL;
}

static void leave(char *name)
{
    free(name);
    pthread_mutex_unlock(&guard);
}

static io_staged *look_up(io_staging *s, char *name)
{
    const io_staged key = {.name = name};
    io_staged *const *found = tfind(&key, &s->names, by_name);

    return found ? *found : NULL;
}

/* ---- directories below ---- */

/* Removes what runs that were ended have left in a directory, once the last commit there is complete. */
static bool clean_below(const char *directory, penta_io_error *err)
{
    json_t *manifest = NULL;
    bool ok = io_manifest_read(directory, &manifest, err) && io_settle_found(directory, manifest, err);

    json_decref(manifest);
    if (ok)
        io_temporary_sweep(directory);
    return ok;
}

/* Locks a directory below the run's own, so that no other run writes to it. */
static bool lock_below(io_staging *s, const char *name, const char *path, penta_io_error *err)
{
    const char *base = io_path_base(name);
    char *below = base > name ? strndup(name, (size_t)(base - name) - 1) : NULL, *whole, **names;
    io_lock *locks;
    enum io_lock_result result;
    bool ok = false;

    if (base == name || s->joined)
        return true;
    for (size_t i = 0; below && i < s->lock_count; i++)
        if (strcmp(s->locked[i], below) == 0) {
            free(below);
            return true;
        }
    locks = realloc(s->locks, (s->lock_count + 1) * sizeof *locks);
    s->locks = locks ? locks : s->locks;
    names = realloc(s->locked, (s->lock_count + 1) * sizeof *names);
    s->locked = names ? names : s->locked;
    whole = below ? penta_io_join_path(s->directory, below, "") : NULL;
    if (!locks || !names || !whole) {
        free(below);
        free(whole);
        return penta_io_fail(err, "%s: out of memory", path);
    }
    result = io_lock_take(whole, &locks[s->lock_count]);
    if (result == IO_LOCK_TAKEN) {
        names[s->lock_count++] = below;
        ok = clean_below(whole, err);
    } else {
        penta_io_fail(err, "%s: %s", path,
                      result == IO_LOCK_BUSY ? "another run writes to its directory; wait until it ends, or choose "
                                               "another place"
                                             : strerror(errno));
        free(below);
    }
    free(whole);
    return ok;
}

/* ---- files ---- */

/* Adds an entry for a name to the list and the tree; it is empty. */
static io_staged *append(io_staging *s, char *name)
{
    size_t room = s->room ? 2 * s->room : 16;
    io_staged **grown = s->count < s->room ? s->files : realloc(s->files, room * sizeof *grown);
    io_staged *f = grown ? calloc(1, sizeof *f) : NULL;

    if (grown && s->count == s->room)
        s->room = room;
    s->files = grown ? grown : s->files;
    if (!f)
        return NULL;
    f->name = strdup(name);
    if (!f->name || !tsearch(f, &s->names, by_name)) {
        free_staged(f);
        return NULL;
    }
    s->files[s->count++] = f;
    return f;
}

/* An entry for this name, empty but for it. NULL: out of memory. */
static io_staged *make_entry(io_staging *s, char *name)
{
    io_staged *f = look_up(s, name);

    if (!f)
        return append(s, name);
    give_up(f);
    free(f->target);
    free(f->temporary);
    return f;
}

static io_staged *make_marked(io_staging *s, const char *name)
{
    io_staged *f = calloc(1, sizeof *f);

    if (f)
        f->name = strdup(name);
    if (!f || !f->name) {
        free(f);
        return NULL;
    }
    f->next = s->marked;
    s->marked = f;
    return f;
}

/* Takes over what the file has, but for its name and its place in a list. */
static void fill(io_staged *f, const io_staged *file)
{
    f->target = file->target;
    f->temporary = file->temporary;
    f->pending = file->pending;
    f->bytes = file->bytes;
    f->sum = file->sum;
    f->time = file->time;
}

bool io_staging_take(const char *path, const io_staged *file, bool *taken, penta_io_error *err)
{
    char *name;
    io_staging *s = enter(path, &name);
    io_staged *f;
    bool ok;

    *taken = false;
    if (!s)
        return true;
    f = mark_now ? make_marked(s, name) : make_entry(s, name);
    ok = f || penta_io_fail(err, "%s: out of memory", path);
    if (ok) {
        fill(f, file);
        f->mark = mark_now;
        *taken = true;
    }
    leave(name);
    return ok;
}

void io_staging_mark(uint64_t mark)
{
    mark_now = mark;
}

uint64_t io_staging_mark_now(void)
{
    return mark_now;
}

static io_staged *take_from(io_staged **list, uint64_t mark)
{
    io_staged *found = NULL;

    for (io_staged **at = list; *at;) {
        io_staged *f = *at;

        if (f->mark != mark) {
            at = &f->next;
            continue;
        }
        *at = f->next;
        f->next = found;
        found = f;
    }
    return found;
}

io_staged *io_staging_take_marked(io_staging *s, uint64_t mark)
{
    io_staged *found;

    pthread_mutex_lock(&guard);
    found = take_from(&s->marked, mark);
    pthread_mutex_unlock(&guard);
    return found;
}

void io_staging_told(io_staging *s, io_staged *files)
{
    io_staged **last = &files;

    pthread_mutex_lock(&guard);
    while (*last)
        last = &(*last)->next;
    *last = s->told;
    s->told = files;
    pthread_mutex_unlock(&guard);
}

void io_staging_settle(io_staging *s, uint64_t mark)
{
    pthread_mutex_lock(&guard);
    for (io_staged *f = take_from(&s->told, mark), *next; f; f = next) {
        next = f->next;
        io_staged_free(f, false);
    }
    pthread_mutex_unlock(&guard);
}

bool io_staging_give(io_staging *s, io_staged *file)
{
    io_staged *f;

    pthread_mutex_lock(&guard);
    f = make_entry(s, file->name);
    if (f)
        fill(f, file);
    pthread_mutex_unlock(&guard);
    if (!f)
        return false;
    free(file->name);
    free(file);
    return true;
}

char **io_staging_temporaries(const io_staging *s, size_t *count)
{
    char **paths;
    bool ok;

    *count = 0;
    pthread_mutex_lock(&guard);
    paths = malloc((s->count + 1) * sizeof *paths);
    ok = paths != NULL;
    for (size_t i = 0; ok && i < s->count; i++)
        if (s->files[i]->temporary) {
            paths[*count] = strdup(s->files[i]->temporary);
            ok = paths[*count] != NULL;
            *count += ok;
        }
    pthread_mutex_unlock(&guard);
    for (size_t i = 0; !ok && i < *count; i++)
        free(paths[i]);
    if (ok)
        return paths;
    free(paths);
    return NULL;
}

bool io_staging_prepare(const char *path, penta_io_error *err)
{
    char *name;
    io_staging *s = enter(path, &name);
    bool ok = !s || lock_below(s, name, path, err);

    if (s)
        leave(name);
    return ok;
}

bool io_staging_covers(const char *path)
{
    char *name;
    bool found = enter(path, &name) != NULL;

    if (found)
        leave(name);
    return found;
}

char *io_staging_where(const char *path)
{
    char *name, *where = NULL;
    io_staging *s = enter(path, &name);
    const io_staged *f = s ? look_up(s, name) : NULL;

    if (f && f->temporary)
        where = strdup(f->temporary);
    if (s)
        leave(name);
    return where;
}

bool io_staging_remove(const char *path)
{
    char *name;
    io_staging *s = enter(path, &name);
    io_staged *f = s ? look_up(s, name) : NULL;

    if (!s)
        return false;
    if (f) {
        give_up(f);
        free(f->temporary);
        f->temporary = NULL;
        free(f->target);
        f->target = NULL;
    } else {
        f = append(s, name);
    }
    leave(name);
    return f != NULL;
}
