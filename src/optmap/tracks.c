/* Paths of phase singularities: nearest neighbours from frame to frame. */
#include "optmap/tracks.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    double distance;
    size_t path, seen; /* index into rotors, into the list */
} pair;

static const double full_turn = 6.283185307179586;
static const size_t none = SIZE_MAX;

typedef struct {
    penta_context *ctx;
    const penta_rotors_options *o;
    penta_singularity *list;
    penta_rotor *rotors; /* room for one per singularity */
    size_t *ends;        /* the last singularity of each rotor */
    size_t *clear;       /* the last clear singularity of each rotor; or none */
    size_t *open;        /* rotors that may continue, by id */
    size_t open_count, rotor_count;
    pair *pairs;
    size_t pair_count, pair_room;
} tracker;

static double distance_of(const penta_singularity *a, const penta_singularity *b)
{
    return hypot(a->x - b->x, a->y - b->y);
}

/* ---- one frame: singularities from .. to - 1 ---- */

static void close_old(tracker *t, size_t frame)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->open_count; i++)
        if (frame - t->rotors[t->open[i]].last <= (size_t)t->o->gap + 1)
            t->open[kept++] = t->open[i];
    t->open_count = kept;
}

/* The first of from .. to - 1, sorted by y, whose y is at least `y`. */
static size_t find_row(const tracker *t, size_t from, size_t to, double y)
{
    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (t->list[middle].y < y)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static penta_status add_pair(tracker *t, pair p)
{
    if (t->pair_count == t->pair_room) {
        size_t room = 2 * t->pair_room + 64;
        pair *more = realloc(t->pairs, room * sizeof *more);

        if (!more)
            return penta_fail(t->ctx, PENTA_MEMORY, "no memory for %zu pairs of singularities", room);
        t->pairs = more;
        t->pair_room = room;
    }
    t->pairs[t->pair_count++] = p;
    return PENTA_OK;
}

static penta_status list_pairs(tracker *t, size_t from, size_t to)
{
    penta_status status = PENTA_OK;

    t->pair_count = 0;
    for (size_t i = 0; i < t->open_count; i++) {
        const penta_singularity *end = &t->list[t->ends[t->open[i]]];

        for (size_t k = find_row(t, from, to, end->y - t->o->reach); k < to && t->list[k].y <= end->y + t->o->reach;
             k++) {
            double distance = distance_of(end, &t->list[k]);

            if (t->list[k].charge == end->charge && distance <= t->o->reach)
                TRY(add_pair(t, (pair){distance, t->open[i], k}));
        }
    }
cleanup:
    return status;
}

static int compare_pairs(const void *a, const void *b)
{
    const pair *p = a, *q = b;

    if (p->distance < q->distance || p->distance > q->distance)
        return p->distance < q->distance ? -1 : 1;
    if (p->path != q->path)
        return p->path < q->path ? -1 : 1;
    return (p->seen > q->seen) - (p->seen < q->seen);
}

/* Adds the turn of the wave since the path was last clear, unless that is too long ago. */
static void add_turn(tracker *t, penta_rotor *r, size_t seen)
{
    const penta_singularity *s = &t->list[seen], *before = t->clear[r->id] == none ? NULL : &t->list[t->clear[r->id]];

    if (!s->clear)
        return;
    r->clear++;
    if (before && s->frame - before->frame <= (size_t)t->o->gap + 1)
        r->turns += remainder(s->angle - before->angle, full_turn) / full_turn;
    t->clear[r->id] = seen;
}

static void take_pairs(tracker *t, size_t frame)
{
    if (t->pair_count)
        qsort(t->pairs, t->pair_count, sizeof *t->pairs, compare_pairs);
    for (size_t i = 0; i < t->pair_count; i++) {
        const pair *p = &t->pairs[i];
        penta_rotor *r = &t->rotors[p->path];

        if (r->last == frame || t->list[p->seen].id >= 0)
            continue;
        t->list[p->seen].id = r->id;
        t->ends[p->path] = p->seen;
        r->last = frame;
        r->frames++;
        r->length += p->distance;
        add_turn(t, r, p->seen);
    }
}

static void open_new(tracker *t, size_t from, size_t to)
{
    for (size_t k = from; k < to; k++)
        if (t->list[k].id < 0) {
            size_t id = t->rotor_count++;

            t->list[k].id = (int)id;
            t->rotors[id] = (penta_rotor){.id = (int)id,
                                          .charge = t->list[k].charge,
                                          .first = t->list[k].frame,
                                          .last = t->list[k].frame,
                                          .frames = 1};
            t->ends[id] = k;
            t->clear[id] = none;
            add_turn(t, &t->rotors[id], k);
            t->open[t->open_count++] = id;
        }
}

static penta_status link_frames(tracker *t, size_t count)
{
    penta_status status = PENTA_OK;

    for (size_t k = 0; k < count; k++)
        t->list[k].id = -1;
    for (size_t from = 0, to = 0; from < count; from = to) {
        size_t frame = t->list[from].frame;

        while (to < count && t->list[to].frame == frame)
            to++;
        close_old(t, frame);
        TRY(list_pairs(t, from, to));
        take_pairs(t, frame);
        open_new(t, from, to);
    }
cleanup:
    return status;
}

/* ---- short lives ---- */

/* Drops doubtful rotors. Reuses ends for new ids + 1. */
static void drop_doubtful(tracker *t, double rate, size_t *count)
{
    size_t rotors = 0, kept = 0;

    for (size_t i = 0; i < t->rotor_count; i++) {
        penta_rotor r = t->rotors[i];
        bool lives = (double)(r.last - r.first + 1) * 1000 / rate >= t->o->min_life &&
                     (double)r.clear >= t->o->min_clear * (double)r.frames &&
                     (t->o->min_turns == 0 || r.turns >= t->o->min_turns);

        t->ends[i] = lives ? rotors + 1 : 0;
        if (lives) {
            r.id = (int)rotors;
            t->rotors[rotors++] = r;
        }
    }
    for (size_t k = 0; k < *count; k++) {
        size_t id = t->ends[t->list[k].id];

        if (id) {
            t->list[kept] = t->list[k];
            t->list[kept++].id = (int)id - 1;
        }
    }
    t->rotor_count = rotors;
    *count = kept;
}

penta_status optmap_track(penta_context *ctx, const penta_rotors_options *o, double rate, penta_singularity *list,
                          size_t *count, penta_rotor **rotors, size_t *rotor_count)
{
    penta_status status = PENTA_OK;
    tracker t = {.ctx = ctx, .o = o, .list = list};

    *rotors = NULL;
    *rotor_count = 0;
    if (*count > INT32_MAX)
        return penta_fail(ctx, PENTA_UNSUPPORTED, "%zu singularities", *count);
    TRY(penta_calloc(ctx, *count + 1, sizeof *t.rotors, &t.rotors));
    TRY(penta_calloc(ctx, *count + 1, sizeof *t.ends, &t.ends));
    TRY(penta_calloc(ctx, *count + 1, sizeof *t.clear, &t.clear));
    TRY(penta_calloc(ctx, *count + 1, sizeof *t.open, &t.open));
    TRY(link_frames(&t, *count));
    drop_doubtful(&t, rate, count);
    if (t.rotor_count) {
        *rotors = t.rotors;
        *rotor_count = t.rotor_count;
        t.rotors = NULL;
    }
cleanup:
    free(t.rotors);
    free(t.ends);
    free(t.clear);
    free(t.open);
    free(t.pairs);
    return status;
}
