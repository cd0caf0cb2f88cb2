/*
 * A rank that has done a movie has written its files into the movie's directory, where they wait under temporary names.
 * Rank 0 is told where, and all that is told of the movie; at the movie's turn it lets the files appear. Until then the
 * rank keeps the directory locked.
 */
#define _POSIX_C_SOURCE 200809L
#include "optmap/movies_ranks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/group.h>
#include <pentacl/io/output.h>

#include "shared/json.h"
#include "shared/parcel.h"
#include "shared/ranks.h"

enum { WINDOW_EACH = 4 }; /* movies a rank that were given out and had no turn */

/* A directory that this rank has locked for rank 0. */
typedef struct kept_place {
    size_t movie;
    penta_io_run *run;
    struct kept_place *next;
} kept_place;

typedef struct {
    optmap_turns *turns;
    kept_place *places;
    double since; /* for ranks_lose_patience */
} member;

/* ---- at the rank that does a movie ---- */

/* Movie i was given out, so all that came a window before it have had their turn. */
static void unlock_before(member *m, size_t i)
{
    size_t window = WINDOW_EACH * ranks_size();

    for (kept_place **at = &m->places; *at;) {
        kept_place *p = *at;

        if (p->movie + window > i) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        penta_io_run_close(p->run);
        free(p);
    }
}

static void unlock_all(member *m)
{
    for (kept_place *next; m->places; m->places = next) {
        next = m->places->next;
        penta_io_run_close(m->places->run);
        free(m->places);
    }
}

static uint64_t mark_of(size_t i)
{
    return (uint64_t)i + 1;
}

/* The files leave the study: as bytes, and the lock is kept. */
static int take_files(member *m, size_t i, optmap_study *s, void **files, size_t *size)
{
    kept_place *p = malloc(sizeof *p);
    penta_io_error error = {""};

    if (!p)
        return cli_fail(s->run->job.command, CLI_ERROR, "out of memory");
    if (!penta_io_run_take(s->files, mark_of(i), files, size, &error)) {
        free(p);
        return job_fail_io(&s->run->job, &error);
    }
    *p = (kept_place){i, s->files, m->places};
    m->places = p;
    s->files = NULL;
    return CLI_OK;
}

/* What rank 0 is told. */
typedef struct {
    int32_t code;
    double read, device;
} movie_head;

typedef struct {
    void *bytes;
    size_t size;
} packed_movie;

static bool pack(optmap_study *s, int code, const held_messages *held, const void *files, size_t size,
                 packed_movie *out)
{
    optmap_account a = {.read = s->movie.seconds + s->under.seconds, .device = s->device};
    char *details;
    parcel p;
    bool ok;

    if (code == CLI_OK)
        a = optmap_make_account(s);
    details = a.details ? json_dumps(a.details, JSON_COMPACT) : NULL;
    parcel_begin(&p);
    parcel_put(p.out, &(movie_head){code, a.read, a.device}, sizeof(movie_head));
    parcel_put_block(p.out, files, size);
    parcel_put_messages(p.out, held);
    parcel_put_messages(p.out, &a.notes);
    parcel_put_text(p.out, a.text);
    parcel_put_text(p.out, details);
    ok = parcel_end(&p, &out->bytes, &out->size);
    free(details);
    optmap_free_account(&a);
    return ok;
}

static penta_status work(void *user, size_t i, void **result)
{
    member *m = user;
    packed_movie *out = calloc(1, sizeof *out);
    optmap_study s;
    held_messages held = {0};
    void *files = NULL;
    size_t size = 0;
    int code;
    bool ok;

    if (!out)
        return PENTA_MEMORY;
    unlock_before(m, i);
    optmap_open_turn(m->turns, i, 0, &s);
    messages_hold(&held);
    penta_io_run_mark(mark_of(i));
    code = optmap_do_movie(&s);
    penta_io_run_mark(0);
    code = code != CLI_OK ? code : take_files(m, i, &s, &files, &size);
    messages_hold(NULL);
    ok = pack(&s, code, &held, files, size, out);
    if (!ok)
        penta_io_run_discard(files, size);
    free(files);
    messages_free(&held);
    optmap_close_study(&s);
    if (ok)
        *result = out;
    else
        free(out);
    return ok ? PENTA_OK : PENTA_MEMORY;
}

static penta_status hand_over(void *user, size_t i, void *result, void **bytes, size_t *size)
{
    packed_movie *p = result;

    (void)user, (void)i;
    *bytes = p->bytes;
    *size = p->size;
    free(p);
    return PENTA_OK;
}

/* Rank 0 has the names of its files. Before, they are this rank's, and are removed when it ends. */
static void settle(void *user, size_t i)
{
    const member *m = user;

    for (const kept_place *p = m->places; p; p = p->next)
        if (p->movie == i)
            penta_io_run_let_go(p->run, mark_of(i));
}

/* ---- at rank 0 ---- */

/* A movie that has come back and has not had its turn. */
typedef struct {
    optmap_study study;
    held_messages held;
    optmap_account account;
    int code;
} waiting;

static void drop(void *user, void *result)
{
    waiting *w = result;

    (void)user;
    messages_free(&w->held);
    optmap_free_account(&w->account);
    optmap_close_study(&w->study);
    free(w);
}

/* The files are those of a run of this process, which commits them. */
static int give_files(waiting *w, void *files, size_t size)
{
    optmap_study *s = &w->study;
    penta_io_error error = {""};
    bool ok = penta_io_run_join(s->directory, s->run->job.command, &s->files, &error);

    if (ok)
        optmap_look_around(s);
    if (ok && penta_io_run_give(s->files, files, size, &error))
        return CLI_OK;
    penta_io_run_discard(files, size);
    return job_fail_io(&s->run->job, &error);
}

static penta_status unpack(void *user, size_t i, const void *bytes, size_t size, void **result)
{
    const member *m = user;
    parcel_reader r = parcel_read(bytes, size);
    waiting *w = calloc(1, sizeof *w);
    char *details;
    movie_head head;
    void *files;
    size_t files_size;

    if (!w)
        return PENTA_MEMORY;
    optmap_open_turn(m->turns, i, 0, &w->study);
    parcel_get(&r, &head, sizeof head);
    files = parcel_get_block(&r, &files_size);
    parcel_get_messages(&r, &w->held);
    parcel_get_messages(&r, &w->account.notes);
    w->account.text = parcel_get_text(&r);
    details = parcel_get_text(&r);
    w->account.details = details ? json_loads(details, 0, NULL) : NULL;
    w->account.read = head.read;
    w->account.device = head.device;
    w->code = head.code;
    free(details);
    if (r.ok && w->code == CLI_OK) {
        messages_hold(&w->held);
        w->code = give_files(w, files, files_size);
        messages_hold(NULL);
    }
    free(files);
    if (r.ok)
        *result = w;
    else
        drop(user, w);
    return r.ok ? PENTA_OK : PENTA_MEMORY;
}

static penta_status take(void *user, size_t i, size_t rank, void *result)
{
    optmap_turns *t = ((member *)user)->turns;
    waiting *w = result;
    bool more;

    (void)i;
    cli_say_held(t->run->job.command, &w->held);
    t->run->job.shares[rank]++;
    more = optmap_take_turn(t, &w->study, w->code, &w->account);
    free(w);
    progress_update(&t->bar, (double)t->done, (double)t->list->count);
    return more ? PENTA_OK : PENTA_CANCELLED;
}

/* The movie whose turn it is does not come back. */
static penta_status look_for_signal(void *user)
{
    member *m = user;
    optmap_turns *t = m->turns;
    optmap_study s;

    if (!ranks_lose_patience(&m->since))
        return PENTA_OK;
    if (t->done < t->list->count && optmap_goes_on(t)) {
        optmap_open_turn(t, t->done, 0, &s);
        optmap_take_turn(t, &s, optmap_interrupted(&s), NULL);
    }
    return PENTA_CANCELLED;
}

/* ---- all ranks ---- */

/* The directory above those of the movies; rank 0 makes it, so that it can be the last to take it away. */
static int make_place(const optmap_turns *t)
{
    const job *j = &t->run->job;
    penta_io_error error = {""};
    int code = CLI_OK;

    if (ranks_rank() == 0 && !penta_io_make_directory(j->common.output, &error))
        code = job_fail_io(j, &error);
    return ranks_agree(code);
}

int optmap_do_in_ranks(optmap_turns *t)
{
    const job *j = &t->run->job;
    member m = {.turns = t};
    penta_hand_out h;
    penta_status status;
    int code = make_place(t);

    if (code != CLI_OK)
        return code;
    penta_hand_out_init(&h);
    h.count = t->list->count;
    h.window = WINDOW_EACH * ranks_size();
    h.member = h.user = &m;
    h.work = work;
    h.take = take;
    h.drop = drop;
    h.pack = hand_over;
    h.unpack = unpack;
    h.poll = look_for_signal;
    h.received = settle;
    progress_begin(&t->bar, j->command, "movies", j->common.quiet || ranks_rank() > 0);
    status = penta_group_hand_out(ranks_group(), &h);
    progress_end(&t->bar);
    (void)ranks_agree(CLI_OK); /* all have had their turn, or never will */
    unlock_all(&m);
    if (status == PENTA_OK || status == PENTA_CANCELLED || ranks_rank() > 0)
        return CLI_OK;
    return cli_fail_library(j->command, NULL, j->common.verbose);
}
