#include "shared/rows.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shared/ranks.h"

enum { AHEAD = 4 };      /* slices a member, unless the task says otherwise */
enum { TURN = 1000000 }; /* ns that rank 0 waits for rows of its process before it asks for those of others */

enum kind { ROW, FAILED, DONE, ASK };

/* Goes before the bytes of a row to rank 0; back, that it has come, or how far rows were taken. */
typedef struct {
    uint64_t kind, item;
} head;

typedef struct {
    uint64_t kind, item, taken;
} receipt;

typedef struct {
    enum kind kind;
    size_t rank, size;
    void *bytes; /* NULL: it has not come */
} row;

/* Of rank 0 and the threads of its process. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    row *rows;          /* from the first item on */
    size_t taken, done; /* rows; members that will put no more */
    bool closed;        /* no more are wanted */
} table;

struct rows {
    penta_group *group;
    const rows_task *task;
    table *table;         /* NULL: rank 0 is another process */
    pthread_mutex_t lock; /* over telling it */
    atomic_size_t failed; /* items from this one on are not worked on */
    size_t taken;         /* all items before this one are, as far as is known here */
    bool apart, over;     /* members are processes; rank 0 wants no more */
    bool answered;        /* rank 0 has, to ASK */
    bool lost;            /* at rank 0: a rank does not answer */
};

/* ---- rows ---- */

static void put_here(rows *r, enum kind kind, size_t item, void *bytes, size_t size)
{
    table *t = r->table;

    pthread_mutex_lock(&t->lock);
    if (kind == DONE)
        t->done++;
    else
        t->rows[item - r->task->begin] = (row){kind, penta_group_rank(r->group), size, bytes};
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

/* To rank 0, or nobody hears of this member any more. */
static void tell(rows *r, enum kind kind, size_t item, void *bytes, size_t size)
{
    const head h = {kind, item};
    char *message = malloc(sizeof h + size);
    penta_status status = PENTA_MEMORY;

    if (message) {
        memcpy(message, &h, sizeof h);
        if (size > 0)
            memcpy(message + sizeof h, bytes, size);
        pthread_mutex_lock(&r->lock);
        status = penta_group_tell(r->group, 0, message, sizeof h + size);
        pthread_mutex_unlock(&r->lock);
    }
    free(message);
    free(bytes);
    if (status != PENTA_OK)
        ranks_abort(cli_fail_library(r->task->command, NULL, false));
}

static void put(rows *r, enum kind kind, size_t item, void *bytes, size_t size)
{
    (r->table ? put_here : tell)(r, kind, item, bytes, size);
}

/* Once a member: it works on nothing after. */
static void fail(rows *r, size_t item, const held_messages *said)
{
    parcel p;
    void *bytes = NULL;
    size_t size = 0;

    atomic_store(&r->failed, item);
    (void)penta_group_stop(r->group);
    parcel_begin(&p);
    if (p.out)
        parcel_put_messages(p.out, said);
    if (parcel_end(&p, &bytes, &size))
        put(r, FAILED, item, bytes, size);
}

void rows_put(rows *r, size_t item, void *bytes, size_t size)
{
    const held_messages none = {0};

    if (bytes)
        put(r, ROW, item, bytes, size);
    else
        fail(r, item, &none);
}

/* ---- a member ---- */

/* What rank 0 says. */
static void hear_receipts(rows *r)
{
    bool found = r->table == NULL;

    while (found && !r->over) {
        void *message = NULL;
        receipt c = {0};
        size_t bytes, from;

        found = penta_group_hear(r->group, &message, &bytes, &from, &found) == PENTA_OK && found;
        if (found)
            memcpy(&c, message, sizeof c);
        free(message);
        if (!found)
            return;
        r->over = c.kind == DONE;
        r->answered = r->answered || c.kind == ASK;
        r->taken = (size_t)c.taken;
        if (c.kind == ROW && r->task->received)
            r->task->received(r->task->user, (size_t)c.item, (size_t)c.taken);
    }
}

/* Under the lock. */
static size_t taken_of(const rows *r)
{
    return r->table->closed ? SIZE_MAX : r->task->begin + r->table->taken;
}

/* One question at a time: rank 0 would wait for a rank that is gone where many of its answers are on the way. */
static void ask(rows *r)
{
    const struct timespec turn = {0, TURN};

    r->answered = false;
    put(r, ASK, 0, NULL, 0);
    for (hear_receipts(r); !r->answered && !r->over; hear_receipts(r))
        nanosleep(&turn, NULL);
}

/* Before a slice that begins with this item. */
static void wait_for_window(rows *r, size_t item)
{
    const struct timespec turn = {0, TURN};
    size_t ahead = r->task->ahead > 0 ? r->task->ahead : AHEAD, taken = r->taken;
    size_t window = ahead * penta_group_size(r->group) * r->task->slice;

    while (!r->over && item >= window && item - window >= taken) {
        if (r->table) {
            pthread_mutex_lock(&r->table->lock);
            taken = taken_of(r);
            pthread_mutex_unlock(&r->table->lock);
        } else {
            ask(r);
            taken = r->taken;
        }
        nanosleep(&turn, NULL);
    }
}

static size_t first_of(const rows_task *t, size_t slice)
{
    return t->begin + slice * t->slice;
}

static size_t length_of(const rows_task *t, size_t slice)
{
    size_t left = t->end - first_of(t, slice);

    return left < t->slice ? left : t->slice;
}

/* False: none is left. */
static bool next(rows *r, size_t *slice)
{
    const rows_task *t = r->task;
    size_t slices = (t->end - t->begin + t->slice - 1) / t->slice;

    if (penta_group_next(r->group, slices, slice) != PENTA_OK || *slice == slices)
        return false;
    if (t->promise)
        t->promise(t->user, rows_member(r), first_of(t, *slice), length_of(t, *slice));
    return true;
}

static void work_on(rows *r, size_t slice)
{
    const rows_task *t = r->task;
    held_messages said = {0};
    size_t failed = first_of(t, slice);

    wait_for_window(r, failed);
    if (failed >= atomic_load(&r->failed))
        return;
    messages_hold_error(&said);
    if (t->work(t->user, r, failed, length_of(t, slice), &failed) != CLI_OK)
        fail(r, failed, &said);
    messages_hold(NULL);
    messages_free(&said);
    hear_receipts(r);
}

static void *work_off(void *argument)
{
    rows *r = argument;
    size_t slice, ahead = 0;
    bool more = next(r, &slice);

    while (more) {
        more = r->task->promise && next(r, &ahead);
        work_on(r, slice);
        more = more || (!r->task->promise && next(r, &ahead));
        slice = ahead;
    }
    if (r->task->finish)
        r->task->finish(r->task->user, rows_member(r));
    put(r, DONE, 0, NULL, 0);
    return NULL;
}

/* Until rank 0 has all that it wants. */
static int follow(rows *r)
{
    const struct timespec turn = {0, TURN};

    work_off(r);
    while (!r->table && !r->over) {
        hear_receipts(r);
        if (!r->over)
            nanosleep(&turn, NULL);
    }
    return CLI_OK;
}

/* ---- rank 0 ---- */

static void keep_row(rows *r, size_t from, char *message, size_t bytes)
{
    table *t = r->table;
    receipt c = {0, 0, taken_of(r)};
    head h;

    memcpy(&h, message, sizeof h);
    c.kind = h.kind;
    c.item = h.item;
    t->done += h.kind == DONE;
    if (h.kind == ROW || h.kind == ASK)
        (void)penta_group_tell(r->group, from, &c, sizeof c);
    if (h.kind == DONE || h.kind == ASK) {
        free(message);
        return;
    }
    memmove(message, message + sizeof h, bytes - sizeof h);
    t->rows[h.item - r->task->begin] = (row){(enum kind)h.kind, from, bytes - sizeof h, message};
}

/* What other processes have told; an error where a member has not begun. */
static penta_status hear_rows(rows *r)
{
    penta_status status = PENTA_OK;
    bool found = true;

    while (found && status == PENTA_OK) {
        void *message;
        size_t bytes, from;

        status = penta_group_hear(r->group, &message, &bytes, &from, &found);
        if (status != PENTA_OK || !found)
            break;
        pthread_mutex_lock(&r->table->lock);
        keep_row(r, from, message, bytes);
        pthread_mutex_unlock(&r->table->lock);
    }
    return status;
}

static void say_failure(const rows *r, size_t rank, parcel_reader *reader)
{
    const rank_place *places = r->apart && rank > 0 ? ranks_places() : NULL;
    held_messages said = {0};

    parcel_get_messages(reader, &said);
    if (said.count == 0)
        cli_fail(r->task->command, CLI_ERROR, "out of memory");
    else if (places)
        cli_fail(r->task->command, CLI_ERROR, "rank %zu (%s): %s", rank, places[rank].host, said.list[0].text);
    else
        cli_say_held(r->task->command, &said);
    messages_free(&said);
}

/* Of a process that has put it itself. */
static void end_row(const rows *r, size_t item, row *one)
{
    if (one->kind == ROW && (!r->apart || one->rank == 0) && r->task->received)
        r->task->received(r->task->user, item, item + 1);
    free(one->bytes);
    one->bytes = NULL;
}

static void drop_row(const rows *r, size_t item, row *one)
{
    parcel_reader reader = parcel_read(one->bytes, one->size);

    if (!one->bytes)
        return;
    if (one->kind == ROW && r->task->drop)
        r->task->drop(r->task->user, item, &reader);
    end_row(r, item, one);
}

/* No more rows are wanted. */
static void close_list(rows *r)
{
    (void)penta_group_stop(r->group);
    pthread_mutex_lock(&r->table->lock);
    r->table->closed = true;
    pthread_mutex_unlock(&r->table->lock);
}

/* Whether the rows that follow are wanted. */
static bool take_row(rows *r, size_t item, row *one, int *code)
{
    parcel_reader reader = parcel_read(one->bytes, one->size);
    bool more = false;

    if (one->kind == ROW) {
        more = r->task->take(r->task->user, item, one->rank, &reader);
    } else {
        say_failure(r, one->rank, &reader);
        *code = CLI_ERROR;
    }
    end_row(r, item, one);
    if (!more)
        close_list(r);
    return more;
}

/* The row that comes next, after a while at most; or none, and *over: no more come. */
static row wait_for_row(rows *r, size_t *item, bool *over)
{
    table *t = r->table;
    struct timespec until;
    row found;

    pthread_mutex_lock(&t->lock);
    *item = r->task->begin + t->taken;
    found = t->rows[t->taken];
    *over = !found.bytes && t->done == penta_group_size(r->group);
    if (found.bytes) {
        t->rows[t->taken++].bytes = NULL;
    } else if (!*over) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TURN;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&t->changed, &t->lock, &until);
    }
    pthread_mutex_unlock(&t->lock);
    return found;
}

/* Until all members have put theirs, or one is gone. */
static int take_rows(rows *r)
{
    const rows_task *task = r->task;
    bool wants = true, over = false;
    double since = 0;
    int code = CLI_OK;

    for (;;) {
        size_t item;
        bool came;
        row one;

        if (hear_rows(r) != PENTA_OK)
            return r->apart ? cli_fail_library(task->command, NULL, false) : CLI_ERROR; /* that member says why */
        one = wait_for_row(r, &item, &over);
        came = one.bytes != NULL;
        if (came && wants)
            wants = take_row(r, item, &one, &code);
        else
            drop_row(r, item, &one);
        if (over)
            return wants && item < task->end ? cli_fail(task->command, CLI_ERROR, "out of memory or threads") : code;
        if (came || !r->apart || !ranks_lose_patience(&since))
            continue;
        r->lost = true;
        if (wants && task->lost && item < task->end)
            task->lost(task->user, item);
        return code;
    }
}

static int lead(rows *r)
{
    const receipt end = {.kind = DONE};
    pthread_t thread;
    int code;

    if (pthread_create(&thread, NULL, work_off, r) != 0) {
        close_list(r);
        code = cli_fail(r->task->command, CLI_ERROR, "cannot start a thread for the work of this process");
    } else {
        code = take_rows(r);
        close_list(r);
        pthread_join(thread, NULL);
    }
    for (size_t i = 1; r->apart && !r->lost && i < penta_group_size(r->group); i++)
        (void)penta_group_tell(r->group, i, &end, sizeof end);
    return code;
}

/* ---- all ---- */

static table *open_table(size_t items)
{
    table *t = calloc(1, sizeof *t);

    if (t)
        t->rows = calloc(items + 1, sizeof *t->rows);
    if (!t || !t->rows) {
        free(t);
        return NULL;
    }
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    return t;
}

static void close_table(rows *r)
{
    table *t = r->table;

    for (size_t i = 0; i < r->task->end - r->task->begin; i++)
        drop_row(r, r->task->begin + i, &t->rows[i]);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    free(t->rows);
    free(t);
}

/* All begin together; the table is where rank 0 says, in its process. */
static penta_status find_table(rows *r)
{
    table *mine = penta_group_rank(r->group) == 0 ? open_table(r->task->end - r->task->begin) : NULL, **told = NULL;
    size_t bytes;
    penta_status status = penta_group_broadcast(r->group, &mine, sizeof mine, (void **)&told, &bytes);

    if (status == PENTA_OK && !*told)
        status = PENTA_MEMORY;
    else if (status == PENTA_OK)
        r->table = r->apart ? mine : *told;
    free(told);
    return status;
}

int rows_run(penta_group *group, const rows_task *task)
{
    rows r = {.group = group, .task = task, .apart = strcmp(penta_group_kind(group), "mpi") == 0};
    size_t rank = penta_group_rank(group);
    int code;

    atomic_init(&r.failed, SIZE_MAX);
    pthread_mutex_init(&r.lock, NULL);
    if (find_table(&r) != PENTA_OK)
        code = rank == 0 ? cli_fail(task->command, CLI_ERROR, "out of memory for the rows of a list") : CLI_ERROR;
    else
        code = rank == 0 ? lead(&r) : follow(&r);
    if (rank == 0 && r.table)
        close_table(&r);
    pthread_mutex_destroy(&r.lock);
    return code;
}

size_t rows_member(const rows *r)
{
    return r->apart ? 0 : penta_group_rank(r->group);
}

typedef struct {
    const rows_task *task;
    int code;
} rows_job;

static penta_status run_thread(penta_group *group, void *data)
{
    rows_job *j = data;
    int code = rows_run(group, j->task);

    if (penta_group_rank(group) == 0)
        j->code = code;
    else if (code != CLI_OK)
        return PENTA_MEMORY;
    return PENTA_OK;
}

int rows_run_job(size_t members, const rows_task *task)
{
    rows_job j = {task, CLI_OK};

    if (ranks_size() > 1)
        return rows_run(ranks_group(), task);
    if (penta_group_threads(members, run_thread, &j) != PENTA_OK)
        return cli_fail_library(task->command, NULL, false);
    return j.code;
}
