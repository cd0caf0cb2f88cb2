/*
 * Whether parts of a frame have moved apart. Blocks spread over the key are looked for about the place where the whole
 * frame was found. Blocks that agree on another place, where they fit clearly better, are a part that moves otherwise:
 * an animal in a field that drifts, or the field around it. The drift of the frame may then be that of either part.
 */
#include <math.h>
#include <stdlib.h>

#include <pentacl/parallel.h>

#include "math/sizes.h"
#include "prepare/register_parts.h"

enum {
    REACH = 24,       /* px, how far a block is looked for, */
    STEP = 3,         /* px at a time */
    STRIDE = 2,       /* px between the pixels that are compared; the filter of register_see.c makes them smooth */
    MOST_BLOCKS = 10, /* along a side */
    LEAST_SIDE = 24,
    MOST_SIDE = 64, /* px, of a block */
    LEAST_PART = 3  /* blocks that are a part */
};
#define SHARE    0.08 /* of the blocks that were found: a smaller part does not count */
#define FOUND    0.7  /* coefficient of a block that was found */
#define FAR      0.7  /* px that it must be off */
#define TOGETHER 1.5  /* px, blocks of one part agree within this, */
#define APART    0.8  /* px that they are off on average */
#define WORSE    2.0  /* at the frame's place a block lacks this many times as much to 1 as at its own, and */
#define MORE     0.02 /* this much */
#define PI       3.14159265358979323846

/* Filtered images, 0 where masked; a block of f, and whole pixels to its place in g by the frame's drift. */
typedef struct {
    size_t width, height, side, x, y;
    const float *f, *g;
    int at_x, at_y;
    int stretch[MOST_SIDE]; /* px that growth moves a pixel from its place about the middle */
} block;

/* The correlation coefficient of a block with g, (sx, sy) from its place; -1: too few pixels, or no contrast. */
static double coefficient(const block *b, int sx, int sy, size_t stride)
{
    double n = 0, f = 0, g = 0, ff = 0, gg = 0, fg = 0;

    for (size_t y = 0; y < b->side; y += stride) {
        const float *row = b->f + (b->y + y) * b->width + b->x;
        long v = (long)(b->y + y) + b->at_y + sy + b->stretch[y];
        const float *other = v >= 0 && v < (long)b->height ? b->g + (size_t)v * b->width : NULL;

        for (size_t x = 0; x < b->side && other; x += stride) {
            long u = (long)(b->x + x) + b->at_x + sx + b->stretch[x];
            double a = (double)row[x], c = u >= 0 && u < (long)b->width ? (double)other[u] : 0;

            if (a != 0 && c != 0)
                n++, f += a, g += c, ff += a * a, gg += c * c, fg += a * c;
        }
    }
    ff -= f * f / n;
    gg -= g * g / n;
    return 3 * n * (double)(stride * stride) >= (double)(b->side * b->side) && ff > 0 && gg > 0
               ? (fg - f * g / n) / sqrt(ff * gg)
               : -1;
}

/* The nine coefficients about a shift; the largest one's index, or -1: one is missing. */
static int nine(const block *b, int sx, int sy, double *r)
{
    int best = 4;

    for (int k = 0; k < 9; k++) {
        r[k] = coefficient(b, sx + k % 3 - 1, sy + k / 3 - 1, STRIDE);
        if (!(r[k] > -1))
            return -1;
        best = r[k] > r[best] ? k : best;
    }
    return best;
}

/* Whether a block is found; place: from the frame's, which is `rest` from the block's, or 0 where it fits there too. */
static bool find_block(const block *b, const double *rest, double *place)
{
    double r[9], most = -1, x, y, top, at_frame;
    int bx = 0, by = 0, k = nine(b, 0, 0, r);

    place[0] = place[1] = 0;
    if (k < 0)
        return false;
    at_frame = prepare_quadratic_at(r, rest[0], rest[1]);
    if (1 - at_frame <= MORE)
        return true;
    for (int sy = -REACH; sy <= REACH; sy += STEP)
        for (int sx = -REACH; sx <= REACH; sx += STEP) {
            double now = coefficient(b, sx, sy, penta_larger(b->side / 16, STRIDE));

            if (now > most)
                most = now, bx = sx, by = sy;
        }
    for (int move = 0; move < 3 && k >= 0; move++) {
        k = nine(b, bx, by, r);
        if (k == 4)
            break;
        bx += k % 3 - 1;
        by += k / 3 - 1;
    }
    if (k != 4 || !prepare_peak(r, &x, &y, &top) || !(top >= FOUND))
        return false;
    x += bx - rest[0];
    y += by - rest[1];
    if (hypot(x, y) > FAR && 1 - at_frame > WORSE * fmax(1 - top, 0) + MORE)
        place[0] = x, place[1] = y;
    return true;
}

/* Blocks of columns x rows, one a piece, and what came of them. */
typedef struct {
    block b; /* without x, y, at_x and at_y */
    const prepare_match *match;
    size_t border, count[2];
    bool found[MOST_BLOCKS * MOST_BLOCKS];
    double at[MOST_BLOCKS * MOST_BLOCKS][2];
} blocks;

/* Block k in the frame less its border, found where the frame's motion takes its middle. */
static void try_block(void *data, size_t k)
{
    blocks *all = data;
    block b = all->b;
    const prepare_match *m = all->match;
    double angle = m->drift.angle * PI / 180, c = (1 + m->grow) * cos(angle), s = (1 + m->grow) * sin(angle);
    double x, y, rest[2];

    b.x = all->border + (b.width - 2 * all->border - b.side) * (k % all->count[0]) / penta_larger(all->count[0] - 1, 1);
    b.y =
        all->border + (b.height - 2 * all->border - b.side) * (k / all->count[0]) / penta_larger(all->count[1] - 1, 1);
    x = (double)b.x + 0.5 * ((double)b.side - (double)b.width + 1);
    y = (double)b.y + 0.5 * ((double)b.side - (double)b.height + 1);
    rest[0] = c * x - s * y + m->drift.dx - x;
    rest[1] = s * x + c * y + m->drift.dy - y;
    b.at_x = (int)floor(rest[0] + 0.5);
    b.at_y = (int)floor(rest[1] + 0.5);
    rest[0] -= b.at_x;
    rest[1] -= b.at_y;
    all->found[k] = find_block(&b, rest, all->at[k]);
}

/* The largest number of blocks that agree, and where they are on average. */
static size_t largest_part(size_t n, double at[][2], double *dx, double *dy)
{
    size_t most = 0;

    for (size_t i = 0; i < n; i++) {
        double x = 0, y = 0;
        size_t count = 0;

        for (size_t j = 0; j < n; j++)
            if (hypot(at[j][0] - at[i][0], at[j][1] - at[i][1]) <= TOGETHER)
                count++, x += at[j][0], y += at[j][1];
        if (count > most)
            most = count, *dx = x / (double)count, *dy = y / (double)count;
    }
    return most;
}

penta_status prepare_moves_run(const prepare_pair *of, const prepare_shape *shape, size_t border,
                               const prepare_match *match, bool *apart, double *dx, double *dy)
{
    penta_status status = PENTA_OK;
    size_t pixels = shape->width * shape->height, inner = prepare_shorter_side(shape), found = 0, off = 0;
    blocks all = {.b = {.width = shape->width, .height = shape->height}, .match = match, .border = border};
    block *b = &all.b;
    float *images = NULL;

    *apart = false;
    *dx = *dy = 0;
    b->side = penta_smaller(penta_larger(inner / 10, LEAST_SIDE), MOST_SIDE);
    if (inner < 2 * border + b->side)
        return PENTA_OK;
    for (size_t i = 0; i < b->side; i++)
        b->stretch[i] = (int)floor(match->grow * ((double)i - 0.5 * (double)b->side) + 0.5);
    TRY(penta_calloc(of->f->ctx, 2 * pixels, sizeof *images, &images));
    TRY(penta_buffer_read(of->f, 0, images, pixels * sizeof *images));
    TRY(penta_buffer_read(of->g, (size_t)match->frame * pixels * sizeof *images, images + pixels,
                          pixels * sizeof *images));
    b->f = images;
    b->g = images + pixels;
    all.count[0] = penta_smaller((b->width - 2 * border) / b->side, MOST_BLOCKS);
    all.count[1] = penta_smaller((b->height - 2 * border) / b->side, MOST_BLOCKS);
    penta_parallel(all.count[0] * all.count[1], try_block, &all);
    for (size_t k = 0; k < all.count[0] * all.count[1]; k++) {
        double x = all.at[k][0], y = all.at[k][1];

        found += all.found[k];
        if (all.found[k] && (x != 0 || y != 0)) {
            all.at[off][0] = x;
            all.at[off++][1] = y;
        }
    }
    off = largest_part(off, all.at, dx, dy);
    *apart = off >= LEAST_PART && (double)off >= SHARE * (double)found && hypot(*dx, *dy) > APART;
cleanup:
    free(images);
    return status;
}
