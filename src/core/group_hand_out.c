/*
 * Handing out pieces of work. Rank 0 serves: it gives pieces to members, keeps the results that come before their turn,
 * and takes them in order. Each member, rank 0 too, works on a thread of its own that is told of pieces and sends
 * results.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/group.h"

enum { AHEAD = 2 };       /* pieces that a member has at a time: the one it works on, and the next */
enum { MOST_AHEAD = 3 };  /* with pack also the one before, which is packed after the next was worked on */
enum { WINDOW_EACH = 4 }; /* pieces a member, of the default window */
enum { NAP = 100000 };    /* ns, of a server that has nothing to do */
enum { END = -1 };        /* in place of a piece */

/* To a member. */
typedef struct {
    uint64_t hand_out; /* penta_group.hand_outs */
    int64_t piece;
    int32_t status; /* of END: what every member returns; text follows */
    uint64_t taken; /* of END: pieces that were taken */
} order;

/* To rank 0; the text of an error or what pack has made follows. */
typedef struct {
    uint64_t hand_out;
    uint64_t piece;
    int32_t status;
    void *result; /* without pack */
} reply;

static size_t ahead_of(const penta_hand_out *h)
{
    return h->pack ? MOST_AHEAD : AHEAD;
}

/* A message of a head and a body. */
static penta_status send_two(penta_group *g, size_t to, int channel, const void *head, size_t head_bytes,
                             const void *body, size_t bytes)
{
    penta_status status = PENTA_OK;
    char *both = NULL;

    TRY(penta_calloc(NULL, head_bytes + bytes, 1, &both));
    memcpy(both, head, head_bytes);
    if (bytes > 0)
        memcpy(both + head_bytes, body, bytes);
    TRY(penta_group_send(g, to, channel, both, head_bytes + bytes));
cleanup:
    free(both);
    return status;
}

/* The head of a message, which begins with the number of its hand-out. Frees what is of an earlier one: *mine false. */
static penta_status read_head(const penta_group *g, penta_message *message, void *head, size_t bytes, bool *mine)
{
    uint64_t number;

    if (message->bytes < bytes) {
        free(message->data);
        return penta_fail(NULL, PENTA_INTERNAL, "a message about pieces of work has %zu bytes, not %zu or more",
                          message->bytes, bytes);
    }
    memcpy(head, message->data, bytes);
    memcpy(&number, head, sizeof number);
    *mine = number == g->hand_outs;
    if (!*mine)
        free(message->data);
    return PENTA_OK;
}

/* ---- a member ---- */

typedef struct {
    penta_group *group;
    const penta_hand_out *h;
    size_t pieces[MOST_AHEAD], count; /* told and not yet done */
    size_t told;                      /* in all */
    size_t sent[MOST_AHEAD], on_way;  /* pieces that rank 0 may not have received, the last of sent_count */
    size_t sent_count;
    reply held; /* a result to be packed and sent */
    bool holds;
    bool over;
    penta_status verdict; /* of END */
    char *text;
    atomic_bool failed; /* of rank 0's thread: it has ended with the error in text */
    penta_status status;
} member;

/* The first of those on the way. */
static void settle_one(member *m)
{
    size_t piece = m->sent[0];

    m->on_way--;
    memmove(m->sent, m->sent + 1, m->on_way * sizeof *m->sent);
    if (m->h->received)
        m->h->received(m->h->member, piece);
}

/* A member is told of a piece when rank 0 has received all but ahead_of those before. */
static void settle_by_order(member *m)
{
    while (m->on_way > 0 && m->sent_count - m->on_way + ahead_of(m->h) < m->told)
        settle_one(m);
}

static void settle_at_end(member *m, const order *o)
{
    while (m->on_way > 0 && m->sent[0] < o->taken)
        settle_one(m);
}

static penta_status obey(member *m, penta_message *message)
{
    penta_status status = PENTA_OK;
    bool mine = false;
    order o;

    status = read_head(m->group, message, &o, sizeof o, &mine);
    if (status != PENTA_OK || !mine)
        return status;
    if (o.piece == END) {
        m->over = true;
        settle_at_end(m, &o);
        m->verdict = (penta_status)o.status;
        if (m->verdict != PENTA_OK)
            m->text = strndup((const char *)message->data + sizeof o, message->bytes - sizeof o);
    } else if (m->count == ahead_of(m->h)) {
        status = penta_fail(NULL, PENTA_INTERNAL, "a member of a group was given too many pieces of work");
    } else {
        if (m->h->promise)
            m->h->promise(m->h->member, (size_t)o.piece);
        m->pieces[m->count++] = (size_t)o.piece;
        m->told++;
        settle_by_order(m);
    }
    free(message->data);
    return status;
}

/* Reads orders; waits for one where there is nothing to do. */
static penta_status hear_orders(member *m)
{
    penta_status status = PENTA_OK;
    penta_message message;
    bool found = true;

    while (!m->over && m->count < ahead_of(m->h) && found) {
        if (m->count == 0 && !m->holds)
            TRY(penta_group_receive(m->group, 0, PENTA_CHANNEL_DOWN, &message));
        else
            TRY(penta_group_try(m->group, 0, PENTA_CHANNEL_DOWN, &message, &found));
        if (found)
            TRY(obey(m, &message));
    }
cleanup:
    return status;
}

/* To rank 0. */
static penta_status send_reply(member *m, const reply *r, const void *body, size_t bytes)
{
    penta_status status = PENTA_OK;

    TRY(send_two(m->group, 0, PENTA_CHANNEL_UP, r, sizeof *r, body, bytes));
    m->sent[m->on_way++] = (size_t)r->piece;
    m->sent_count++;
cleanup:
    return status;
}

static penta_status send_result(member *m, reply *r, void *result)
{
    penta_status status = PENTA_OK;
    char *text = r->status != PENTA_OK ? result : NULL;

    r->result = r->status == PENTA_OK ? result : NULL;
    TRY(send_reply(m, r, text, text ? strlen(text) : 0));
cleanup:
    free(text);
    return status;
}

/* Packs the result that is held back. */
static penta_status pack_held(member *m, void **bytes, size_t *size)
{
    penta_status status;

    *bytes = NULL;
    *size = 0;
    m->holds = false;
    status = m->h->pack(m->h->member, (size_t)m->held.piece, m->held.result, bytes, size);
    m->held.result = NULL;
    return status;
}

static penta_status send_held(member *m)
{
    penta_status status = PENTA_OK;
    void *bytes = NULL;
    size_t size;

    if (!m->holds)
        return PENTA_OK;
    m->held.status = (int32_t)pack_held(m, &bytes, &size);
    if (m->held.status != PENTA_OK)
        return send_result(m, &m->held, strdup(penta_last_error(NULL)));
    TRY(send_reply(m, &m->held, bytes, size));
cleanup:
    free(bytes);
    return status;
}

static penta_status work_on(member *m)
{
    penta_status status = PENTA_OK;
    reply r = {.hand_out = m->group->hand_outs, .piece = m->pieces[0]};
    void *result = NULL;

    m->count--;
    memmove(m->pieces, m->pieces + 1, m->count * sizeof *m->pieces);
    r.status = (int32_t)m->h->work(m->h->member, (size_t)r.piece, &result);
    TRY(send_held(m));
    if (m->h->pack && r.status == PENTA_OK) {
        m->held = r;
        m->held.result = result;
        m->holds = true;
    } else {
        TRY(send_result(m, &r, result));
    }
cleanup:
    return status;
}

static penta_status work_off(member *m)
{
    penta_status status = PENTA_OK;

    for (;;) {
        TRY(hear_orders(m));
        if (m->over)
            break;
        if (m->count > 0)
            TRY(work_on(m));
        else
            TRY(send_held(m));
    }
cleanup:
    if (m->holds) { /* nobody takes it */
        void *bytes;
        size_t size;

        (void)pack_held(m, &bytes, &size);
        free(bytes);
    }
    return status;
}

static void *run_member(void *argument)
{
    member *m = argument;

    m->status = work_off(m);
    if (m->status != PENTA_OK) {
        free(m->text);
        m->text = strdup(penta_last_error(NULL));
        atomic_store(&m->failed, true);
    }
    return NULL;
}

/* ---- the server ---- */

typedef struct {
    bool there;
    size_t rank;
    void *result;
} kept_result;

typedef struct {
    penta_group *group;
    const penta_hand_out *h;
    const member *own;
    size_t window, given, taken, returned;
    size_t *outstanding;  /* one a member */
    kept_result *kept;    /* one a piece */
    size_t first_failure; /* piece; count: none */
    penta_status failure;
    char *text;
} server;

/* The first piece in order that failed decides. */
static void note_failure(server *s, size_t piece, penta_status status, char *text)
{
    if (piece >= s->first_failure) {
        free(text);
        return;
    }
    s->first_failure = piece;
    s->failure = status;
    free(s->text);
    s->text = text;
}

static void keep_result(server *s, const penta_message *message, const reply *r)
{
    const char *body = (const char *)message->data + sizeof *r;
    size_t size = message->bytes - sizeof *r, piece = (size_t)r->piece;
    void *result = r->result;
    penta_status status = PENTA_OK;

    s->outstanding[message->from]--;
    s->returned++;
    if (r->status != PENTA_OK) {
        note_failure(s, piece, (penta_status)r->status, strndup(body, size));
        return;
    }
    if (s->h->pack)
        status = s->h->unpack(s->h->user, piece, body, size, &result);
    if (status == PENTA_OK)
        s->kept[piece] = (kept_result){true, message->from, result};
    else
        note_failure(s, piece, status, strdup(penta_last_error(NULL)));
}

static penta_status hear_results(server *s, bool *any)
{
    penta_status status = PENTA_OK;
    penta_message message = {NULL, 0, 0};
    bool found = true;

    while (found) {
        reply r;
        bool mine = false;

        TRY(penta_group_try(s->group, PENTA_GROUP_ANY, PENTA_CHANNEL_UP, &message, &found));
        if (!found)
            break;
        *any = true;
        TRY(read_head(s->group, &message, &r, sizeof r, &mine));
        if (!mine)
            continue;
        keep_result(s, &message, &r);
        free(message.data);
    }
cleanup:
    return status;
}

/* Takes results whose turn it is, those before the first failure. */
static void take_results(server *s, bool *any)
{
    while (s->taken < s->first_failure && s->taken < s->h->count && s->kept[s->taken].there) {
        kept_result *k = &s->kept[s->taken];
        penta_status status;

        *any = true;
        k->there = false;
        status = s->h->take(s->h->user, s->taken, k->rank, k->result);
        if (status != PENTA_OK)
            note_failure(s, s->taken, status, strdup(penta_last_error(NULL)));
        s->taken++;
    }
}

/* The next piece to the member that has least, the lowest rank of several. */
static penta_status give_pieces(server *s, bool *any)
{
    penta_status status = PENTA_OK;

    while (s->given < s->h->count && s->first_failure == s->h->count && s->given < s->taken + s->window) {
        order o = {.hand_out = s->group->hand_outs, .piece = (int64_t)s->given};
        size_t to = 0;

        for (size_t i = 1; i < s->group->size; i++)
            if (s->outstanding[i] < s->outstanding[to])
                to = i;
        if (s->outstanding[to] >= ahead_of(s->h))
            break;
        TRY(penta_group_send(s->group, to, PENTA_CHANNEL_DOWN, &o, sizeof o));
        s->outstanding[to]++;
        s->given++;
        *any = true;
    }
cleanup:
    return status;
}

static bool is_over(const server *s)
{
    bool all_back = s->returned == s->given;

    return all_back && (s->first_failure < s->h->count ? s->taken >= s->first_failure || !s->kept[s->taken].there
                                                       : s->taken == s->h->count);
}

static penta_status serve(server *s)
{
    penta_status status = PENTA_OK;
    const struct timespec nap = {0, NAP};

    while (!is_over(s)) {
        bool any = false;

        if (atomic_load(&s->own->failed)) {
            status = penta_fail(NULL, s->own->status, "%s", s->own->text ? s->own->text : "out of memory");
            goto cleanup;
        }
        if (s->h->poll)
            TRY(s->h->poll(s->h->user));
        TRY(give_pieces(s, &any));
        TRY(hear_results(s, &any));
        take_results(s, &any);
        if (!any)
            nanosleep(&nap, NULL);
    }
cleanup:
    return status;
}

/* Everybody goes home, with the same status. */
static penta_status send_end(server *s, penta_status verdict)
{
    penta_status status = PENTA_OK;
    const order o = {.hand_out = s->group->hand_outs, .piece = END, .status = (int32_t)verdict, .taken = s->taken};
    const char *text = verdict != PENTA_OK && s->text ? s->text : "";

    for (size_t i = 0; i < s->group->size; i++)
        TRY(send_two(s->group, i, PENTA_CHANNEL_DOWN, &o, sizeof o, text, strlen(text) + 1));
cleanup:
    return status;
}

static void close_server(server *s)
{
    for (size_t i = 0; s->kept && i < s->h->count; i++)
        if (s->kept[i].there && s->h->drop)
            s->h->drop(s->h->user, s->kept[i].result);
    free(s->kept);
    free(s->outstanding);
    free(s->text);
}

static penta_status open_server(server *s)
{
    penta_status status = PENTA_OK;
    size_t least = ahead_of(s->h) * s->group->size;

    s->first_failure = s->h->count;
    s->window = s->h->window ? s->h->window : WINDOW_EACH * s->group->size;
    s->window = s->window < least ? least : s->window;
    TRY(penta_calloc(NULL, s->group->size, sizeof *s->outstanding, &s->outstanding));
    TRY(penta_calloc(NULL, s->h->count, sizeof *s->kept, &s->kept));
cleanup:
    return status;
}

static penta_status lead(penta_group *group, const penta_hand_out *h)
{
    penta_status status = PENTA_OK, ended;
    member own = {.group = group, .h = h};
    server s = {.group = group, .h = h, .own = &own};
    pthread_t thread;
    bool started = false;

    TRY(open_server(&s));
    started = pthread_create(&thread, NULL, run_member, &own) == 0;
    status = started ? serve(&s) : penta_fail(NULL, PENTA_MEMORY, "cannot start a thread for the work of rank 0");
    if (status != PENTA_OK)
        note_failure(&s, 0, status, strdup(penta_last_error(NULL)));
    status = s.first_failure < h->count ? s.failure : status;
cleanup:
    ended = send_end(&s, status);
    if (started)
        pthread_join(thread, NULL);
    if (status != PENTA_OK && s.text)
        penta_fail(NULL, status, "%s", s.text);
    close_server(&s);
    free(own.text);
    return status != PENTA_OK ? status : ended;
}

static penta_status follow(penta_group *group, const penta_hand_out *h)
{
    member m = {.group = group, .h = h};
    penta_status status = work_off(&m);

    if (status == PENTA_OK && m.verdict != PENTA_OK)
        status = penta_fail(NULL, m.verdict, "%s", m.text ? m.text : "");
    free(m.text);
    return status;
}

penta_status penta_group_hand_out(penta_group *group, const penta_hand_out *h)
{
    penta_hand_out whole;

    penta_hand_out_init(&whole);
    memcpy(&whole, h, h->size < sizeof whole ? h->size : sizeof whole);
    if (!whole.work || (group->rank == 0 && !whole.take))
        return penta_fail(NULL, PENTA_INVALID, "work is handed out by its functions work and take");
    if (whole.pack ? group->rank == 0 && !whole.unpack : group->size > 1 && group->backend->name_of)
        return penta_fail(NULL, PENTA_INVALID, "results go between processes by the functions pack and unpack");
    group->hand_outs++;
    return group->rank == 0 ? lead(group, &whole) : follow(group, &whole);
}
