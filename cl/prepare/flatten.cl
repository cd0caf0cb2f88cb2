/*
 * F = (white / 2) I / B; with -DOVERLAY F = (I + white - B) / 2; with -DNONE F = I. I, F: height x width per frame.
 */
#include "prepare/nodes.clh"
#include "prepare/pixels.clh"

PIXELS_KERNEL void prepare_flatten(__global const float *restrict grey, __global const float *restrict background,
                                   __global const float *restrict level, __global const float2 *restrict at_x,
                                   __global const float2 *restrict at_y, int width, int height, int nodes_x,
                                   int nodes_y, float white, __global float *restrict flat)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
#ifndef NONE
    background_row r = background_row_of(nodes_of(background, level, nodes_x, nodes_y, frame), at_y[y]);
#endif
    size_t row = ((size_t)frame * height + y) * width;

    FOR_PIXELS(x, width)
    {
        float i = grey[row + x];

#if defined(NONE)
        flat[row + x] = i;
#elif defined(OVERLAY)
        flat[row + x] = 0.5f * (i + (white - background_in(&r, at_x[x])));
#else
        flat[row + x] = white * 0.5f * (i / background_in(&r, at_x[x]));
#endif
    }
}
