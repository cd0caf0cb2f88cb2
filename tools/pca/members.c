#include "pca/members.h"

#include <stdlib.h>
#include <string.h>

#include <pentacl/group.h>

#include "shared/ranks.h"

typedef struct {
    pca_run *run; /* of the process */
    int (*work)(pca_run *member);
    pca_run *members;
    held_messages *errors;
    int *codes;
    pca_shared shared;
} group_run;

bool pca_leads(const pca_run *run)
{
    return pca_rank(run) == 0;
}

size_t pca_rank(const pca_run *run)
{
    return run->group ? penta_group_rank(run->group) : 0;
}

int pca_gather(pca_run *run, const void *mine, size_t bytes, void **all)
{
    penta_status status;

    if (ranks_size() > 1)
        return ranks_exchange(CLI_OK, mine, bytes, all, NULL);
    status = penta_group_gather(run->group, mine, bytes, all, NULL);
    if (status == PENTA_OK)
        return CLI_OK;
    run->cancelled |= status == PENTA_CANCELLED;
    return cli_fail_library(run->job.command, NULL, run->job.common.verbose);
}

int pca_meet(pca_run *run)
{
    void *nothing = NULL;
    int code = pca_gather(run, NULL, 0, &nothing);

    free(nothing);
    return code;
}

int pca_agree(void)
{
    return ranks_agree(CLI_OK);
}

/* ---- a member ---- */

/* Cubes in memory, and NPY files, may be read by several threads at once; of others each member opens its own. */
static int open_cube(pca_run *m)
{
    penta_io_error error = {""};

    if (pca_rank(m) == 0 || strcmp(m->about->format, "NPY") == 0 ||
        strncmp(m->about->format, "MATLAB", strlen("MATLAB")) == 0)
        return CLI_OK;
    return pca_open_again(m, &m->own_cube, &error) ? CLI_OK : job_fail_io(&m->job, &error);
}

static penta_status run_member(penta_group *group, void *data)
{
    group_run *c = data;
    size_t rank = penta_group_rank(group);
    pca_run *m = &c->members[rank];
    int code;

    *m = *c->run;
    m->group = group;
    m->shared = &c->shared;
    m->job.ctx = m->job.contexts[rank];
    messages_hold_error(&c->errors[rank]);
    code = open_cube(m);
    c->codes[rank] = code == CLI_OK ? c->work(m) : code;
    messages_hold(NULL);
    return c->codes[rank] == CLI_OK ? PENTA_OK : m->cancelled ? PENTA_CANCELLED : PENTA_INVALID;
}

/* What the process does not have itself; the first member's is the run's. */
static void close_member(pca_run *m, bool leads)
{
    penta_io_cube_close(m->own_cube);
    if (leads)
        return;
    penta_io_cube_rows_close(m->source);
    penta_pca_destroy(m->statistics);
    if (!pca_has_model(m) && !m->goes_on)
        penta_pca_model_free(&m->model.m);
}

static void close_shared(pca_shared *s)
{
    for (int i = 0; i < PCA_CUBES; i++)
        penta_io_cube_abandon(s->writers[i]);
    pca_preview_close(s->preview);
}

/* ---- all of them ---- */

/* The first that failed, not because another one had. */
static int say_error(const group_run *c, size_t members)
{
    size_t worst = members;

    for (size_t i = 0; i < members; i++)
        if (c->codes[i] != CLI_OK && (worst == members || (c->members[worst].cancelled && !c->members[i].cancelled)))
            worst = i;
    if (worst == members)
        return CLI_OK;
    cli_say_held(c->run->job.command, &c->errors[worst]);
    return c->codes[worst];
}

static int run_rank(pca_run *run, int (*work)(pca_run *member))
{
    pca_shared shared = {0};
    int code;

    run->group = ranks_group();
    run->shared = &shared;
    code = work(run);
    close_shared(&shared);
    run->group = NULL;
    run->shared = NULL;
    return code;
}

static int run_threads(pca_run *run, int (*work)(pca_run *member))
{
    size_t members = run->job.members;
    group_run c = {.run = run,
                   .work = work,
                   .members = calloc(members, sizeof *c.members),
                   .errors = calloc(members, sizeof *c.errors),
                   .codes = calloc(members, sizeof *c.codes)};
    int code = CLI_OK;

    if (!c.members || !c.errors || !c.codes) {
        code = cli_fail(run->job.command, CLI_ERROR, "out of memory");
    } else {
        penta_status status = penta_group_threads(members, run_member, &c);

        code = say_error(&c, members);
        if (code == CLI_OK && status != PENTA_OK)
            code = cli_fail_library(run->job.command, NULL, run->job.common.verbose);
        for (size_t i = 0; i < members; i++) {
            close_member(&c.members[i], i == 0);
            messages_free(&c.errors[i]);
        }
        close_shared(&c.shared);
        if (c.members[0].group) { /* it began */
            *run = c.members[0];
            run->group = NULL;
            run->shared = NULL;
            run->own_cube = NULL;
        }
    }
    free(c.members);
    free(c.errors);
    free(c.codes);
    return code;
}

int pca_run_members(pca_run *run, int (*work)(pca_run *member))
{
    return ranks_size() > 1 ? run_rank(run, work) : run_threads(run, work);
}
