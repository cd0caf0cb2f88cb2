/*
 * The QL algorithm with implicit shifts (A. Dubrulle, Numerische Mathematik 15 (1970) 450). The rotations that it finds
 * are kept and later turn all eigenvectors, a strip of columns after another, each of which stays in the cache. What a
 * strip gets does not depend on the others, so the bits do not depend on the number of threads.
 */
#include "math/tridiagonal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "math/sizes.h"
#include "math/wide.h"

enum {
    WIDTH = 32,     /* columns of a strip */
    MOST_STEPS = 60 /* of one eigenvalue; two or three are usual */
};

/* Of the vectors i and i + 1. */
typedef struct {
    size_t i;
    double c, s;
} rotation;

typedef struct {
    size_t n;
    double *a; /* n x n: reflections, then vectors */
    const double *factor;
    double *vectors; /* the strips, n x WIDTH each */
    rotation *turns; /* not yet applied */
    size_t count, room;
    size_t strips;
} turner;

/* ---- strips of the vectors' columns ---- */

PENTA_WIDE static void reflect(size_t n, double factor, const double *u, double *strip)
{
    double sum[WIDTH] = {0};

    for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < WIDTH; k++)
            sum[k] += u[r] * strip[r * WIDTH + k];
    for (size_t k = 0; k < WIDTH; k++)
        sum[k] *= factor;
    for (size_t r = 0; r < n; r++)
        for (size_t k = 0; k < WIDTH; k++)
            strip[r * WIDTH + k] -= u[r] * sum[k];
}

/* Q^T, whose rows are the vectors before any rotation: H(1) .. H(n-1) of the columns of 1. */
static void begin_strip(void *data, size_t index)
{
    const turner *t = data;
    double *strip = t->vectors + index * t->n * WIDTH;

    for (size_t k = 0; k < WIDTH && index * WIDTH + k < t->n; k++)
        strip[(index * WIDTH + k) * WIDTH + k] = 1;
    for (size_t i = t->n; i-- > 1;)
        if (t->factor[i] != 0)
            reflect(i, t->factor[i], t->a + i * t->n, strip);
}

PENTA_WIDE static void turn_strip(void *data, size_t index)
{
    const turner *t = data;
    double *strip = t->vectors + index * t->n * WIDTH;

    for (size_t j = 0; j < t->count; j++) {
        double c = t->turns[j].c, s = t->turns[j].s, *lower = strip + t->turns[j].i * WIDTH, *upper = lower + WIDTH;

        for (size_t k = 0; k < WIDTH; k++) {
            double x = lower[k], y = upper[k];

            upper[k] = s * x + c * y;
            lower[k] = c * x - s * y;
        }
    }
}

static void turn_all(turner *t)
{
    penta_parallel(t->strips, turn_strip, t);
    t->count = 0;
}

static void put_vectors(const turner *t)
{
    for (size_t index = 0; index < t->strips; index++)
        for (size_t r = 0; r < t->n; r++)
            memcpy(t->a + r * t->n + index * WIDTH, t->vectors + (index * t->n + r) * WIDTH,
                   penta_smaller(WIDTH, t->n - index * WIDTH) * sizeof *t->a);
}

/* ---- eigenvalues ---- */

static bool negligible(const double *diagonal, const double *side, size_t i)
{
    double size = fabs(side[i]);

    return size <= DBL_EPSILON * (fabs(diagonal[i]) + fabs(diagonal[i + 1])) || size <= PENTA_NEGLIGIBLE;
}

/* The length of (x, y), also where squares underflow. */
static double length_of(double x, double y)
{
    double square = x * x + y * y;

    return square > PENTA_NEGLIGIBLE * PENTA_NEGLIGIBLE ? sqrt(square) : hypot(x, y);
}

/* One step on the rows first .. last, from the last one up. */
static void step(turner *t, double *d, double *e, size_t first, size_t last)
{
    double half = (d[first + 1] - d[first]) / (2 * e[first]);
    double g = d[last] - d[first] + e[first] / (half + copysign(length_of(half, 1), half)), s = 1, c = 1, p = 0;

    for (size_t i = last; i-- > first;) {
        double f = s * e[i], b = c * e[i], r = length_of(f, g), q;

        e[i + 1] = r;
        if (r == 0) { /* T falls into two parts here */
            d[i + 1] -= p;
            e[last] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        q = (d[i] - g) * s + 2 * c * b;
        p = s * q;
        d[i + 1] = g + p;
        g = c * q - b;
        t->turns[t->count++] = (rotation){i, c, s};
    }
    d[first] -= p;
    e[first] = g;
    e[last] = 0;
}

/* Steps until row `first` is apart from those below. */
static penta_status separate(penta_context *ctx, turner *t, double *d, double *e, size_t first)
{
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        size_t last = first;

        while (last + 1 < t->n && !negligible(d, e, last))
            last++;
        if (last == first)
            return PENTA_OK;
        if (t->count + t->n > t->room)
            turn_all(t);
        step(t, d, e, first, last);
    }
    return penta_fail(ctx, PENTA_INTERNAL, "no eigenvalues found of a %zu x %zu matrix: %d steps for number %zu", t->n,
                      t->n, (int)MOST_STEPS, first + 1);
}

penta_status penta_tridiagonal_solve(penta_context *ctx, size_t n, double *a, double *diagonal, double *side,
                                     const double *factor)
{
    enum { ROUNDS = 32 }; /* steps whose rotations turn a strip at a time */
    penta_status status = PENTA_OK;
    turner t = {.n = n, .a = a, .factor = factor, .room = ROUNDS * n, .strips = penta_divide_up(n, WIDTH)};

    TRY(penta_calloc(ctx, t.strips * n, WIDTH * sizeof *t.vectors, &t.vectors));
    TRY(penta_calloc(ctx, t.room, sizeof *t.turns, &t.turns));
    penta_parallel(t.strips, begin_strip, &t);
    for (size_t first = 0; first < n; first++)
        TRY(separate(ctx, &t, diagonal, side, first));
    turn_all(&t);
    put_vectors(&t);
cleanup:
    free(t.vectors);
    free(t.turns);
    return status;
}
