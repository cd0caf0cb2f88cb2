/* N(X,Y) = sum I(x,y) I(x+X,y+Y), one thread, one offset at a time. */
#include "peers.h"

static int64_t numerator(const uint8_t *image, ptrdiff_t width, ptrdiff_t height, ptrdiff_t dx, ptrdiff_t dy)
{
    ptrdiff_t first = dx < 0 ? -dx : 0;
    ptrdiff_t end = dx < 0 ? width : width - dx;
    int64_t sum = 0;

    for (ptrdiff_t y = 0; y < height - dy; y++)
        for (ptrdiff_t x = first; x < end; x++)
            sum += (int64_t)image[y * width + x] * image[(y + dy) * width + x + dx];
    return sum;
}

void peer_autocorr_naive(const uint8_t *image, size_t width, size_t height, size_t max_offset, int64_t *half_plane)
{
    ptrdiff_t r = (ptrdiff_t)max_offset;

    for (ptrdiff_t dy = 0; dy <= r; dy++)
        for (ptrdiff_t dx = -r; dx <= r; dx++)
            *half_plane++ = numerator(image, (ptrdiff_t)width, (ptrdiff_t)height, dx, dy);
}
