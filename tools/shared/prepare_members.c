#include "shared/prepare_members.h"

#include <stdlib.h>

#include "shared/prepare_plan.h"

static penta_context *context_of(const prepare_members *m, size_t member)
{
    return m->job->contexts ? m->job->contexts[member] : m->job->ctx;
}

static int fail(const prepare_members *m, size_t member)
{
    return cli_fail_library(m->job->command, context_of(m, member), m->job->common.verbose);
}

int prepare_members_open(prepare_members *m, job *j, const penta_io_recipe *recipe, const penta_io_image *first,
                         penta_prepare *plan)
{
    *m = (prepare_members){.job = j, .recipe = recipe, .first = first};
    m->plans = calloc(j->members, sizeof *m->plans);
    m->loaded = calloc(j->members, sizeof *m->loaded);
    if (m->plans && m->loaded) {
        m->plans[0] = plan;
        return CLI_OK;
    }
    penta_prepare_destroy(plan);
    return cli_fail(j->command, CLI_ERROR, "out of memory");
}

void prepare_members_close(prepare_members *m)
{
    for (size_t i = 0; m->plans && i < m->job->members; i++)
        penta_prepare_destroy(m->plans[i]);
    penta_prepare_state_free(&m->state);
    free(m->plans);
    free(m->loaded);
    *m = (prepare_members){0};
}

/* ---- the plans ---- */

/* With the drifts that the first member's plan has found beforehand. */
static int make_plan(prepare_members *m, size_t member)
{
    const penta_io_recipe *r = m->recipe;
    size_t count;
    const penta_drift *drifts = penta_prepare_drifts(m->plans[0], &count);
    int code = prepare_plan_open(m->job, context_of(m, member), &r->options, r->files.dark, r->files.flat, m->first,
                                 &m->plans[member]);

    if (code == CLI_OK && drifts && penta_prepare_know(m->plans[member], count, drifts) != PENTA_OK)
        code = fail(m, member);
    return code;
}

int prepare_members_plan(prepare_members *m, size_t member, penta_prepare **out)
{
    int code = m->plans[member] ? CLI_OK : make_plan(m, member);

    *out = m->plans[member];
    if (code != CLI_OK || member == 0 || m->loaded[member] == m->states)
        return code;
    if (penta_prepare_load(*out, &m->state) != PENTA_OK || penta_prepare_apart(*out, true) != PENTA_OK)
        return fail(m, member);
    m->loaded[member] = m->states;
    return CLI_OK;
}

/* ---- the series ---- */

void prepare_members_accept(prepare_members *m, size_t index)
{
    m->begun = true;
    m->last = index;
}

/* The last frame that was accepted, by the first member. */
static int run_last(const prepare_members *m, const frame_list *list, penta_prepare_result *result)
{
    frame f = {.source = &list->sources[m->last]};
    penta_prepare_frame input = {.number = m->last};
    int code = CLI_OK;

    if (!prepare_read_colour(f.source->path, &list->choice, f.source->page, &f.image, &f.error))
        return job_fail_io(m->job, &f.error);
    input.image = f.image.data;
    if (!prepare_plan_fits(m->first, &f))
        code = job_fail_io(m->job, &f.error);
    else if (penta_prepare_run(m->plans[0], 1, &input, result) != PENTA_OK)
        code = fail(m, 0);
    penta_io_image_free(&f.image);
    return code;
}

int prepare_members_share(prepare_members *m, const frame_list *list, bool *ready)
{
    penta_prepare_result result = {0};
    int code;

    *ready = true;
    if (penta_prepare_apart(m->plans[0], true) != PENTA_OK)
        return fail(m, 0);
    if (m->states > 0) {
        code = run_last(m, list, &result);
        *ready = penta_prepare_stands(m->plans[0], &result);
        if (code != CLI_OK || !*ready)
            return code != CLI_OK || penta_prepare_apart(m->plans[0], false) == PENTA_OK ? code : fail(m, 0);
    }
    penta_prepare_state_free(&m->state);
    if (penta_prepare_save(m->plans[0], &m->state) != PENTA_OK)
        return fail(m, 0);
    m->from = m->last;
    m->states++;
    return CLI_OK;
}

bool prepare_members_save(prepare_members *m)
{
    penta_prepare_state now;

    if (!m->begun || penta_prepare_save(m->plans[0], &now) != PENTA_OK)
        return false;
    penta_prepare_state_free(&m->state);
    m->state = now;
    m->from = m->last;
    return true;
}

int prepare_members_resume(prepare_members *m, const frame_list *list)
{
    penta_prepare_result result = {0};
    int code;

    if (penta_prepare_apart(m->plans[0], false) != PENTA_OK)
        return fail(m, 0);
    if (m->last == m->from)
        return CLI_OK;
    code = run_last(m, list, &result);
    if (code == CLI_OK && result.status != PENTA_PREPARED_OK)
        code = cli_fail(m->job->command, CLI_ERROR, "%s has changed since it was read", list->sources[m->last].name);
    return code;
}
