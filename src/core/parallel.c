/* Host work on threads, for the few things that are better not done on the device. */
#define _POSIX_C_SOURCE 200809L
#include <pentacl/parallel.h>

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

typedef struct {
    size_t count;
    bool (*body)(void *data, size_t i);
    void *data;
    atomic_size_t next, failed; /* failed: the first piece that failed; count: none */
} loop;

static void note_failure(loop *l, size_t i)
{
    size_t first = atomic_load(&l->failed);

    while (i < first && !atomic_compare_exchange_weak(&l->failed, &first, i))
        ;
    atomic_store(&l->next, l->count);
}

/* Pieces are taken in order and finished, so those before the first failure are all done. */
static void *work(void *argument)
{
    loop *l = argument;

    for (size_t i = atomic_fetch_add(&l->next, 1); i < l->count; i = atomic_fetch_add(&l->next, 1))
        if (!l->body(l->data, i))
            note_failure(l, i);
    return NULL;
}

size_t penta_parallel_until(size_t count, bool (*body)(void *data, size_t i), void *data)
{
    loop l = {.count = count, .body = body, .data = data, .failed = count};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t threads[MOST_THREADS];
    size_t started = 0, helpers = cores > 1 ? (size_t)cores - 1 : 0;

    helpers = helpers < MOST_THREADS ? helpers : MOST_THREADS;
    helpers = count > 0 && helpers > count - 1 ? count - 1 : helpers;
    while (started < helpers && pthread_create(&threads[started], NULL, work, &l) == 0)
        started++;
    work(&l); /* the caller works too, so the work is done even if no thread can be started */
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return atomic_load(&l.failed);
}

typedef struct {
    void (*body)(void *data, size_t i);
    void *data;
} sure_piece;

static bool succeed(void *data, size_t i)
{
    const sure_piece *p = data;

    p->body(p->data, i);
    return true;
}

void penta_parallel(size_t count, void (*body)(void *data, size_t i), void *data)
{
    sure_piece p = {body, data};

    penta_parallel_until(count, succeed, &p);
}
