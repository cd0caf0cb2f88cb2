/* Runs work in pieces; reports the error of the first piece that fails. */
#include "io/parallel.h"

#include <pthread.h>
#include <stdint.h>

#include <pentacl/parallel.h>

typedef struct {
    io_piece piece;
    void *user;
    pthread_mutex_t lock;
    size_t failed; /* the first piece that failed so far, or SIZE_MAX */
    penta_io_error error;
} work;

static bool run_piece(void *user, size_t i)
{
    work *w = user;
    penta_io_error error = {""};

    if (w->piece(w->user, i, &error))
        return true;
    pthread_mutex_lock(&w->lock);
    if (i < w->failed) {
        w->failed = i;
        w->error = error;
    }
    pthread_mutex_unlock(&w->lock);
    return false;
}

bool io_parallel(size_t count, io_piece piece, void *user, penta_io_error *err)
{
    work w = {.piece = piece, .user = user, .lock = PTHREAD_MUTEX_INITIALIZER, .failed = SIZE_MAX};
    bool ok = penta_parallel_until(count, run_piece, &w) == count;

    pthread_mutex_destroy(&w.lock);
    if (!ok && err)
        *err = w.error;
    return ok;
}
