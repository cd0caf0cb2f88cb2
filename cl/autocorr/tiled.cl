/*
 * Direct correlation, the tiled form for GPUs: N(X,Y) as in direct.cl.
 *
 * 8-bit images. Four pixels of one column make a word, and one packed dot product (dot4.clh) does four lines at once.
 * For an offset Y = 4q + s the second image is needed shifted by s lines, so four shifted copies are packed:
 *   word_s[v][x] = image(x, 4v+s .. 4v+s+3),   N(X,4q+s) = sum_v sum_x dot4(word_0[v][x], word_s[v+q][x+X]).
 * Other types: a word is a pixel, one copy, Y = q.
 *
 * A work-item owns TILE = 8 neighbouring X for every s and walks along x with a sliding window in registers: one new
 * word a step feeds 8 products. A work-group of LANES items covers 8*LANES offsets; both rows pass through local memory
 * in segments. Work-items are spread over X blocks, q, and chunks of word rows; the chunks' sums are added in order by
 * autocorr_sum_chunks. 32-bit sums of 8-bit products move into 64-bit ones before they can overflow, single-precision
 * ones into double after every segment.
 */
#include "common/types.clh"
#include "common/dot4.clh"

#define TILE 8
#define LANES 32
#define SEGMENT 128
#define SPAN (SEGMENT + TILE * LANES)
#define FLUSH 128 /* segments: FLUSH * SEGMENT * 4 * 255^2 < 2^32 */
#define SKEW(i) ((i) + ((i) >> 3)) /* neighbours of a group 8 apart fall into different banks */

#if defined(PENTA_U8)
typedef uint word_t;
typedef uint part_t;
#define COPIES 4
#define PROMOTE_AT FLUSH
#define MULTIPLY_ADD(acc, p, q) acc = PENTA_DOT4_U8(p, q, acc)
#elif defined(PENTA_U16)
typedef ushort word_t;
typedef ulong part_t;
#define COPIES 1
#define MULTIPLY_ADD(acc, p, q) acc += (ulong)((uint)(p) * (uint)(q))
#else
typedef pixel_t word_t;
typedef pixel_t part_t;
#define COPIES 1
#define PROMOTE_AT 1
#define MULTIPLY_ADD(acc, p, q) acc = fma(p, q, acc)
#endif

/*
 * words[s][v+1][x] of every frame: word rows -1 .. word_rows-1, since with a negative offset word -1 still holds lines of
 * the image. Grid (width, word_rows + 1, frames * COPIES).
 */
__kernel void autocorr_pack(__global const pixel_t *restrict image, int width, int height, int word_rows,
                            __global word_t *restrict words)
{
    int  x = get_global_id(0), v = (int)get_global_id(1) - 1;
    long frame = get_global_id(2) / COPIES;
    int  s = get_global_id(2) % COPIES;

    if (x >= width)
        return;
    image += frame * width * height;
#if COPIES == 4
    uint word = 0;

    for (int i = 0; i < 4; i++) {
        int y = 4 * v + s + i;

        if (y >= 0 && y < height)
            word |= (uint)image[(long)y * width + x] << (8 * i);
    }
#else
    word_t word = v >= 0 ? image[(long)v * width + x] : 0;
#endif
    words[((frame * COPIES + s) * (word_rows + 1) + v + 1) * width + x] = word;
}

/*
 * Grid (X blocks * LANES, q rows, frames * chunks), group (LANES, 1, 1). q0 is the first q (negative for two images).
 * A chunk is `lines` word rows. partial[chunk][frame][Y row][2R+1].
 */
__kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void autocorr_tiled(__global const word_t *restrict a, __global const word_t *restrict b, int width, int word_rows,
                    int max_offset, int y0, int q0, int lines, int chunks, int frames, __global sum_t *restrict partial)
{
    __local word_t line[SEGMENT], other[COPIES][SKEW(SPAN) + 1];
    int    item = get_local_id(0);
    int    first = (int)get_group_id(0) * TILE * LANES - max_offset;
    int    q = (int)get_group_id(1) + q0;
    long   frame = get_group_id(2) / chunks;
    int    c = get_group_id(2) % chunks;
    int    v_from = max(c * lines, -q - 1), v_to = min(min(word_rows, (c + 1) * lines), word_rows - q);
    int    pending = 0;
    long   copy = (long)(word_rows + 1) * width;
    part_t acc[COPIES][TILE];
    sum_t  total[COPIES][TILE];

    a += frame * COPIES * copy;
    b += frame * COPIES * copy;
    for (int s = 0; s < COPIES; s++)
        for (int j = 0; j < TILE; j++) {
            acc[s][j] = 0;
            total[s][j] = 0;
        }
    for (int v = v_from; v < v_to; v++)
        for (int x0 = 0; x0 < width; x0 += SEGMENT) {
            if (x0 + SEGMENT + first + TILE * LANES <= 0 || x0 + first >= width)
                continue; /* the whole group: no pixel of b meets this segment */
            for (int i = item; i < SEGMENT; i += LANES)
                line[i] = x0 + i < width ? a[(long)(v + 1) * width + x0 + i] : 0;
            for (int s = 0; s < COPIES; s++)
                for (int i = item; i < SPAN; i += LANES) {
                    int x = x0 + first + i;

                    other[s][SKEW(i)] = x >= 0 && x < width ? b[s * copy + (long)(v + q + 1) * width + x] : 0;
                }
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
            for (int s = 0; s < COPIES; s++) {
                word_t window[TILE];

#pragma unroll
                for (int j = 0; j < TILE; j++)
                    window[j] = other[s][SKEW(item * TILE) + j];
                for (int x = 0; x < SEGMENT; x += TILE) {
                    int next = SKEW(item * TILE + x + TILE);

#pragma unroll
                    for (int u = 0; u < TILE; u++) {
                        word_t w = line[x + u];

#pragma unroll
                        for (int j = 0; j < TILE; j++)
                            MULTIPLY_ADD(acc[s][j], w, window[(u + j) % TILE]);
                        window[u] = other[s][next + u];
                    }
                }
            }
#ifdef PROMOTE_AT
            if (++pending == PROMOTE_AT) {
                pending = 0;
#pragma unroll
                for (int s = 0; s < COPIES; s++)
#pragma unroll
                    for (int j = 0; j < TILE; j++) {
                        total[s][j] += (sum_t)acc[s][j];
                        acc[s][j] = 0;
                    }
            }
#endif
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#pragma unroll
    for (int s = 0; s < COPIES; s++)
#pragma unroll
        for (int j = 0; j < TILE; j++) {
            int  X = first + item * TILE + j, Y = q * COPIES + s;
            long columns = 2 * max_offset + 1, rows = max_offset - y0 + 1;

            if (X <= max_offset && Y >= y0 && Y <= max_offset)
                partial[((c * (long)frames + frame) * rows + (Y - y0)) * columns + X + max_offset] =
                    total[s][j] + (sum_t)acc[s][j];
        }
}

/* out[i] = sum over chunks of partial[chunk][i], in order. Grid (count). */
__kernel void autocorr_sum_chunks(__global const sum_t *restrict partial, long count, int chunks,
                                  __global sum_t *restrict out)
{
    long  i = get_global_id(0);
    sum_t sum = 0;

    if (i >= count)
        return;
    for (int c = 0; c < chunks; c++)
        sum += partial[c * count + i];
    out[i] = sum;
}
