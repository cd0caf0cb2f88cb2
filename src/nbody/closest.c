/*
 * A k-d tree without pointers: the middle body of a run divides the others by x, y or z in turn. Threads share the
 * runs: of the first levels each divides some, and below these each builds some trees; then each looks around some of
 * the bodies. What is found does not depend on the number of threads.
 */
#include "nbody/closest.h"

#include <math.h>
#include <stdlib.h>

#include <pentacl/parallel.h>

enum {
    LEVELS = 8,       /* that threads divide together */
    LEAST_RUN = 64,   /* bodies that are worth it */
    AT_ONCE = 1 << 12 /* bodies that a thread looks around */
};

/* A body in the tree. */
typedef struct {
    double at[3];
    size_t number; /* its row */
} node;

/* Nodes first .. end - 1, of which the middle one divides the others along the axis. */
typedef struct {
    size_t first, end;
    int axis;
} run;

typedef struct {
    const double *bodies; /* n x 7 */
    size_t n;
    double share, least; /* how far to look */
    node *nodes;
    run runs[2 << LEVELS]; /* of the first levels: run i is divided into 2 i + 1 and 2 i + 2 */
    size_t begin;          /* the first run of the level */
    nbody_closest *found;  /* AT_ONCE nodes each */
} tree;

/* ---- making the tree ---- */

static void swap(node *a, node *b)
{
    node kept = *a;

    *a = *b;
    *b = kept;
}

static size_t middle_of(const run *r)
{
    return r->first + (r->end - r->first) / 2;
}

static run before(const run *r)
{
    return (run){r->first, middle_of(r), (r->axis + 1) % 3};
}

static run behind(const run *r)
{
    return (run){middle_of(r) + 1, r->end, (r->axis + 1) % 3};
}

/* Quickselect (Hoare): the middle body gets its place in the order along the axis, the others their side of it. */
static void divide(node *nodes, const run *r)
{
    size_t low = r->first, high = r->end - 1, middle = middle_of(r);
    int axis = r->axis;

    while (low < high) {
        double pivot = nodes[low + (high - low) / 2].at[axis];
        size_t i = low, j = high;

        for (;;) {
            while (nodes[i].at[axis] < pivot)
                i++;
            while (nodes[j].at[axis] > pivot)
                j--;
            if (i >= j)
                break;
            swap(&nodes[i++], &nodes[j--]);
        }
        if (middle <= j)
            high = j;
        else
            low = j + 1;
    }
}

static void build(node *nodes, run r)
{
    while (r.end - r.first > 1) {
        divide(nodes, &r);
        build(nodes, before(&r));
        r = behind(&r);
    }
}

static void divide_run(void *data, size_t i)
{
    tree *t = data;
    size_t at = t->begin + i;
    run *r = &t->runs[at];

    if (r->end - r->first < LEAST_RUN) {
        build(t->nodes, *r);
        *r = (run){0, 0, 0};
        t->runs[2 * at + 1] = t->runs[2 * at + 2] = *r;
    } else {
        divide(t->nodes, r);
        t->runs[2 * at + 1] = before(r);
        t->runs[2 * at + 2] = behind(r);
    }
}

static void build_run(void *data, size_t i)
{
    tree *t = data;

    build(t->nodes, t->runs[t->begin + i]);
}

static void build_all(tree *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const double *row = t->bodies + 7 * i;

        t->nodes[i] = (node){{row[1], row[2], row[3]}, i};
    }
    t->begin = 0;
    t->runs[0] = (run){0, t->n, 0};
    for (int level = 0; level < LEVELS; level++) {
        penta_parallel((size_t)1 << level, divide_run, t);
        t->begin = 2 * t->begin + 1;
    }
    penta_parallel((size_t)1 << LEVELS, build_run, t);
}

/* ---- looking around ---- */

/* The nearest other body of `self` within `reach`. */
typedef struct {
    const tree *t;
    const node *self;
    double reach;
    size_t nearest;
    bool found;
} search;

static bool has_mass(const tree *t, const node *body)
{
    return t->bodies[7 * body->number] > 0;
}

static void look_at(search *s, const node *other)
{
    double dx = other->at[0] - s->self->at[0], dy = other->at[1] - s->self->at[1], dz = other->at[2] - s->self->at[2];
    double distance = sqrt(dx * dx + dy * dy + dz * dz);

    if (other == s->self || !(distance > 0) || distance > s->reach ||
        !(has_mass(s->t, other) || has_mass(s->t, s->self)))
        return;
    s->reach = distance;
    s->nearest = other->number;
    s->found = true;
}

static void look_around(search *s, run r)
{
    while (r.end > r.first) {
        const node *middle = &s->t->nodes[middle_of(&r)];
        double offset = s->self->at[r.axis] - middle->at[r.axis];

        look_at(s, middle);
        if (fabs(offset) <= s->reach) {
            look_around(s, before(&r));
            r = behind(&r);
        } else {
            r = offset < 0 ? before(&r) : behind(&r);
        }
    }
}

/* ---- the closest of all ---- */

/* Of two that are as close the one with the smaller number. */
static bool is_closer(const nbody_closest *a, const nbody_closest *b)
{
    double of_a = a->distance * b->size, of_b = b->distance * a->size;

    return of_a < of_b || (of_a <= of_b && a->first < b->first);
}

static void join(nbody_closest *all, const nbody_closest *one)
{
    double least = all->found ? fmin(all->least, one->least) : one->least;

    if (!one->found)
        return;
    if (!all->found || is_closer(one, all))
        *all = *one;
    all->least = least;
}

static void look_around_some(void *data, size_t i)
{
    const tree *t = data;
    size_t end = (i + 1) * AT_ONCE < t->n ? (i + 1) * AT_ONCE : t->n;

    for (size_t k = i * AT_ONCE; k < end; k++) {
        const node *self = &t->nodes[k];
        double size = fmax(fabs(self->at[0]), fmax(fabs(self->at[1]), fabs(self->at[2])));
        search s = {.t = t, .self = self, .reach = fmax(t->share * size, t->least)};

        look_around(&s, (run){0, t->n, 0});
        join(&t->found[i], &(nbody_closest){s.found, self->number, s.nearest, s.reach, size, s.reach});
    }
}

penta_status nbody_closest_find(penta_context *ctx, size_t n, const double *bodies, double share, double least,
                                nbody_closest *out)
{
    penta_status status = PENTA_OK;
    tree t = {.bodies = bodies, .n = n, .share = share, .least = least};
    size_t parts = (n + AT_ONCE - 1) / AT_ONCE;

    *out = (nbody_closest){.found = false};
    TRY(penta_calloc(ctx, n, sizeof *t.nodes, &t.nodes));
    TRY(penta_calloc(ctx, parts, sizeof *t.found, &t.found));
    build_all(&t);
    penta_parallel(parts, look_around_some, &t);
    for (size_t i = 0; i < parts; i++)
        join(out, &t.found[i]);
cleanup:
    free(t.nodes);
    free(t.found);
    return status;
}
