/*
 * Direct correlation on CPU devices: widen lines into planes of cells, correlate them in register tiles, merge the
 * partial sums. cl/autocorr/tiled_cpu.cl explains terms and levels.
 */
#include <math.h>
#include <stdio.h>

#include "autocorr/direct_cpu.h"

#define KERNEL_FILE  "autocorr/tiled_cpu.cl"
#define WINDOW_BYTES ((size_t)2 << 20)   /* held at a time of one image's planes: a share of the caches */
#define MODEST_BYTES ((size_t)256 << 20) /* a deeper cut must not need larger buffers */

enum {
    MAX_DEPTH = 4,
    MAX_ROWS = 12,
    MAX_SPAN = 64,
    LINE_CELLS = 16,   /* lines of planes start at multiples of this, one cache line of 4-byte cells */
    FLOAT_LIMIT = 256, /* products in one sum of a floating cell */
    LEAST_CHUNK = 8,   /* lines */
    LEAST_ITEMS = 128  /* work-items of a launch that keep many threads evenly busy */
};

enum merge_mode { MERGE_COPY = 0, MERGE_LINES = 1, MERGE_BYTES = 2 }; /* as in the kernel */

/* The correlations at one level: of images with a_lines and b_lines lines, at line offsets first .. first + count - 1.
 */
typedef struct {
    int a_lines, b_lines;
    int first, count;
} level;

/* What follows from the image and the cut. */
typedef struct {
    bool bytes; /* 16-bit pixels, split by their bytes */
    int terms;
    int columns;             /* 2R + 1 */
    int full_tiles, tiles_y; /* full: along X, with the whole span */
    int last_span;           /* span of the tile that follows the full ones: a multiple of 8; 0: there is none */
    int row_cells;           /* of a row of partial sums */
    int stride;              /* cells of a line of a plane */
    int plane_lines;
    int chunks;
    int limit; /* pixels whose products one cell may sum */
    size_t plane_bytes, partial_bytes, table_bytes;
    level levels[MAX_DEPTH + 1]; /* 0: the image; depth: what the tiles work on */
} geometry;

struct penta_direct_cpu {
    penta_resources resources;
    int width, height, max_offset;
    bool cross;
    bool shared; /* the planes of a serve as b */
    penta_direct_cpu_cut cut;
    geometry g;
    penta_kernel widen, correlate, correlate_last, merge;
    penta_buffer a_planes, b_planes, partial, tables[2];
};

static int round_up(int n, int to)
{
    return (n + to - 1) / to * to;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

static bool is_integer(penta_type type)
{
    return type == PENTA_U8 || type == PENTA_U16;
}

/* A level has half the lines and offsets of the one above; b's sums start with lines -1 and 0, hence its one more. */
static void set_levels(level *levels, int height, int max_offset, bool cross, int depth)
{
    int a = height, b = height, r = max_offset;

    for (int i = 0; i <= depth; i++) {
        levels[i] = (level){.a_lines = a, .b_lines = b, .first = cross ? -r : 0, .count = cross ? 2 * r + 1 : r + 1};
        a = (a + 1) / 2;
        b = b / 2 + 1;
        r = (r + 1) / 2;
    }
}

static int term_count(penta_type type, int depth)
{
    int terms = type == PENTA_U16 ? 3 : 1;

    for (int i = 0; i < depth; i++)
        terms *= 3;
    return terms;
}

/* The number of pixels whose products still sum to less than 2^31: values reach 255 * 2^depth, and twice that where the
 * two bytes of a pixel are added. */
static int exact_limit(int depth, bool bytes)
{
    int64_t top = (int64_t)(bytes ? 510 : 255) << depth;

    return (int)(2 * (INT32_MAX / (2 * top * top)));
}

/* A merge makes one table of three and at most doubles its rows, so no table between merges exceeds table_bytes. */
static void set_bytes(geometry *g, const penta_direct_cpu_cut *cut, size_t cell)
{
    size_t rows = (size_t)g->terms * (size_t)g->tiles_y * (size_t)cut->rows;

    g->plane_bytes = (size_t)g->terms * (size_t)g->plane_lines * (size_t)g->stride * cell;
    g->partial_bytes = rows * (size_t)cut->window * (size_t)g->row_cells * 8;
    g->table_bytes = g->terms > 3 ? rows * (size_t)g->columns * 8 : 0;
}

static geometry make_geometry(int width, int height, penta_type type, int max_offset, bool cross,
                              const penta_direct_cpu_cut *cut)
{
    geometry g = {.bytes = type == PENTA_U16, .columns = 2 * max_offset + 1};
    const level *deepest = &g.levels[cut->depth];

    set_levels(g.levels, height, max_offset, cross, cut->depth);
    g.terms = term_count(type, cut->depth);
    g.full_tiles = (g.columns + 7) / cut->span;
    g.tiles_y = (deepest->count + cut->rows - 1) / cut->rows;
    g.last_span = round_up(most(g.columns - g.full_tiles * cut->span, 0), 8);
    g.row_cells = round_up(g.columns, 64); /* as in the kernel */
    /* An odd number of cache lines, so that neighbouring lines do not compete for the same sets. */
    g.stride = round_up(width + 2 * cut->span, LINE_CELLS);
    g.stride += g.stride / LINE_CELLS % 2 ? 0 : LINE_CELLS;
    g.chunks = (deepest->b_lines + cut->chunk_lines - 1) / cut->chunk_lines;
    g.plane_lines = least(least(cut->window, g.chunks) * cut->chunk_lines + g.tiles_y * cut->rows - 1,
                          most(deepest->a_lines + 2 * (cut->rows - 1), deepest->b_lines));
    g.limit = is_integer(type) ? exact_limit(cut->depth, g.bytes) : FLOAT_LIMIT;
    set_bytes(&g, cut, type == PENTA_F64 ? 8 : 4);
    return g;
}

/* ---- the cut ---- */

/* Bytes of sums that a tile may keep in vector registers, with room left for the factors. */
static int tile_bytes(penta_type type)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512vl"))
        return is_integer(type) ? 24 * 32 : 24 * 64; /* dot.clh explains the narrower vectors of integers */
#endif
    return (void)type, 24 * 16;
}

/*
 * Predicted time in vector operations, fitted to measurements on a Zen 4 core. A step of a tile takes one operation for
 * each product and one more, or three more if the tile has a single vector. A carried vector of sums takes 8. A cell of
 * a plane takes 1.1, and a third more for each level.
 */
static double cost(const geometry *g, int width, penta_type type, const penta_direct_cpu_cut *cut)
{
    const level *l = &g->levels[cut->depth];
    int lanes = type == PENTA_F32 ? 16 : 8, full = (cut->span + lanes - 1) / lanes;
    int last = (g->last_span + lanes - 1) / lanes, vectors = g->full_tiles * full + last;
    double lines = (double)g->terms * l->b_lines, steps = width / (is_integer(type) ? 2.0 : 1.0);
    double extra = g->full_tiles * (full == 1 ? 3 : 1) + (last == 0 ? 0 : last == 1 ? 3 : 1);
    double carries = (double)width / g->limit;
    double cells = (double)g->terms * (l->a_lines + l->b_lines) * g->stride;

    return lines * g->tiles_y * (steps * (cut->rows * vectors + extra) + carries * 8 * cut->rows * vectors) +
           cells * (1.1 + cut->depth / 3.0);
}

/* Sets the lines of a chunk and the chunks of a window. Neither depends on the tiles, so floating results do not. */
static void cut_lines(penta_direct_cpu_cut *cut, int width, int height, penta_type type, int max_offset, bool cross)
{
    level levels[MAX_DEPTH + 1], *l = &levels[cut->depth];
    size_t line_bytes =
        ((size_t)width + 2 * MAX_SPAN) * (type == PENTA_F64 ? 8 : 4) * (size_t)term_count(type, cut->depth);
    int lines, chunks;
    double items;

    set_levels(levels, height, max_offset, cross, cut->depth);
    lines = least(most((int)(WINDOW_BYTES / line_bytes), most(l->count, LEAST_CHUNK)), l->b_lines);
    items = (double)term_count(type, cut->depth) * ((l->count + 5) / 6) * ((2 * max_offset + 32) / 32);
    chunks = items < LEAST_ITEMS ? (int)ceil(LEAST_ITEMS / items) : 1;
    cut->chunk_lines = most((lines + chunks - 1) / chunks, least(LEAST_CHUNK, lines));
    cut->window = (lines + cut->chunk_lines - 1) / cut->chunk_lines;
}

/* Whether every buffer is of modest size. */
static bool fits(const geometry *g)
{
    return g->plane_bytes <= MODEST_BYTES && g->partial_bytes <= MODEST_BYTES && g->table_bytes <= MODEST_BYTES;
}

/* The cut with the least predicted time, which depends on nothing but its arguments. */
static penta_direct_cpu_cut penta_direct_cpu_choose(size_t width, size_t height, penta_type type, size_t max_offset,
                                                    bool cross)
{
    penta_direct_cpu_cut best = {0}, cut = {0};
    double least_cost = INFINITY;
    int room = tile_bytes(type) / (type == PENTA_F64 ? 8 : 4);

    for (cut.depth = 0; cut.depth <= (is_integer(type) ? MAX_DEPTH : 0); cut.depth++)
        for (cut.span = 16; cut.span <= MAX_SPAN; cut.span += 16)
            for (cut.rows = 1; cut.rows <= MAX_ROWS && cut.rows * cut.span <= room; cut.rows++) {
                geometry g;
                double c;

                cut_lines(&cut, (int)width, (int)height, type, (int)max_offset, cross);
                g = make_geometry((int)width, (int)height, type, (int)max_offset, cross, &cut);
                c = cost(&g, (int)width, type, &cut);
                if (c < least_cost && (cut.depth == 0 || fits(&g))) {
                    least_cost = c;
                    best = cut;
                }
            }
    return best;
}

/* ---- the plan ---- */

static penta_status get_kernel(penta_direct_cpu *plan, penta_type type, const char *name, int span, penta_kernel *out)
{
    static const char *const types[] = {
        [PENTA_U8] = "U8", [PENTA_U16] = "U16", [PENTA_F32] = "F32", [PENTA_F64] = "F64"};
    char defines[160];

    snprintf(defines, sizeof defines,
             "-DPENTA_%s -DPENTA_TILE_ROWS=%d -DPENTA_TILE_SPAN=%d -DPENTA_TILE_LIMIT=%d -DPENTA_TILE_PAD=%d %s",
             types[type], plan->cut.rows, span, plan->g.limit, plan->cut.span,
             plan->cut.portable ? "-DPENTA_DOT_PORTABLE" : "");
    return penta_kernel_get(&plan->resources, KERNEL_FILE, name, defines, out);
}

static penta_status get_kernels(penta_direct_cpu *plan, penta_type type)
{
    penta_status status = PENTA_OK;
    int span = plan->cut.span, last = plan->g.last_span;

    TRY(get_kernel(plan, type, "autocorr_tiled_cpu_widen", span, &plan->widen));
    TRY(get_kernel(plan, type, "autocorr_tiled_cpu_merge", span, &plan->merge));
    TRY(get_kernel(plan, type, "autocorr_tiled_cpu_correlate", span, &plan->correlate));
    if (last)
        TRY(get_kernel(plan, type, "autocorr_tiled_cpu_correlate", last, &plan->correlate_last));
cleanup:
    return status;
}

static penta_status get_buffers(penta_direct_cpu *plan)
{
    penta_status status = PENTA_OK;
    const geometry *g = &plan->g;

    TRY(penta_buffer_create(&plan->resources, g->plane_bytes, &plan->a_planes));
    if (!plan->shared)
        TRY(penta_buffer_create(&plan->resources, g->plane_bytes, &plan->b_planes));
    TRY(penta_buffer_create(&plan->resources, g->partial_bytes, &plan->partial));
    for (int i = 0; i < 2; i++)
        TRY(penta_buffer_create(&plan->resources, g->table_bytes, &plan->tables[i]));
cleanup:
    return status;
}

penta_status penta_direct_cpu_create(penta_context *ctx, size_t width, size_t height, penta_type type,
                                     size_t max_offset, bool cross, const penta_direct_cpu_cut *cut,
                                     penta_direct_cpu **out)
{
    penta_status status = PENTA_OK;
    penta_direct_cpu *plan = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &plan));
    plan->width = (int)width;
    plan->height = (int)height;
    plan->max_offset = (int)max_offset;
    plan->cross = cross;
    plan->cut = cut ? *cut : penta_direct_cpu_choose(width, height, type, max_offset, cross);
    plan->shared = !cross && plan->cut.depth == 0;
    plan->g = make_geometry(plan->width, plan->height, type, plan->max_offset, cross, &plan->cut);
    TRY(get_kernels(plan, type));
    TRY(get_buffers(plan));
    *out = plan;
    plan = NULL;
cleanup:
    penta_direct_cpu_destroy(plan);
    return status;
}

void penta_direct_cpu_destroy(penta_direct_cpu *plan)
{
    penta_plan_free(plan);
}

/* ---- a run ---- */

static penta_grid single_items(size_t x, size_t y, size_t z)
{
    return penta_grid_groups(penta_grid_3d(x, y, z), 1, 1, 1);
}

static penta_status widen(penta_direct_cpu *plan, penta_buffer *image, long offset, penta_buffer *planes, int second,
                          int first, int lines)
{
    const geometry *g = &plan->g;

    return penta_launch(&plan->widen, single_items((size_t)most(lines, 0), (size_t)g->terms, 1),
                        ARGS(image, offset, plan->width, plan->height, plan->cut.depth, second, first, g->stride,
                             g->plane_lines, planes));
}

/* The lines of the planes held at a time, which are those of one window of chunks. */
typedef struct {
    int chunk, chunks;
    int a_first, a_end, b_first, b_end;
} window;

static window window_at(const penta_direct_cpu *plan, int chunk)
{
    const geometry *g = &plan->g;
    const level *l = &g->levels[plan->cut.depth];
    int lines = plan->cut.chunk_lines, edge = plan->cut.rows - 1;
    window w = {.chunk = chunk, .chunks = least(plan->cut.window, g->chunks - chunk)};

    w.b_first = chunk * lines;
    w.b_end = least((chunk + w.chunks) * lines, l->b_lines);
    w.a_first = most(w.b_first - l->first - g->tiles_y * plan->cut.rows + 1, -edge);
    w.a_end = least(w.b_end - l->first, l->a_lines + edge);
    return w;
}

static penta_status correlate_tiles(penta_direct_cpu *plan, penta_kernel *kernel, const window *w, int x_first,
                                    int tiles)
{
    const geometry *g = &plan->g;
    const level *l = &g->levels[plan->cut.depth];

    return penta_launch(kernel, single_items((size_t)tiles, (size_t)g->tiles_y, (size_t)g->terms * (size_t)w->chunks),
                        ARGS(&plan->a_planes, plan->shared ? &plan->a_planes : &plan->b_planes, plan->width, l->a_lines,
                             l->b_lines, g->stride, g->plane_lines, w->a_first, plan->shared ? w->a_first : w->b_first,
                             plan->max_offset, x_first, l->first, g->terms, plan->cut.chunk_lines, w->chunk,
                             &plan->partial));
}

static penta_status correlate(penta_direct_cpu *plan, penta_buffer *a, penta_buffer *b, long offset, const window *w)
{
    penta_status status = PENTA_OK;
    int full = plan->g.full_tiles, x_first = -plan->max_offset;

    TRY(widen(plan, a, offset, &plan->a_planes, 0, w->a_first, w->a_end - w->a_first));
    if (!plan->shared)
        TRY(widen(plan, b, offset, &plan->b_planes, 1, w->b_first, w->b_end - w->b_first));
    TRY(correlate_tiles(plan, &plan->correlate, w, x_first, full));
    if (plan->g.last_span)
        TRY(correlate_tiles(plan, &plan->correlate_last, w, x_first + full * plan->cut.span, 1));
cleanup:
    return status;
}

/* One merge after the other, the first over the chunks, the last into out. */
static penta_status merge(penta_direct_cpu *plan, penta_buffer *out, size_t frame)
{
    penta_status status = PENTA_OK;
    const geometry *g = &plan->g;
    const level *in = &g->levels[plan->cut.depth], *top = &g->levels[0];
    penta_buffer *from = &plan->partial;
    int sets = least(plan->cut.window, g->chunks), rows = g->tiles_y * plan->cut.rows, columns = g->row_cells;

    for (int terms = g->terms, step = 0;; step++) {
        enum merge_mode mode = terms == 1 ? MERGE_COPY : in == top ? MERGE_BYTES : MERGE_LINES;
        const level *to = mode == MERGE_LINES ? in - 1 : in;
        int left = terms == 1 ? 1 : terms / 3;
        bool last = left == 1;
        penta_buffer *target = last ? out : &plan->tables[step % 2];
        long offset = last ? (long)frame * to->count * g->columns : 0;

        TRY(penta_launch(
            &plan->merge, single_items((size_t)to->count, (size_t)left, 1),
            ARGS(from, offset, mode, sets, terms, rows, columns, in->first, to->first, g->columns, target)));
        if (last)
            break;
        from = target;
        in = to;
        terms = left;
        sets = 1;
        rows = in->count;
        columns = g->columns;
    }
cleanup:
    return status;
}

penta_status penta_direct_cpu_run(penta_direct_cpu *plan, penta_buffer *a, penta_buffer *b, size_t frame,
                                  penta_buffer *out)
{
    penta_status status = PENTA_OK;
    long offset = (long)frame * plan->width * plan->height;

    for (int chunk = 0; chunk < plan->g.chunks; chunk += plan->cut.window) {
        window w = window_at(plan, chunk);

        TRY(correlate(plan, a, plan->cross ? b : a, offset, &w));
    }
    TRY(merge(plan, out, frame));
cleanup:
    return status;
}
