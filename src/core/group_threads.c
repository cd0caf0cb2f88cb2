/* Groups within one process: each member has a box of messages, which others put copies into. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/group.h"

enum { EAGER_TURNS = 500 }; /* of a wait, before it sleeps */

typedef struct letter {
    penta_message message;
    int channel;
    struct letter *next;
} letter;

/* What the members of a group share. */
typedef struct {
    size_t size;
    letter **boxes; /* one a member, in the order of arrival */
    bool failed;    /* a member has ended with an error */
    pthread_mutex_t lock;
    pthread_cond_t changed;
} office;

/* A member. */
typedef struct {
    office *office;
    size_t rank;
    bool owns_office;
} clerk;

/* ---- messages ---- */

static penta_status write_letter(const clerk *c, int channel, const void *data, size_t bytes, letter **out)
{
    penta_status status = PENTA_OK;
    letter *made = NULL;

    TRY(penta_calloc(NULL, 1, sizeof *made, &made));
    made->channel = channel;
    made->message.bytes = bytes;
    made->message.from = c->rank;
    if (bytes > 0) {
        TRY(penta_calloc(NULL, bytes, 1, &made->message.data));
        memcpy(made->message.data, data, bytes);
    }
    *out = made;
    made = NULL;
cleanup:
    free(made);
    return status;
}

static penta_status send_letter(void *self, size_t to, int channel, const void *data, size_t bytes)
{
    penta_status status = PENTA_OK;
    const clerk *c = self;
    letter *made, **last;

    TRY(write_letter(c, channel, data, bytes, &made));
    pthread_mutex_lock(&c->office->lock);
    last = &c->office->boxes[to];
    while (*last)
        last = &(*last)->next;
    *last = made;
    pthread_cond_broadcast(&c->office->changed);
    pthread_mutex_unlock(&c->office->lock);
cleanup:
    return status;
}

/* Takes the first that fits out of the box; NULL: none. Under the lock. */
static letter *find_letter(office *o, size_t rank, int from, int channel)
{
    for (letter **at = &o->boxes[rank]; *at; at = &(*at)->next) {
        letter *found = *at;

        if (found->channel != channel || (from != PENTA_GROUP_ANY && found->message.from != (size_t)from))
            continue;
        *at = found->next;
        return found;
    }
    return NULL;
}

/* Waits for a change, at first without sleeping: members of a step wait for less than it takes to be woken. Under the
 * lock. */
static void wait_for_change(office *o, unsigned *turn)
{
    if (++*turn > EAGER_TURNS) {
        pthread_cond_wait(&o->changed, &o->lock);
        return;
    }
    pthread_mutex_unlock(&o->lock);
    sched_yield();
    pthread_mutex_lock(&o->lock);
}

static penta_status receive_letter(void *self, int from, int channel, bool wait, penta_message *out, bool *found)
{
    const clerk *c = self;
    office *o = c->office;
    unsigned turn = 0;
    letter *taken;
    bool failed;

    pthread_mutex_lock(&o->lock);
    while (!(taken = find_letter(o, c->rank, from, channel)) && wait && !o->failed)
        wait_for_change(o, &turn);
    failed = o->failed;
    pthread_mutex_unlock(&o->lock);
    *found = taken != NULL;
    if (!taken && failed)
        return penta_fail(NULL, PENTA_CANCELLED, "another member of the group has failed");
    if (taken)
        *out = taken->message;
    free(taken);
    return PENTA_OK;
}

/* ---- opening and closing ---- */

static void close_office(office *o)
{
    for (size_t i = 0; o->boxes && i < o->size; i++)
        while (o->boxes[i]) {
            letter *next = o->boxes[i]->next;

            free(o->boxes[i]->message.data);
            free(o->boxes[i]);
            o->boxes[i] = next;
        }
    free(o->boxes);
    pthread_cond_destroy(&o->changed);
    pthread_mutex_destroy(&o->lock);
    free(o);
}

static penta_status open_office(size_t size, office **out)
{
    penta_status status = PENTA_OK;
    office *o = NULL;

    TRY(penta_calloc(NULL, 1, sizeof *o, &o));
    o->size = size;
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->changed, NULL);
    TRY(penta_calloc(NULL, size, sizeof *o->boxes, &o->boxes));
    *out = o;
    o = NULL;
cleanup:
    if (o)
        close_office(o);
    return status;
}

static void close_clerk(void *self)
{
    clerk *c = self;

    if (c->owns_office)
        close_office(c->office);
    free(c);
}

static const penta_group_backend threads = {"threads", NULL, send_letter, receive_letter, close_clerk};
static const penta_group_backend alone = {"alone", NULL, send_letter, receive_letter, close_clerk};

static penta_status make_member(const penta_group_backend *backend, office *o, size_t rank, bool owns_office,
                                penta_group **out)
{
    penta_status status = PENTA_OK;
    clerk *c = NULL;

    *out = NULL;
    TRY(penta_calloc(NULL, 1, sizeof *c, &c));
    *c = (clerk){o, rank, owns_office};
    TRY(penta_group_make(backend, c, rank, o->size, out));
    c = NULL;
cleanup:
    free(c);
    return status;
}

penta_status penta_group_alone(penta_group **out)
{
    penta_status status = PENTA_OK;
    office *o = NULL;

    *out = NULL;
    TRY(open_office(1, &o));
    TRY(make_member(&alone, o, 0, true, out));
    o = NULL;
cleanup:
    if (o)
        close_office(o);
    return status;
}

/* ---- threads ---- */

typedef struct {
    penta_group *group;
    penta_status (*body)(penta_group *group, void *data);
    void *data;
    office *office;
    penta_status status;
    char *text; /* of its error */
    pthread_t thread;
    bool started;
} member_thread;

static void *run_member(void *argument)
{
    member_thread *m = argument;

    m->status = m->body(m->group, m->data);
    if (m->status == PENTA_OK)
        return NULL;
    m->text = strdup(penta_last_error(NULL));
    pthread_mutex_lock(&m->office->lock);
    m->office->failed = true;
    pthread_cond_broadcast(&m->office->changed);
    pthread_mutex_unlock(&m->office->lock);
    return NULL;
}

/* Of the member that failed by itself. */
static penta_status first_failure(const member_thread *members, size_t size)
{
    const member_thread *worst = NULL;

    for (size_t i = 0; i < size; i++)
        if (members[i].status != PENTA_OK && (!worst || worst->status == PENTA_CANCELLED))
            worst = worst && members[i].status == PENTA_CANCELLED ? worst : &members[i];
    return worst ? penta_fail(NULL, worst->status, "%s", worst->text ? worst->text : "out of memory") : PENTA_OK;
}

static penta_status run_members(member_thread *members, size_t size)
{
    bool all = true;

    for (size_t i = 1; all && i < size; i++) {
        members[i].started = pthread_create(&members[i].thread, NULL, run_member, &members[i]) == 0;
        all = members[i].started;
    }
    if (all) {
        run_member(&members[0]);
    } else {
        pthread_mutex_lock(&members[0].office->lock);
        members[0].office->failed = true;
        pthread_cond_broadcast(&members[0].office->changed);
        pthread_mutex_unlock(&members[0].office->lock);
    }
    for (size_t i = 1; i < size; i++)
        if (members[i].started)
            pthread_join(members[i].thread, NULL);
    return all ? first_failure(members, size)
               : penta_fail(NULL, PENTA_MEMORY, "cannot start a thread for each of %zu members", size);
}

penta_status penta_group_threads(size_t size, penta_status (*body)(penta_group *group, void *data), void *data)
{
    penta_status status = PENTA_OK;
    office *o = NULL;
    member_thread *members = NULL;

    if (size == 0)
        return penta_fail(NULL, PENTA_INVALID, "a group needs a member");
    TRY(open_office(size, &o));
    TRY(penta_calloc(NULL, size, sizeof *members, &members));
    for (size_t i = 0; i < size; i++) {
        members[i] = (member_thread){.body = body, .data = data, .office = o};
        TRY(make_member(size == 1 ? &alone : &threads, o, i, false, &members[i].group));
    }
    status = run_members(members, size);
cleanup:
    for (size_t i = 0; members && i < size; i++) {
        penta_group_leave(members[i].group);
        free(members[i].text);
    }
    free(members);
    if (o)
        close_office(o);
    return status;
}
