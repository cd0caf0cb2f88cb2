#include "stars/records.h"

#include <stdlib.h>

#include "stars/files.h"

stars_record stars_record_of(const stars_shot *shot)
{
    return (stars_record){.drawn = shot->drawn,
                          .flux_total = shot->flux_total,
                          .flux_in_frame = shot->flux_in_frame,
                          .variables = shot->variables};
}

int stars_sequence_open(const stars_run *run, stars_sequence *out)
{
    size_t n = run->track.n;

    *out = (stars_sequence){.n = n,
                            .records = calloc(n + 1, sizeof *out->records),
                            .left = n,
                            .todo = calloc(n + 1, sizeof *out->todo),
                            .files = calloc(n + 1, sizeof *out->files),
                            .shared = calloc(1, sizeof *out->shared)};
    if (out->shared)
        pthread_mutex_init(&out->shared->lock, NULL);
    if (!out->records || !out->todo || !out->files || !out->shared)
        return cli_fail(run->job.command, CLI_ERROR, "out of memory for %zu frames", n);
    for (size_t i = 0; i < n; i++)
        out->todo[i] = i;
    return CLI_OK;
}

size_t stars_sequence_written(const stars_sequence *s)
{
    size_t written = 0;

    for (size_t i = 0; i < s->n; i++)
        written += s->records[i].written;
    return written;
}

void stars_sequence_free(stars_sequence *sequence)
{
    for (size_t i = 0; sequence->files && i < sequence->n; i++)
        stars_files_free(&sequence->files[i], false);
    if (sequence->shared)
        pthread_mutex_destroy(&sequence->shared->lock);
    free(sequence->shared);
    free(sequence->files);
    free(sequence->todo);
    free(sequence->records);
    *sequence = (stars_sequence){0};
}
