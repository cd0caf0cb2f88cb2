/* Finds saturated pixels, whose values the camera's converter cut off. */
#include <math.h>
#include <stdlib.h>

#include <pentacl/survey.h>

#include "core/core.h"

enum { PIXELS = 4096 }; /* pixels per piece */

typedef struct {
    penta_type type;
    const void *const *data;
    size_t frames, pixels; /* frames of the movie; pixels of a frame */
    double level;
    double *largest; /* largest value per piece */
    size_t *counts;
} job;

/* Two passes over `count` pixels of a frame: raise_ updates *most; the other marks pixels at `level`, and counts them
 * in `saturated` if they also were in the frame before. */
#define DEFINE_PASSES(T, name)                                                                                         \
    static void raise_##name(const void *frame, size_t from, size_t count, double *most)                               \
    {                                                                                                                  \
        const T *p = (const T *)frame + from;                                                                          \
        T top = p[0];                                                                                                  \
                                                                                                                       \
        for (size_t i = 0; i < count; i++)                                                                             \
            top = p[i] > top ? p[i] : top;                                                                             \
        *most = (double)top > *most ? (double)top : *most;                                                             \
    }                                                                                                                  \
    static void mark_##name(const void *frame, size_t from, size_t count, double level, uint8_t *before,               \
                            uint8_t *saturated)                                                                        \
    {                                                                                                                  \
        const T *p = (const T *)frame + from;                                                                          \
        const T limit = (T)level;                                                                                      \
                                                                                                                       \
        for (size_t i = 0; i < count; i++) {                                                                           \
            uint8_t now = p[i] >= limit;                                                                               \
                                                                                                                       \
            saturated[i] |= now & before[i];                                                                           \
            before[i] = now;                                                                                           \
        }                                                                                                              \
    }

DEFINE_PASSES(uint8_t, u8)
DEFINE_PASSES(uint16_t, u16)
DEFINE_PASSES(int16_t, i16)
DEFINE_PASSES(uint32_t, u32)
DEFINE_PASSES(int32_t, i32)
DEFINE_PASSES(float, f32)
DEFINE_PASSES(double, f64)

static const struct {
    void (*raise)(const void *frame, size_t from, size_t count, double *most);
    void (*mark)(const void *frame, size_t from, size_t count, double level, uint8_t *before, uint8_t *saturated);
    double top; /* largest number of the type; 0: floats */
} passes[] = {
    [PENTA_U8] = {raise_u8, mark_u8, UINT8_MAX},    [PENTA_U16] = {raise_u16, mark_u16, UINT16_MAX},
    [PENTA_I16] = {raise_i16, mark_i16, INT16_MAX}, [PENTA_U32] = {raise_u32, mark_u32, UINT32_MAX},
    [PENTA_I32] = {raise_i32, mark_i32, INT32_MAX}, [PENTA_F32] = {raise_f32, mark_f32, 0},
    [PENTA_F64] = {raise_f64, mark_f64, 0},
};

static size_t piece_size(const job *s, size_t i)
{
    return s->pixels - i * PIXELS < PIXELS ? s->pixels - i * PIXELS : PIXELS;
}

static void find_largest(void *user, size_t i)
{
    job *s = user;

    s->largest[i] = -HUGE_VAL;
    for (size_t f = 0; f < s->frames; f++)
        passes[s->type].raise(s->data[f], i * PIXELS, piece_size(s, i), &s->largest[i]);
}

static void count_piece(void *user, size_t i)
{
    job *s = user;
    uint8_t before[PIXELS] = {0}, saturated[PIXELS] = {0};

    for (size_t f = 0; f < s->frames; f++)
        passes[s->type].mark(s->data[f], i * PIXELS, piece_size(s, i), s->level, before, saturated);
    for (size_t k = 0; k < PIXELS; k++)
        s->counts[i] += saturated[k];
}

/* The level from which numbers count as cut off; 0: none. */
static double choose_level(double largest, double top)
{
    for (int bits = 8; bits <= 16; bits += 2)
        if (largest >= ldexp(1, bits) - 1 && largest <= ldexp(1, bits) - 1)
            return largest;
    return top > 0 && largest >= top ? top : 0;
}

penta_status penta_survey_saturation(penta_context *ctx, size_t width, size_t height, size_t frames, penta_type type,
                                     const void *const *data, penta_saturation *out)
{
    penta_status status = PENTA_OK;
    job s = {.type = type, .data = data, .frames = frames, .pixels = width * height};
    size_t pieces = (s.pixels + PIXELS - 1) / PIXELS;
    double largest = -HUGE_VAL;

    *out = (penta_saturation){0};
    if (s.pixels == 0 || frames == 0 || !data || (size_t)type >= sizeof passes / sizeof *passes || !passes[type].raise)
        return penta_fail(ctx, PENTA_INVALID, "a movie of %zu frames of %zu x %zu pixels of type %s cannot be surveyed",
                          frames, width, height, penta_type_name(type));
    TRY(penta_calloc(ctx, pieces, sizeof *s.largest, &s.largest));
    TRY(penta_calloc(ctx, pieces, sizeof *s.counts, &s.counts));
    TRY(penta_parallel_watched(ctx, pieces, find_largest, &s));
    for (size_t i = 0; i < pieces; i++)
        largest = s.largest[i] > largest ? s.largest[i] : largest;
    s.level = choose_level(largest, passes[type].top);
    if (s.level > 0)
        TRY(penta_parallel_watched(ctx, pieces, count_piece, &s));
    for (size_t i = 0; i < pieces; i++)
        out->pixels += s.counts[i];
    out->level = s.level;
cleanup:
    free(s.largest);
    free(s.counts);
    return status;
}

bool penta_saturation_is_excessive(const penta_saturation *saturation, size_t width, size_t height)
{
    return saturation->pixels > width * height / 2;
}
