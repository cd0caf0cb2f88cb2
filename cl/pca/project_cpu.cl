/*
 * Affine maps of pixels on CPU devices: y = matrix (x - before) + after, and least and largest y.
 *
 * Work-item `item` has a run of blocks of BLOCK pixels. DEPTH bands of a block at a time, a panel, go to its scratch as
 * strips of STRIP pixels, strip[band][STRIP], converted, less `before`; the products of all outputs with them follow
 * while they stay in the cache, ROWS outputs of a strip at once in registers. Meanwhile the next panel comes into the
 * other half of the scratch, a few vectors between every PACE bands of products: more at once would fill the list of
 * lines that a processor waits for, and the products would wait, too. More than DEPTH bands add to the results of those
 * before. Extremes of valid pixels: extremes[item][outs][least, largest][LANES]. No barriers.
 *
 * matrix: [group of GROUP outputs][ins][GROUP], zeros behind the last output. results: outs x out_pitch.
 * Defines: those of vectors_cpu.clh.
 */
/* As in src/pca/project_cpu.c. */
#define BLOCK 128 /* pixels */
#define DEPTH 256 /* bands */
#define GROUP 12  /* outputs */

#include "pca/project_cpu.clh"

#define CHUNK 120         /* outputs whose rows of the matrix stay in the second cache */
#define STRIP (2 * LANES) /* pixels */
#define AHEAD 3           /* bands that are on their way from memory */
#define PACE  8           /* bands */

#if REGISTER == 64
#define ROWS       12
#define FEWER_ROWS 8 /* for the last outputs */
#else
#define ROWS       4
#define FEWER_ROWS 4
#endif

/* Bands of a block on their way to strips. */
typedef struct {
    __global const PIXEL *data;
    long pitch;
    __global const number *before;
    __global real *strips;
    int count;       /* bands */
    int band, pixel; /* the next ones */
    int vectors;     /* for every PACE bands of products */
} panel_t;

/* So many vectors of it, if there are. */
static inline void fill_panel(panel_t *panel, int vectors)
{
    for (int v = 0; v < vectors && panel->band < panel->count; v++) {
        int b = panel->band, p = panel->pixel;
        __global const PIXEL *from = panel->data + b * panel->pitch + p;
        __global real *strip = panel->strips + p / STRIP * panel->count * STRIP;

        if (p * sizeof(PIXEL) % 64 == 0)
            PREFETCH(from + AHEAD * panel->pitch);
        STORE(less(from, OFFSET_OF(panel->before[b])), strip + b * STRIP + p % STRIP);
        panel->pixel = (p + LANES) % BLOCK;
        panel->band += panel->pixel == 0;
    }
}

typedef struct {
    int count;       /* bands */
    int begun, last; /* the results hold something; nothing follows */
    int aligned;     /* results are */
    long out_pitch;
    __global const real *penalty; /* of the strip's pixels */
} step_t;

/* By the results low and high. */
static inline void widen_twice(__global real *extremes, reals low, reals high, __global const real *penalty)
{
    reals least = LOAD(extremes), largest = LOAD(extremes + LANES), p = LOAD(penalty), q = LOAD(penalty + LANES);
    reals v = low + p, w = high + q;

    least = v < least ? v : least;
    STORE(w < least ? w : least, extremes);
    v = low - p;
    w = high - q;
    largest = v > largest ? v : largest;
    STORE(w > largest ? w : largest, extremes + LANES);
}

/* 2 LANES results of an output. */
static inline void finish(const step_t *step, reals low, reals high, real after, __global real *to,
                          __global real *extremes)
{
    if (step->begun) {
        low += LOAD(to);
        high += LOAD(to + LANES);
    }
    if (step->last) {
        low += after;
        high += after;
        widen_twice(extremes, low, high, step->penalty);
        put(to, low, step->aligned);
        put(to + LANES, high, step->aligned);
    } else {
        STORE(low, to);
        STORE(high, to + LANES);
    }
}

/*
 * The contribution of a strip to `rows` outputs, a constant up to ROWS, of which `outs` exist. matrix: of the first.
 * Sums stay in registers only where this is inlined, with the constant.
 */
static inline __attribute__((always_inline)) void
add_tile(int rows, const step_t *step, __global const real *strip, __global const real *matrix, int outs,
         __global const real *after, __global real *results, __global real *extremes, panel_t *next)
{
    reals a[ROWS], b[ROWS];

#pragma unroll
    for (int r = 0; r < rows; r++) {
        a[r] = 0;
        b[r] = 0;
    }
    for (int first = 0; first < step->count; first += PACE) {
        int end = min(first + PACE, step->count);

        fill_panel(next, next->vectors);
        for (int k = first; k < end; k++) {
            reals x = LOAD(strip + k * STRIP), y = LOAD(strip + k * STRIP + LANES);

#pragma unroll
            for (int r = 0; r < rows; r++) {
                a[r] = fma((reals)matrix[k * GROUP + r], x, a[r]);
                b[r] = fma((reals)matrix[k * GROUP + r], y, b[r]);
            }
        }
    }
#pragma unroll
    for (int r = 0; r < rows; r++)
        if (r < outs)
            finish(step, a[r], b[r], after[r], results + r * step->out_pitch, extremes + r * 2 * LANES);
}

/* Bands `from` .. of a block, in its strips: outputs o .. end - 1 of a strip, into its results; then `next` goes on. */
static inline void add_strip(const step_t *step, __global const real *strip, __global const real *matrix, int ins,
                             int from, int o, int end, __global const real *after, __global real *results,
                             __global real *extremes, panel_t *next)
{
    while (o < end) {
        __global const real *rows = matrix + ((long)(o / GROUP) * ins + from) * GROUP + o % GROUP;
        __global real *to = results + o * step->out_pitch, *range = extremes + o * 2 * LANES;

        if (end - o > FEWER_ROWS) {
            add_tile(ROWS, step, strip, rows, end - o, after + o, to, range, next);
            o += ROWS;
        } else {
            add_tile(FEWER_ROWS, step, strip, rows, end - o, after + o, to, range, next);
            o += FEWER_ROWS;
        }
    }
}

/* All outputs of a block. */
static inline void add_panel(step_t *step, __global const real *strips, __global const real *penalty,
                             __global const real *matrix, int ins, int from, int outs, __global const real *after,
                             __global real *results, __global real *extremes, panel_t *next)
{
    for (int chunk = 0; chunk < outs; chunk += CHUNK)
        for (int p = 0; p < BLOCK; p += STRIP) {
            step->penalty = penalty + p;
            add_strip(step, strips + p * step->count, matrix, ins, from, chunk, min(chunk + CHUNK, outs), after,
                      results + p, extremes, next);
        }
    fill_panel(next, INT_MAX);
}

__kernel void pca_project_cpu(__global const PIXEL *restrict data, long pitch, int ins, __global const uchar *flags,
                              int flagged, long pixels, long blocks, __global const real *restrict matrix,
                              __global const number *restrict before, __global const real *restrict after, int outs,
                              long first, long out_pitch, __global real *restrict scratch,
                              __global real *restrict results, __global real *restrict extremes)
{
    int item = get_global_id(0), items = get_global_size(0), depth = min(ins, DEPTH);
    long block = blocks * item / items, end = blocks * (item + 1) / items;
    __global real *penalty = scratch + (long)item * (2 * depth + 1) * BLOCK, *halves[2];
    step_t step = {0, 0, 0, is_aligned(results + first) && is_aligned(results + first + out_pitch), out_pitch, 0};
    panel_t panel = {data + block * BLOCK, pitch, before, penalty + BLOCK, depth, 0, 0, 0};
    int now = 0;

    halves[0] = penalty + BLOCK;
    halves[1] = halves[0] + depth * BLOCK;
    panel.vectors = (PACE * (STRIP / LANES) * ROWS + outs - 1) / outs;
    extremes += (long)item * outs * 2 * LANES;
    for (int o = 0; o < outs; o++)
        clear_extremes(extremes + o * 2 * LANES);
    if (block < end)
        fill_panel(&panel, INT_MAX);
    for (; block < end; block++) {
        fill_penalty(flags, flagged, block * BLOCK, pixels, penalty);
        for (int from = 0; from < ins; from += depth, now = 1 - now) {
            bool last = from + depth >= ins;
            int then = last ? 0 : from + depth;
            long then_block = last ? block + 1 : block;

            step.count = min(depth, ins - from);
            step.begun = from > 0;
            step.last = last;
            panel.data = data + then * pitch + then_block * BLOCK;
            panel.before = before + then;
            panel.strips = halves[1 - now];
            panel.count = then_block < end ? min(depth, ins - then) : 0;
            panel.band = panel.pixel = 0;
            add_panel(&step, halves[now], penalty, matrix, ins, from, outs, after, results + first + block * BLOCK,
                      extremes, &panel);
        }
    }
}
