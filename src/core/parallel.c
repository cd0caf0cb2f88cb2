/*
 * Host work on threads, for the few things that are better not done on the device. Helpers are started when there is
 * work for them, kept, and shared by all callers. A helper takes its first piece together with the work, so nobody
 * waits for one that has not run yet.
 */
#include "core/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "core/internal.h"

enum { MOST_HELPERS = 64 };

typedef struct {
    pthread_t thread;
    bool busy; /* with pieces */
} helper;

static struct {
    pthread_mutex_t lock; /* over all of this, and over helpers and behind of the open pieces */
    pthread_cond_t offered, finished;
    penta_pieces *open; /* the latest first */
    helper helpers[MOST_HELPERS];
    size_t count, idle, most; /* helpers: started, waiting, wanted at most */
    bool ready, closed;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .offered = PTHREAD_COND_INITIALIZER, .finished = PTHREAD_COND_INITIALIZER};

/* ---- pieces ---- */

static void note_failure(penta_pieces *p, size_t i)
{
    size_t first = atomic_load(&p->failed);

    while (i < first && !atomic_compare_exchange_weak(&p->failed, &first, i))
        ;
    atomic_store(&p->next, p->count);
}

static bool take(penta_pieces *p, size_t *i)
{
    if (atomic_load(&p->next) >= p->count)
        return false;
    *i = atomic_fetch_add(&p->next, 1);
    return *i < p->count;
}

/* Pieces are taken in order and finished, so those before the first failure are all done. */
static void work(penta_pieces *p, size_t i)
{
    do {
        if (!p->body(p->data, i))
            note_failure(p, i);
    } while (take(p, &i));
}

/* ---- helpers ---- */

static penta_pieces *find_piece(size_t *i)
{
    penta_pieces *p = pool.open;

    while (p && !take(p, i))
        p = p->behind;
    return p;
}

/* Under the lock, but for the work itself. */
static void help_with(penta_pieces *p, size_t i, helper *self)
{
    p->helpers++;
    self->busy = true;
    pthread_mutex_unlock(&pool.lock);
    fesetenv(&p->rounding);
    work(p, i);
    penta_forget_thread_error();
    pthread_mutex_lock(&pool.lock);
    self->busy = false;
    if (--p->helpers == 0)
        pthread_cond_broadcast(&pool.finished);
}

static void *help(void *self)
{
    pthread_mutex_lock(&pool.lock);
    while (!pool.closed) {
        size_t i;
        penta_pieces *p = find_piece(&i);

        if (p) {
            help_with(p, i, self);
            continue;
        }
        pool.idle++;
        pthread_cond_wait(&pool.offered, &pool.lock);
        pool.idle--;
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* Helpers leave the program's signals to its own threads, except those that a thread causes itself. */
static void block_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t others;

    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_SETMASK, &others, before);
}

static void start_helpers(size_t wanted)
{
    sigset_t before;

    if (wanted == 0 || pool.count == pool.most)
        return;
    block_signals(&before);
    for (; wanted > 0 && pool.count < pool.most; wanted--) {
        helper *h = &pool.helpers[pool.count];

        h->busy = false;
        if (pthread_create(&h->thread, NULL, help, h) != 0)
            break;
        pool.count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void wake_helpers(size_t wanted)
{
    size_t idle = pool.idle;

    if (wanted >= idle)
        pthread_cond_broadcast(&pool.offered);
    for (size_t i = 0; wanted < idle && i < wanted; i++)
        pthread_cond_signal(&pool.offered);
    if (wanted > idle)
        start_helpers(wanted - idle);
}

/* ---- the pool in a process that forks, and its end ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&pool.lock);
}

/* A child has none of its parent's helpers. */
static void in_child(void)
{
    pool.open = NULL;
    pool.count = pool.idle = 0;
    pthread_cond_init(&pool.offered, NULL);
    pthread_cond_init(&pool.finished, NULL);
    pthread_mutex_unlock(&pool.lock);
}

static void make_ready(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    pool.ready = true;
    if (cores < 2 || pthread_atfork(before_fork, after_fork, in_child) != 0)
        return;
    pool.most = cores - 1 < MOST_HELPERS ? (size_t)cores - 1 : MOST_HELPERS;
}

/* At exit, or before the library is unloaded. A busy helper is another thread's, or the one that exits. */
__attribute__((destructor)) static void close_pool(void)
{
    pthread_t waiting[MOST_HELPERS];
    size_t count = 0;

    pthread_mutex_lock(&pool.lock);
    pool.closed = true;
    for (size_t i = 0; i < pool.count; i++)
        if (!pool.helpers[i].busy)
            waiting[count++] = pool.helpers[i].thread;
    pthread_cond_broadcast(&pool.offered);
    pthread_mutex_unlock(&pool.lock);
    for (size_t i = 0; i < count; i++)
        pthread_join(waiting[i], NULL);
}

/* ---- what callers see ---- */

void penta_pieces_begin(penta_pieces *p, size_t wanted)
{
    atomic_init(&p->next, 0);
    atomic_init(&p->failed, p->count);
    p->helpers = 0;
    fegetenv(&p->rounding);
    pthread_mutex_lock(&pool.lock);
    if (!pool.ready)
        make_ready();
    p->behind = pool.open;
    pool.open = p;
    if (!pool.closed)
        wake_helpers(wanted < pool.most ? wanted : pool.most);
    pthread_mutex_unlock(&pool.lock);
}

size_t penta_pieces_end(penta_pieces *p)
{
    penta_pieces **at = &pool.open;
    size_t i;

    if (take(p, &i))
        work(p, i);
    pthread_mutex_lock(&pool.lock);
    while (*at && *at != p)
        at = &(*at)->behind;
    if (*at)
        *at = p->behind;
    while (p->helpers > 0)
        pthread_cond_wait(&pool.finished, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    return atomic_load(&p->failed);
}

size_t penta_parallel_until(size_t count, bool (*body)(void *data, size_t i), void *data)
{
    penta_pieces p = {.count = count, .body = body, .data = data};

    if (count < 2)
        return count == 0 || body(data, 0) ? count : 0;
    penta_pieces_begin(&p, count - 1);
    return penta_pieces_end(&p);
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
