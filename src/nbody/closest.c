/* A k-d tree without pointers: the middle body of a run divides the others by x, y or z in turn. */
#include "nbody/closest.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    const double *bodies;
    size_t *order; /* of the bodies in the tree */
} tree;

static double place(const tree *t, size_t at, int axis)
{
    return t->bodies[7 * t->order[at] + 1 + (size_t)axis];
}

static void swap(tree *t, size_t a, size_t b)
{
    size_t kept = t->order[a];

    t->order[a] = t->order[b];
    t->order[b] = kept;
}

/* Quickselect (Hoare): the body at `middle` gets its place in the order along the axis, the others their side of it. */
static void divide(tree *t, size_t first, size_t end, size_t middle, int axis)
{
    size_t low = first, high = end - 1;

    while (low < high) {
        double pivot = place(t, low + (high - low) / 2, axis);
        size_t i = low, j = high;

        for (;;) {
            while (place(t, i, axis) < pivot)
                i++;
            while (place(t, j, axis) > pivot)
                j--;
            if (i >= j)
                break;
            swap(t, i++, j--);
        }
        if (middle <= j)
            high = j;
        else
            low = j + 1;
    }
}

static void build(tree *t, size_t first, size_t end, int axis)
{
    while (end - first > 1) {
        size_t middle = first + (end - first) / 2;

        divide(t, first, end, middle, axis);
        axis = (axis + 1) % 3;
        build(t, first, middle, axis);
        first = middle + 1;
    }
}

/* The nearest other body of `self` within `reach`. */
typedef struct {
    const tree *t;
    const double *self; /* its row */
    double reach;
    size_t nearest;
    bool found;
} search;

static void look_at(search *s, size_t at)
{
    const double *other = s->t->bodies + 7 * s->t->order[at];
    double dx = other[1] - s->self[1], dy = other[2] - s->self[2], dz = other[3] - s->self[3];
    double distance = sqrt(dx * dx + dy * dy + dz * dz);

    if (other == s->self || !(distance > 0) || distance > s->reach || !(other[0] > 0 || s->self[0] > 0))
        return;
    s->reach = distance;
    s->nearest = s->t->order[at];
    s->found = true;
}

static void look_around(search *s, size_t first, size_t end, int axis)
{
    while (end > first) {
        size_t middle = first + (end - first) / 2;
        double offset = s->self[1 + axis] - place(s->t, middle, axis);

        axis = (axis + 1) % 3;
        look_at(s, middle);
        if (fabs(offset) <= s->reach) {
            look_around(s, first, middle, axis);
            first = middle + 1;
        } else if (offset < 0) {
            end = middle;
        } else {
            first = middle + 1;
        }
    }
}

static void note(const search *s, double size, nbody_closest *out)
{
    size_t self = (size_t)(s->self - s->t->bodies) / 7;

    if (!out->found || s->reach < out->least)
        out->least = s->reach;
    if (out->found && s->reach * out->size >= out->distance * size)
        return;
    *out = (nbody_closest){true, self, s->nearest, s->reach, size, out->least};
}

penta_status nbody_closest_find(penta_context *ctx, size_t n, const double *bodies, double share, double least,
                                nbody_closest *out)
{
    penta_status status = PENTA_OK;
    tree t = {.bodies = bodies};

    *out = (nbody_closest){.found = false};
    TRY(penta_calloc(ctx, n, sizeof *t.order, &t.order));
    for (size_t i = 0; i < n; i++)
        t.order[i] = i;
    build(&t, 0, n, 0);
    for (size_t i = 0; i < n; i++) {
        const double *row = bodies + 7 * i;
        double size = fmax(fabs(row[1]), fmax(fabs(row[2]), fabs(row[3])));
        search s = {.t = &t, .self = row, .reach = fmax(share * size, least)};

        look_around(&s, 0, n, 0);
        if (s.found)
            note(&s, size, out);
    }
cleanup:
    free(t.order);
    return status;
}
