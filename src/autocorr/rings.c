/* Assigns offsets to the rings [r - 1/2, r + 1/2), in integers r^2 - r < X^2 + Y^2 <= r^2 + r. */
#include <math.h>
#include <stdlib.h>

#include "autocorr/rings.h"

/* Whether an offset is listed: it is inside the last ring and not the mirror image of a listed one. */
static bool listed(const autocorr_shape *s, long X, long Y, size_t R)
{
    if ((size_t)(X * X + Y * Y) > R * R + R)
        return false;
    return s->cross || Y > 0 || (Y == 0 && X >= 0);
}

/* Goes through the listed offsets in order: the first time counts them (list->at NULL), the second places them. */
static void walk(const autocorr_shape *s, autocorr_ring_list *list, const size_t *ring)
{
    long R = (long)s->max_offset, y0 = autocorr_y0(s);
    size_t columns = autocorr_columns(s);

    for (long Y = y0; Y <= R; Y++)
        for (long X = -R; X <= R; X++) {
            size_t r, place;

            if (!listed(s, X, Y, (size_t)R))
                continue;
            r = ring[X * X + Y * Y];
            if (!list->at) {
                list->start[r + 1]++;
                continue;
            }
            place = (size_t)list->start[r]++;
            list->at[place] = (int32_t)((size_t)(Y - y0) * columns + (size_t)(X + R));
            list->radius[place] = sqrt((double)(X * X + Y * Y));
        }
}

void autocorr_rings_free(autocorr_ring_list *list)
{
    free(list->start);
    free(list->at);
    free(list->radius);
    *list = (autocorr_ring_list){0};
}

penta_status autocorr_rings_list(penta_context *ctx, const autocorr_shape *s, autocorr_ring_list *out)
{
    penta_status status = PENTA_OK;
    autocorr_ring_list list = {.bins = s->max_offset + 1};
    size_t R = s->max_offset, most = R * R + R, *ring = NULL;

    TRY(penta_calloc(ctx, most + 1, sizeof *ring, &ring));
    TRY(penta_calloc(ctx, list.bins + 1, sizeof *list.start, &list.start));
    for (size_t d2 = 0; d2 <= most; d2++) {
        size_t before = d2 ? ring[d2 - 1] : 0;

        ring[d2] = before * before + before < d2 ? before + 1 : before;
    }
    walk(s, &list, ring);
    for (size_t r = 0; r < list.bins; r++)
        list.start[r + 1] += list.start[r];
    list.count = (size_t)list.start[list.bins];
    TRY(penta_calloc(ctx, list.count, sizeof *list.at, &list.at));
    TRY(penta_calloc(ctx, list.count, sizeof *list.radius, &list.radius));
    walk(s, &list, ring);
    for (size_t r = list.bins; r > 0; r--) /* placing has moved every start to the start of the next ring */
        list.start[r] = list.start[r - 1];
    list.start[0] = 0;
    *out = list;
    list = (autocorr_ring_list){0};
cleanup:
    autocorr_rings_free(&list);
    free(ring);
    return status;
}
