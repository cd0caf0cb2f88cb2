/* Finds numbers below 0 that wrapped round. */
#include <stdlib.h>

#include <pentacl/survey.h>

#include "core/core.h"

enum { PIXELS = 4096 }; /* pixels per piece */

typedef struct {
    const void *const *data;
    size_t frames, pixels; /* frames of the movie; pixels of a frame */
    size_t *counts;        /* count per piece */
} job;

static void mark_jumps(const uint16_t *before, const uint16_t *now, size_t count, uint8_t *jumps)
{
    const uint16_t quarter = UINT16_MAX / 4;

    for (size_t i = 0; i < count; i++) {
        uint16_t a = before[i], b = now[i];

        jumps[i] |= (uint8_t)((a < quarter && b > UINT16_MAX - quarter) | (b < quarter && a > UINT16_MAX - quarter));
    }
}

static void count_piece(void *user, size_t i)
{
    const job *s = user;
    size_t from = i * PIXELS, count = s->pixels - from < PIXELS ? s->pixels - from : PIXELS;
    uint8_t jumps[PIXELS] = {0};

    for (size_t f = 1; f < s->frames; f++)
        mark_jumps((const uint16_t *)s->data[f - 1] + from, (const uint16_t *)s->data[f] + from, count, jumps);
    for (size_t k = 0; k < count; k++)
        s->counts[i] += jumps[k];
}

penta_status penta_survey_wrapped(penta_context *ctx, size_t width, size_t height, size_t frames, penta_type type,
                                  const void *const *data, size_t *pixels)
{
    penta_status status = PENTA_OK;
    job s = {.data = data, .frames = frames, .pixels = width * height};
    size_t pieces = (s.pixels + PIXELS - 1) / PIXELS;

    *pixels = 0;
    if (type != PENTA_U16)
        return PENTA_OK;
    TRY(penta_calloc(ctx, pieces, sizeof *s.counts, &s.counts));
    TRY(penta_parallel_watched(ctx, pieces, count_piece, &s));
    for (size_t i = 0; i < pieces; i++)
        *pixels += s.counts[i];
cleanup:
    free(s.counts);
    return status;
}
