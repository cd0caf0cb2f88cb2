/*
 * What each tile of an image adds to the correlation at small offsets, for the bootstrap of R_max. The image is binned
 * first (squares of `factor` pixels), since the scatter of R_max needs no more than some 12 bins in R_max.
 */
#include "common/types.clh"

/*
 * binned[y + margin_y][x + margin_x] = mean over the square of (pixel - mean) where the mask lets it, else 0; zeros in the
 * margins. weight (masked only): the share of the square that counts. Image f of a buffer. Grid (pitch, rows) of binned.
 */
__kernel void autocorr_bin(__global const pixel_t *restrict image, __global const uchar *restrict mask, int masked,
                           long offset, int width, int factor, int columns, int lines, int margin_x, int margin_y,
                           int pitch, float mean, __global float *restrict binned, __global float *restrict weight)
{
    int   px = get_global_id(0), x = px - margin_x, y = (int)get_global_id(1) - margin_y;
    long  at = (long)get_global_id(1) * pitch + px;
    float sum = 0, count = 0, area = (float)factor * factor;

    if (px >= pitch)
        return;
    if (x >= 0 && x < columns && y >= 0 && y < lines)
        for (int j = 0; j < factor; j++)
            for (int i = 0; i < factor; i++) {
                long from = offset + (long)(y * factor + j) * width + x * factor + i;

                if (!masked || mask[from]) {
                    sum += (float)image[from] - mean;
                    count += 1;
                }
            }
    binned[at] = sum / area;
    if (masked)
        weight[at] = count / area;
}

/*
 * products[at + tile][Y - y0][X + R] (at in floats) = sum over the tile's pixels of a(x,y) b(x+X,y+Y), in rows of `stride` (a multiple of
 * LANES), row_count rows (a multiple of ROWS). Tile t spans columns [c*columns/tiles_x, (c+1)*columns/tiles_x),
 * c = t % tiles_x, lines likewise.
 *
 * CPU: an item makes ROWS neighbouring Y of LANES neighbouring X: one vector of a line of b meets ROWS lines of a. Lines
 * of a beyond the tile are taken from the zero margin. Grid (stride / LANES, row_count / ROWS, tiles).
 * GPU: a work-group of ITEMS makes one offset of one tile. Grid (stride * ITEMS, row_count, tiles), group (ITEMS, 1, 1).
 */
#ifdef PENTA_CPU
#define LANES 16
#define ROWS 4

__kernel void autocorr_tile_products(__global const float *restrict a, __global const float *restrict b, long at,
                                     int columns, int lines, int margin_x, int margin_y, int pitch, int tiles_x,
                                     int tiles_y, int max_offset, int y0, int stride, int row_count,
                                     __global float *restrict products)
{
    int     X = (int)get_global_id(0) * LANES - max_offset, row = (int)get_global_id(1) * ROWS, tile = get_global_id(2);
    int     c = tile % tiles_x, l = tile / tiles_x, Y = y0 + row;
    int     x_from = c * columns / tiles_x, x_to = (c + 1) * columns / tiles_x;
    int     y_from = l * lines / tiles_y, y_to = (l + 1) * lines / tiles_y;
    float16 sum[ROWS];

#pragma unroll
    for (int u = 0; u < ROWS; u++)
        sum[u] = 0;
    for (int v = max(y_from + Y, -margin_y); v < min(y_to + Y + ROWS - 1, lines + margin_y); v++) {
        __global const float *other = b + (long)(v + margin_y) * pitch + margin_x + X, *line[ROWS];
        float16 part[ROWS];

#pragma unroll
        for (int u = 0; u < ROWS; u++) {
            int y = v - Y - u;

            line[u] = a + (y >= y_from && y < y_to ? (long)(y + margin_y) * pitch : 0) + margin_x;
            part[u] = 0;
        }
        for (int x = x_from; x < x_to; x++) {
            float16 w = vload16(0, other + x);

#pragma unroll
            for (int u = 0; u < ROWS; u++)
                part[u] += line[u][x] * w;
        }
#pragma unroll
        for (int u = 0; u < ROWS; u++)
            sum[u] += part[u];
    }
#pragma unroll
    for (int u = 0; u < ROWS; u++)
        vstore16(sum[u], 0, products + at + ((long)tile * row_count + row + u) * stride + get_global_id(0) * LANES);
}
#else
#define ITEMS 32

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void autocorr_tile_products(__global const float *restrict a, __global const float *restrict b, long at, int columns,
                            int lines, int margin_x, int margin_y, int pitch, int tiles_x, int tiles_y, int max_offset,
                            int y0, int stride, int row_count, __global float *restrict products)
{
    __local float part[ITEMS];
    int   column = get_group_id(0), row = get_global_id(1), tile = get_global_id(2), item = get_local_id(0);
    int   c = tile % tiles_x, l = tile / tiles_x, X = min(column - max_offset, max_offset), Y = min(y0 + row, max_offset);
    int   x_from = c * columns / tiles_x, x_to = (c + 1) * columns / tiles_x;
    int   y_from = l * lines / tiles_y, y_to = (l + 1) * lines / tiles_y;
    float sum = 0;

    for (int y = y_from; y < y_to; y++) {
        __global const float *line = a + (long)(y + margin_y) * pitch + margin_x;
        __global const float *other = b + (long)(y + Y + margin_y) * pitch + margin_x + X;

        for (int x = x_from + item; x < x_to; x += ITEMS)
            sum += line[x] * other[x];
    }
    part[item] = sum;
    for (int step = ITEMS / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step)
            part[item] += part[item + step];
    }
    if (item == 0)
        products[at + ((long)tile * row_count + row) * stride + column] = part[0];
}
#endif
