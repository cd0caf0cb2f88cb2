/* One movie, from reading to files that wait for their commit. */
#include <stdlib.h>

#include <pentacl/io/output.h>

#include "optmap/run.h"
#include "shared/stages.h"

/* ---- devices ---- */

int optmap_need_device(optmap_run *run)
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
    int code = optmap_inspect(s);

    code = code != CLI_OK ? code : optmap_look_over(s);

    code = code != CLI_OK ? code : optmap_condition(s);
    code = code != CLI_OK ? code : optmap_analyse(s);
    s->device = penta_profile_seconds(optmap_context(s), true, true) - before;
    (void)stages_enter(STAGE_WRITE);
    code = code != CLI_OK ? code : optmap_write_results(s);
    return code != CLI_OK ? code : optmap_keep_record(s);
}

int optmap_do_movie(optmap_study *s)
{
    int code;

    if (cli_interrupted())
        return optmap_interrupted(s);
    (void)stages_enter(STAGE_READ);
    code = optmap_open_study(s);
    (void)stages_enter(STAGE_START);
    if (code == CLI_OK)
        compile_ahead(s);
    code = code != CLI_OK ? code : make_place(s);
    code = code != CLI_OK ? code : optmap_need_device(s->run);
    (void)stages_enter(STAGE_COMPUTE);
    code = code != CLI_OK ? code : analyse(s);
    s->total = cli_seconds() - s->start;
    return code;
}
