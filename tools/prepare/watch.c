/* The loop over looks at a directory. */
#include "prepare/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shared/stages.h"

enum { LEAST_SURVEY = 3 }; /* frames that --flatten series begins with */

static int fail(const watching *w, const char *text)
{
    return cli_fail(w->p->job.command, CLI_ERROR, "%s", text);
}

/* ---- looking ---- */

/* Frames that wait for others before the series can begin. */
typedef struct waiting {
    arrival *list;
    size_t count;
} waiting;

/* One that waits already, with what it was when it was given out last; false: it does not. */
static bool renew(waiting *all, const arrival *one)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->list[i].path, one->path) == 0) {
            all->list[i].time = one->time;
            all->list[i].bytes = one->bytes;
            free(one->path);
            return true;
        }
    return false;
}

static bool append(waiting *all, arrival *list, size_t count)
{
    arrival *grown = count > 0 ? realloc(all->list, (all->count + count) * sizeof *grown) : all->list;

    if (count > 0 && !grown)
        return false;
    all->list = grown;
    for (size_t i = 0; i < count; i++)
        if (!renew(all, &list[i]))
            all->list[all->count++] = list[i];
    free(list);
    return true;
}

static int look(watching *w, waiting *all, bool *new_frames)
{
    penta_io_error error = {""};
    arrival *list;
    size_t count;
    char *late;

    if (!arrivals_look(w->arrivals, &list, &count, &late, &error))
        return job_fail_io(&w->p->job, &error);
    if (late)
        job_warn(&w->p->job, "%s/%s is left out: it comes before frames that the series has already", w->p->flags.watch,
                 late);
    free(late);
    *new_frames = count > 0;
    if (append(all, list, count))
        return CLI_OK;
    arrivals_free(list, count);
    return fail(w, "out of memory for the list of frames");
}

static bool can_begin(const watching *w, const waiting *all)
{
    bool survey = w->p->recipe.options.flatten == PENTA_PREPARE_SERIES && !w->p->plan;

    return all->count >= (survey ? LEAST_SURVEY : 1);
}

/* Ctrl-C ends it, within half a second where it comes between looking for it and sleeping. */
static void sleep_for(double seconds)
{
    double end = cli_seconds() + seconds, left;

    while (!cli_interrupted() && (left = end - cli_seconds()) > 0) {
        struct timespec time = {0, (long)(1e9 * fmin(left, 0.5))};

        nanosleep(&time, NULL);
    }
}

static int run_waiting(watching *w, waiting *all)
{
    int code;

    (void)stages_enter(STAGE_COMPUTE);
    code = w->p->plan ? CLI_OK : watch_begin(w, all->list, all->count);

    if (code == CLI_OK && !w->p->plan)
        return CLI_OK;
    code = code != CLI_OK ? code : watch_run(w, all->list, all->count);
    arrivals_free(all->list, all->count);
    *all = (waiting){0};
    return code;
}

static int watch(watching *w)
{
    const prepare_flags *flags = &w->p->flags;
    double last = cli_seconds();
    waiting all = {0};
    int code = CLI_OK;
    bool new_frames = false;

    (void)stages_enter(STAGE_READ);
    while (code == CLI_OK && !cli_interrupted()) {
        code = look(w, &all, &new_frames);
        if (code == CLI_OK && new_frames && can_begin(w, &all))
            code = run_waiting(w, &all);
        (void)stages_enter(STAGE_READ);
        if (new_frames)
            last = cli_seconds();
        if (code != CLI_OK || (flags->watch_idle > 0 && cli_seconds() - last >= flags->watch_idle))
            break;
        sleep_for(flags->watch_every);
    }
    arrivals_free(all.list, all.count);
    if (code == CLI_OK && all.count > 0 && !can_begin(w, &all) && !cli_interrupted())
        code = fail(w, "--flatten series needs at least 3 frames to begin with; take another flattening");
    else if (code == CLI_OK && all.count > 0 && can_begin(w, &all))
        code = CLI_ERROR; /* none of them could be read */
    return code;
}

/* ---- from beginning to end ---- */

/* Pictures of frames that were finished before a run ended are drawn again where they may be missing. */
static int go_on(watching *w)
{
    int code = watch_write_tables(w);

    return code != CLI_OK ? code : watch_write_pictures(w);
}

static int answer(watching *w)
{
    preparation *p = w->p;
    bool left_out = false;
    int code;

    watch_note_narrow(w);
    code = job_finish(&p->job, p->job.common.json ? watch_details(w) : NULL);
    for (size_t i = 0; i < w->state.count; i++)
        left_out = left_out || w->state.files[i].here;
    return code == CLI_OK && left_out ? CLI_ERROR : code;
}

static void close_watch(watching *w)
{
    penta_autocorr_destroy(w->correlator);
    arrivals_close(w->arrivals);
    penta_io_archive_free(&w->state);
}

int prepare_watch(preparation *p)
{
    watching w = {.p = p, .sheet = !p->flags.no_sheet};
    int code = watch_open(&w);

    p->flags.no_sheet = p->flags.keep_going = true; /* here sheets are made of files, and one bad frame is no end */
    if (code == CLI_OK && w.state.count > 0)
        code = go_on(&w);
    code = code != CLI_OK ? code : watch(&w);
    code = code != CLI_OK ? code : answer(&w);
    close_watch(&w);
    return code;
}
