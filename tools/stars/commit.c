#include "stars/commit.h"

#include "stars/resume.h"

int stars_sequence_commit(stars_run *run, const stars_sequence *s, int code)
{
    penta_io_error error = {""};

    if (!stars_resume_finish(run, s, &error))
        return job_fail_io(&run->job, &error);
    if (run->truth && !penta_io_run_commit(run->truth, &error))
        return job_fail_io(&run->job, &error);
    if (job_commit(&run->job) != CLI_OK)
        return CLI_ERROR;
    if (code == STARS_INTERRUPTED || (code == CLI_OK && stars_sequence_written(s) < s->n))
        code = cli_fail(run->job.command, CLI_ERROR, "interrupted after %zu of %zu frames; what was finished is kept",
                        stars_sequence_written(s), s->n);
    return code;
}
