/*
 * Work of the host in pieces: each is done once, and of failures the first is told. Helpers that do not run, or are
 * busy with another's pieces, hold nobody up. Where there is one core, there are no helpers.
 */
#include "support/test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"
#include "core/parallel.h"

enum { PIECES = 3000, PATIENCE = 60 /* s */ };

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* False after a minute. */
static bool comes(atomic_int *what, int least)
{
    for (int i = 0; i < PATIENCE * 1000 && atomic_load(what) < least; i++)
        nap();
    return atomic_load(what) >= least;
}

static bool has_helpers(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

/* ---- threads that are started and do not run ---- */

typedef struct {
    void *(*body)(void *argument);
    void *argument;
} thread_start;

static thread_start starts[1024];
static atomic_int start_count, held;

static void *start_when_let(void *argument)
{
    const thread_start *s = argument;

    while (atomic_load(&held))
        nap();
    return s->body(s->argument);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*body)(void *), void *argument)
{
    thread_start *s = &starts[atomic_fetch_add(&start_count, 1)];

    *s = (thread_start){body, argument};
    return __real_pthread_create(thread, with, start_when_let, s);
}

/* ---- every piece ---- */

typedef struct {
    atomic_uchar done[PIECES];
    size_t bad; /* this one and all behind it fail */
} pieces;

static bool piece(void *data, size_t i)
{
    pieces *p = data;

    atomic_fetch_add(&p->done[i], 1);
    return i < p->bad;
}

static void sure_piece(void *data, size_t i)
{
    piece(data, i);
}

static void expect_done_once(const pieces *p, size_t count)
{
    for (size_t i = 0; i < PIECES; i++)
        assert_int_equal(atomic_load(&p->done[i]), i < count);
}

TEST(all_once)
{
    static pieces p;

    for (size_t count = 0; count <= PIECES; count = count < 5 ? count + 1 : count * 7) {
        memset(&p, 0, sizeof p);
        penta_parallel(count, sure_piece, &p); /* whose failures nobody asks for */
        expect_done_once(&p, count);
        memset(&p, 0, sizeof p);
        p.bad = PIECES;
        assert_int_equal(penta_parallel_until(count, piece, &p), count);
        expect_done_once(&p, count);
    }
}

TEST(first_failure)
{
    static pieces p;

    for (size_t bad = 0; bad < PIECES; bad = 3 * bad + 1) {
        memset(&p, 0, sizeof p);
        p.bad = bad;
        assert_int_equal(penta_parallel_until(PIECES, piece, &p), bad);
        for (size_t i = 0; i < PIECES; i++)
            assert_true(i <= bad ? atomic_load(&p.done[i]) == 1 : atomic_load(&p.done[i]) <= 1);
    }
}

/* The first test, because it needs helpers that have not been started. */
TEST(helpers_that_do_not_run)
{
    static pieces p;

    atomic_store(&held, 1);
    alarm(PATIENCE);
    for (int round = 0; round < 3; round++) {
        memset(&p, 0, sizeof p);
        penta_parallel(PIECES, sure_piece, &p);
        expect_done_once(&p, PIECES);
    }
    alarm(0);
    assert_int_equal(atomic_load(&start_count) > 0, has_helpers());
    atomic_store(&held, 0);
}

/* ---- helpers at work ---- */

/* Two pieces that wait for each other, so that a helper has one. */
typedef struct {
    pthread_t caller;
    atomic_int begun;
    bool met[2], helped[2], clean[2], blocked[2];
    double third[2];
} meeting;

static void attend(void *data, size_t i)
{
    meeting *m = data;
    volatile double one = 1, three = 3;
    sigset_t signals;

    atomic_fetch_add(&m->begun, 1);
    m->met[i] = comes(&m->begun, 2);
    m->helped[i] = !pthread_equal(pthread_self(), m->caller);
    m->third[i] = one / three;
    m->clean[i] = strncmp(penta_last_error(NULL), "no error text", 13) == 0;
    pthread_sigmask(SIG_SETMASK, NULL, &signals);
    m->blocked[i] = sigismember(&signals, SIGTERM) == 1 && sigismember(&signals, SIGSEGV) == 0;
    if (m->helped[i])
        penta_fail(NULL, PENTA_INVALID, "left behind");
}

TEST(helpers)
{
    static const int directions[] = {FE_UPWARD, FE_DOWNWARD, FE_TONEAREST};

    for (int round = 0; has_helpers() && round < 3; round++) {
        meeting m = {.caller = pthread_self()};
        int with;

        fesetround(directions[round]);
        penta_parallel(2, attend, &m);
        fesetround(FE_TONEAREST);
        with = m.helped[1];
        assert_true(m.met[0] && m.met[1]);
        assert_true(m.helped[with] && !m.helped[1 - with]);
        assert_true(m.clean[with] && m.blocked[with]);
        assert_true(m.third[0] == m.third[1]); /* rounded alike */
    }
}

static bool tell(void *data, size_t i)
{
    atomic_fetch_add((atomic_int *)data, 1);
    return i != 5;
}

/* Helpers begin at once; what they leave is done at the end. */
TEST(begin_and_end)
{
    atomic_int done = 0;
    penta_pieces p = {.count = 5, .body = tell, .data = &done};

    penta_pieces_begin(&p, 1);
    assert_true(!has_helpers() || comes(&done, 5));
    assert_int_equal(penta_pieces_end(&p), 5);
    assert_int_equal(atomic_load(&done), 5);
    p.count = 9;
    penta_pieces_begin(&p, 0);
    assert_int_equal(penta_pieces_end(&p), 5);
}

/* ---- several callers ---- */

static atomic_int waiting, gate;

static void wait_at_gate(void *data, size_t i)
{
    (void)i;
    atomic_fetch_add(&waiting, 1);
    comes(&gate, 1);
    atomic_fetch_add((atomic_int *)data, 1);
}

static void *call_and_wait(void *data)
{
    penta_parallel(200, wait_at_gate, data);
    return NULL;
}

TEST(busy_helpers)
{
    static pieces p;
    atomic_int done = 0;
    pthread_t other;

    assert_int_equal(pthread_create(&other, NULL, call_and_wait, &done), 0);
    assert_true(comes(&waiting, has_helpers() ? 2 : 1));
    memset(&p, 0, sizeof p);
    penta_parallel(PIECES, sure_piece, &p);
    expect_done_once(&p, PIECES);
    assert_int_equal(atomic_load(&done), 0);
    atomic_store(&gate, 1);
    pthread_join(other, NULL);
    assert_int_equal(atomic_load(&done), 200);
}

/* A piece that is a call of 60 pieces. */
static void call_within(void *data, size_t i)
{
    pieces *p = data;

    penta_parallel(60, sure_piece, p + i);
}

static void *call_often(void *failed)
{
    HELD pieces *p = calloc(4, sizeof *p);

    for (int round = 0; p && round < 100; round++) {
        memset(p, 0, 4 * sizeof *p);
        penta_parallel(4, call_within, p);
        for (size_t i = 0; i < 4; i++)
            for (size_t k = 0; k < PIECES; k++)
                if (atomic_load(&p[i].done[k]) != (k < 60))
                    atomic_fetch_add((atomic_int *)failed, 1);
    }
    return NULL;
}

TEST(callers_and_calls_within)
{
    enum { CALLERS = 6 };
    pthread_t callers[CALLERS];
    atomic_int failed = 0;

    for (size_t i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&callers[i], NULL, call_often, &failed), 0);
    for (size_t i = 0; i < CALLERS; i++)
        pthread_join(callers[i], NULL);
    assert_int_equal(atomic_load(&failed), 0);
}

/* ---- processes, and the library's end ---- */

#ifndef __SANITIZE_THREAD__ /* which does not follow threads of children */
/* In a child that has no helpers yet, and has them at its end. */
static int work_in_child(void)
{
    meeting m = {.caller = pthread_self()};

    alarm(2 * PATIENCE);
    if (has_helpers())
        penta_parallel(2, attend, &m);
    return has_helpers() && !(m.met[0] && m.met[1]);
}

TEST(fork)
{
    for (int round = 0; round < 3; round++) {
        int status;
        pid_t child;

        fflush(NULL);
        child = fork();
        if (child == 0)
            exit(work_in_child());
        assert_true(child > 0 && waitpid(child, &status, 0) == child);
        assert_int_equal(status, 0);
    }
}
#endif

#ifdef PENTACL_LIBRARY
/* Threads of the process; 0 where there is no /proc. */
static int count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;

    while (tasks && readdir(tasks))
        count++;
    if (tasks)
        closedir(tasks);
    return count;
}
#endif

/* Its helpers are gone before its code is. */
TEST(unloading)
{
#ifdef PENTACL_LIBRARY
    for (int round = 0; round < 3; round++) {
        void (*parallel)(size_t count, void (*body)(void *data, size_t i), void *data);
        void *library = dlopen(PENTACL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
        meeting m = {.caller = pthread_self()};
        int before = count_threads();

        if (!library)
            fail_msg("%s", dlerror());
        *(void **)&parallel = dlsym(library, "penta_parallel");
        assert_non_null(parallel);
        if (has_helpers())
            parallel(2, attend, &m);
        assert_int_equal(m.met[0] && m.met[1], has_helpers());
        assert_int_equal(dlclose(library), 0);
        for (int i = 0; i < PATIENCE * 1000 && count_threads() > before; i++)
            nap(); /* the system's list may lag behind */
        assert_true(count_threads() <= before);
    }
#endif
}
