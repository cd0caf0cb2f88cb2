#include "stars/parts.h"

#include <math.h>
#include <stdlib.h>

enum { STRETCH = 1 << 14 }; /* stars that a thread takes at a time */

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

penta_status stars_parts_make(penta_context *ctx, size_t height, int roi, size_t members, size_t passes,
                              stars_parts *out)
{
    penta_status status = PENTA_OK;

    *out = (stars_parts){.height = height, .members = members, .passes = passes, .roi = roi};
    TRY(penta_calloc(ctx, height, sizeof *out->of_row, &out->of_row));
    for (size_t part = 0; part < members * passes; part++) {
        size_t first, rows;

        stars_part_rows(out, part / passes, part % passes, &first, &rows);
        for (size_t y = first; y < first + rows; y++)
            out->of_row[y] = (uint32_t)part;
    }
cleanup:
    return status;
}

void stars_parts_free(stars_parts *parts)
{
    free(parts->of_row);
    *parts = (stars_parts){0};
}

/* Parts from .. to. The first row of the ROI is that of cl/stars/pack.clh. */
typedef struct {
    uint32_t from, to;
} span;

static inline span parts_of(const stars_parts *p, double y)
{
    double row = ceil(y - 0.5 * p->roi), last = row + p->roi - 1;

    if (!(last >= 0 && row < (double)p->height))
        return (span){0, 0};
    return (span){p->of_row[row > 0 ? (size_t)row : 0],
                  p->of_row[last < (double)p->height ? (size_t)last : p->height - 1]};
}

/* ---- sorting ---- */

/* Whether a part is drawn now; *member: by whom. Divisions would take as long as the rest. */
static inline bool is_now(const stars_sorting *s, uint32_t part, uint32_t *member)
{
    uint32_t passes = (uint32_t)s->parts->passes;

    *member = passes == 1 ? part : part / passes;
    return passes == 1 || part % passes == s->pass;
}

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
    size_t *counts = s->numbers + i * s->parts->members;
    uint32_t m;

    for (m = 0; m < s->parts->members; m++)
        counts[m] = 0;
    for (size_t k = 0; k < stars->n; k++) {
        span in = parts_of(s->parts, stars->y[k]);

        for (uint32_t part = in.from; part <= in.to; part++)
            if (is_now(s, part, &m))
                counts[m]++;
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

static void put_star(const putting *p, const penta_stars_list *stars, size_t k, uint32_t member, size_t at)
{
    double *const *to = p->to[member];

    to[0][at] = stars->x[k];
    to[1][at] = stars->y[k];
    to[2][at] = stars->flux ? stars->flux[k] : stars->magnitude[k];
    if (!p->sorting->moving)
        return;
    to[3][at] = stars->motion_x[k];
    to[4][at] = stars->motion_y[k];
}

static void put_stretch(void *data, size_t i)
{
    const putting *p = data;
    stars_sorting *s = p->sorting;
    const penta_stars_list *stars = &s->stretches[i].stars;
    size_t *next = s->numbers + i * s->parts->members;
    uint32_t m;

    for (size_t k = 0; k < stars->n; k++) {
        span in = parts_of(s->parts, stars->y[k]);

        for (uint32_t part = in.from; part <= in.to; part++)
            if (is_now(s, part, &m))
                put_star(p, stars, k, m, p->at[m] + next[m]++);
    }
}

void stars_sorting_put(stars_sorting *s, double *const (*to)[STARS_COLUMNS], const size_t *at)
{
    putting p = {s, to, at};

    penta_parallel(s->count, put_stretch, &p);
}

size_t stars_sorting_find(const stars_parts *parts, size_t pass, size_t member, const stars_range *range, size_t k)
{
    size_t begin = 0, number = range->first;

    for (size_t i = 0; i < range->count; begin += range->lists[i++].n)
        for (; number >= begin && number < begin + range->lists[i].n && number < range->first + range->n; number++) {
            span in = parts_of(parts, range->lists[i].y[number - begin]);
            size_t part = member * parts->passes + pass;

            if (part >= in.from && part <= in.to && k-- == 0)
                return number;
        }
    return number;
}
