#define _POSIX_C_SOURCE 200809L
#include "optmap/rows.h"

#include <stdlib.h>

#include <pentacl/group.h>
#include <pentacl/group_transport.h>

#include "shared/ranks.h"

/* ---- shares ---- */

static size_t count_pixels(const uint8_t *mask, size_t from, size_t to)
{
    size_t n = mask ? 0 : to - from;

    for (size_t i = from; mask && i < to; i++)
        n += mask[i] != 0;
    return n;
}

/* Pixels that are not masked of each one's rows. */
static void set_shares(const optmap_study *s)
{
    const penta_findings *f = &s->found;
    const uint8_t *mask = f->mask ? f->mask : s->mask;
    size_t workers = s->run->job.workers, *first = calloc(workers + 1, sizeof *first);

    if (!first)
        return;
    penta_optmap_share(f->width, f->height, mask, workers, first);
    for (size_t i = 0; i < workers; i++)
        s->run->job.shares[i] = count_pixels(mask, first[i] * f->width, first[i + 1] * f->width);
    free(first);
}

/* ---- several devices ---- */

typedef struct {
    optmap_study *study;
    const penta_recording *recording;
    penta_status first; /* of rank 0, whose context has the text */
} divided;

static penta_status run_member(penta_group *group, void *data)
{
    divided *d = data;
    size_t rank = penta_group_rank(group);
    penta_analysis *plan = d->study->run->analyses[rank];

    if (rank > 0)
        return penta_analysis_condition_shared(plan, group, NULL, NULL);
    d->first = penta_analysis_condition_shared(plan, group, d->recording, &d->study->found);
    return d->first;
}

static penta_status make_plans(const optmap_run *run)
{
    const penta_analysis_options options = optmap_analysis_options(&run->settings);
    penta_status status = PENTA_OK;

    for (size_t i = 0; status == PENTA_OK && i < run->job.members; i++)
        if (!run->analyses[i])
            status = penta_analysis_create(run->job.contexts[i], &options, &run->analyses[i]);
    return status;
}

static penta_status condition_by_threads(optmap_study *s, const penta_recording *recording)
{
    divided d = {.study = s, .recording = recording};
    penta_status status = make_plans(s->run);

    return status == PENTA_OK ? penta_group_threads(s->run->job.members, run_member, &d) : status;
}

/* ---- several ranks ---- */

static penta_status condition_by_ranks(optmap_study *s, const penta_recording *recording)
{
    s->run->helped = true;
    if (ranks_agree(CLI_OK) != CLI_OK)
        return penta_group_fail(PENTA_CANCELLED, "another rank has failed");
    return penta_analysis_condition_shared(s->run->analyses[0], ranks_group(), recording, &s->found);
}

/* ---- both ---- */

penta_status optmap_condition_rows(optmap_study *s, const penta_recording *recording)
{
    set_shares(s);
    return ranks_size() > 1 ? condition_by_ranks(s, recording) : condition_by_threads(s, recording);
}
