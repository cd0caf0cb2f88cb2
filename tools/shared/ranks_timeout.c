#include "shared/ranks_timeout.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <pentacl/numbers.h>

#include "shared/cli.h"
#include "shared/launch.h"
#include "shared/messages.h"

enum { SECONDS = 120 }; /* unless PENTACL_MPI_TIMEOUT says otherwise */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t over;
    pthread_t thread;
    bool allowed, waits, ended;
    int code;
    void (*abort)(int code);
} timeout = {.lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};

void ranks_timeout_allow(void)
{
    timeout.allowed = true;
}

static double seconds(void)
{
    const char *text = getenv("PENTACL_MPI_TIMEOUT");
    double given = text ? penta_strtod(text, NULL) : 0;

    return given > 0 ? given : SECONDS;
}

void ranks_timeout_say(void)
{
    const char *text = messages_last(MESSAGE_ERROR);
    char host[64] = "";

    (void)gethostname(host, sizeof host - 1);
    if (!launch_speaks())
        fprintf(stderr, "penta %s: error: rank %zu (%s): %s\n", cli_running() ? cli_running()->name : "",
                launch_look()->rank, host, text ? text : "failed");
}

static void *wait_and_abort(void *nothing)
{
    struct timespec until;
    double after;
    int code = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    after = seconds() + 1e-9 * (double)until.tv_nsec;
    until.tv_sec += (time_t)after;
    until.tv_nsec = (long)(1e9 * (after - floor(after)));
    pthread_mutex_lock(&timeout.lock);
    while (!timeout.ended && code == 0)
        code = pthread_cond_timedwait(&timeout.over, &timeout.lock, &until);
    if (!timeout.ended) {
        ranks_timeout_say();
        timeout.abort(timeout.code);
    }
    pthread_mutex_unlock(&timeout.lock);
    return nothing;
}

void ranks_timeout_begin(int code, void (*abort)(int code))
{
    if (!timeout.allowed || timeout.waits)
        return;
    timeout.code = code;
    timeout.abort = abort;
    timeout.ended = false;
    timeout.waits = pthread_create(&timeout.thread, NULL, wait_and_abort, NULL) == 0;
}

void ranks_timeout_end(void)
{
    if (!timeout.waits)
        return;
    pthread_mutex_lock(&timeout.lock);
    timeout.ended = true;
    pthread_cond_signal(&timeout.over);
    pthread_mutex_unlock(&timeout.lock);
    pthread_join(timeout.thread, NULL);
    timeout.waits = false;
}
