#include "stars/sequence.h"

#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/output.h>
#include "shared/progress.h"
#include "stars/writers.h"

typedef struct {
    const stars_run *run;
    stars_sequence *sequence;
} sink;

char *stars_sequence_name(const char *directory, size_t number, const char *suffix)
{
    char name[32];

    snprintf(name, sizeof name, "frame-%04zu", number);
    return penta_io_join_path(directory, name, suffix);
}

static bool write_shot(void *context, const stars_shot *shot, penta_io_error *err)
{
    const sink *s = context;
    const stars_request *r = &s->run->request;
    char *path = stars_sequence_name(r->output, shot->number, r->suffix);
    char *truth = r->truth ? stars_sequence_name(r->truth, shot->number, ".truth.csv") : NULL;
    bool ok = path && (truth || !r->truth) ? stars_shot_write(s->run, shot, path, truth, err)
                                           : penta_io_fail(err, "out of memory for a file name");

    s->sequence->records[shot->number].written = ok;
    free(path);
    free(truth);
    return ok;
}

static int take(stars_run *run, size_t number, stars_shot *shot)
{
    const stars_request *r = &run->request;
    penta_attitude_path path = {0};
    int code;

    if (penta_attitude_path_turn(&run->track.attitude[number], r->rate, r->detector.exposure, &path) != PENTA_OK)
        return cli_fail_library(run->job.command, NULL, run->job.common.verbose);
    code = stars_shot_take(run, number, &path, shot);
    penta_attitude_path_free(&path);
    return code;
}

static int take_all(stars_run *run, stars_writers *writers, stars_sequence *out)
{
    progress bar;
    int code = CLI_OK;

    progress_begin(&bar, run->job.command, "frames", run->job.common.quiet);
    for (size_t i = 0; code == CLI_OK && i < out->n && !cli_interrupted(); i++) {
        stars_shot shot = {0};

        code = take(run, i, &shot);
        if (code != CLI_OK)
            break;
        out->records[i].drawn = shot.drawn;
        out->records[i].flux_total = shot.flux_total;
        out->records[i].flux_in_frame = shot.flux_in_frame;
        out->records[i].variables = shot.variables;
        out->engine = shot.engine;
        if (!stars_writers_put(writers, &shot))
            break;
        progress_update(&bar, (double)i + 1, (double)out->n);
    }
    progress_end(&bar);
    return code;
}

static size_t count_written(const stars_sequence *s)
{
    size_t written = 0;

    for (size_t i = 0; i < s->n; i++)
        written += s->records[i].written;
    return written;
}

int stars_sequence_run(stars_run *run, stars_sequence *out)
{
    sink target = {run, out};
    penta_io_error error = {""};
    stars_writers *writers;
    int code;

    *out = (stars_sequence){.n = run->track.n, .records = calloc(run->track.n, sizeof *out->records)};
    writers = out->records ? stars_writers_open(write_shot, &target) : NULL;
    if (!writers)
        return cli_fail(run->job.command, CLI_ERROR, "out of memory or threads for %zu frames", run->track.n);
    code = take_all(run, writers, out);
    if (!stars_writers_close(writers, &error))
        return code == CLI_ERROR ? code : job_fail_io(&run->job, &error);
    if (run->truth && !penta_io_run_commit(run->truth, &error))
        return job_fail_io(&run->job, &error);
    if (job_commit(&run->job) != CLI_OK)
        return CLI_ERROR;
    if (code == STARS_INTERRUPTED || (code == CLI_OK && count_written(out) < out->n))
        code = cli_fail(run->job.command, CLI_ERROR, "interrupted after %zu of %zu frames; what was finished is kept",
                        count_written(out), out->n);
    return code;
}

void stars_sequence_free(stars_sequence *sequence)
{
    free(sequence->records);
    *sequence = (stars_sequence){0};
}
