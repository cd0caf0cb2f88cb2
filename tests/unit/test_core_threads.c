/*
 * Threads that open a context first, all at once, run a workload each, and close it: again and again. PoCL 3.1 by
 * itself crashes when two threads ask it first for devices.
 */
#include "support/test.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pentacl/pentacl.h>

enum { THREADS = 8, ROUNDS = 3, CHILDREN = 3, WIDTH = 24, HEIGHT = 20, BODIES = 16 };

/* What a thread does, and what came of it. */
typedef struct {
    pthread_barrier_t *start;
    bool bodies;
    double results[ROUNDS];
    char error[400];
} job;

static penta_status correlate(penta_context *ctx, double *out)
{
    penta_autocorr_options o;
    HELD_BY(penta_autocorr_held) penta_autocorr *plan = NULL;
    uint8_t pixels[WIDTH * HEIGHT];
    const penta_autocorr_frame frame = {.image = pixels};
    HELD penta_autocorr_bin *bins = NULL;
    penta_status status;

    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)((i * 37 + i * i) % 251);
    penta_autocorr_options_init(&o);
    status = penta_autocorr_create(ctx, WIDTH, HEIGHT, PENTA_U8, &o, &plan);
    bins = status == PENTA_OK ? calloc(penta_autocorr_max_offset(plan) + 1, sizeof *bins) : NULL;
    if (bins) {
        penta_autocorr_result result = {.c1d = bins};

        status = penta_autocorr_run(plan, 1, &frame, &result);
        *out = bins[1].c;
    }
    return status;
}

static penta_status move_bodies(penta_context *ctx, double *out)
{
    penta_nbody_options o;
    HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;
    penta_nbody_diagnostics sums;
    double bodies[7 * BODIES];
    penta_status status;

    for (size_t i = 0; i < COUNT(bodies); i++)
        bodies[i] = i % 7 == 0 ? 1.0 / BODIES : sin((double)i);
    memset(&sums, 0, sizeof sums);
    penta_nbody_options_init(&o);
    status = penta_nbody_create(ctx, BODIES, &o, &plan);
    if (status == PENTA_OK)
        status = penta_nbody_set(plan, bodies);
    if (status == PENTA_OK)
        status = penta_nbody_advance(plan, 2);
    if (status == PENTA_OK)
        status = penta_nbody_diagnose(plan, &sums);
    *out = sums.energy;
    return status;
}

static void *work(void *argument)
{
    job *j = argument;

    pthread_barrier_wait(j->start);
    for (size_t round = 0; round < ROUNDS; round++) {
        HELD_BY(penta_context_held) penta_context *ctx = NULL;
        penta_status status = penta_context_create(NULL, &ctx);

        if (status == PENTA_OK)
            status = j->bodies ? move_bodies(ctx, &j->results[round]) : correlate(ctx, &j->results[round]);
        if (status != PENTA_OK)
            snprintf(j->error, sizeof j->error, "%s", penta_last_error(ctx));
    }
    return NULL;
}

/* Threads whose first call of all is the library's; 0: all have the same results. */
static int run_threads(void)
{
    HELD_BY(pthread_barrier_destroy) pthread_barrier_t start;
    pthread_t threads[THREADS];
    job jobs[THREADS];
    int wrong = 0;

    pthread_barrier_init(&start, NULL, THREADS);
    memset(jobs, 0, sizeof jobs);
    for (size_t i = 0; i < THREADS; i++) {
        jobs[i].start = &start;
        jobs[i].bodies = i % 2;
        if (pthread_create(&threads[i], NULL, work, &jobs[i]) != 0)
            _exit(9); /* the others wait for it */
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; i++) {
        if (*jobs[i].error)
            fprintf(stderr, "thread %zu: %s\n", i, jobs[i].error);
        for (size_t round = 0; round < ROUNDS; round++)
            wrong += *jobs[i].error || jobs[i].results[round] == 0 ||
                     memcmp(&jobs[i].results[round], &jobs[i % 2].results[0], sizeof(double)) != 0;
    }
    return wrong;
}

#ifndef __SANITIZE_THREAD__
/* Each time in a new process, where nothing has asked OpenCL yet. */
TEST(threads_that_come_first)
{
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0)
            _exit(run_threads() ? 1 : 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

#endif

/* Here, too, so that sanitizers see it. */
TEST(threads)
{
    assert_int_equal(run_threads(), 0);
}
