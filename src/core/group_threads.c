/* Groups within one process: each member has a list of messages, to which others add copies. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/group.h"

enum { EAGER_TURNS = 500 }; /* of a wait, before it sleeps */

typedef struct queued {
    penta_message message;
    int channel;
    struct queued *next;
} queued;

typedef struct member {
    struct shared *shared;
    size_t rank;
    queued *first; /* of its messages, in the order of arrival */
    /* of penta_group_threads */
    penta_group *group;
    penta_status status;
    char *text; /* of its error */
    pthread_t thread;
    bool started;
} member;

/* What the members of a group share. */
typedef struct shared {
    size_t size;
    bool failed; /* a member has ended with an error */
    penta_counter counter;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    penta_status (*body)(penta_group *group, void *data);
    void *data;
    member members[];
} shared;

/* ---- messages ---- */

static penta_status send_message(void *self, size_t to, int channel, const void *data, size_t bytes)
{
    penta_status status = PENTA_OK;
    const member *m = self;
    queued *made = NULL, **last = &m->shared->members[to].first;

    TRY(penta_calloc(NULL, 1, sizeof *made, &made));
    *made = (queued){{NULL, bytes, m->rank}, channel, NULL};
    if (bytes > 0) {
        TRY(penta_calloc(NULL, bytes, 1, &made->message.data));
        memcpy(made->message.data, data, bytes);
    }
    pthread_mutex_lock(&m->shared->lock);
    while (*last)
        last = &(*last)->next;
    *last = made;
    made = NULL;
    pthread_cond_broadcast(&m->shared->changed);
    pthread_mutex_unlock(&m->shared->lock);
cleanup:
    free(made);
    return status;
}

/* Takes the first that fits; NULL: none. Under the lock. */
static queued *take_message(member *m, int from, int channel)
{
    for (queued **at = &m->first; *at; at = &(*at)->next) {
        queued *found = *at;

        if (found->channel != channel || (from != PENTA_TRANSPORT_ANY && found->message.from != (size_t)from))
            continue;
        *at = found->next;
        return found;
    }
    return NULL;
}

/* Waits for a change, at first without sleeping: members of a step wait for less than it takes to be woken. Under the
 * lock. */
static void wait_for_change(shared *s, unsigned *turn)
{
    if (++*turn > EAGER_TURNS) {
        pthread_cond_wait(&s->changed, &s->lock);
        return;
    }
    pthread_mutex_unlock(&s->lock);
    sched_yield();
    pthread_mutex_lock(&s->lock);
}

static penta_status receive_message(void *self, int from, int channel, bool wait, void **data, size_t *bytes,
                                    size_t *sender, bool *found)
{
    member *m = self;
    shared *s = m->shared;
    unsigned turn = 0;
    queued *taken;
    bool failed;

    pthread_mutex_lock(&s->lock);
    while (!(taken = take_message(m, from, channel)) && wait && !s->failed)
        wait_for_change(s, &turn);
    failed = s->failed;
    pthread_mutex_unlock(&s->lock);
    *found = taken != NULL;
    if (!taken && failed)
        return penta_fail(NULL, PENTA_CANCELLED, "another member of the group has failed");
    if (!taken)
        return PENTA_OK;
    *data = taken->message.data;
    *bytes = taken->message.bytes;
    *sender = taken->message.from;
    free(taken);
    return PENTA_OK;
}

/* ---- opening and closing ---- */

static void close_shared(shared *s)
{
    for (size_t i = 0; i < s->size; i++) {
        member *m = &s->members[i];

        for (queued *next; m->first; m->first = next) {
            next = m->first->next;
            free(m->first->message.data);
            free(m->first);
        }
        free(m->text);
    }
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static void close_alone(void *self)
{
    close_shared(((member *)self)->shared);
}

static void close_member(void *self)
{
    (void)self; /* goes with all */
}

static const penta_group_transport alone = {sizeof alone, "alone", send_message, receive_message, close_alone};
static const penta_group_transport one_thread = {sizeof alone, "alone", send_message, receive_message, close_member};
static const penta_group_transport threads = {sizeof threads, "threads", send_message, receive_message, close_member};

static penta_status open_shared(size_t size, shared **out)
{
    penta_status status = PENTA_OK;
    shared *s;

    TRY(penta_calloc(NULL, 1, sizeof *s + size * sizeof *s->members, &s));
    s->size = size;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    for (size_t i = 0; i < size; i++) {
        s->members[i].shared = s;
        s->members[i].rank = i;
    }
    *out = s;
cleanup:
    return status;
}

penta_status penta_group_alone(penta_group **out)
{
    penta_status status = PENTA_OK;
    shared *s = NULL;

    *out = NULL;
    TRY(open_shared(1, &s));
    TRY(penta_group_make(&alone, &s->members[0], 0, 1, &s->counter, out));
    s = NULL;
cleanup:
    if (s)
        close_shared(s);
    return status;
}

/* ---- threads ---- */

static void fail_all(shared *s)
{
    pthread_mutex_lock(&s->lock);
    s->failed = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void *run_member(void *argument)
{
    member *m = argument;

    m->status = m->shared->body(m->group, m->shared->data);
    if (m->status == PENTA_OK)
        return NULL;
    m->text = strdup(penta_last_error(NULL));
    fail_all(m->shared);
    return NULL;
}

/* Of the member that failed by itself. */
static penta_status first_failure(const shared *s)
{
    const member *worst = NULL;

    for (const member *m = s->members; m < s->members + s->size; m++)
        if (m->status != PENTA_OK && (!worst || (worst->status == PENTA_CANCELLED && m->status != PENTA_CANCELLED)))
            worst = m;
    return worst ? penta_fail(NULL, worst->status, "%s", worst->text ? worst->text : "out of memory") : PENTA_OK;
}

static penta_status run_members(shared *s)
{
    member *members = s->members;
    bool all = true;

    for (size_t i = 1; all && i < s->size; i++)
        all = members[i].started = pthread_create(&members[i].thread, NULL, run_member, &members[i]) == 0;
    if (all)
        run_member(&members[0]);
    else
        fail_all(s);
    for (size_t i = 1; i < s->size; i++)
        if (members[i].started)
            pthread_join(members[i].thread, NULL);
    return all ? first_failure(s)
               : penta_fail(NULL, PENTA_MEMORY, "cannot start a thread for each of %zu members", s->size);
}

penta_status penta_group_threads(size_t size, penta_status (*body)(penta_group *group, void *data), void *data)
{
    penta_status status = PENTA_OK;
    const penta_group_transport *transport = size == 1 ? &one_thread : &threads;
    shared *s = NULL;

    if (size == 0)
        return penta_fail(NULL, PENTA_INVALID, "a group needs a member");
    TRY(open_shared(size, &s));
    s->body = body;
    s->data = data;
    for (size_t i = 0; i < size; i++)
        TRY(penta_group_make(transport, &s->members[i], i, size, &s->counter, &s->members[i].group));
    status = run_members(s);
cleanup:
    for (size_t i = 0; s && i < size; i++)
        penta_group_leave(s->members[i].group);
    if (s)
        close_shared(s);
    return status;
}
