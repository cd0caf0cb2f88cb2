#include "stars/records.h"

#include <stdlib.h>

stars_record stars_record_of(const stars_shot *shot)
{
    return (stars_record){.drawn = shot->drawn,
                          .flux_total = shot->flux_total,
                          .flux_in_frame = shot->flux_in_frame,
                          .variables = shot->variables};
}

int stars_sequence_open(const stars_run *run, stars_sequence *out)
{
    *out = (stars_sequence){.n = run->track.n, .records = calloc(run->track.n + 1, sizeof *out->records)};
    return out->records ? CLI_OK : cli_fail(run->job.command, CLI_ERROR, "out of memory for %zu frames", run->track.n);
}

static size_t count_written(const stars_sequence *s)
{
    size_t written = 0;

    for (size_t i = 0; i < s->n; i++)
        written += s->records[i].written;
    return written;
}

int stars_sequence_commit(stars_run *run, const stars_sequence *s, int code)
{
    penta_io_error error = {""};

    if (run->truth && !penta_io_run_commit(run->truth, &error))
        return job_fail_io(&run->job, &error);
    if (job_commit(&run->job) != CLI_OK)
        return CLI_ERROR;
    if (code == STARS_INTERRUPTED || (code == CLI_OK && count_written(s) < s->n))
        code = cli_fail(run->job.command, CLI_ERROR, "interrupted after %zu of %zu frames; what was finished is kept",
                        count_written(s), s->n);
    return code;
}

void stars_sequence_free(stars_sequence *sequence)
{
    free(sequence->records);
    *sequence = (stars_sequence){0};
}
