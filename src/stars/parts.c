#include "stars/parts.h"

#include <math.h>
#include <stdlib.h>

enum { STRETCH = 1 << 14 }; /* stars that a thread takes at a time; their numbers have 16 bits */

struct stars_stretch {
    penta_stars_list stars;
};

/* ---- parts ---- */

/* As penta_group_slice. */
static void slice(size_t count, size_t size, size_t i, size_t *first, size_t *length)
{
    size_t each = count / size, more = count % size;

    *first = i * each + (i < more ? i : more);
    *length = each + (i < more);
}

void stars_part_rows(const stars_parts *p, size_t member, size_t pass, size_t *first, size_t *rows)
{
    size_t own, length;

    slice(p->height, p->members, member, &own, &length);
    slice(length, p->passes, pass, first, rows);
    *first += own;
}

/* By y - roi / 2, of which the first row of the ROI is the next whole number, as in cl/stars/pack.clh. */
typedef struct {
    double above, up_to; /* of stars whose ROI touches some rows */
} window;

static window window_of(const stars_parts *p, size_t first, size_t rows)
{
    if (rows == 0)
        return (window){INFINITY, -INFINITY};
    return (window){(double)first - p->roi, (double)(first + rows) - 1};
}

/* 1 or 0. */
static inline unsigned is_in(window w, double top)
{
    return (unsigned)(top > w.above) & (unsigned)(top <= w.up_to);
}

/* What a member is given in a pass: stars that touch its rows; the first part those, too, that touch no row at all. */
typedef struct {
    window rows, frame;
    double half;     /* of the ROI */
    unsigned others; /* 1 or 0 */
} share;

static share share_of(const stars_parts *p, size_t member, size_t pass)
{
    size_t first, rows;

    stars_part_rows(p, member, pass, &first, &rows);
    return (share){.rows = window_of(p, first, rows),
                   .frame = window_of(p, 0, p->height),
                   .half = 0.5 * p->roi,
                   .others = member == 0 && pass == 0};
}

static inline unsigned is_given(const share *s, double y)
{
    double top = y - s->half;

    return is_in(s->rows, top) | (s->others & (is_in(s->frame, top) ^ 1U));
}

/* ---- sorting ---- */

penta_status stars_sorting_make(penta_context *ctx, const stars_parts *parts, size_t most, size_t lists, bool moving,
                                stars_sorting *out)
{
    penta_status status = PENTA_OK;

    *out = (stars_sorting){.parts = parts, .moving = moving, .room = most / STRETCH + 1 + lists};
    TRY(penta_calloc(ctx, out->room, sizeof *out->stretches, &out->stretches));
    TRY(penta_calloc(ctx, out->room * parts->members, sizeof *out->numbers, &out->numbers));
    TRY(penta_calloc(ctx, parts->members, sizeof *out->total, &out->total));
cleanup:
    return status;
}

void stars_sorting_free(stars_sorting *s)
{
    free(s->stretches);
    free(s->numbers);
    free(s->total);
    *s = (stars_sorting){0};
}

static void cut(stars_sorting *s, const stars_range *range)
{
    size_t begin = 0, end = range->first + range->n;

    s->count = 0;
    for (size_t i = 0; i < range->count; begin += range->lists[i++].n) {
        size_t last = begin + range->lists[i].n < end ? begin + range->lists[i].n : end;

        for (size_t at = begin > range->first ? begin : range->first; at < last; at += STRETCH)
            s->stretches[s->count++].stars =
                penta_stars_list_part(&range->lists[i], at - begin, last - at < STRETCH ? last - at : STRETCH);
    }
}

static void count_stretch(void *data, size_t i)
{
    stars_sorting *s = data;
    const penta_stars_list *stars = &s->stretches[i].stars;

    for (size_t m = 0; m < s->parts->members; m++) {
        share given = share_of(s->parts, m, s->pass);
        size_t n = 0;

        for (size_t k = 0; k < stars->n; k++)
            n += is_given(&given, stars->y[k]);
        s->numbers[i * s->parts->members + m] = n;
    }
}

void stars_sorting_count(stars_sorting *s, const stars_range *range)
{
    size_t members = s->parts->members;

    cut(s, range);
    penta_parallel(s->count, count_stretch, s);
    for (size_t m = 0; m < members; m++) {
        s->total[m] = 0;
        for (size_t i = 0; i < s->count; i++) {
            size_t n = s->numbers[i * members + m];

            s->numbers[i * members + m] = s->total[m];
            s->total[m] += n;
        }
    }
}

typedef struct {
    stars_sorting *sorting;
    double *const (*to)[STARS_COLUMNS];
    const size_t *at;
} putting;

/* The stars of a stretch that a member is given, by their numbers there. Numbers that change with each star stay with
 * the thread: those of neighbouring stretches share a cache line, for which threads would wait. */
static size_t choose(const share *given, const penta_stars_list *stars, uint16_t *chosen)
{
    size_t n = 0;

    for (size_t k = 0; k < stars->n; k++) {
        chosen[n] = (uint16_t)k;
        n += is_given(given, stars->y[k]);
    }
    return n;
}

static void put_stretch(void *data, size_t i)
{
    const putting *p = data;
    const stars_sorting *s = p->sorting;
    const penta_stars_list *stars = &s->stretches[i].stars;
    const double *from[STARS_COLUMNS] = {stars->x, stars->y, stars->flux ? stars->flux : stars->magnitude,
                                         stars->motion_x, stars->motion_y};
    uint16_t chosen[STRETCH];

    for (size_t m = 0; m < s->parts->members; m++) {
        share given = share_of(s->parts, m, s->pass);
        size_t n = choose(&given, stars, chosen), at = p->at[m] + s->numbers[i * s->parts->members + m];

        for (int c = 0; c < (s->moving ? STARS_COLUMNS : 3); c++)
            for (size_t k = 0; k < n; k++)
                p->to[m][c][at + k] = from[c][chosen[k]];
    }
}

void stars_sorting_put(stars_sorting *s, double *const (*to)[STARS_COLUMNS], const size_t *at)
{
    putting p = {s, to, at};

    penta_parallel(s->count, put_stretch, &p);
}

size_t stars_sorting_find(const stars_parts *parts, size_t pass, size_t member, const stars_range *range, size_t k)
{
    share given = share_of(parts, member, pass);
    size_t begin = 0, number = range->first;

    for (size_t i = 0; i < range->count; begin += range->lists[i++].n)
        for (; number >= begin && number < begin + range->lists[i].n && number < range->first + range->n; number++)
            if (is_given(&given, range->lists[i].y[number - begin]) && k-- == 0)
                return number;
    return number;
}
