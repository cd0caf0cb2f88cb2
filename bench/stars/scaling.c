/*
 * One frame of many stars, of which each member draws a slab of rows in fixed point, from pinned memory to its rows
 * there. As random stars of the command in ranks, every member has a part of the stars, which lie anywhere.
 */
#include <stdlib.h>
#include <string.h>

#include <pentacl/stars.h>

#include "scaling/scaling.h"
#include "input.h"

enum { STARS, SIDE }; /* sizes of a case */
enum { SEED = 1, ROI = 10 };

typedef struct {
    penta_stars *plan;
    double *x, *y, *magnitude; /* pinned */
    float *rows;               /* pinned: those of the member */
    size_t first, count;       /* rows */
    size_t first_star, stars;
    float *frame; /* rank 0: all rows, for the comparison */
} state;

static penta_status run(scaling_member *m)
{
    state *s = m->state;
    const penta_stars_list list = {.n = s->stars, .x = s->x, .y = s->y, .magnitude = s->magnitude};
    penta_stars_result drawn = {.image = s->rows};

    return penta_stars_run_shared(s->plan, m->group, &list, &drawn);
}

static penta_status begin(scaling_member *m)
{
    size_t n = m->c->sizes[STARS], side = m->c->sizes[SIDE];
    const stars_case c = {m->c->name, n, side, side, ROI};
    penta_stars_options o = stars_case_options(&c, PENTA_STARS_FIXED);
    state *s = scaling_state(m, sizeof *s);
    penta_status status = s ? penta_stars_create(m->ctx, side, side, &o, &s->plan) : PENTA_MEMORY;

    if (status != PENTA_OK)
        return status;
    penta_group_slice(m->group, m->rank, side, &s->first, &s->count);
    penta_group_slice(m->group, m->rank, n, &s->first_star, &s->stars);
    s->x = scaling_pinned(m, s->stars, sizeof *s->x);
    s->y = scaling_pinned(m, s->stars, sizeof *s->y);
    s->magnitude = scaling_pinned(m, s->stars, sizeof *s->magnitude);
    s->rows = scaling_pinned(m, s->count * side, sizeof *s->rows);
    if (!s->x || !s->y || !s->magnitude || !s->rows)
        return PENTA_MEMORY;
    penta_stars_random_from(SEED, s->first_star, s->stars, side, side, STARS_FAINTEST, s->x, s->y, s->magnitude);
    return PENTA_OK;
}

/* Slabs follow one another by rank. */
static penta_status join(scaling_member *m, state *s, void **arrived, const size_t *bytes)
{
    size_t side = m->c->sizes[SIDE], at = 0;

    if (m->rank > 0)
        return PENTA_OK;
    s->frame = scaling_alloc(m, side * side, sizeof *s->frame);
    if (!s->frame)
        return PENTA_MEMORY;
    for (size_t i = 0; i < m->members; at += bytes[i++])
        memcpy((char *)s->frame + at, arrived[i], bytes[i]);
    return PENTA_OK;
}

static penta_status result(scaling_member *m, scaling_result *out)
{
    state *s = m->state;
    size_t side = m->c->sizes[SIDE], *sizes = scaling_alloc(m, 2 * m->members, sizeof *sizes);
    const void **data = scaling_alloc(m, m->members, sizeof *data);
    void **arrived = scaling_alloc(m, m->members, sizeof *arrived);
    penta_status status = PENTA_MEMORY;

    if (sizes && data && arrived) {
        data[0] = s->rows;
        sizes[0] = s->count * side * sizeof *s->rows;
        status = penta_group_exchange(m->group, data, sizes, arrived, sizes + m->members);
    }
    if (status == PENTA_OK)
        status = join(m, s, arrived, sizes + m->members);
    for (size_t i = 0; arrived && i < m->members; i++)
        free(arrived[i]);
    *out = (scaling_result){s->frame, side * side * sizeof *s->frame};
    return status;
}

static void end(void *state_)
{
    penta_stars_destroy(((state *)state_)->plan);
}

const scaling_job scaling_stars = {begin, run, result, end};
