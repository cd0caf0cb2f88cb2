/*
 * One long movie, conditioned by all members, each of which makes some rows: from pinned memory of the first to the
 * filtered movie there.
 */
#include <pentacl/optmap.h>

#include "input.h"
#include "scaling/scaling.h"
#include "scaling_movies.h"

enum { WIDTH, HEIGHT, LENGTH }; /* sizes of a case */

typedef struct {
    penta_optmap *plan;
    /* of rank 0 */
    const void **frames; /* of the movie */
    float *filtered;     /* pinned */
    size_t numbers;
} state;

const void **optmap_scaling_movies(scaling_member *m, size_t width, size_t height, size_t length, size_t count)
{
    const optmap_case movie = {m->c->name, width, height, length, false};
    size_t pixels = width * height;
    uint16_t *movies = scaling_pinned(m, pixels * length * count, sizeof *movies);
    const void **frames = scaling_alloc(m, length * count, sizeof *frames);

    if (!movies || !frames)
        return NULL;
    for (size_t i = 0; i < count; i++)
        optmap_fill(&movie, i, movies + i * length * pixels);
    for (size_t i = 0; i < length * count; i++)
        frames[i] = movies + i * pixels;
    return frames;
}

static penta_status make_movie(scaling_member *m, state *s)
{
    const size_t *sizes = m->c->sizes;

    s->numbers = sizes[WIDTH] * sizes[HEIGHT] * sizes[LENGTH];
    s->frames = optmap_scaling_movies(m, sizes[WIDTH], sizes[HEIGHT], sizes[LENGTH], 1);
    s->filtered = scaling_pinned(m, s->numbers, sizeof *s->filtered);
    return s->frames && s->filtered ? PENTA_OK : PENTA_MEMORY;
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

static void end(void *state_)
{
    penta_optmap_destroy(((state *)state_)->plan);
}

const scaling_job scaling_optmap_rows = {begin, run, result, end};
