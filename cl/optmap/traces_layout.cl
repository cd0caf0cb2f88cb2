/*
 * A piece of the movie, count frames x pixels of TYPE, becomes traces: frame k, pixel p to place p * pitch + at + k, as
 * a double in the words `upper` and `lower`. With -DUNDER the frames are divided by those of a second camera; what
 * that leaves without a value (0/0, 1/0) makes NaN or infinity. -DTYPE_REAL: *bad is set when a number is not finite.
 */
#include "optmap/traces.clh"

#ifdef TYPE_REAL
#define IS_BAD(x) !isfinite(x)
#else
#define IS_BAD(x) 0
#endif

#ifdef PENTA_CPU

#define FRAMES 16
#define PIXELS 64
#define TYPE16 PASTE(TYPE, 16)

typedef struct {
    double16 rows[FRAMES][PIXELS / 16];
} block;

/* Of frames there are all 16, of pixels `some`. */
static inline int read_row(__global const TYPE *restrict source, uint some, double16 *row)
{
    int bad = 0;

    if (some == PIXELS) {
        for (uint x = 0; x < PIXELS / 16; x++) {
            row[x] = PASTE(convert_, double16)(PASTE(vload, 16)(x, source));
#ifdef TYPE_REAL
            bad |= any(!isfinite(row[x]));
#endif
        }
        return bad;
    }
    for (uint x = 0; x < some; x++) {
        double value = source[x];

        ((double *)row)[x] = value;
        bad |= IS_BAD(value);
    }
    return bad;
}

static inline void write_trace(const double *column, uint count, __global uint *restrict upper,
                               __global uint *restrict lower)
{
    if (count == FRAMES) {
        ulong16 word;

        for (uint k = 0; k < FRAMES; k++)
            ((ulong *)&word)[k] = as_ulong(column[k * PIXELS]);
        vstore16(convert_uint16(word >> 32), 0, upper);
        vstore16(convert_uint16(word & 0xffffffff), 0, lower);
        return;
    }
    for (uint k = 0; k < count; k++) {
        ulong word = as_ulong(column[k * PIXELS]);

        upper[k] = word >> 32;
        lower[k] = word;
    }
}

/* Work-item (x, y): 64 pixels, 16 frames. */
__kernel SINGLE_ITEM void optmap_layout(__global const TYPE *restrict source, __global const TYPE *restrict under,
                                        uint count, uint pixels, ulong at, ulong pitch, __global uint *restrict upper,
                                        __global uint *restrict lower, __global uint *restrict bad)
{
    uint pixel = get_global_id(0) * PIXELS, frame = get_global_id(1) * FRAMES, some = min(pixels - pixel, (uint)PIXELS),
         frames = min(count - frame, (uint)FRAMES);
    int wrong = 0;
    block over;
#ifdef UNDER
    double16 row[PIXELS / 16];
#endif

    for (uint k = 0; k < frames; k++) {
        ulong from = (ulong)(frame + k) * pixels + pixel;

        wrong |= read_row(source + from, some, over.rows[k]);
#ifdef UNDER
        wrong |= read_row(under + from, some, row);
        for (uint x = 0; x < PIXELS / 16; x++)
            over.rows[k][x] /= row[x];
#endif
    }
    for (uint p = 0; p < some; p++) {
        ulong to = (pixel + p) * pitch + at + frame;

        write_trace((const double *)over.rows + p, frames, upper + to, lower + to);
    }
    if (wrong)
        *bad = 1;
}

#else

#define TILE 32
#define ROWS 8

/* A group turns TILE pixels x TILE frames. */
__kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1))) void
optmap_layout(__global const TYPE *restrict source, __global const TYPE *restrict under, uint count, uint pixels,
              ulong at, ulong pitch, __global uint *restrict upper, __global uint *restrict lower,
              __global uint *restrict bad)
{
    __local double tile[TILE][TILE + 1];
    uint x = get_local_id(0), y = get_local_id(1), pixel = get_group_id(0) * TILE, frame = get_group_id(1) * TILE;

    for (uint i = 0; i < TILE / ROWS; i++) {
        uint k = i * ROWS + y;

        if (pixel + x < pixels && frame + k < count) {
            ulong from = (ulong)(frame + k) * pixels + pixel + x;
            double value = source[from];
            int wrong = IS_BAD(value);

#ifdef UNDER
            wrong |= IS_BAD(under[from]);
            value /= (double)under[from];
#endif
            if (wrong)
                *bad = 1;
            tile[k][x] = value;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < TILE / ROWS; i++) {
        uint p = i * ROWS + y;

        if (pixel + p < pixels && frame + x < count) {
            ulong word = as_ulong(tile[x][p]), to = (pixel + p) * pitch + at + frame + x;

            upper[to] = word >> 32;
            lower[to] = word;
        }
    }
}

#endif
