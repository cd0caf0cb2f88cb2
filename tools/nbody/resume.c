/* --resume: goes on from the checkpoint in the directory, as the run before would have. */
#include <string.h>

#include <pentacl/io/output.h>
#include "nbody/run.h"

/* A checkpoint that the run itself replaces is not compared. */
static const char *free_rows(const nbody_run *run, const char *checkpoint)
{
    return penta_io_same_file(run->flags.restart, checkpoint) ? " restart " : NULL;
}

/* The run before ends where its line said. */
static int take_before(nbody_run *run, const char *checkpoint)
{
    const resume *r = &run->resume;
    uint64_t last;

    if (!r->found || (r->complete && !resume_has_all(r))) {
        run->flags.overwrite = run->flags.overwrite || r->found; /* the checkpoint is of this very run */
        if (!r->found)
            resume_note_nothing(r);
        return CLI_OK;
    }
    if (r->own_size != sizeof last)
        return cli_fail(run->job.command, CLI_ERROR, "--resume: the record in %s is of another build of penta",
                        r->directory);
    memcpy(&last, r->own, sizeof last);
    run->last_step = last;
    run->goes_on = true;
    run->flags.restart = checkpoint;
    return CLI_OK;
}

/* What the run before has left; its checkpoint's name is the run's. */
int nbody_begin_resume(nbody_run *run)
{
    const char *output = run->job.common.output;
    penta_io_error error = {""};
    int code;

    run->checkpoint = penta_io_join_path(output, "checkpoint", ".bin");
    if (!run->checkpoint)
        return cli_fail(run->job.command, CLI_ERROR, "out of memory");
    if (run->flags.resume && !penta_io_run_settle(output, &error))
        return job_fail_io(&run->job, &error);
    code = resume_begin(&run->resume, &run->job, free_rows(run, run->checkpoint), NULL);
    if (code != CLI_OK || !run->flags.resume)
        return code;
    code = resume_read(&run->resume);
    return code != CLI_OK ? code : take_before(run, run->checkpoint);
}

void nbody_note_resume(const nbody_run *run)
{
    const resume *r = &run->resume;

    if (!run->goes_on)
        return;
    if (r->complete)
        job_note(&run->job, "--resume: all steps are done in %s", r->directory);
    else
        job_note(&run->job, "--resume: goes on from %s to step %llu", run->checkpoint,
                 (unsigned long long)run->last_step);
}
