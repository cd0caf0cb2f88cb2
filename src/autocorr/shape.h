/* The shape of a correlation: sizes, the type of pixels, which offsets. */
#pragma once

#include "core/core.h"

typedef struct autocorr_shape {
    size_t width, height, max_offset;
    penta_type type; /* of both planes: U8, U16, F32 (single precision sums), F64 */
    bool cross;      /* two planes */
    bool single;     /* single-precision FFT: not exact for integers */
} autocorr_shape;

static inline int autocorr_y0(const autocorr_shape *s)
{
    return s->cross ? -(int)s->max_offset : 0;
}
static inline size_t autocorr_columns(const autocorr_shape *s)
{
    return 2 * s->max_offset + 1;
}
static inline size_t autocorr_rows(const autocorr_shape *s)
{
    return s->cross ? 2 * s->max_offset + 1 : s->max_offset + 1;
}
static inline bool autocorr_is_integer(const autocorr_shape *s)
{
    return s->type == PENTA_U8 || s->type == PENTA_U16;
}
