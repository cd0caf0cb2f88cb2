/* The movies of a run, one after another, or side by side where there are several devices. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include <pentacl/group.h>
#include <pentacl/io/output.h>

#include "optmap/run.h"
#include "shared/json.h"
#include "shared/messages.h"
#include "shared/progress.h"
#include "shared/streams.h"

/* ---- devices ---- */

static int need_device(optmap_run *run)
{
    job *j = &run->job;
    int code = j->ctx ? CLI_OK : job_open_devices(j);

    if (code != CLI_OK || run->analyses)
        return code;
    run->analyses = calloc(j->members, sizeof *run->analyses);
    return run->analyses ? CLI_OK : cli_fail(j->command, CLI_ERROR, "out of memory");
}

/* Before the first movie's device is opened. */
static void compile_ahead(const optmap_study *s)
{
    optmap_run *run = s->run;
    const penta_analysis_options options = optmap_analysis_options(&run->settings);

    if (!run->job.ctx && !run->ahead)
        run->ahead =
            optmap_ahead_begin(run->job.common.device, !run->job.common.fp64, &options, s->movie.frames, s->rate);
}

/* ---- one movie ---- */

static int make_place(optmap_study *s)
{
    penta_io_error error = {""};

    if (!penta_io_make_directory(s->directory, &error) ||
        !penta_io_run_open(s->directory, s->run->job.command, &s->files, &error))
        return job_fail_io(&s->run->job, &error);
    optmap_look_around(s);
    return CLI_OK;
}

static int analyse(optmap_study *s)
{
    double before = penta_profile_seconds(optmap_context(s), true, true);
    int code = optmap_look_over(s);

    code = code != CLI_OK ? code : optmap_condition(s);
    code = code != CLI_OK ? code : optmap_analyse(s);
    s->device = penta_profile_seconds(optmap_context(s), true, true) - before;
    return code != CLI_OK ? code : optmap_write_results(s);
}

/* From reading to files that wait for their commit; on the member's thread. */
static int do_movie(optmap_study *s)
{
    int code;

    if (cli_interrupted())
        return optmap_interrupted(s);
    code = optmap_open_study(s);
    if (code == CLI_OK)
        compile_ahead(s);
    code = code != CLI_OK ? code : make_place(s);
    code = code != CLI_OK ? code : need_device(s->run);
    code = code != CLI_OK ? code : analyse(s);
    s->total = cli_seconds() - s->start;
    return code;
}

/* The rest, in the order of the movies. *details: what --json says of it; NULL where it is not wanted. */
static int conclude(optmap_study *s, json_t **details)
{
    const job *j = &s->run->job;
    double start = cli_seconds();
    int code = optmap_commit_results(s);

    s->total += cli_seconds() - start;
    if (code != CLI_OK)
        return code;
    optmap_print_notes(s);
    leftovers_note(s->before, &j->common, j->command);
    if (job_prints(j))
        optmap_print(s);
    *details = j->common.json ? optmap_details(s) : NULL;
    return CLI_OK;
}

/* The answer of one movie, whatever became of it; takes over details. */
static int keep_answer(const optmap_run *run, optmap_movies *list, const optmap_study *s, int code, json_t *details)
{
    const char *status = code == CLI_OK ? "ok" : cli_interrupted() ? "interrupted" : "error";
    const char *error = code == CLI_OK ? NULL : messages_last(MESSAGE_ERROR);

    if (!run->job.common.json)
        return CLI_OK;
    if (code != CLI_OK)
        details = json_pack("{s:o, s:s, s:o}", "movie", json_text(streams_name(s->path)), "status", status, "error",
                            json_text(error));
    answer_input(s->path, status, error, json_incref(details));
    return details && json_array_append_new(list->answers, details) == 0
               ? CLI_OK
               : cli_fail(run->job.command, CLI_ERROR, "out of memory for the JSON answer");
}

/* ---- all of them ---- */

/* The loop over movies. */
typedef struct {
    optmap_run *run;
    optmap_movies *list;
    size_t done;
    int code;     /* of the last movie */
    bool stopped; /* the answer has no room for more */
    progress bar;
} loop;

static void open_study(const loop *l, size_t i, size_t member, optmap_study *s)
{
    bool alone = l->list->count == 1;

    *s = (optmap_study){.run = l->run,
                        .path = l->list->paths[i],
                        .directory = l->list->directories[i],
                        .member = member,
                        .alone = alone,
                        .start = alone ? l->run->job.start : cli_seconds()};
}

static bool goes_on(const loop *l)
{
    return !l->stopped && (l->code == CLI_OK || (l->run->settings.flags.keep_going && !cli_interrupted()));
}

/* A movie that was done, with this exit code, has its turn; whether others follow. */
static bool take(loop *l, optmap_study *s, int code)
{
    json_t *details = NULL;

    l->code = code == CLI_OK ? conclude(s, &details) : code;
    l->done++;
    l->list->read += s->movie.seconds + s->under.seconds;
    optmap_close_study(s);
    l->stopped = keep_answer(l->run, l->list, s, l->code, details) != CLI_OK;
    l->list->failed += l->code != CLI_OK;
    return goes_on(l);
}

static void one_by_one(loop *l)
{
    while (l->done < l->list->count && goes_on(l)) {
        optmap_study s;
        int code;

        open_study(l, l->done, 0, &s);
        code = do_movie(&s);
        take(l, &s, code);
    }
}

/* ---- on several devices ---- */

typedef struct {
    loop *loop;
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
    open_study(me->loop, i, me->rank, &w->study);
    messages_hold(&w->held);
    w->code = do_movie(&w->study);
    messages_hold(NULL);
    *result = w;
    return PENTA_OK;
}

static penta_status take_waiting(void *user, size_t i, size_t rank, void *result)
{
    loop *l = user;
    waiting *w = result;
    bool more;

    (void)i;
    cli_say_held(l->run->job.command, &w->held);
    l->run->job.shares[rank]++;
    more = take(l, &w->study, w->code);
    free(w);
    progress_update(&l->bar, (double)l->done, (double)l->list->count);
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
    loop *l = data;
    worker me = {l, penta_group_rank(group)};
    penta_hand_out h;

    penta_hand_out_init(&h);
    h.count = l->list->count;
    h.window = 2 * l->run->job.members; /* movies in memory */
    h.member = &me;
    h.user = l;
    h.work = work;
    h.take = take_waiting;
    h.drop = drop;
    return penta_group_hand_out(group, &h);
}

static void side_by_side(loop *l)
{
    const job *j = &l->run->job;
    penta_status status;

    if (l->list->count < j->members)
        job_note(j, "%zu of %zu devices have nothing to do: a movie is analysed on one", j->members - l->list->count,
                 j->members);
    progress_begin(&l->bar, j->command, "movies", j->common.quiet);
    status = penta_group_threads(j->members, run_member, l);
    progress_end(&l->bar);
    if (status != PENTA_OK && status != PENTA_CANCELLED)
        l->code = cli_fail_library(j->command, NULL, j->common.verbose);
}

int optmap_do_movies(optmap_run *run, optmap_movies *list)
{
    loop l = {.run = run, .list = list};
    int code = cli_may_name_several(run->job.common.device) ? need_device(run) : CLI_OK;

    if (code != CLI_OK)
        return code;
    if (run->job.members > 1)
        side_by_side(&l);
    else
        one_by_one(&l);
    for (size_t i = l.done; i < list->count; i++)
        answer_input(list->paths[i], "not_run", NULL, NULL);
    if (l.stopped)
        return CLI_ERROR;
    return goes_on(&l) && list->failed < list->count ? CLI_OK : l.code;
}
