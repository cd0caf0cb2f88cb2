/*
 * Direct correlation, the simple forms: N(X,Y) = sum_xy a(x,y) b(x+X,y+Y) over the overlap, X in [-R,R], Y in [y0,R].
 * Output row Y - y0, column X + R, 2R+1 columns; y0 is 0 for the autocorrelation and -R for two images.
 * Images are width x height, frame f at f*width*height; outputs of frame f at f*rows*(2R+1). Sums are exact for integers.
 */
#include "common/types.clh"
#include "common/atomics.clh"

/* One work-item an offset: the first GPU version of Lu et al. Grid (2R+1, rows, frames). */
__kernel void autocorr_naive(__global const pixel_t *restrict a, __global const pixel_t *restrict b, int width,
                             int height, int max_offset, int y0, __global sum_t *restrict out)
{
    int  X = (int)get_global_id(0) - max_offset, Y = (int)get_global_id(1) + y0;
    long frame = get_global_id(2);
    int  columns = 2 * max_offset + 1, rows = max_offset - y0 + 1;
    int  x_from = max(0, -X), x_to = min(width, width - X), y_from = max(0, -Y), y_to = min(height, height - Y);
    sum_t sum = 0;

    if (X > max_offset || Y > max_offset)
        return;
    a += frame * width * height;
    b += frame * width * height;
    for (int y = y_from; y < y_to; y++) {
        __global const pixel_t *line = a + (long)y * width, *other = b + (long)(y + Y) * width + X;
        sum_t line_sum = 0;

        for (int x = x_from; x < x_to; x++)
            line_sum += (sum_t)line[x] * (sum_t)other[x];
        sum += line_sum;
    }
    out[(frame * rows + (Y - y0)) * columns + X + max_offset] = sum;
}

/*
 * Two lines in local memory, one work-item an X offset: Listing 1 of Lu et al. without its limits. A work-group of L
 * items takes the X offsets from get_group_id(0)*L - R, one Y and `chunk` image lines; it walks the line pairs in
 * segments of L pixels, so that neither width nor R is bounded, and adds its sums to out once at the end (integers:
 * atomically, out zeroed before; floats: chunk covers all lines and the sum is stored, which keeps its order).
 * Local: line L, other 2L pixels. Grid (X blocks * L, rows, frames * chunks), group (L, 1, 1).
 */
__kernel void autocorr_lines(__global const pixel_t *restrict a, __global const pixel_t *restrict b,
                             __local pixel_t *line, __local pixel_t *other, int width, int height, int max_offset,
                             int y0, int chunk, int chunks, __global sum_t *restrict out)
{
    int  item = get_local_id(0), items = get_local_size(0);
    int  first = (int)get_group_id(0) * items - max_offset, X = first + item;
    int  Y = (int)get_group_id(1) + y0;
    long frame = get_group_id(2) / chunks;
    int  y_from = (int)(get_group_id(2) % chunks) * chunk, y_to = min(height, y_from + chunk);
    int  columns = 2 * max_offset + 1, rows = max_offset - y0 + 1;
    sum_t sum = 0;

    a += frame * width * height;
    b += frame * width * height;
    y_from = max(y_from, -Y);
    y_to = min(y_to, height - Y);
    for (int y = y_from; y < y_to; y++)
        for (int x0 = 0; x0 < width; x0 += items) {
            sum_t segment = 0;

            line[item] = x0 + item < width ? a[(long)y * width + x0 + item] : 0;
            for (int i = item; i < 2 * items; i += items) {
                int x = x0 + first + i;

                other[i] = x >= 0 && x < width ? b[(long)(y + Y) * width + x] : 0;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = 0; i < items; i++)
                segment += (sum_t)line[i] * (sum_t)other[i + item];
            sum += segment;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    if (X <= max_offset) {
        __global sum_t *target = out + (frame * rows + (Y - y0)) * columns + X + max_offset;
#ifdef PENTA_INTEGER
        penta_atomic_add_long(target, sum);
#else
        *target = sum;
#endif
    }
}
