/* Two lists that only grow, so that a signal handler can walk them at any time. The list of files reuses entries. */
#include <pentacl/io/output.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A thread that takes the path exchanges it for NULL and frees it. A signal handler must not free, so it moves the path
 * to `behind`. */
struct penta_io_pending {
    _Atomic(char *) path;   /* NULL: a free entry */
    _Atomic(char *) behind; /* taken by the signal handler; NULL: nothing */
    penta_io_pending *next;
};

typedef _Atomic(penta_io_pending *) list;

static list files, directories;

/* Reuses a free entry. Looks at few entries, so that a run with many waiting files is not slow. */
static penta_io_pending *place_again(list *l, char *path)
{
    int looks = 64;

    for (penta_io_pending *t = atomic_load(l); t && looks > 0; t = t->next, looks--) {
        char *none = NULL;

        if (atomic_compare_exchange_strong(&t->path, &none, path)) {
            free(atomic_exchange(&t->behind, NULL));
            return t;
        }
    }
    return NULL;
}

static penta_io_pending *place(list *l, char *path)
{
    penta_io_pending *t = malloc(sizeof *t);

    if (!t)
        return NULL;
    atomic_init(&t->path, path);
    atomic_init(&t->behind, NULL);
    t->next = atomic_load(l);
    while (!atomic_compare_exchange_weak(l, &t->next, t)) {
    }
    return t;
}

penta_io_pending *penta_io_pending_file(const char *path)
{
    char *own = strdup(path);
    penta_io_pending *t = own ? place_again(&files, own) : NULL;

    if (own && !t)
        t = place(&files, own);
    if (!t)
        free(own);
    return t;
}

/* Adds a directory. Never reuses an entry, because the order of directories matters. */
penta_io_pending *penta_io_pending_directory(const char *path)
{
    char *own = strdup(path);
    penta_io_pending *t = own ? place(&directories, own) : NULL;

    if (!t)
        free(own);
    return t;
}

void penta_io_pending_drop(penta_io_pending *pending)
{
    if (pending)
        free(atomic_exchange(&pending->path, NULL));
}

/* Returns how many it has removed. Directories that are not empty stay on the list: what is in them may be removed
 * later, by another thread or because two threads made them at a time and noted them in the other order. */
static size_t remove_all(list *l, int (*remove_one)(const char *path))
{
    size_t removed = 0;

    for (penta_io_pending *t = atomic_load(l); t; t = t->next) {
        char *path = atomic_exchange(&t->path, NULL);

        if (!path)
            continue;
        if (remove_one(path) == 0)
            removed++;
        else if (errno == ENOTEMPTY || errno == EEXIST) {
            atomic_store(&t->path, path);
            continue;
        }
        atomic_store(&t->behind, path);
    }
    return removed;
}

void penta_io_pending_remove(void)
{
    (void)remove_all(&files, unlink);
    while (remove_all(&directories, rmdir) > 0)
        ;
}
