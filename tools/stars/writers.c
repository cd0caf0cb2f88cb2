#include "stars/writers.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "shared/stages.h"

struct stars_writers {
    stars_write write;
    void *context;
    pthread_mutex_t lock; /* over what follows */
    pthread_cond_t changed;
    stars_shot *waiting; /* a ring of `room`, `count` of them from `first` on */
    size_t room, first, count;
    bool closing;
    penta_io_error error; /* the first; "" while all is well */
    pthread_t *threads;
    size_t thread_count;
};

static void *work(void *argument)
{
    stars_writers *w = argument;

    pthread_mutex_lock(&w->lock);
    for (;;) {
        penta_io_error error = {""};
        stars_shot shot;
        bool ok;

        while (w->count == 0 && !w->closing)
            pthread_cond_wait(&w->changed, &w->lock);
        if (w->count == 0)
            break;
        shot = w->waiting[w->first];
        w->first = (w->first + 1) % w->room;
        w->count--;
        pthread_cond_broadcast(&w->changed);
        pthread_mutex_unlock(&w->lock);
        ok = w->write(w->context, &shot, &error);
        stars_shot_free(&shot);
        pthread_mutex_lock(&w->lock);
        if (!ok && !w->error.text[0])
            w->error = error;
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

stars_writers *stars_writers_open(size_t sharing, stars_write write, void *context)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = cores > (long)sharing ? (size_t)cores / sharing : 1;
    stars_writers *w = calloc(1, sizeof *w);
    penta_io_error ignored;

    if (!w)
        return NULL;
    *w = (stars_writers){.write = write, .context = context, .room = threads};
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->waiting = calloc(w->room, sizeof *w->waiting);
    w->threads = calloc(threads, sizeof *w->threads);
    while (w->waiting && w->threads && w->thread_count < threads &&
           pthread_create(&w->threads[w->thread_count], NULL, work, w) == 0)
        w->thread_count++;
    if (w->thread_count > 0)
        return w;
    stars_writers_close(w, &ignored);
    return NULL;
}

bool stars_writers_put(stars_writers *w, const stars_shot *shot)
{
    stars_shot refused = *shot;
    stage before = stages_enter(STAGE_WRITE);
    bool ok;

    pthread_mutex_lock(&w->lock);
    while (w->count == w->room && !w->error.text[0])
        pthread_cond_wait(&w->changed, &w->lock);
    ok = !w->error.text[0];
    if (ok)
        w->waiting[(w->first + w->count++) % w->room] = *shot;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    if (!ok)
        stars_shot_free(&refused);
    (void)stages_enter(before);
    return ok;
}

bool stars_writers_close(stars_writers *w, penta_io_error *err)
{
    bool ok;

    if (!w)
        return true;
    (void)stages_enter(STAGE_WRITE);
    pthread_mutex_lock(&w->lock);
    w->closing = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; i < w->thread_count; i++)
        pthread_join(w->threads[i], NULL);
    ok = !w->error.text[0];
    if (!ok)
        *err = w->error;
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w->waiting);
    free(w->threads);
    free(w);
    return ok;
}
