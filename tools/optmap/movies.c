/* The movies of a run, one after another, or side by side where there are several devices. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include <pentacl/group.h>

#include "optmap/movies_ranks.h"
#include "optmap/turns.h"
#include "shared/ranks.h"

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

/* ---- on several devices ---- */

typedef struct {
    optmap_turns *turns;
    size_t rank;
} worker;

/* A movie that was done and has not had its turn. */
typedef struct {
    optmap_study study;
    held_messages held;
    int code;
} waiting;

static penta_status work(void *member, size_t i, void **result)
{
    const worker *me = member;
    waiting *w = calloc(1, sizeof *w);

    if (!w)
        return PENTA_MEMORY;
    optmap_open_turn(me->turns, i, me->rank, &w->study);
    messages_hold(&w->held);
    w->code = optmap_do_movie(&w->study);
    messages_hold(NULL);
    *result = w;
    return PENTA_OK;
}

static penta_status take_waiting(void *user, size_t i, size_t rank, void *result)
{
    optmap_turns *t = user;
    waiting *w = result;
    bool more;

    (void)i;
    cli_say_held(t->run->job.command, &w->held);
    t->run->job.shares[rank]++;
    more = optmap_take_turn(t, &w->study, w->code, NULL);
    free(w);
    progress_update(&t->bar, (double)t->done, (double)t->list->count);
    return more ? PENTA_OK : PENTA_CANCELLED;
}

/* As if it had not been begun: its folder goes with the run that ends in an error, being empty. */
static void drop(void *user, void *result)
{
    waiting *w = result;

    (void)user;
    messages_free(&w->held);
    optmap_close_study(&w->study);
    free(w);
}

static penta_status run_member(penta_group *group, void *data)
{
    optmap_turns *t = data;
    worker me = {t, penta_group_rank(group)};
    penta_hand_out h;

    penta_hand_out_init(&h);
    h.count = t->list->count;
    h.window = 2 * t->run->job.members; /* movies in memory */
    h.member = &me;
    h.user = t;
    h.work = work;
    h.take = take_waiting;
    h.drop = drop;
    return penta_group_hand_out(group, &h);
}

static void side_by_side(optmap_turns *t)
{
    const job *j = &t->run->job;
    penta_status status;

    progress_begin(&t->bar, j->command, "movies", j->common.quiet);
    status = penta_group_threads(j->members, run_member, t);
    progress_end(&t->bar);
    if (status != PENTA_OK && status != PENTA_CANCELLED)
        t->code = cli_fail_library(j->command, NULL, j->common.verbose);
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
    if (run->several && ranks_size() > 1)
        code = optmap_do_in_ranks(&t);
    else if (run->several)
        side_by_side(&t);
    else if (ranks_rank() == 0) /* one movie is not divided: other ranks wait */
        one_by_one(&t);
    if (run->job.shares && !run->several)
        run->job.shares[0] = list->count;
    if (code == CLI_OK && ranks_rank() == 0)
        code = conclude(&t);
    return ranks_size() > 1 ? ranks_exchange_seconds(code, penta_profile_seconds(run->job.ctx, true, false)) : code;
}
