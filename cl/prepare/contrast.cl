/*
 * Frames of type OUT (uchar, ushort; float) from grey levels:
 *
 *   out = (v - low) scale, integers rounded half up and saturated; a float is kept within 0 and 1 with -DUNIT
 *
 * limit: (low, scale) a frame. A work-item takes EACH pixels of a frame. Grid: (runs of EACH, frames).
 */
#ifdef PENTA_CPU
#define EACH 4096 /* as in src/prepare/contrast.c */
#else
#define EACH 4
#endif

#define PASTE_(a, b)    a##b
#define PASTE(a, b)     PASTE_(a, b)
#define SATURATED(type) PASTE(PASTE(convert_, type), _sat)

/* levels: floats of a vector type whose OUT is `type`. */
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
#ifdef PENTA_CPU
    for (; p + 16 <= end; p += 16)
        vstore16(CONVERTED((vload16(0, image + p) - l.x) * l.y, PASTE(OUT, 16)), 0, out + p);
#else
    if (p + 4 <= end) {
        vstore4(CONVERTED((vload4(0, image + p) - l.x) * l.y, PASTE(OUT, 4)), 0, out + p);
        return;
    }
#endif
    for (; p < end; p++)
        out[p] = CONVERTED((image[p] - l.x) * l.y, OUT);
}
