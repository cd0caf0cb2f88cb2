/*
 * The movies of a run, one after another, or side by side where there are several devices or ranks. Who has done a
 * movie has written its files into the movie's directory, where they wait under temporary names. Rank 0 is told where,
 * and all that is told of the movie; at the movie's turn it lets the files appear. Until then the directory is kept
 * locked.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include <pentacl/io/output.h>

#include "optmap/turns.h"
#include "shared/json.h"
#include "shared/parcel.h"
#include "shared/ranks.h"
#include "shared/rows.h"

static void one_by_one(optmap_turns *t)
{
    while (t->done < t->list->count && optmap_goes_on(t)) {
        optmap_study s;
        int code;

        optmap_open_turn(t, t->done, 0, &s);
        code = optmap_do_movie(&s);
        optmap_take_turn(t, &s, code, NULL);
    }
}

/* ---- at the member that does a movie ---- */

/* A directory that this process has locked for rank 0. */
typedef struct kept_place {
    size_t movie;
    penta_io_run *run;
    struct kept_place *next;
} kept_place;

typedef struct {
    optmap_turns *turns;
    kept_place *places;
    pthread_mutex_t lock; /* over places */
} side_by_side;

static uint64_t mark_of(size_t i)
{
    return (uint64_t)i + 1;
}

/* Rank 0 has the names of movie i's files, which before are this member's and are removed when it ends; movies before
 * `taken` have had their turn. */
static void settle(void *user, size_t i, size_t taken)
{
    side_by_side *all = user;

    pthread_mutex_lock(&all->lock);
    for (kept_place **at = &all->places; *at;) {
        kept_place *p = *at;

        if (p->movie == i)
            penta_io_run_let_go(p->run, mark_of(i));
        if (p->movie >= taken) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        penta_io_run_close(p->run);
        free(p);
    }
    pthread_mutex_unlock(&all->lock);
}

/* The files leave the study: as bytes, and the lock is kept. */
static int take_files(side_by_side *all, size_t i, optmap_study *s, void **files, size_t *size)
{
    kept_place *p = malloc(sizeof *p);
    penta_io_error error = {""};

    if (!p)
        return cli_fail(s->run->job.command, CLI_ERROR, "out of memory");
    if (!penta_io_run_take(s->files, mark_of(i), files, size, &error)) {
        free(p);
        return job_fail_io(&s->run->job, &error);
    }
    pthread_mutex_lock(&all->lock);
    *p = (kept_place){i, s->files, all->places};
    all->places = p;
    pthread_mutex_unlock(&all->lock);
    s->files = NULL;
    return CLI_OK;
}

/* What rank 0 is told. */
typedef struct {
    int32_t code;
    double read, device;
} movie_head;

/* NULL: out of memory. */
static void *make_row(optmap_study *s, int code, const held_messages *held, const void *files, size_t files_size,
                      size_t *size)
{
    optmap_account a = {.read = s->movie.seconds + s->under.seconds, .device = s->device};
    void *bytes = NULL;
    char *details;
    parcel p;

    if (code == CLI_OK)
        a = optmap_make_account(s);
    details = a.details ? json_dumps(a.details, JSON_COMPACT) : NULL;
    parcel_begin(&p);
    if (p.out) {
        parcel_put(p.out, &(movie_head){code, a.read, a.device}, sizeof(movie_head));
        parcel_put_block(p.out, files, files_size);
        parcel_put_messages(p.out, held);
        parcel_put_messages(p.out, &a.notes);
        parcel_put_text(p.out, a.text);
        parcel_put_text(p.out, details);
    }
    (void)parcel_end(&p, &bytes, size);
    free(details);
    optmap_free_account(&a);
    return bytes;
}

static int do_movie(void *user, rows *of, size_t i, size_t n, size_t *failed)
{
    side_by_side *all = user;
    optmap_study s;
    held_messages held = {0};
    void *files = NULL, *row;
    size_t files_size = 0, size = 0;
    int code;

    (void)n, (void)failed;
    optmap_open_turn(all->turns, i, rows_member(of), &s);
    messages_hold(&held);
    penta_io_run_mark(mark_of(i));
    code = optmap_do_movie(&s);
    penta_io_run_mark(0);
    code = code != CLI_OK ? code : take_files(all, i, &s, &files, &files_size);
    messages_hold(NULL);
    row = make_row(&s, code, &held, files, files_size, &size);
    if (!row)
        penta_io_run_discard(files, files_size);
    rows_put(of, i, row, size);
    free(files);
    messages_free(&held);
    optmap_close_study(&s);
    return CLI_OK;
}

/* ---- at rank 0 ---- */

/* The files are those of a run of this process, which commits them. */
static int give_files(optmap_study *s, void *files, size_t size)
{
    penta_io_error error = {""};
    bool ok = penta_io_run_join(s->directory, s->run->job.command, &s->files, &error);

    if (ok)
        optmap_look_around(s);
    if (ok && penta_io_run_give(s->files, files, size, &error))
        return CLI_OK;
    penta_io_run_discard(files, size);
    return job_fail_io(&s->run->job, &error);
}

static bool take_movie(void *user, size_t i, size_t rank, parcel_reader *row)
{
    optmap_turns *t = ((side_by_side *)user)->turns;
    const job *j = &t->run->job;
    optmap_account account = {0};
    held_messages held = {0};
    optmap_study s;
    movie_head head;
    size_t size;
    void *files;
    char *details;
    bool more;

    optmap_open_turn(t, i, 0, &s);
    parcel_get(row, &head, sizeof head);
    files = parcel_get_block(row, &size);
    parcel_get_messages(row, &held);
    parcel_get_messages(row, &account.notes);
    account.text = parcel_get_text(row);
    details = parcel_get_text(row);
    account.details = details ? json_loads(details, 0, NULL) : NULL;
    account.read = head.read;
    account.device = head.device;
    free(details);
    cli_say_held(j->command, &held);
    if (!row->ok)
        head.code = cli_fail(j->command, CLI_ERROR, "out of memory");
    else if (head.code == CLI_OK)
        head.code = give_files(&s, files, size);
    free(files);
    j->shares[rank]++;
    more = optmap_take_turn(t, &s, head.code, &account);
    progress_update(&t->bar, (double)t->done, (double)t->list->count);
    return more;
}

static void drop_movie(void *user, size_t i, parcel_reader *row)
{
    movie_head head;
    size_t size;
    void *files;

    (void)user, (void)i;
    parcel_get(row, &head, sizeof head);
    files = parcel_get_block(row, &size);
    penta_io_run_discard(files, size);
    free(files);
}

/* The movie whose turn it is does not come back. */
static void end_movie(void *user, size_t i)
{
    optmap_turns *t = ((side_by_side *)user)->turns;
    optmap_study s;

    optmap_open_turn(t, i, 0, &s);
    optmap_take_turn(t, &s, optmap_interrupted(&s), NULL);
}

/* ---- all members ---- */

/* The directory above those of the movies; rank 0 makes it, so that it can be the last to take it away. */
static int make_place(const optmap_turns *t)
{
    const job *j = &t->run->job;
    penta_io_error error = {""};
    int code = CLI_OK;

    if (ranks_size() > 1 && ranks_rank() == 0 && !penta_io_make_directory(j->common.output, &error))
        code = job_fail_io(j, &error);
    return ranks_agree(code);
}

/* An error of sharing itself; what became of movies is in the turns of rank 0. */
static int do_side_by_side(optmap_turns *t)
{
    const job *j = &t->run->job;
    side_by_side all = {.turns = t};
    const rows_task task = {.command = j->command,
                            .end = t->list->count,
                            .slice = 1,
                            .user = &all,
                            .work = do_movie,
                            .received = settle,
                            .take = take_movie,
                            .drop = drop_movie,
                            .lost = end_movie};
    int code = make_place(t);

    if (code != CLI_OK)
        return code;
    pthread_mutex_init(&all.lock, NULL);
    progress_begin(&t->bar, j->command, "movies", j->common.quiet || ranks_rank() > 0);
    code = rows_run_job(j->members, &task);
    progress_end(&t->bar);
    settle(&all, t->list->count, t->list->count);
    pthread_mutex_destroy(&all.lock);
    return code;
}

/* ---- all of them ---- */

static void note_idle(const optmap_turns *t)
{
    const job *j = &t->run->job;
    const char *what = ranks_size() > 1 ? "ranks" : "devices";

    if (t->list->count < j->workers)
        job_note(j, "%zu of %zu %s have nothing to do: each movie is analysed on one", j->workers - t->list->count,
                 j->workers, what);
}

/* Those that had no turn are left out; the exit code. */
static int conclude(const optmap_turns *t)
{
    for (size_t i = t->done; i < t->list->count; i++)
        answer_input(t->list->paths[i], "not_run", NULL, NULL);
    if (t->stopped)
        return CLI_ERROR;
    return optmap_goes_on(t) && t->list->failed < t->list->count ? CLI_OK : t->code;
}

int optmap_do_movies(optmap_run *run, optmap_movies *list)
{
    optmap_turns t = {.run = run, .list = list};
    bool several = ranks_size() > 1 || cli_may_name_several(run->job.common.device);
    int code = several ? optmap_need_device(run) : CLI_OK;

    if (code != CLI_OK)
        return code;
    if (run->job.workers > 1 && list->count > 0)
        note_idle(&t);
    run->several = run->job.workers > 1 && list->count > 1;
    if (run->several)
        code = do_side_by_side(&t);
    else if (ranks_rank() == 0) /* one movie is not divided: other ranks wait */
        one_by_one(&t);
    if (run->job.shares && !run->several)
        run->job.shares[0] = list->count;
    if (code == CLI_OK && ranks_rank() == 0)
        code = conclude(&t);
    return ranks_size() > 1 ? ranks_exchange_seconds(code, penta_profile_seconds(run->job.ctx, true, false)) : code;
}
