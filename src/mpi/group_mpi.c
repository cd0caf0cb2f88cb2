/*
 * Messages between ranks. One is a head (its length and what fits behind it) and chunks for the rest, since MPI counts
 * with int. Nothing blocks within MPI: calls are made under a lock and asked for again, so that MPI_THREAD_SERIALIZED
 * will do, threads wait for different channels at a time, and ranks that share a core do not take it from each other.
 */
#include <pentacl/mpi.h>

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pentacl/group_transport.h>

#ifndef PENTA_MPI_CHUNK
#define PENTA_MPI_CHUNK (1 << 30) /* tests make it small */
#endif

enum { INLINE = 32768 };          /* bytes that go with the head, at most */
enum { CHUNK = PENTA_MPI_CHUNK }; /* bytes of the others */
enum { EAGER = 2000 };            /* us of a wait, before it sleeps: members of a step wait for less */
enum { LONGEST_NAP = 1000 };      /* us */
enum { TAGS_A_CHANNEL = 2 };      /* of heads, of chunks */

typedef struct {
    uint64_t bytes;
    char begin[INLINE];
} head;

typedef struct {
    MPI_Comm comm;
    int rank;
} member;

static pthread_mutex_t calls = PTHREAD_MUTEX_INITIALIZER; /* of MPI */

/* ---- calls ---- */

static penta_status fail_mpi(int code)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "", line[MPI_MAX_ERROR_STRING + 64];
    int length = 0;

    MPI_Error_string(code, text, &length);
    snprintf(line, sizeof line, "MPI: %s; another rank may have ended", text);
    return penta_group_fail(PENTA_CANCELLED, line);
}

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* A wait; zero-initialise. */
typedef struct {
    double begin; /* us */
    long nap;     /* us, the next one */
} waiting;

/* Lets others have the core at first; then sleeps, longer from turn to turn. */
static void wait_a_turn(waiting *w)
{
    double now = now_us();

    if (w->nap == 0) {
        w->begin = now;
        w->nap = 20;
    }
    if (now - w->begin < EAGER) {
        sched_yield();
        return;
    }
    nanosleep(&(struct timespec){0, 1000 * w->nap}, NULL);
    w->nap += w->nap / 16 + 1;
    w->nap = w->nap < LONGEST_NAP ? w->nap : LONGEST_NAP;
}

static penta_status complete(MPI_Request *request)
{
    waiting turn = {0, 0};
    int done = 0, code;

    for (;;) {
        pthread_mutex_lock(&calls);
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        pthread_mutex_unlock(&calls);
        if (code != MPI_SUCCESS)
            return fail_mpi(code);
        if (done)
            return PENTA_OK;
        wait_a_turn(&turn);
    }
}

static penta_status send_bytes(const member *m, int to, int tag, const void *data, size_t bytes)
{
    MPI_Request request;
    int code;

    pthread_mutex_lock(&calls);
    code = MPI_Isend(data, (int)bytes, MPI_BYTE, to, tag, m->comm, &request);
    pthread_mutex_unlock(&calls);
    return code == MPI_SUCCESS ? complete(&request) : fail_mpi(code);
}

static penta_status receive_bytes(const member *m, int from, int tag, void *data, size_t bytes)
{
    MPI_Request request;
    int code;

    pthread_mutex_lock(&calls);
    code = MPI_Irecv(data, (int)bytes, MPI_BYTE, from, tag, m->comm, &request);
    pthread_mutex_unlock(&calls);
    return code == MPI_SUCCESS ? complete(&request) : fail_mpi(code);
}

/* ---- messages ---- */

static penta_status send_message(void *self, size_t to, int channel, const void *data, size_t bytes)
{
    const member *m = self;
    size_t with = bytes < INLINE ? bytes : INLINE;
    penta_status status;
    head *h = malloc(sizeof *h);

    if (!h)
        return penta_group_fail(PENTA_MEMORY, "out of host memory for a message");
    h->bytes = bytes;
    if (with > 0)
        memcpy(h->begin, data, with);
    status = send_bytes(m, (int)to, TAGS_A_CHANNEL * channel, h, sizeof h->bytes + with);
    free(h);
    for (size_t at = with; status == PENTA_OK && at < bytes; at += CHUNK)
        status = send_bytes(m, (int)to, TAGS_A_CHANNEL * channel + 1, (const char *)data + at,
                            bytes - at < CHUNK ? bytes - at : CHUNK);
    return status;
}

/* The head of the next message that has come, if one has. */
static penta_status receive_head(const member *m, int from, int channel, head *h, int *sender, bool *found)
{
    MPI_Message message;
    MPI_Request request;
    MPI_Status about;
    int flag = 0, bytes = 0, code;

    pthread_mutex_lock(&calls);
    code = MPI_Improbe(from == PENTA_TRANSPORT_ANY ? MPI_ANY_SOURCE : from, TAGS_A_CHANNEL * channel, m->comm, &flag,
                       &message, &about);
    if (code == MPI_SUCCESS && flag) {
        MPI_Get_count(&about, MPI_BYTE, &bytes);
        code = bytes <= (int)sizeof *h ? MPI_Imrecv(h, bytes, MPI_BYTE, &message, &request) : MPI_ERR_TRUNCATE;
    }
    pthread_mutex_unlock(&calls);
    *found = flag;
    *sender = flag ? about.MPI_SOURCE : -1;
    if (code != MPI_SUCCESS)
        return fail_mpi(code);
    return flag ? complete(&request) : PENTA_OK;
}

/* The message that a head begins. */
static penta_status receive_rest(const member *m, int from, int channel, const head *h, void **data)
{
    size_t bytes = (size_t)h->bytes, with = bytes < INLINE ? bytes : INLINE;
    penta_status status = PENTA_OK;
    char *made = bytes > 0 ? malloc(bytes) : NULL;

    if (bytes > 0 && !made)
        return penta_group_fail(PENTA_MEMORY, "out of host memory for a message");
    if (with > 0)
        memcpy(made, h->begin, with);
    for (size_t at = with; status == PENTA_OK && at < bytes; at += CHUNK)
        status =
            receive_bytes(m, from, TAGS_A_CHANNEL * channel + 1, made + at, bytes - at < CHUNK ? bytes - at : CHUNK);
    if (status == PENTA_OK)
        *data = made;
    else
        free(made);
    return status;
}

static penta_status receive_message(void *self, int from, int channel, bool wait, void **data, size_t *bytes,
                                    size_t *sender, bool *found)
{
    head *h = malloc(sizeof *h);
    penta_status status = h ? PENTA_OK : penta_group_fail(PENTA_MEMORY, "out of host memory for a message");
    waiting turn = {0, 0};
    int source = -1;

    *found = false;
    while (status == PENTA_OK) {
        status = receive_head(self, from, channel, h, &source, found);
        if (status != PENTA_OK || *found || !wait)
            break;
        wait_a_turn(&turn);
    }
    if (status == PENTA_OK && *found) {
        status = receive_rest(self, source, channel, h, data);
        *bytes = (size_t)h->bytes;
        *sender = (size_t)source;
    }
    free(h);
    return status;
}

/* ---- members ---- */

static void close_member(void *self)
{
    member *m = self;
    int over = 0;

    pthread_mutex_lock(&calls);
    MPI_Finalized(&over);
    if (!over)
        MPI_Comm_free(&m->comm);
    pthread_mutex_unlock(&calls);
    free(m);
}

static const penta_group_transport transport = {sizeof transport, "mpi", send_message, receive_message, close_member};

static penta_status check_running(void)
{
    int begun = 0, over = 0, threads = MPI_THREAD_SINGLE;

    MPI_Initialized(&begun);
    MPI_Finalized(&over);
    if (!begun || over)
        return penta_group_fail(PENTA_INVALID, "MPI is not running: MPI_Init_thread comes first, MPI_Finalize last");
    MPI_Query_thread(&threads);
    if (threads < MPI_THREAD_SERIALIZED)
        return penta_group_fail(PENTA_INVALID, "MPI was started for one thread; ask MPI_Init_thread for "
                                               "MPI_THREAD_MULTIPLE, or MPI_THREAD_SERIALIZED");
    return PENTA_OK;
}

penta_status penta_group_mpi(MPI_Comm communicator, penta_group **out)
{
    penta_status status = check_running();
    member *m = NULL;
    int size = 0, code;

    *out = NULL;
    if (status != PENTA_OK)
        return status;
    m = calloc(1, sizeof *m);
    if (!m)
        return penta_group_fail(PENTA_MEMORY, "out of host memory for a group");
    pthread_mutex_lock(&calls);
    code = MPI_Comm_dup(communicator, &m->comm);
    if (code == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN);
        MPI_Comm_rank(m->comm, &m->rank);
        MPI_Comm_size(m->comm, &size);
    }
    pthread_mutex_unlock(&calls);
    if (code != MPI_SUCCESS) {
        free(m);
        fail_mpi(code);
        return PENTA_DEVICE;
    }
    return penta_group_with(&transport, m, (size_t)m->rank, (size_t)size, out);
}

/* ---- all ranks ---- */

static bool started; /* by penta_mpi_world_open */

penta_status penta_mpi_world_open(penta_group **out)
{
    int begun = 0, threads;

    *out = NULL;
    MPI_Initialized(&begun);
    if (!begun) {
        if (MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &threads) != MPI_SUCCESS)
            return penta_group_fail(PENTA_DEVICE, "MPI cannot be started");
        started = true;
    }
    return penta_group_mpi(MPI_COMM_WORLD, out);
}

void penta_mpi_world_close(penta_group *group)
{
    int over = 0;

    penta_group_leave(group);
    MPI_Finalized(&over);
    if (started && !over)
        MPI_Finalize();
    started = false;
}

void penta_mpi_world_abort(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

const char *penta_mpi_library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING + 1];
    int length = 0;

    if (!*text && MPI_Get_library_version(text, &length) == MPI_SUCCESS)
        text[strcspn(text, "\n")] = 0;
    return text;
}
