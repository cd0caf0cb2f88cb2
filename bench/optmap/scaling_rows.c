/*
 * One long movie, conditioned by all members, each of which makes some rows: from pinned memory of the first to the
 * filtered movie there.
 */
#include <stdlib.h>

#include <pentacl/optmap.h>

#include "input.h"
#include "scaling/scaling.h"

enum { WIDTH, HEIGHT, LENGTH }; /* sizes of a case */

typedef struct {
    penta_optmap *plan;
    /* of rank 0 */
    uint16_t *movie;     /* pinned */
    const void **frames; /* of it */
    float *filtered;     /* pinned */
    size_t numbers;
} state;

static penta_status make_movie(scaling_member *m, state *s)
{
    const size_t *sizes = m->c->sizes;
    const optmap_case movie = {m->c->name, sizes[WIDTH], sizes[HEIGHT], sizes[LENGTH], false};
    penta_status status;

    s->numbers = sizes[WIDTH] * sizes[HEIGHT] * sizes[LENGTH];
    status = penta_host_alloc(m->ctx, s->numbers * sizeof *s->movie, (void **)&s->movie);
    if (status == PENTA_OK)
        status = penta_host_alloc(m->ctx, s->numbers * sizeof *s->filtered, (void **)&s->filtered);
    if (status != PENTA_OK)
        return status;
    s->frames = malloc(sizes[LENGTH] * sizeof *s->frames);
    if (!s->frames)
        return scaling_fault(m, PENTA_MEMORY, "out of memory");
    for (size_t i = 0; i < sizes[LENGTH]; i++)
        s->frames[i] = s->movie + i * sizes[WIDTH] * sizes[HEIGHT];
    optmap_fill(&movie, 0, s->movie);
    return PENTA_OK;
}

static penta_status run(scaling_member *m)
{
    state *s = m->state;
    const penta_movie movie = {.type = PENTA_U16, .frames = s->frames};
    penta_optmap_result result = {.filtered = s->filtered};
    bool first = m->rank == 0;

    return penta_optmap_run_shared(s->plan, m->group, first ? &movie : NULL, first ? &result : NULL);
}

static penta_status begin(scaling_member *m)
{
    const size_t *sizes = m->c->sizes;
    state *s = scaling_state(m, sizeof *s);
    penta_optmap_options o;
    penta_status status = s ? PENTA_OK : PENTA_MEMORY;

    penta_optmap_options_init(&o);
    o.drift = PENTA_OPTMAP_DRIFT_NONE; /* otherwise the host surveys the movie first */
    if (status == PENTA_OK)
        status =
            penta_optmap_create_shared(m->ctx, m->members, sizes[WIDTH], sizes[HEIGHT], sizes[LENGTH], &o, &s->plan);
    if (status == PENTA_OK && m->rank == 0)
        status = make_movie(m, s);
    return status == PENTA_OK ? run(m) : status; /* compiles */
}

static penta_status result(scaling_member *m, scaling_result *out)
{
    const state *s = m->state;

    *out = (scaling_result){s->filtered, s->numbers * sizeof *s->filtered};
    return PENTA_OK;
}

static void end(scaling_member *m)
{
    state *s = m->state;

    if (!s)
        return;
    penta_optmap_destroy(s->plan);
    penta_host_free(m->ctx, s->movie);
    penta_host_free(m->ctx, s->filtered);
    free(s->frames);
    free(s);
}

const scaling_job scaling_optmap_rows = {begin, run, result, end};
