#include "nbody/members.h"

#include <stdlib.h>
#include <string.h>

#include <pentacl/group.h>

#include "nbody/parts.h"
#include "shared/ranks.h"

enum call { CREATE, SET, LOAD, ADVANCE, DIAGNOSE, FORCES, FIELD, WRITE, END };
enum { ACCELERATION = 1, POTENTIAL = 2 }; /* which of them a call wants */

/* What the first member tells the others; numbers follow, or where a file is. */
typedef struct {
    int64_t call, wants; /* of WRITE: which kind of part */
    uint64_t count;      /* bodies, steps, points; numbers of a state */
    penta_nbody_options options;
} order;

static const double whole = 1e9; /* shares are told as so many parts */

double nbody_members_clock(const nbody_run *run)
{
    return run->group || !job_times_kernels(&run->job) ? cli_seconds()
                                                       : penta_profile_seconds(run->job.ctx, true, false);
}

/* A wish to stop may have come to one of several ranks, and a few steps end before anybody is asked. */
static void share_interrupts(enum call call, penta_status status)
{
    if (status == PENTA_CANCELLED || (status == PENTA_OK && call == ADVANCE))
        (void)ranks_share_interrupts();
}

/* ---- the first member ---- */

static penta_status tell_bytes(const nbody_run *run, const order *o, const void *more, size_t size)
{
    size_t bytes = sizeof *o + size, got;
    char *message = run->group ? malloc(bytes) : NULL;
    void *copy = NULL;
    penta_status status;

    if (!run->group)
        return PENTA_OK;
    if (!message)
        return PENTA_MEMORY;
    memcpy(message, o, sizeof *o);
    if (size > 0)
        memcpy(message + sizeof *o, more, size);
    status = penta_group_broadcast(run->group, message, bytes, &copy, &got);
    free(copy);
    free(message);
    return status;
}

static penta_status tell(const nbody_run *run, const order *o, const double *numbers, size_t count)
{
    return tell_bytes(run, o, numbers, count * sizeof *numbers);
}

/* All have returned the same, unless a member is lost: then the others can be told nothing more. */
static penta_status note(nbody_run *run, enum call call, penta_status status)
{
    share_interrupts(call, status);
    if (status != PENTA_OK && status != PENTA_INVALID && (status != PENTA_CANCELLED || !cli_interrupted()))
        run->lost = true;
    run->untold = run->lost && status == PENTA_CANCELLED;
    return status;
}

penta_status nbody_members_create(nbody_run *run)
{
    const order o = {.call = CREATE, .count = run->bodies.n, .options = run->options};
    penta_status status = tell(run, &o, NULL, 0);

    if (!run->group)
        return penta_nbody_create(run->job.ctx, run->bodies.n, &run->options, &run->plan);
    if (status == PENTA_OK)
        status = penta_nbody_create_shared(run->job.ctx, run->group, run->bodies.n, &run->options, &run->plan);
    return note(run, CREATE, status);
}

penta_status nbody_members_set(nbody_run *run, const double *bodies)
{
    const order o = {.call = SET, .count = run->bodies.n};
    penta_status status = tell(run, &o, bodies, 7 * run->bodies.n);

    return note(run, SET, status == PENTA_OK ? penta_nbody_set(run->plan, bodies) : status);
}

penta_status nbody_members_load(nbody_run *run, const double *state, size_t count)
{
    const order o = {.call = LOAD, .count = count};
    penta_status status = tell(run, &o, state, count);

    return note(run, LOAD, status == PENTA_OK ? penta_nbody_load(run->plan, state, count) : status);
}

penta_status nbody_members_advance(nbody_run *run, size_t steps)
{
    const order o = {.call = ADVANCE, .count = steps};
    penta_status status = tell(run, &o, NULL, 0);

    return note(run, ADVANCE, status == PENTA_OK ? penta_nbody_advance(run->plan, steps) : status);
}

penta_status nbody_members_diagnose(nbody_run *run, penta_nbody_diagnostics *out)
{
    const order o = {.call = DIAGNOSE};
    penta_status status = tell(run, &o, NULL, 0);

    return note(run, DIAGNOSE, status == PENTA_OK ? penta_nbody_diagnose(run->plan, out) : status);
}

static int64_t wants_of(const double *acceleration, const double *potential)
{
    return (acceleration ? ACCELERATION : 0) | (potential ? POTENTIAL : 0);
}

penta_status nbody_members_forces(nbody_run *run, double *acceleration, double *potential)
{
    const order o = {.call = FORCES, .wants = wants_of(acceleration, potential), .count = run->bodies.n};
    penta_status status = tell(run, &o, NULL, 0);

    return note(run, FORCES, status == PENTA_OK ? penta_nbody_forces(run->plan, acceleration, potential) : status);
}

penta_status nbody_members_field(nbody_run *run, size_t m, const double *points, double *acceleration,
                                 double *potential)
{
    const order o = {.call = FIELD, .wants = wants_of(acceleration, potential), .count = m};
    penta_status status = tell(run, &o, points, 3 * m);

    return note(run, FIELD,
                status == PENTA_OK ? penta_nbody_field(run->plan, m, points, acceleration, potential) : status);
}

penta_status nbody_members_tell_part(nbody_run *run, int kind, size_t count, const void *place, size_t size)
{
    const order o = {.call = WRITE, .wants = kind, .count = count};

    return note(run, WRITE, tell_bytes(run, &o, place, size));
}

/* ---- the other members ---- */

typedef struct {
    penta_group *group;
    penta_context *ctx;
    penta_nbody *plan;
} server;

/* Results that only the first member has a use for. */
static penta_status compute(server *s, const order *o, const double *points)
{
    size_t m = (size_t)o->count;
    double *acceleration = o->wants & ACCELERATION ? malloc(3 * m * sizeof *acceleration) : NULL;
    double *potential = o->wants & POTENTIAL ? malloc(m * sizeof *potential) : NULL;
    penta_status status = PENTA_MEMORY;

    if ((acceleration || !(o->wants & ACCELERATION)) && (potential || !(o->wants & POTENTIAL)))
        status = points ? penta_nbody_field(s->plan, m, points, acceleration, potential)
                        : penta_nbody_forces(s->plan, acceleration, potential);
    free(acceleration);
    free(potential);
    return status;
}

static penta_status obey(server *s, const order *o, const void *more, size_t size)
{
    const double *numbers = more;
    penta_nbody_diagnostics ignored;

    switch ((enum call)o->call) {
    case CREATE:
        return penta_nbody_create_shared(s->ctx, s->group, (size_t)o->count, &o->options, &s->plan);
    case SET:
        return penta_nbody_set(s->plan, numbers);
    case LOAD:
        return penta_nbody_load(s->plan, numbers, (size_t)o->count);
    case ADVANCE:
        return penta_nbody_advance(s->plan, (size_t)o->count);
    case DIAGNOSE:
        return penta_nbody_diagnose(s->plan, &ignored);
    case FORCES:
        return compute(s, o, NULL);
    case FIELD:
        return compute(s, o, numbers);
    case WRITE:
        return nbody_help_to_write(s->group, s->ctx, s->plan, (enum nbody_part_kind)o->wants, (size_t)o->count, more,
                                   size);
    default:
        return PENTA_OK;
    }
}

/* A wish to stop and doubtful bodies are the same at all members, and the first says what comes next. */
static penta_status serve(server *s)
{
    penta_status status = PENTA_OK;
    bool over = false;

    while (!over && (status == PENTA_OK || status == PENTA_CANCELLED || status == PENTA_INVALID)) {
        void *message = NULL;
        size_t bytes;
        order o;

        status = penta_group_broadcast(s->group, NULL, 0, &message, &bytes);
        if (status != PENTA_OK)
            return status;
        memcpy(&o, message, sizeof o);
        over = o.call == END;
        status = obey(s, &o, (char *)message + sizeof o, bytes - sizeof o);
        free(message);
        share_interrupts((enum call)o.call, status);
    }
    return over ? PENTA_OK : status;
}

/* ---- all ---- */

typedef struct {
    nbody_run *run;
    int (*body)(nbody_run *run);
    int code;
    penta_io_error *errors; /* one a member that is lost */
} shared_run;

/* What each has done, to the first member's job. */
static penta_status tell_shares(penta_group *group, const penta_nbody *plan, size_t *shares)
{
    double share = plan ? penta_nbody_share(plan) : 0, *all = NULL;
    penta_status status = penta_group_gather(group, &share, sizeof share, (void **)&all, NULL);

    for (size_t i = 0; status == PENTA_OK && shares && i < penta_group_size(group); i++)
        shares[i] = (size_t)(all[i] * whole);
    free(all);
    return status;
}

static penta_status lead(penta_group *group, shared_run *s)
{
    const order end = {.call = END};
    nbody_run *run = s->run;
    penta_status status;

    run->group = group;
    s->code = s->body(run);
    if (run->lost)
        return PENTA_CANCELLED;
    status = tell(run, &end, NULL, 0);
    return status == PENTA_OK ? tell_shares(group, run->plan, run->job.shares) : status;
}

/* All members ask, so that none has to end its part of a long step first. */
static bool stop(void *user, double done, double total)
{
    (void)user, (void)done, (void)total;
    return cli_interrupted();
}

static penta_status follow(penta_group *group, penta_context *ctx, size_t *shares)
{
    server s = {group, ctx, NULL};
    penta_status status;

    penta_context_set_progress(ctx, stop, NULL);
    status = serve(&s);
    if (status == PENTA_OK)
        status = tell_shares(group, s.plan, shares);
    penta_context_set_progress(ctx, NULL, NULL);
    penta_nbody_destroy(s.plan);
    return status;
}

/* On a thread. */
static penta_status run_member(penta_group *group, void *data)
{
    shared_run *s = data;
    size_t rank = penta_group_rank(group);
    penta_context *ctx = s->run->job.contexts[rank];
    const char *text;
    penta_status status;

    if (rank == 0)
        return lead(group, s);
    status = follow(group, ctx, NULL);
    text = penta_last_error(ctx);
    if (status != PENTA_OK && status != PENTA_CANCELLED)
        penta_io_fail(&s->errors[rank], "member %zu: %.*s", rank, (int)strcspn(text, "\n"), text);
    return status;
}

/* What has gone wrong besides what the first member has said. */
static int say_why(const shared_run *s)
{
    const job *j = &s->run->job;

    for (size_t i = 0; i < j->members; i++)
        if (*s->errors[i].text)
            return job_fail_io(j, &s->errors[i]);
    return cli_fail_library(j->command, NULL, j->common.verbose);
}

/* What has failed at all ranks rank 0 says; what has failed here alone, this rank, where it is not heard. */
static int run_rank(nbody_run *run, shared_run *s)
{
    job *j = &run->job;
    penta_status status;

    if (ranks_rank() > 0) {
        cli_catch_interrupts(); /* rank 0 does where there is something to keep */
        return follow(ranks_group(), j->ctx, j->shares) == PENTA_OK ? CLI_OK : job_fail_library(j);
    }
    status = lead(ranks_group(), s);
    run->group = NULL;
    if (status != PENTA_OK && (s->code == CLI_OK || run->untold))
        s->code = cli_fail_library(j->command, NULL, j->common.verbose);
    return s->code;
}

int nbody_members_run(nbody_run *run, int (*body)(nbody_run *run))
{
    shared_run s = {run, body, CLI_OK, NULL};
    penta_status status;

    if (ranks_size() > 1)
        return run_rank(run, &s);
    if (run->job.members == 1)
        return body(run);
    s.errors = calloc(run->job.members, sizeof *s.errors);
    if (!s.errors)
        return cli_fail(run->job.command, CLI_ERROR, "out of memory");
    status = penta_group_threads(run->job.members, run_member, &s);
    run->group = NULL;
    if (status != PENTA_OK && (s.code == CLI_OK || run->untold))
        s.code = say_why(&s);
    free(s.errors);
    return s.code;
}
