/* From the movie to maps: the library's steps, with their progress. */
#include <stdlib.h>
#include <string.h>

#include "optmap/run.h"
#include "shared/progress.h"

/* ---- failures ---- */

int optmap_interrupted(const optmap_study *s)
{
    if (s->alone)
        return cli_fail(s->run->job.command, CLI_ERROR, "interrupted; nothing was written");
    return cli_fail(s->run->job.command, CLI_ERROR, "interrupted; nothing was written of %s", s->path);
}

penta_context *optmap_context(const optmap_study *s)
{
    const job *j = &s->run->job;

    return j->contexts ? j->contexts[s->member] : j->ctx;
}

int optmap_fail(const optmap_study *s, const char *path, penta_status status)
{
    const job *j = &s->run->job;
    const char *text = penta_last_error(optmap_context(s));

    if (status == PENTA_OK)
        return CLI_OK;
    if (cli_interrupted())
        return optmap_interrupted(s);
    if (j->common.verbose)
        return cli_fail_library(j->command, optmap_context(s), true);
    return cli_fail(j->command, CLI_ERROR, "%s: %.*s", path, (int)strcspn(text, "\n"), text);
}

static int check(const optmap_study *s, penta_status status)
{
    return optmap_fail(s, s->path, status);
}

/* ---- progress ---- */

static bool show_progress(void *user, double done, double total)
{
    progress_update(user, done, total);
    return cli_interrupted();
}

/* Calls of the library until end_progress show how far they are, and end on Ctrl-C. */
static void begin_progress(const optmap_study *s, progress *bar, const char *title, const char *unit)
{
    progress_begin(bar, title, unit, s->run->job.common.quiet || s->run->several);
    penta_context_set_progress(optmap_context(s), show_progress, bar);
}

static void end_progress(const optmap_study *s, progress *bar)
{
    penta_context_set_progress(optmap_context(s), NULL, NULL);
    progress_end(bar);
}

/* ---- the steps ---- */

static penta_recording recording_of(const optmap_study *s)
{
    const penta_io_movie *m = &s->movie;

    return (penta_recording){.width = m->width,
                             .height = m->height,
                             .frames = m->frames,
                             .frame_rate_hz = s->rate,
                             .movie = {m->type, m->data, s->under.data, s->mask}};
}

/* The plan of the member. */
static int need_analysis(const optmap_study *s, penta_analysis **out)
{
    penta_analysis **plan = &s->run->analyses[s->member];
    const penta_analysis_options options = optmap_analysis_options(&s->run->settings);
    int code = *plan ? CLI_OK : check(s, penta_analysis_create(optmap_context(s), &options, plan));

    *out = *plan;
    return code;
}

bool optmap_is_stopped(void *user, double done, double total)
{
    (void)user, (void)done, (void)total;
    return cli_interrupted();
}

int optmap_look_over(optmap_study *s)
{
    const penta_recording recording = recording_of(s);
    penta_analysis *plan;
    int code;

    penta_context_set_progress(optmap_context(s), optmap_is_stopped, NULL);
    code = need_analysis(s, &plan);
    code = code != CLI_OK ? code : check(s, penta_analysis_survey(plan, &recording, true, &s->found));
    penta_context_set_progress(optmap_context(s), NULL, NULL);
    return code;
}

int optmap_condition(optmap_study *s)
{
    const penta_recording recording = recording_of(s);
    double start = cli_seconds();
    progress bar;
    penta_status status;

    begin_progress(s, &bar, "conditioning", "rows");
    status = penta_analysis_condition(s->run->analyses[s->member], &recording, &s->found);
    s->conditioning = cli_seconds() - start;
    end_progress(s, &bar);
    return check(s, status);
}

int optmap_analyse(optmap_study *s)
{
    progress bar;
    penta_status status;

    if (s->run->ahead) {
        optmap_ahead_end(s->run->ahead, false);
        s->run->ahead = 0;
    }
    begin_progress(s, &bar, "analysis", "steps");
    status = penta_analysis_measure(s->run->analyses[s->member], &s->found);
    end_progress(s, &bar);
    return check(s, status);
}

void optmap_close_study(optmap_study *s)
{
    penta_io_movie_close(&s->movie);
    penta_io_movie_close(&s->under);
    penta_findings_free(&s->found);
    leftovers_free(s->before);
    penta_io_run_close(s->files);
    free(s->mask);
}
