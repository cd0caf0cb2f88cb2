#include "optmap/saturation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/parallel.h>

enum { PIXELS = 4096 }; /* of a piece */

typedef struct {
    const penta_io_movie *movie;
    size_t pixels; /* of a frame */
    double level;
    double *largest; /* of each piece */
    size_t *counts;
} survey;

/* Of `count` pixels of a frame: what is larger than *most becomes it; those at `level` are marked, and counted in
 * `saturated` when they were in the frame before. */
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
    double top; /* 0: floats have none */
} passes[] = {
    [PENTA_U8] = {raise_u8, mark_u8, UINT8_MAX},    [PENTA_U16] = {raise_u16, mark_u16, UINT16_MAX},
    [PENTA_I16] = {raise_i16, mark_i16, INT16_MAX}, [PENTA_U32] = {raise_u32, mark_u32, UINT32_MAX},
    [PENTA_I32] = {raise_i32, mark_i32, INT32_MAX}, [PENTA_F32] = {raise_f32, mark_f32, 0},
    [PENTA_F64] = {raise_f64, mark_f64, 0},
};

static size_t piece_size(const survey *s, size_t i)
{
    return s->pixels - i * PIXELS < PIXELS ? s->pixels - i * PIXELS : PIXELS;
}

static bool find_largest(void *user, size_t i, penta_io_error *err)
{
    survey *s = user;

    (void)err;
    s->largest[i] = -HUGE_VAL;
    for (size_t f = 0; f < s->movie->frames; f++)
        passes[s->movie->type].raise(s->movie->data[f], i * PIXELS, piece_size(s, i), &s->largest[i]);
    return true;
}

static bool count_piece(void *user, size_t i, penta_io_error *err)
{
    survey *s = user;
    uint8_t before[PIXELS] = {0}, saturated[PIXELS] = {0};

    (void)err;
    for (size_t f = 0; f < s->movie->frames; f++)
        passes[s->movie->type].mark(s->movie->data[f], i * PIXELS, piece_size(s, i), s->level, before, saturated);
    for (size_t k = 0; k < PIXELS; k++)
        s->counts[i] += saturated[k];
    return true;
}

/* What a number must reach to be cut off; 0: none does. */
static double choose_level(double largest, double top)
{
    for (int bits = 8; bits <= 16; bits += 2)
        if (largest >= ldexp(1, bits) - 1 && largest <= ldexp(1, bits) - 1)
            return largest;
    return top > 0 && largest >= top ? top : 0;
}

bool optmap_find_saturation(const penta_io_movie *movie, optmap_saturation *out, penta_io_error *err)
{
    survey s = {.movie = movie, .pixels = movie->height * movie->width};
    size_t pieces = (s.pixels + PIXELS - 1) / PIXELS;
    double largest = -HUGE_VAL;
    bool ok;

    *out = (optmap_saturation){0};
    s.largest = malloc(pieces * sizeof *s.largest);
    s.counts = calloc(pieces, sizeof *s.counts);
    ok = (s.largest && s.counts) || penta_io_fail(err, "out of memory");
    ok = ok && penta_io_parallel(pieces, find_largest, &s, err);
    for (size_t i = 0; ok && i < pieces; i++)
        largest = s.largest[i] > largest ? s.largest[i] : largest;
    s.level = ok ? choose_level(largest, passes[movie->type].top) : 0;
    if (ok && s.level > 0)
        ok = penta_io_parallel(pieces, count_piece, &s, err);
    for (size_t i = 0; ok && s.level > 0 && i < pieces; i++)
        out->pixels += s.counts[i];
    out->level = s.level;
    free(s.largest);
    free(s.counts);
    return ok;
}
