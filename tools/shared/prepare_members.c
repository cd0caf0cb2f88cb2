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

bool prepare_runs_in_order(const penta_prepare_options *o)
{
    bool measured = o->registration != PENTA_PREPARE_REGISTER_NONE && o->smooth_drift == 0;

    return measured || (o->contrast && o->contrast_of == PENTA_PREPARE_CONTRAST_FIRST);
}

/* ---- the plans ---- */

static int make_plan(prepare_members *m, size_t member)
{
    const penta_io_recipe *r = m->recipe;

    return prepare_plan_open(m->job, context_of(m, member), &r->options, r->files.dark, r->files.flat, &m->first,
                             &m->plans[member]);
}

int prepare_members_open(prepare_members *m, job *j, const penta_io_recipe *recipe, const penta_io_image *first)
{
    *m = (prepare_members){.job = j, .recipe = recipe, .first = *first};
    m->first.data = NULL;
    m->plans = calloc(j->members, sizeof *m->plans);
    return m->plans ? make_plan(m, 0) : cli_fail(j->command, CLI_ERROR, "out of memory");
}

void prepare_members_close(prepare_members *m)
{
    for (size_t i = 0; m->plans && i < m->job->members; i++)
        penta_prepare_destroy(m->plans[i]);
    penta_prepare_state_free(&m->state);
    free(m->plans);
    *m = (prepare_members){0};
}

int prepare_members_look(prepare_members *m, const frame_list *list)
{
    int code = prepare_plan_look(m->job, &m->recipe->options, &m->first, list, m->plans[0]);

    if (code == CLI_OK && m->job->members > 1 && penta_prepare_save(m->plans[0], &m->state) != PENTA_OK)
        code = fail(m, 0);
    return code;
}

/* Gives a new plan the drifts and the illumination of the first one's look. */
static int load(prepare_members *m, size_t member, const penta_drift *drifts, size_t count)
{
    penta_prepare *plan = m->plans[member];
    bool ok = !drifts || penta_prepare_know(plan, count, drifts) == PENTA_OK;

    return ok && penta_prepare_load(plan, &m->state) == PENTA_OK ? CLI_OK : fail(m, member);
}

int prepare_members_run(prepare_members *m, size_t member, size_t n, const penta_prepare_frame *frames,
                        penta_prepare_result *results)
{
    size_t count;
    const penta_drift *drifts = penta_prepare_drifts(m->plans[0], &count);
    int code = CLI_OK;

    if (!m->plans[member]) {
        code = make_plan(m, member);
        code = code != CLI_OK ? code : load(m, member, drifts, count);
    }
    if (code == CLI_OK && penta_prepare_run(m->plans[member], n, frames, results) != PENTA_OK)
        code = fail(m, member);
    return code;
}

/* ---- as bytes ---- */

bool prepare_members_pack(const prepare_members *m, FILE *out)
{
    penta_prepare_state s, plain;
    size_t count, pixels;
    const penta_drift *drifts = penta_prepare_drifts(m->plans[0], &count);

    if (penta_prepare_save(m->plans[0], &s) != PENTA_OK)
        return false;
    pixels = s.width * s.height;
    plain = s;
    plain.key_image = plain.last_image = plain.illumination = NULL;
    parcel_put(out, &m->first, sizeof m->first);
    parcel_put_block(out, drifts, drifts ? count * sizeof *drifts : 0);
    parcel_put(out, &plain, sizeof plain);
    parcel_put_block(out, s.key_image, s.key_image ? pixels * sizeof(float) : 0);
    parcel_put_block(out, s.last_image, s.last_image ? pixels * sizeof(float) : 0);
    parcel_put_block(out, s.illumination, s.illumination ? s.nodes_x * s.nodes_y * sizeof(float) : 0);
    penta_prepare_state_free(&s);
    return true;
}

/* An array of so many numbers, or none. */
static float *get_numbers(parcel_reader *r, size_t numbers)
{
    size_t bytes;
    float *got = parcel_get_block(r, &bytes);

    r->ok = r->ok && (!got || bytes == numbers * sizeof *got);
    return got;
}

int prepare_members_unpack(prepare_members *m, job *j, const penta_io_recipe *recipe, parcel_reader *r)
{
    penta_prepare_state s = {0};
    penta_io_image first;
    penta_drift *drifts;
    size_t bytes;
    int code;

    parcel_get(r, &first, sizeof first);
    drifts = parcel_get_block(r, &bytes);
    parcel_get(r, &s, sizeof s);
    s.key_image = get_numbers(r, s.width * s.height);
    s.last_image = get_numbers(r, s.width * s.height);
    s.illumination = get_numbers(r, s.nodes_x * s.nodes_y);
    code = r->ok ? prepare_members_open(m, j, recipe, &first)
                 : cli_fail(j->command, CLI_ERROR,
                            "the state of the series is damaged or of another build; leave --resume out");
    if (code == CLI_OK) {
        m->state = s;
        s = (penta_prepare_state){0};
        code = load(m, 0, drifts, bytes / sizeof *drifts);
    }
    free(drifts);
    penta_prepare_state_free(&s);
    return code;
}
