/* Host work on threads: the little that is better not done on the device. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/core.h"

enum { MOST_THREADS = 64 };

typedef struct {
    size_t count;
    void (*body)(void *data, size_t i);
    void *data;
    atomic_size_t next;
} loop;

static void *work(void *argument)
{
    loop *l = argument;

    for (size_t i = atomic_fetch_add(&l->next, 1); i < l->count; i = atomic_fetch_add(&l->next, 1))
        l->body(l->data, i);
    return NULL;
}

void penta_parallel(size_t count, void (*body)(void *data, size_t i), void *data)
{
    loop l = {.count = count, .body = body, .data = data};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t threads[MOST_THREADS];
    size_t started = 0, helpers = cores > 1 ? (size_t)cores - 1 : 0;

    helpers = helpers < MOST_THREADS ? helpers : MOST_THREADS;
    helpers = count > 0 && helpers > count - 1 ? count - 1 : helpers;
    while (started < helpers && pthread_create(&threads[started], NULL, work, &l) == 0)
        started++;
    work(&l); /* the caller works too, so nothing is lost where no thread can be had */
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}
