/* One movie by the members of a group: each makes the results of some rows, on its own device. */
#include "optmap/shared.h"

#include <stdlib.h>
#include <string.h>

#include "core/group.h"

/* ---- what all are told ---- */

/* From rank 0; behind it the rows of the members. */
typedef struct {
    size_t width, height, frames;
    int window, output, interp, drift;
    penta_type type;
    bool under, mask, filtered, traces, shifts, valid;
    const penta_movie *movie; /* of use within a process */
    penta_optmap_result *result;
} terms;

static terms make_terms(const penta_optmap *p, const penta_movie *movie, penta_optmap_result *result)
{
    return (terms){.width = p->shape.width,
                   .height = p->shape.height,
                   .frames = p->shape.frames,
                   .window = p->options.window,
                   .output = p->options.output,
                   .interp = p->options.interp,
                   .drift = p->options.drift,
                   .type = movie->type,
                   .under = movie->under != NULL,
                   .mask = movie->mask != NULL,
                   .filtered = result->filtered != NULL,
                   .traces = result->traces != NULL,
                   .shifts = result->shifts != NULL,
                   .valid = result->valid != NULL,
                   .movie = movie,
                   .result = result};
}

/* Members have devices of their own. */
static penta_status refuse_device_arrays(penta_optmap *p, const penta_movie *movie, const penta_optmap_result *r)
{
    bool any = optmap_is_in_device(p, movie) || penta_is_device_array(r->valid) || penta_is_device_array(r->filtered) ||
               penta_is_device_array(r->traces) || penta_is_device_array(r->shifts);

    return any ? penta_fail(p->resources.ctx, PENTA_UNSUPPORTED,
                            "members of a group share a movie and results in host memory, not in a device's")
               : PENTA_OK;
}

static penta_status begin(penta_optmap *p, const penta_movie *movie, penta_optmap_result *result)
{
    penta_status status = PENTA_OK;

    result->valid_pixels = result->batches = 0;
    TRY(optmap_prepare(p, movie, result));
    TRY(refuse_device_arrays(p, movie, result));
cleanup:
    return status;
}

/* Rank 0's terms and the members' rows: message, from malloc. */
static penta_status write_terms(const optmap_shared *s, const penta_movie *movie, penta_optmap_result *result,
                                void **message, size_t *bytes)
{
    penta_status status = PENTA_OK;
    const terms t = make_terms(s->plan, movie, result);

    *bytes = sizeof t + (s->members + 1) * sizeof(size_t);
    TRY(penta_calloc(s->plan->resources.ctx, *bytes, 1, message));
    memcpy(*message, &t, sizeof t);
    penta_optmap_share(t.width, t.height, movie->mask, s->members, (size_t *)((char *)*message + sizeof t));
cleanup:
    return status;
}

/* The drift that rank 0 has chosen is that of all. */
static penta_status take_drift(penta_optmap *p, int drift)
{
    bool chooses = p->chooses_drift;
    penta_status status = penta_optmap_set_drift(p, drift);

    p->chooses_drift = chooses;
    return status;
}

static penta_status take_terms(optmap_shared *s, const void *message)
{
    const terms *t = message;
    penta_optmap *p = s->plan;

    if (t->width != p->shape.width || t->height != p->shape.height || t->frames != p->shape.frames ||
        t->window != p->options.window || t->output != p->options.output || t->interp != p->options.interp)
        return penta_fail(p->resources.ctx, PENTA_INVALID, "members 0 and %zu of the group have different plans",
                          s->rank);
    s->type = t->type;
    s->under = t->under;
    s->mask = t->mask;
    s->filtered = t->filtered;
    s->traces = t->traces;
    s->shifts = t->shifts;
    s->valid = t->valid;
    s->first = (const size_t *)(t + 1);
    if (s->rank == 0 || penta_group_in_one_process(s->group)) {
        s->movie = t->movie;
        s->result = t->result;
    }
    return take_drift(p, t->drift);
}

/* Every member: *message is what s->first points into. */
static penta_status exchange_terms(optmap_shared *s, const penta_movie *movie, penta_optmap_result *result,
                                   void **message)
{
    penta_context *ctx = s->plan->resources.ctx;
    penta_status status = PENTA_OK, own = s->rank == 0 ? begin(s->plan, movie, result) : PENTA_OK;
    void *mine = NULL;
    size_t bytes = 0;

    if (s->rank == 0 && own == PENTA_OK)
        own = write_terms(s, movie, result, &mine, &bytes);
    TRY(penta_group_agree(s->group, ctx, own));
    TRY(penta_explain(ctx, penta_group_broadcast(s->group, mine, bytes, message, &bytes)));
    TRY(penta_group_agree(s->group, ctx, take_terms(s, *message)));
cleanup:
    free(mine);
    return status;
}

/* ---- the run ---- */

typedef struct {
    optmap_count count;
    size_t batches;
} account;

/* Every member: the sums of all. */
static penta_status add_up(const optmap_shared *s, account *sum)
{
    penta_status status = PENTA_OK;
    account *all = NULL;

    TRY(penta_explain(s->plan->resources.ctx, penta_group_gather(s->group, sum, sizeof *sum, (void **)&all, NULL)));
    *sum = (account){.batches = 0};
    for (size_t i = 0; i < s->members; i++) {
        optmap_add_counts(&sum->count, &all[i].count);
        sum->batches += all[i].batches;
    }
cleanup:
    free(all);
    return status;
}

penta_status penta_optmap_run_shared(penta_optmap *plan, penta_group *group, const penta_movie *movie,
                                     penta_optmap_result *result)
{
    penta_status status = PENTA_OK;
    optmap_shared s = {
        .plan = plan, .group = group, .rank = penta_group_rank(group), .members = penta_group_size(group)};
    penta_optmap_result none = {0};
    account sum = {0};
    void *message = NULL;

    TRY(exchange_terms(&s, movie, result, &message));
    TRY((penta_group_in_one_process(group) ? optmap_shared_here : optmap_shared_apart)(&s, &sum.count, &sum.batches));
    TRY(add_up(&s, &sum));
    TRY(optmap_conclude(plan, &sum.count, s.rank == 0 ? result : &none));
    if (s.rank == 0)
        result->batches = sum.batches;
cleanup:
    free(message);
    return status;
}
