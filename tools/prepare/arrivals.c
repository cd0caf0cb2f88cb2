/* A directory, looked at again and again: its frames as a list in the order of their names. */
#include "prepare/arrivals.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <pentacl/io/image.h>
#include <pentacl/io/output.h>

/* An empty file that stays empty so long is one that was never filled: it is given out and fails by its name. */
enum { EMPTY_LOOKS = 30 };

typedef struct entry {
    char *name;
    off_t size;
    struct timespec time;
    unsigned looks; /* in which it was as before */
    bool seen;      /* in this look */
    bool given, late;
    bool failed; /* given out, and not used; then it had this time and size */
    double failed_time;
    int64_t failed_bytes;
} entry;

struct arrivals {
    char *directory;
    entry *entries;
    size_t count, room;
};

/* ---- names ---- */

/* A run of digits without leading zeros; returns its length. */
static size_t digits_of(const char **text)
{
    size_t n = 0;

    while (**text == '0')
        (*text)++;
    while (isdigit((unsigned char)(*text)[n]))
        n++;
    return n;
}

int arrivals_compare(const char *a, const char *b)
{
    const char *x = a, *y = b;

    while (*x && *y) {
        if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
            size_t m = digits_of(&x), n = digits_of(&y);
            int order = m != n ? (m < n ? -1 : 1) : strncmp(x, y, m);

            if (order != 0)
                return order;
            x += m;
            y += n;
        } else if (*x != *y) {
            return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
        } else {
            x++;
            y++;
        }
    }
    if (*x || *y)
        return *x ? 1 : -1;
    return strcmp(a, b); /* 07 and 7 */
}

static bool is_frame(const char *name)
{
    static const char mask[] = ".mask.";
    const size_t length = sizeof mask - 1;
    const char *dot = strrchr(name, '.');

    if (name[0] == '.' || !dot)
        return false;
    if ((size_t)(dot + 1 - name) > length && strncmp(dot + 1 - length, mask, length) == 0)
        return false;
    return penta_io_image_has_name(name);
}

/* ---- the list ---- */

arrivals *arrivals_open(const char *directory)
{
    arrivals *a = calloc(1, sizeof *a);

    if (a)
        a->directory = strdup(directory);
    if (a && a->directory)
        return a;
    free(a);
    return NULL;
}

void arrivals_close(arrivals *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->count; i++)
        free(a->entries[i].name);
    free(a->entries);
    free(a->directory);
    free(a);
}

/* Where the name is, or belongs. */
static size_t place_of(const arrivals *a, const char *name)
{
    size_t low = 0, high = a->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (arrivals_compare(a->entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool make_room(arrivals *a)
{
    size_t room = a->room ? 2 * a->room : 64;
    entry *grown = a->count < a->room ? a->entries : realloc(a->entries, room * sizeof *grown);

    if (!grown)
        return false;
    a->room = a->count < a->room ? a->room : room;
    a->entries = grown;
    return true;
}

/* The entry of the name, a new one where there is none; NULL: out of memory. */
static entry *entry_of(arrivals *a, const char *name)
{
    size_t at = place_of(a, name);
    char *copy;

    if (at < a->count && strcmp(a->entries[at].name, name) == 0)
        return &a->entries[at];
    copy = strdup(name);
    if (!copy || !make_room(a)) {
        free(copy);
        return NULL;
    }
    memmove(a->entries + at + 1, a->entries + at, (a->count - at) * sizeof *a->entries);
    a->entries[at] = (entry){.name = copy, .size = -1};
    a->count++;
    return &a->entries[at];
}

bool arrivals_done(arrivals *a, const char *name)
{
    entry *e = entry_of(a, name);

    if (e)
        e->given = true;
    return e != NULL;
}

bool arrivals_failed(arrivals *a, const char *name, double time, int64_t bytes)
{
    entry *e = entry_of(a, name);

    if (e) {
        e->given = e->failed = true;
        e->failed_time = time;
        e->failed_bytes = bytes;
    }
    return e != NULL;
}

/* ---- looking ---- */

/* The file is gone: what comes under its name is another one. */
static void forget(entry *e)
{
    e->size = -1;
    e->looks = 0;
}

/* One more look at an entry; false where it is no regular file. */
static bool look_at(const arrivals *a, entry *e)
{
    char *path = penta_io_join_path(a->directory, e->name, "");
    struct stat now;
    bool same, is_file = path && stat(path, &now) == 0 && S_ISREG(now.st_mode);

    free(path);
    if (!is_file)
        return false;
    same = e->size == now.st_size && e->time.tv_sec == now.st_mtim.tv_sec && e->time.tv_nsec == now.st_mtim.tv_nsec;
    e->looks = same ? e->looks + 1 : 0;
    e->size = now.st_size;
    e->time = now.st_mtim;
    return true;
}

static bool is_whole(const entry *e)
{
    return e->looks >= (e->size > 0 ? 1 : EMPTY_LOOKS);
}

static double seconds_of(const entry *e)
{
    return (double)e->time.tv_sec + 1e-9 * (double)e->time.tv_nsec;
}

static bool has_changed(const entry *e)
{
    return seconds_of(e) < e->failed_time || seconds_of(e) > e->failed_time ||
           (e->failed_bytes >= 0 && e->size != e->failed_bytes);
}

/* Whether looks at the entry matter. */
static bool is_awaited(const entry *e)
{
    return e->given ? e->failed : !e->late;
}

static bool read_names(arrivals *a, penta_io_error *err)
{
    DIR *dir = opendir(a->directory);
    struct dirent *item;
    bool ok = true;

    if (!dir)
        return penta_io_fail(err, "%s: cannot be read: %s", a->directory, strerror(errno));
    while (ok && (item = readdir(dir)) != NULL) {
        entry *e = is_frame(item->d_name) ? entry_of(a, item->d_name) : NULL;

        ok = e || !is_frame(item->d_name);
        if (e)
            e->seen = !is_awaited(e) || look_at(a, e);
    }
    closedir(dir);
    return ok || penta_io_fail(err, "%s: out of memory for its names", a->directory);
}

/* Those that are gone, or are no files, without having been given out. */
static void drop_unseen(arrivals *a)
{
    size_t kept = 0;

    for (size_t i = 0; i < a->count; i++) {
        if (a->entries[i].seen || a->entries[i].given)
            a->entries[kept++] = a->entries[i];
        else
            free(a->entries[i].name);
    }
    a->count = kept;
    for (size_t i = 0; i < kept; i++) {
        if (!a->entries[i].seen)
            forget(&a->entries[i]);
        a->entries[i].seen = false;
    }
}

/* The number of entries up to the last one given out. */
static size_t behind_last(const arrivals *a)
{
    size_t n = a->count;

    while (n > 0 && !a->entries[n - 1].given)
        n--;
    return n;
}

static bool give_out(arrivals *a, entry *e, arrival *out)
{
    *out = (arrival){.path = penta_io_join_path(a->directory, e->name, ""),
                     .time = seconds_of(e),
                     .bytes = e->size,
                     .again = e->failed};
    if (!out->path)
        return false;
    e->given = true;
    e->failed = false;
    return true;
}

/* Before `end`: those to be given out again. */
static bool give_again(arrivals *a, size_t end, arrival *out, size_t *count)
{
    bool ok = true;

    for (size_t i = 0; ok && i < end; i++) {
        entry *e = &a->entries[i];

        if (e->failed && e->size >= 0 && is_whole(e) && has_changed(e)) {
            ok = give_out(a, e, &out[*count]);
            *count += ok;
        }
    }
    return ok;
}

static bool name_late(entry *e, char **late)
{
    e->late = true;
    *late = strdup(e->name);
    return *late != NULL;
}

bool arrivals_look(arrivals *a, arrival **out, size_t *count, char **late, penta_io_error *err)
{
    size_t start;
    bool ok = true;

    *out = NULL;
    *count = 0;
    *late = NULL;
    if (!read_names(a, err))
        return false;
    drop_unseen(a);
    start = behind_last(a);
    for (size_t i = 0; ok && i < start && !*late; i++)
        if (!a->entries[i].given && !a->entries[i].late)
            ok = name_late(&a->entries[i], late);
    *out = calloc(a->count + 1, sizeof **out);
    ok = ok && *out && give_again(a, start, *out, count);
    for (size_t i = start; ok && i < a->count && is_whole(&a->entries[i]); i++) {
        ok = give_out(a, &a->entries[i], &(*out)[*count]);
        *count += ok;
    }
    if (ok)
        return true;
    arrivals_free(*out, *count);
    free(*late);
    *out = NULL;
    *count = 0;
    *late = NULL;
    return penta_io_fail(err, "%s: out of memory for its names", a->directory);
}

void arrivals_free(arrival *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++)
        free(list[i].path);
    free(list);
}
