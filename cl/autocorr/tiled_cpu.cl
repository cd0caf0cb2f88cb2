/*
 * Direct correlation, the tiled form for CPUs: N(X,Y) = sum_xy a(x,y) b(x+X,y+Y), |X| <= R, Y in [0,R] or [-R,R].
 *
 * A register tile holds PENTA_TILE_ROWS offsets Y by PENTA_TILE_SPAN neighbouring offsets X, one vector lane an X. A
 * step along x loads the vectors of a line of b once and multiplies them with one value from each of PENTA_TILE_ROWS
 * lines of a. A work-group is one work-item: explicit vectors, no local memory, no barriers.
 *
 * Integer pixels are exact. A cell packs two neighbours of a line, p(x) | p(x+1) << 16, for the dot product of dot.clh,
 * and a step takes two x. Splitting lines into even (E) and odd (O) ones saves products:
 *     of a: E(n) = a(2n), O(n) = a(2n+1), P(n) = a(2n) + a(2n+1);    of b: the same, but P(n) = b(2n-1) + b(2n);
 *     N(2k) = E(k) + O(k),    N(2k-1) = P(k) - E(k) - O(k-1),
 * where E(k) on the right is the correlation of E with E at the line offset k, and so on: three correlations of half
 * the lines at half the offsets, 3/4 of the work. This is done `depth` times over. Pixels of 16 bits are split
 * likewise, once, into low byte, high byte and their sum: N = L + 256 (S - L - H) + 65536 H. One such correlation is a
 * term; its number has the digit of the byte (16-bit pixels only) and then one for E, O or P a level, base 3, first
 * level first.
 *
 * Floating pixels have one term. All sums are made in an order that does not depend on the number of threads.
 */
#include "common/types.clh"
#include "common/dot.clh"

#if defined(PENTA_INTEGER)
typedef int cell_t;
typedef penta_cells cells_t;
#define LANES                   PENTA_DOT_LANES
#define STEP                    2 /* pixels along x */
#define MULTIPLY_ADD(sum, a, b) PENTA_DOT_ADD(sum, a, b)
#else
#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
typedef pixel_t cell_t;
#if defined(PENTA_F32) && VECTOR_BYTES == 64
#define LANES 16
typedef float16 cells_t;
#elif defined(PENTA_F32) && VECTOR_BYTES == 32
#define LANES 8
typedef float8 cells_t;
#elif defined(PENTA_F32)
#define LANES 4
typedef float4 cells_t;
#elif VECTOR_BYTES == 64
#define LANES 8
typedef double8 cells_t;
#elif VECTOR_BYTES == 32
#define LANES 4
typedef double4 cells_t;
#else
#define LANES 2
typedef double2 cells_t;
#endif
#define STEP                    1
#define MULTIPLY_ADD(sum, a, b) ((a) * (b) + (sum)) /* an fma where the CPU has one */
#endif

#include "common/vectors.clh"

#if defined(PENTA_INTEGER)
#define TO_SUMS TO(long)
#elif defined(PENTA_FP64)
#define TO_SUMS TO(double)
#else
#define TO_SUMS TO(float)
#endif

#define SINGLE_ITEM __attribute__((reqd_work_group_size(1, 1, 1)))
#define ROWS        PENTA_TILE_ROWS
#define SPAN        PENTA_TILE_SPAN
#define LIMIT       PENTA_TILE_LIMIT
#define VECTORS     ((SPAN + LANES - 1) / LANES)
#define MAX_LINES   16 /* 2^depth at most */

/* ---- planes ---- */

/*
 * Fills lines with those image lines that add up to line n of a term; those outside the image are zero and left out.
 * second: 1 for planes of b, 0 for a. Returns their number.
 */
static inline int source_lines(int term, int depth, int second, int n, int height, int *lines)
{
    int count = 1, kept = 0;

    lines[0] = n * (1 << depth);
    for (int bit = 1 << depth >> 1; bit; bit >>= 1, term /= 3) {
        int digit = term % 3;

        for (int i = 0; i < count; i++) {
            if (digit == 2)
                lines[count + i] = second ? lines[i] - bit : lines[i] + bit;
            if (digit == 1)
                lines[i] += bit;
        }
        if (digit == 2)
            count *= 2;
    }
    for (int i = 0; i < count; i++)
        if (lines[i] >= 0 && lines[i] < height)
            lines[kept++] = lines[i];
    return kept;
}

#if defined(PENTA_U16)
#define PART(v, part) ((part) == 0 ? (v)&255 : (part) == 1 ? (v) >> 8 : ((v)&255) + ((v) >> 8))
#else
#define PART(v, part) (v)
#endif

#if defined(PENTA_INTEGER)
static inline int value(__global const pixel_t *image, int width, const int *lines, int count, int part, int x)
{
    int sum = 0;

    if (x < 0 || x >= width)
        return 0;
    for (int i = 0; i < count; i++) {
        int v = image[(size_t)lines[i] * width + x];
        sum += PART(v, part);
    }
    return sum;
}

static inline int16 values(__global const pixel_t *image, int width, const int *lines, int count, int part, int x)
{
    int16 sum = 0;

    for (int i = 0; i < count; i++) {
        int16 v = convert_int16(vload16(0, image + (size_t)lines[i] * width + x));
        sum += PART(v, part);
    }
    return sum;
}

#define CELL(x) (value(image, width, lines, count, part, x) | value(image, width, lines, count, part, (x) + 1) << 16)
#endif

/*
 * Cells of lines first, first+1, ... of every term, at planes[term][row][PENTA_TILE_PAD + x], zero for x outside [0,
 * width) as far as `stride` goes. Frame `offset` pixels into image. Grid (lines, terms).
 */
__kernel SINGLE_ITEM void autocorr_tiled_cpu_widen(__global const pixel_t *restrict image, long offset, int width,
                                                   int height, int depth, int second, int first, int stride, int rows,
                                                   __global cell_t *restrict planes)
{
    int row = get_global_id(0), term = get_global_id(1), x = 0;
    int lines[MAX_LINES];
    int count = source_lines(term, depth, second, first + row, height, lines);
    __global cell_t *line = planes + ((size_t)term * rows + row) * stride;
    __global cell_t *cells = line + PENTA_TILE_PAD;

    image += offset;
    for (int i = 0; i < PENTA_TILE_PAD; i++)
        line[i] = 0;
    for (int i = count ? width : 0; i < stride - PENTA_TILE_PAD; i++)
        cells[i] = 0;
    if (!count)
        return;
#if defined(PENTA_INTEGER)
    int part = term;

    for (int level = 0; level < depth; level++)
        part /= 3;
    for (; x + 16 < width; x += 16) {
        int16 low = values(image, width, lines, count, part, x);
        int16 high = values(image, width, lines, count, part, x + 1);
        vstore16(low | high << 16, 0, cells + x);
    }
    for (; x < width; x++)
        cells[x] = CELL(x);
    cells[-1] = CELL(-1);
#else
    for (; x < width; x++)
        cells[x] = image[(size_t)lines[0] * width + x];
#endif
}

/* ---- tiles ---- */

/*
 * Adds the sums of lines [y_from, y_to) of b and columns [x_from, x_to) of a to the tile at out. a and b are at line 0
 * of the plane; a at x = 0, b at x = X. At most LIMIT pixels, a bound that keeps 32-bit sums exact and float sums
 * short.
 */
static inline void add_block(__global const cell_t *a, __global const cell_t *b, __global sum_t *out, long stride,
                             long columns, int x_from, int x_to, int y_from, int y_to, int Y)
{
    cells_t sums[ROWS][VECTORS];

#pragma unroll
    for (int k = 0; k < ROWS; k++)
#pragma unroll
        for (int v = 0; v < VECTORS; v++)
            sums[k][v] = 0;
    for (int y = y_from; y < y_to; y++) {
        __global const cell_t *a_line = a + (y - Y) * stride, *b_line = b + y * stride;

        for (int x = x_from; x < x_to; x += STEP) {
            cells_t q[VECTORS];

#pragma unroll
            for (int v = 0; v < VECTORS; v++)
                q[v] = LOAD(b_line + x + v * LANES);
#pragma unroll
            for (int k = 0; k < ROWS; k++) {
                cells_t p = a_line[x - k * stride];

#pragma unroll
                for (int v = 0; v < VECTORS; v++)
                    sums[k][v] = MULTIPLY_ADD(sums[k][v], p, q[v]);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < ROWS; k++)
#pragma unroll
        for (int v = 0; v < VECTORS; v++) {
            __global sum_t *target = out + k * columns + v * LANES;

            STORE(LOAD(target) + TO_SUMS(sums[k][v]), target);
        }
}

/*
 * Partial sums [slot][term][row][column]: slot s takes chunk chunk_first + s of chunk_lines lines of b and adds to what
 * is there, chunk_first 0 starts from zero. Column X + max_offset; a row has 2R+1 columns rounded up to 64 of them, row
 * 0 is Y = y_first. Planes have `rows` lines of `stride` cells a term, of which the first is line a_first or b_first of
 * the term; they reach as far as the chunks of this launch need, those of a with ROWS - 1 lines of zeros at either end.
 * Blocks of LIMIT pixels lie at fixed places of the image, so that rounding does not depend on the tiles.
 * Grid (tiles from X = x_first, tiles along Y, terms * slots).
 */
__kernel SINGLE_ITEM void autocorr_tiled_cpu_correlate(__global const cell_t *restrict a,
                                                       __global const cell_t *restrict b, int width, int a_height,
                                                       int b_height, int stride, int rows, int a_first, int b_first,
                                                       int max_offset, int x_first, int y_first, int terms,
                                                       int chunk_lines, int chunk_first,
                                                       __global sum_t *restrict partial)
{
    int slot = (int)get_global_id(2) / terms, term = get_global_id(2) % terms;
    int X = x_first + (int)get_global_id(0) * SPAN, row = get_global_id(1) * ROWS, Y = y_first + row;
    int x_begin = max(0, 1 - X - SPAN) / STEP * STEP, x_end = min(width, width - X);
    int start = (chunk_first + slot) * chunk_lines, lines = max(1, LIMIT / (width + STEP - 1));
    int y_begin = max(start, Y), y_end = min(min(start + chunk_lines, b_height), a_height + Y + ROWS - 1);
    long columns = (2 * max_offset + 64) / 64 * 64;
    __global sum_t *out =
        partial + (((long)slot * terms + term) * get_global_size(1) * ROWS + row) * columns + X + max_offset;

    a += ((long)term * rows - a_first) * stride + PENTA_TILE_PAD;
    b += ((long)term * rows - b_first) * stride + PENTA_TILE_PAD + X;
    if (chunk_first == 0)
        for (int k = 0; k < ROWS; k++)
            for (int v = 0; v < VECTORS; v++)
                STORE(TO_SUMS((cells_t)0), out + k * columns + v * LANES);
    for (int x = x_begin / LIMIT * LIMIT; x < x_end; x += LIMIT)
        for (int y = start + (y_begin - start) / lines * lines; y < y_end; y += lines)
            add_block(a, b, out, stride, columns, max(x, x_begin), min(x + LIMIT, x_end), max(y, y_begin),
                      min(y + lines, y_end), Y);
}

/* ---- results ---- */

enum { MERGE_COPY = 0, MERGE_LINES = 1, MERGE_BYTES = 2 };

/*
 * Sums `sets` tables and undoes one level: table m of the output comes from tables 3m, 3m+1, 3m+2 of the input (m for
 * MERGE_COPY). Input tables are in_rows x in_columns, terms_in tables a set; rows start at line offset in_first, and
 * those of the output at out_first. Output tables have the rows of the grid and out_columns columns and start
 * out_offset elements into out. Grid (rows, tables).
 */
__kernel SINGLE_ITEM void autocorr_tiled_cpu_merge(__global const sum_t *restrict in, long out_offset, int mode,
                                                   int sets, int terms_in, int in_rows, int in_columns, int in_first,
                                                   int out_first, int out_columns, __global sum_t *restrict out)
{
    int row = get_global_id(0), Y = out_first + row, table = get_global_id(1);
    long size = (long)in_rows * in_columns, set = size * terms_in;
    long first, second, third; /* of the three elements that make the one in column 0 */

    if (mode == MERGE_LINES) {
        /* Y = 2k or 2k - 1; both divisions are exact. */
        long k = Y % 2 ? (Y + 1) / 2 : Y / 2;

        first = (3L * table) * size + (k - in_first) * in_columns;
        second = (3L * table + 1) * size + (k - (Y % 2 != 0) - in_first) * in_columns;
        third = (3L * table + 2) * size + (k - in_first) * in_columns;
    } else {
        first = (mode == MERGE_COPY ? table : 3L * table) * size + (long)(Y - in_first) * in_columns;
        second = first + size;
        third = second + size;
    }
    out += out_offset + ((long)table * get_global_size(0) + row) * out_columns;
    for (int x = 0; x < out_columns; x++) {
        sum_t sum = 0;

        for (int s = 0; s < sets; s++) {
            __global const sum_t *t = in + s * set + x;

            if (mode == MERGE_COPY)
                sum += t[first];
            else if (mode == MERGE_BYTES)
                sum += t[first] + 256 * (t[third] - t[first] - t[second]) + 65536 * t[second];
            else if (Y % 2)
                sum += t[third] - t[first] - t[second];
            else
                sum += t[first] + t[second];
        }
        out[x] = sum;
    }
}
