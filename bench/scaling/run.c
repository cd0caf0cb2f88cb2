/* A case on so many members: run once and compared with what one member gives, then timed. */
#include "scaling.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"
#include "shared/ranks.h"

enum { LEAST_RUNS = 5 };

/* What the members of a run share. Of ranks each has one, in which only rank 0 fills what is measured. */
typedef struct {
    const scaling_team *team;
    const scaling_case *c;
    size_t members, parts;
    double seconds; /* to measure for; 0: the result is wanted alone */
    size_t runs;
    double walls[SCALING_MOST_RUNS];
    double *kernels;      /* s of a run, a member each */
    char (*faults)[512];  /* likewise */
    char *expected;       /* the result of one member; NULL: this one becomes it */
    size_t expected_size; /* bytes */
    bool has_expected;    /* every rank knows */
    bool differs;
} shared_case;

/* ---- for jobs ---- */

penta_status scaling_fault(scaling_member *m, penta_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(m->fault, sizeof m->fault, format, args);
    va_end(args);
    return status;
}

/* Jobs take fewer than there are places. */
static void **free_place(void *places[SCALING_ARRAYS])
{
    size_t i = 0;

    while (i < SCALING_ARRAYS - 1 && places[i])
        i++;
    return &places[i];
}

void *scaling_alloc(scaling_member *m, size_t count, size_t size)
{
    void **place = free_place(m->arrays);

    *place = calloc(count, size);
    if (!*place)
        scaling_fault(m, PENTA_MEMORY, "out of memory for %zu x %zu bytes", count, size);
    return *place;
}

void *scaling_state(scaling_member *m, size_t size)
{
    return m->state = scaling_alloc(m, 1, size);
}

void *scaling_pinned(scaling_member *m, size_t count, size_t size)
{
    void **place = free_place(m->pinned);

    if (penta_host_alloc(m->ctx, count * size, place) != PENTA_OK)
        scaling_fault(m, PENTA_MEMORY, "%s", penta_last_error(m->ctx));
    return *place;
}

static void end(scaling_member *m)
{
    if (m->state)
        m->c->job->end(m->state);
    for (size_t i = 0; i < SCALING_ARRAYS; i++) {
        penta_host_free(m->ctx, m->pinned[i]);
        free(m->arrays[i]);
    }
}

/* ---- a member ---- */

/* The result of rank 0 against that of one member, or as that. */
static penta_status compare(shared_case *s, scaling_member *m)
{
    scaling_result result = {0};
    penta_status status = m->c->job->result(m, &result);

    if (status != PENTA_OK || m->rank > 0)
        return status;
    if (s->expected) {
        s->differs = result.bytes != s->expected_size || memcmp(result.data, s->expected, result.bytes) != 0;
        return PENTA_OK;
    }
    s->expected = malloc(result.bytes);
    s->expected_size = result.bytes;
    if (!s->expected)
        return scaling_fault(m, PENTA_MEMORY, "out of memory for %zu bytes of the result", result.bytes);
    memcpy(s->expected, result.data, result.bytes);
    return PENTA_OK;
}

static double total(const shared_case *s)
{
    double sum = 0;

    for (size_t i = 0; i < s->runs; i++)
        sum += s->walls[i];
    return sum;
}

/* Whether rank 0 wants another run. */
static bool goes_on(const shared_case *s)
{
    if (s->differs || s->seconds <= 0 || cli_interrupted() || s->runs == SCALING_MOST_RUNS)
        return false;
    return s->runs < LEAST_RUNS || total(s) < s->seconds;
}

/* Every member: they begin together, and hear what rank 0 says. */
static penta_status meet(const scaling_member *m, bool *word)
{
    char mine = *word;
    void *all = NULL;
    penta_status status = penta_group_gather(m->group, &mine, sizeof mine, &all, NULL);

    if (status == PENTA_OK)
        *word = *(char *)all != 0;
    free(all);
    return status;
}

static penta_status time_once(shared_case *s, scaling_member *m)
{
    bool word = true;
    double start;
    penta_status status = meet(m, &word);

    start = bench_now();
    if (status == PENTA_OK)
        status = m->c->job->run(m);
    if (status == PENTA_OK)
        status = meet(m, &word);
    if (status == PENTA_OK && m->rank == 0)
        s->walls[s->runs++] = bench_now() - start;
    return status;
}

/* A run of its own: time stamps slow what they measure. */
static penta_status time_kernels(shared_case *s, scaling_member *m)
{
    double kernels, *all = NULL;
    penta_status status;

    penta_profile_reset(m->ctx);
    status = m->c->job->run(m);
    kernels = penta_profile_seconds(m->ctx, true, false);
    if (status == PENTA_OK)
        status = penta_group_gather(m->group, &kernels, sizeof kernels, (void **)&all, NULL);
    if (status == PENTA_OK && m->rank == 0)
        memcpy(s->kernels, all, m->members * sizeof *all);
    free(all);
    return status;
}

static penta_status time_runs(shared_case *s, scaling_member *m)
{
    penta_status status;

    m->checked = false;
    penta_profile_pause(m->ctx);
    for (;;) {
        bool more = m->rank == 0 && goes_on(s);

        status = meet(m, &more);
        if (status != PENTA_OK || !more)
            break;
        status = time_once(s, m);
        if (status != PENTA_OK)
            break;
    }
    return status == PENTA_OK ? time_kernels(s, m) : status;
}

static penta_status run_member(penta_group *group, void *data)
{
    shared_case *s = data;
    size_t rank = penta_group_rank(group);
    scaling_member m = {.c = s->c,
                        .group = group,
                        .ctx = s->team->contexts[rank],
                        .rank = rank,
                        .members = s->members,
                        .parts = s->parts,
                        .checked = true};
    penta_status status = s->c->job->begin(&m);

    if (status == PENTA_OK)
        status = s->c->job->run(&m);
    if (status == PENTA_OK)
        status = compare(s, &m);
    if (status == PENTA_OK)
        status = time_runs(s, &m);
    if (status != PENTA_OK && status != PENTA_CANCELLED)
        snprintf(s->faults[rank], sizeof s->faults[rank], "%.500s", *m.fault ? m.fault : penta_last_error(m.ctx));
    end(&m);
    return status;
}

/* ---- a number of members ---- */

static int fail(const shared_case *s, const char *text)
{
    return cli_fail("bench", CLI_ERROR, "%s %s: %.*s", s->c->workload, s->c->name, (int)strcspn(text, "\n"), text);
}

/* Why the run failed: the fault of a member, or the group's. */
static int say_fault(const shared_case *s)
{
    for (size_t i = 0; i < s->members; i++)
        if (*s->faults[i])
            return fail(s, s->faults[i]);
    return fail(s, penta_last_error(NULL));
}

static int run_members(shared_case *s, size_t members, size_t parts, double seconds)
{
    penta_status status;
    int code = CLI_OK;
    char text[128];

    s->members = members;
    s->parts = parts;
    s->seconds = seconds;
    s->runs = 0;
    memset(s->faults, 0, s->team->size * sizeof *s->faults);
    status = scaling_team_run(members, run_member, s);
    if (status != PENTA_OK) {
        code = say_fault(s);
        ranks_abort(code); /* others may wait for this one in the middle of the job */
    }
    snprintf(text, sizeof text, "WRONG RESULT: %zu members give other bytes than one", members);
    if (code == CLI_OK && s->differs)
        code = fail(s, text);
    if (code == CLI_OK)
        s->has_expected = true;
    code = ranks_agree(code);
    return code == CLI_OK && cli_interrupted() ? cli_fail("bench", CLI_ERROR, "interrupted") : code;
}

/* first: of one member. */
static void sum_up(shared_case *s, const scaling_row *first, scaling_row *row)
{
    *row = (scaling_row){
        .members = s->members, .runs = s->runs, .seconds = bench_spread_of(s->walls, s->runs), .kernels = row->kernels};
    row->efficiency = first == row ? 1 : first->seconds.median / row->seconds.median;
    if (!s->c->weak)
        row->efficiency /= (double)row->members;
    memcpy(row->kernels, s->kernels, s->members * sizeof *row->kernels);
}

/* What several members give is compared with what one gives for the same input, which of a weak case grows with them.
 */
static int measure_members(shared_case *s, size_t members, double seconds)
{
    size_t parts = s->c->weak ? members : 1;
    int code = CLI_OK;

    if (s->c->weak) {
        free(s->expected);
        s->expected = NULL;
        s->has_expected = false;
    }
    if (members > 1 && !s->has_expected)
        code = run_members(s, 1, parts, 0);
    return code == CLI_OK ? run_members(s, members, parts, seconds) : code;
}

int scaling_measure(const scaling_team *team, const scaling_case *c, double seconds, scaling_row *rows, size_t *count)
{
    shared_case *s = calloc(1, sizeof *s);
    int code = CLI_OK;

    *count = 0;
    if (!s)
        return cli_fail("bench", CLI_ERROR, "out of memory");
    *s = (shared_case){.team = team, .c = c};
    s->kernels = calloc(team->size, sizeof *s->kernels);
    s->faults = calloc(team->size, sizeof *s->faults);
    if (!s->kernels || !s->faults)
        code = cli_fail("bench", CLI_ERROR, "out of memory");
    code = ranks_agree(code);
    for (size_t n = 1; code == CLI_OK && n <= team->size; n++) {
        code = measure_members(s, n, seconds);
        if (code == CLI_OK && ranks_rank() == 0)
            sum_up(s, &rows[0], &rows[(*count)++]);
    }
    free(s->expected);
    free(s->kernels);
    free(s->faults);
    free(s);
    return code;
}
