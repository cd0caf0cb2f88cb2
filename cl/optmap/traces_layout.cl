/*
 * Transposes a piece of the movie, count frames x pixels of TYPE, to traces: frame k of pixel p goes to p * pitch + at
 * + k, as a double in the words `upper` and `lower`. With -DUNDER frames are divided by those of a second camera;
 * quotients without a value (0/0, 1/0) give NaN or infinity. -DTYPE_REAL: sets *bad if a number is not finite.
 */
#include "optmap/traces.clh"

#ifdef PENTA_CPU

#define FRAMES 64
#define PIXELS 32

/* Transposes some pixels of `count` frames. */
static inline void turn(__global const TYPE *restrict source, uint pixels, uint some, uint count,
                        TYPE tile[PIXELS][FRAMES])
{
    for (uint k = 0; k < count; k++, source += pixels)
        if (some == PIXELS)
            for (uint x = 0; x < PIXELS; x++)
                tile[x][k] = source[x];
        else
            for (uint x = 0; x < some; x++)
                tile[x][k] = source[x];
}

#ifdef TYPE_REAL
static inline int is_bad(const TYPE *trace, uint count)
{
    int bad = 0;

    for (uint k = 0; k < count; k++)
        bad |= !isfinite(trace[k]);
    return bad;
}
#else
#define is_bad(trace, count) 0
#endif

/* Work-item (x, y): PIXELS pixels, FRAMES frames. Traces are padded to a multiple of 64 frames, and so are the writes.
 */
__kernel SINGLE_ITEM void optmap_layout(__global const TYPE *restrict source, __global const TYPE *restrict under,
                                        uint count, uint pixels, ulong at, ulong pitch, __global uint *restrict upper,
                                        __global uint *restrict lower, __global uint *restrict bad)
{
    uint pixel = get_global_id(0) * PIXELS, frame = get_global_id(1) * FRAMES, some = min(pixels - pixel, (uint)PIXELS),
         frames = min(count - frame, (uint)FRAMES);
    ulong from = (ulong)frame * pixels + pixel;
    TYPE tile[PIXELS][FRAMES];
#ifdef UNDER
    TYPE below[PIXELS][FRAMES];

    turn(under + from, pixels, some, frames, below);
#endif
    turn(source + from, pixels, some, frames, tile);
    for (uint p = 0; p < some; p++) {
        ulong to = (pixel + p) * pitch + at + frame;

        if (is_bad(tile[p], frames))
            *bad = 1;
#ifdef UNDER
        if (is_bad(below[p], frames))
            *bad = 1;
#endif
        for (uint k = 0; k < frames; k += 16) {
            double16 value = convert_double16(vload16(0, tile[p] + k));
            ulong16 word;

#ifdef UNDER
            value /= convert_double16(vload16(0, below[p] + k));
#endif
            word = as_ulong16(value);
            vstore16(convert_uint16(word >> 32), 0, upper + to + k);
            vstore16(convert_uint16(word), 0, lower + to + k);
        }
    }
}

#else

#ifdef TYPE_REAL
#define IS_BAD(x) !isfinite(x)
#else
#define IS_BAD(x) 0
#endif

#define TILE 32
#define ROWS 8

/* A group transposes TILE pixels x TILE frames. */
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
