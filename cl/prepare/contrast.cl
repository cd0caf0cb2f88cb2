/*
 * Frames of type OUT (uchar, ushort; float) from grey levels:
 *
 *   out = (v - low) scale
 *
 * Integers are rounded half up and saturated; floats are clamped to 0 .. 1 with -DUNIT.
 * limit: (low, scale) per frame. One work-item per EACH pixels. Grid: (runs of EACH, frames).
 */
#ifdef PENTA_CPU
#define EACH  4096 /* as in src/prepare/contrast.c */
#define LANES 16
#else
#define EACH  4
#define LANES 4
#endif
#include "common/vectors.clh"

#define SATURATED(type) PASTE(PASTE(convert_, type), _sat)

/* levels: a float vector; type: its OUT counterpart */
#if defined(INTEGER)
#define CONVERTED(levels, type) SATURATED(type)(floor((levels) + 0.5f))
#elif defined(UNIT)
#define CONVERTED(levels, type) clamp(levels, 0.0f, 1.0f)
#else
#define CONVERTED(levels, type) (levels)
#endif

__kernel void prepare_contrast(__global const float *restrict image, uint pixels, __global const float2 *restrict limit,
                               __global OUT *restrict out)
{
    uint begin = get_global_id(0) * EACH, end = min(begin + EACH, pixels), frame = get_global_id(1), p = begin;
    float2 l = limit[frame];

    if (begin >= pixels)
        return;
    image += (size_t)frame * pixels;
    out += (size_t)frame * pixels;
    for (; p + LANES <= end; p += LANES)
        STORE(CONVERTED((LOAD(image + p) - l.x) * l.y, VECTOR(OUT)), out + p);
    for (; p < end; p++)
        out[p] = CONVERTED((image[p] - l.x) * l.y, OUT);
}
