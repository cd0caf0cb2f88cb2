/*
 * The line "compiling kernels (first run)". While the thread of the context is in a driver's compiler, another one
 * waits and draws; neither draws unless kernels compile, so what is printed in between stands alone.
 */
#include "shared/building.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "shared/cli.h"
#include "shared/terminal.h"

static const double patience = 0.5; /* s of compiling in all before the line appears */
static const double loading = 0.05; /* s; what takes less comes from the driver's cache and does not count */

struct building {
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    char what[64]; /* "": nothing is being compiled */
    size_t built;
    double since, spent; /* when the present compilation began; what those before it took */
    bool drawn, over;
};

static void draw(building *b)
{
    fprintf(stderr, "\rcompiling kernels (first run): %zu done, %s ...\033[K", b->built, b->what);
    fflush(stderr);
    b->drawn = true;
}

static void clear(building *b)
{
    if (b->drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    b->drawn = false;
}

static struct timespec in_seconds(double seconds)
{
    struct timespec at;

    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += (long)(seconds * 1e9);
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

/* Draws a compilation that lasts beyond the patience. */
static void *watch(void *argument)
{
    building *b = argument;

    pthread_mutex_lock(&b->lock);
    while (!b->over) {
        double wait = b->spent + loading < patience ? patience - b->spent : loading;
        double left = wait - (cli_seconds() - b->since);

        if (!*b->what || b->drawn) {
            pthread_cond_wait(&b->changed, &b->lock);
        } else if (left > 0) {
            struct timespec until = in_seconds(left);

            pthread_cond_timedwait(&b->changed, &b->lock, &until);
        } else {
            draw(b);
        }
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

static void note(void *user, const char *what, size_t built)
{
    building *b = user;

    pthread_mutex_lock(&b->lock);
    b->built = built;
    if (what) {
        snprintf(b->what, sizeof b->what, "%s", what);
        b->since = cli_seconds();
    } else {
        double took = cli_seconds() - b->since;

        b->spent += took > loading ? took : 0;
        *b->what = '\0';
        clear(b);
    }
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

building *building_watch(penta_context *ctx, bool quiet)
{
    building *b = quiet || !terminal_draws(STDERR_FILENO) ? NULL : calloc(1, sizeof *b);

    if (!b)
        return NULL;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    if (pthread_create(&b->thread, NULL, watch, b) != 0) {
        free(b);
        return NULL;
    }
    penta_context_on_build(ctx, note, b);
    return b;
}

void building_end(building *b, penta_context *ctx)
{
    if (!b)
        return;
    penta_context_on_build(ctx, NULL, NULL);
    pthread_mutex_lock(&b->lock);
    b->over = true;
    clear(b);
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
    pthread_join(b->thread, NULL);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
}
