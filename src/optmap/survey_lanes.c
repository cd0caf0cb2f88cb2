/* Each lane is summed in the order of the frames, so the bits depend neither on the width of vectors nor on the block.
 */
#include "optmap/survey_lanes.h"

#include <math.h>
#include <string.h>

#include "math/wide.h"

void survey_lanes_load(const survey *s, survey_numbers *numbers, const survey_block *b, survey_lanes *out)
{
    for (size_t n = 0; n < s->frames; n++) {
        memset(out[n], 0, sizeof out[n]);
        numbers(s, n, b->y * s->width + b->x, b->count, out[n]);
    }
}

PENTA_WIDE static void add_up(const survey_lanes *v, size_t frames, survey_lanes sum)
{
    survey_lanes all = {0};

    for (size_t n = 0; n < frames; n++)
        for (int i = 0; i < SURVEY_LANES; i++)
            all[i] += v[n][i];
    memcpy(sum, all, sizeof all);
}

void survey_lanes_sum(const survey_lanes *v, size_t frames, survey_lanes sum)
{
    add_up(v, frames, sum);
}

/* ---- polynomials ---- */

/* Subtracts `dot` times polynomial p from the traces, and sets `dot` to their products with the next polynomial q. */
PENTA_WIDE static void step(survey_lanes *v, size_t frames, const double *p, const double *q, survey_lanes dot)
{
    survey_lanes next = {0}, old;

    memcpy(old, dot, sizeof old);
    for (size_t n = 0; n < frames; n++)
        for (int i = 0; i < SURVEY_LANES; i++) {
            double rest = v[n][i] - old[i] * p[n];

            v[n][i] = rest;
            next[i] += q[n] * rest;
        }
    memcpy(dot, next, sizeof next);
}

void survey_lanes_take_cubic(const survey *s, survey_lanes *v)
{
    survey_lanes dot = {0};

    step(v, s->frames, s->basis, s->basis, dot);
    for (size_t k = 0; k < SURVEY_TERMS; k++)
        step(v, s->frames, s->basis + k * s->frames, s->basis + (k + 1) % SURVEY_TERMS * s->frames, dot);
}

/* ---- spread ---- */

PENTA_WIDE static void add_products(const survey_lanes *v, size_t frames, size_t lag, survey_lanes sum)
{
    survey_lanes all = {0};

    for (size_t n = 0; n + lag < frames; n++)
        for (int i = 0; i < SURVEY_LANES; i++)
            all[i] += v[n][i] * v[n + lag][i];
    memcpy(sum, all, sizeof all);
}

void survey_lanes_spread(const survey_lanes *v, size_t frames, survey_lanes spread, survey_lanes memory)
{
    survey_lanes square;

    add_products(v, frames, 0, square);
    add_products(v, frames, SURVEY_LAG, memory);
    for (int i = 0; i < SURVEY_LANES; i++) {
        spread[i] = sqrt(square[i] / (double)frames);
        memory[i] = square[i] > 0 ? memory[i] / square[i] : 0;
    }
}

/* ---- neighbours ---- */

typedef double row[SURVEY_LANES + 2]; /* of the pixels of a block, one before and one behind them */

static double low(double a, double b)
{
    return a < b ? a : b;
}

static double high(double a, double b)
{
    return a < b ? b : a;
}

static void order(double *a, double *b)
{
    double least = low(*a, *b);

    *b = high(*a, *b);
    *a = least;
}

static void sort_four(double v[4])
{
    order(&v[0], &v[1]);
    order(&v[2], &v[3]);
    order(&v[0], &v[2]);
    order(&v[1], &v[3]);
    order(&v[1], &v[2]);
}

/* The mean of the middle two of eight: the greatest of the lower half and the least of the upper one. */
static double median_of_two_fours(const double a[4], const double b[4])
{
    double lower = high(high(low(a[0], b[3]), low(a[1], b[2])), high(low(a[2], b[1]), low(a[3], b[0])));
    double upper = low(low(high(a[0], b[3]), high(a[1], b[2])), low(high(a[2], b[1]), high(a[3], b[0])));

    return 0.5 * (lower + upper);
}

PENTA_WIDE static void subtract_medians(const row *r, survey_lanes out)
{
    for (int i = 0; i < SURVEY_LANES; i++) {
        double a[4] = {r[0][i], r[0][i + 1], r[0][i + 2], r[1][i]};
        double b[4] = {r[1][i + 2], r[2][i], r[2][i + 1], r[2][i + 2]};

        sort_four(a);
        sort_four(b);
        out[i] = r[1][i + 1] - median_of_two_fours(a, b);
    }
}

PENTA_WIDE static void divide(row r, const row by)
{
    for (int i = 0; i < SURVEY_LANES + 2; i++)
        r[i] /= by[i];
}

void survey_lanes_oddness(const survey *s, const survey_block *b, survey_lanes *out)
{
    size_t from = b->x > 0 ? b->x - 1 : 0, end = b->x + b->count + 1;
    size_t at = from + 1 - b->x, first = b->y > 0 ? 0 : 1, last = b->y + 1 < s->height ? 2 : 1; /* columns, rows of r */
    row r[3] = {{0}}, by[3];

    end = end < s->width ? end : s->width;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < SURVEY_LANES + 2; i++) {
            bool there = k >= first && k <= last && i >= at && i < at + (end - from);

            by[k][i] = there ? survey_divisor(s, (b->y + k - 1) * s->width + b->x + i - 1) : 1;
        }
    for (size_t n = 0; n < s->frames; n++) {
        for (size_t k = first; k <= last; k++) {
            survey_values(s, n, (b->y + k - 1) * s->width + from, end - from, r[k] + at);
            divide(r[k], by[k]);
        }
        subtract_medians(r, out[n]);
    }
}
