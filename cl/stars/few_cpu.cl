/*
 * The engine `tile` for CPU devices and short lists, in one pass over the frame: a work-item draws a band of BAND rows. It
 * sorts the stars that touch the band by the piece of WIDTH columns in which their regions of interest begin, sums
 * piece after piece in doubles of its own, and writes each pixel once. Places along a band are columns + ROI - 1, so
 * that none is negative. What stars add beyond their piece is carried over to the next. Stars that touch two bands are
 * drawn in both. Sums of a pixel have the order of pieces, then of the list.
 */
#define SUMS_SPACE __private
#include "stars/rows_cpu.clh"

#define BAND        32 /* rows: BAND of src/stars/few_cpu.c */
#define FEW         8192 /* STARS_FEW of src/stars/engine.h */
#define WIDTH       128
#define RIM         (PENTA_VECTORS * LANES) /* columns beyond a piece that its stars add to */
#define STRIDE      (WIDTH + RIM)
#define MOST_PIECES (65536 / WIDTH)

/* The stars of a band: those of piece k are order[start[k]] .. order[start[k+1]-1]. */
typedef struct {
    ushort order[FEW];
    ushort start[MOST_PIECES + 1];
    int    pieces;
} list_t;

static inline int piece_of(uint cell, int roi)
{
    return (star_column(cell) + roi - 1) / WIDTH;
}

/* Numbers of the stars that touch rows top .. end-1, in order; their number. */
static inline int find_stars(__global const uint *cells, int n, int top, int end, int roi, ushort *numbers)
{
    const uint first_row = top - roi + 1 + STAR_MARGIN, span = end - top + roi - 1;
    int        count = 0;

    for (int first = 0; first < n; first += 16) {
        int last = min(first + 16, n);

        if (last == first + 16 && !any((vload16(0, cells + first) >> 16) - first_row < span))
            continue;
        for (int i = first; i < last; i++)
            if (cells[i] != STAR_NOT_DRAWN && (cells[i] >> 16) - first_row < span)
                numbers[count++] = (ushort)i;
    }
    return count;
}

static inline void list_stars(__global const uint *cells, int n, int top, int end, int roi, int width, list_t *list)
{
    ushort numbers[FEW];
    int    count = find_stars(cells, n, top, end, roi, numbers), before = 0;

    list->pieces = (width + roi - 1 + WIDTH - 1) / WIDTH;
    for (int k = 0; k <= list->pieces; k++)
        list->start[k] = 0;
    for (int i = 0; i < count; i++)
        list->start[piece_of(cells[numbers[i]], roi)]++;
    for (int k = 0; k <= list->pieces; k++) {
        int here = list->start[k];

        list->start[k] = before;
        before += here;
    }
    for (int i = 0; i < count; i++)
        list->order[list->start[piece_of(cells[numbers[i]], roi)]++] = numbers[i];
    for (int k = list->pieces; k > 0; k--) /* each start has become the next one */
        list->start[k] = list->start[k - 1];
    list->start[0] = 0;
}

/* ---- sums of a piece: BAND rows of STRIDE doubles ---- */

static inline void clear_sums(double *sums, int from)
{
    for (int y = 0; y < BAND; y++)
        for (int x = from; x < STRIDE; x += LANES)
            ((loose_t *)(sums + y * STRIDE + x))->v = 0;
}

static inline void carry_over(double *sums)
{
    for (int y = 0; y < BAND; y++)
        for (int x = 0; x < RIM; x += LANES)
            ((loose_t *)(sums + y * STRIDE + x))->v = ((loose_t *)(sums + y * STRIDE + WIDTH + x))->v;
}

/* The pixels of a piece, whose first one is column x0 of the frame, which may be negative. */
static inline void write_piece(const double *sums, int rows, int x0, int width, __global real *image)
{
    int from = max(-x0, 0), to = min(WIDTH, width - x0);

    for (int y = 0; y < rows; y++)
        for (int k = from; k < to; k++)
            image[(long)y * width + x0 + k] = (real)sums[y * STRIDE + k];
}

/* Pixels of pieces from column x0 on, up to x1. */
static inline void write_nothing(int rows, int x0, int x1, int width, __global real *image)
{
    int from = max(x0, 0), to = min(x1, width);

    for (int y = 0; y < rows; y++)
        for (int k = from; k < to; k++)
            image[(long)y * width + k] = 0;
}

/* The first piece behind k that has stars, or the end. */
static inline int next_piece(const list_t *list, int k)
{
    do
        k++;
    while (k < list->pieces && list->start[k] == list->start[k + 1]);
    return k;
}

/* Grid: bands of the slab. image[rows][width], overwritten. n <= FEW. */
__kernel SINGLE_ITEM void stars_few_draw(__global const star_t *restrict stars, __global const uint *restrict cells,
                                         __global const double *restrict motion_x,
                                         __global const double *restrict motion_y, int n, PSF_ARGUMENTS, int width,
                                         int rows, __global real *restrict image)
{
    const int top = get_global_id(0) * BAND, end = min(top + BAND, rows);
    list_t    list;
    double    sums[BAND * STRIDE];
    bool      carried = false; /* the first RIM columns of sums hold what the piece before added */

    list_stars(cells, n, top, end, roi, width, &list);
    image += (long)top * width;
    for (int k = 0; k < list.pieces; k++) {
        int  x0 = k * WIDTH - (roi - 1);
        bool some = list.start[k] < list.start[k + 1];

        if (!some && !carried) {
            int next = next_piece(&list, k);

            write_nothing(end - top, x0, x0 + (next - k) * WIDTH, width, image);
            k = next - 1;
            continue;
        }
        clear_sums(sums, carried ? RIM : 0);
        for (int s = list.start[k]; s < list.start[k + 1]; s++) {
            int    i = list.order[s];
            star_t star = stars[i];
            int    row = star_row(star.cell) - top;
            double mx = 0, my = 0;

#ifdef PSF_MOVING
            mx = motion_x[i];
            my = motion_y[i];
#endif
            add_star(star, mx, my, 1, max(-row, 0), min(end - top - row, roi), PSF_PASS,
                     sums + max(row, 0) * STRIDE + (star_column(star.cell) - x0), STRIDE);
        }
        write_piece(sums, end - top, x0, width, image);
        if (some)
            carry_over(sums);
        carried = some;
    }
}
