/* Threads that take pieces in order. As every piece before one that fails was taken before it, and is finished, the
 * first failure is known for certain. */
#define _POSIX_C_SOURCE 200809L

#include "io/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

typedef struct {
    io_piece piece;
    void *user;
    size_t count;
    atomic_size_t next;
    pthread_mutex_t lock;
    size_t failed; /* the first piece that did, or SIZE_MAX */
    penta_io_error error;
} crew;

static void keep_failure(crew *c, size_t i, const penta_io_error *error)
{
    atomic_store(&c->next, c->count);
    pthread_mutex_lock(&c->lock);
    if (i < c->failed) {
        c->failed = i;
        c->error = *error;
    }
    pthread_mutex_unlock(&c->lock);
}

static void *work(void *user)
{
    crew *c = user;
    size_t i;

    while ((i = atomic_fetch_add(&c->next, 1)) < c->count) {
        penta_io_error error = {""};

        if (!c->piece(c->user, i, &error))
            keep_failure(c, i, &error);
    }
    return NULL;
}

/* The caller works too, so that threads are only missed when they cannot be had. */
static size_t most_helpers(size_t count)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (size_t)cores;

    return (count < threads ? count : threads) - (count > 0);
}

bool io_parallel(size_t count, io_piece piece, void *user, penta_io_error *err)
{
    crew c = {.piece = piece, .user = user, .count = count, .lock = PTHREAD_MUTEX_INITIALIZER, .failed = SIZE_MAX};
    pthread_t helpers[MOST_THREADS];
    size_t wanted = most_helpers(count);
    size_t n = 0;

    while (n < wanted && pthread_create(&helpers[n], NULL, work, &c) == 0)
        n++;
    work(&c);
    for (size_t i = 0; i < n; i++)
        pthread_join(helpers[i], NULL);
    pthread_mutex_destroy(&c.lock);
    if (c.failed == SIZE_MAX)
        return true;
    if (err)
        *err = c.error;
    return false;
}
