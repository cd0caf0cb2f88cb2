/*
 * F = (white / 2) I / B, or with -DOVERLAY F = (I + white - B) / 2. I, F: height x width a frame.
 */
#include "prepare/nodes.clh"
#include "prepare/pixels.clh"

PIXELS_KERNEL void prepare_flatten(__global const float *restrict grey, __global const float *restrict background,
                                   __global const float *restrict level, __global const float2 *restrict at_x,
                                   __global const float2 *restrict at_y, int width, int height, int nodes_x,
                                   int nodes_y, float white, __global float *restrict flat)
{
    int y = PIXELS_ROW, frame = PIXELS_FRAME;
    background_row r = background_row_of(nodes_of(background, level, nodes_x, nodes_y, frame), at_y[y]);
    size_t row = ((size_t)frame * height + y) * width;

    FOR_PIXELS (x, width) {
        float b = background_in(&r, at_x[x]), i = grey[row + x];

#ifdef OVERLAY
        flat[row + x] = 0.5f * (i + (white - b));
#else
        flat[row + x] = white * 0.5f * (i / b);
#endif
    }
}
