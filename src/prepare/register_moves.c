/*
 * Whether parts of a frame have moved apart. Blocks spread over the key are looked for about the place where the whole
 * frame was found. Blocks that agree on another place, where they fit clearly better, are a part that moves otherwise:
 * an animal in a field that drifts, or the field around it. The drift of the frame may then be that of either part.
 */
#include <math.h>
#include <stdlib.h>

#include "prepare/register_parts.h"

enum {
    REACH = 12,       /* px, how far a block is looked for */
    STRIDE = 2,       /* px between the pixels that are compared; the filter of register_see.c makes them smooth */
    MOST_BLOCKS = 10, /* along a side */
    LEAST_SIDE = 24,
    MOST_SIDE = 64, /* px, of a block */
    LEAST_PART = 3  /* blocks that are a part */
};
#define SHARE    0.08 /* of the blocks that were found: a smaller part does not count */
#define FOUND    0.7  /* coefficient of a block that was found */
#define FAR      0.7  /* px that it must be off */
#define TOGETHER 1.5  /* px, blocks of one part agree within this */
#define WORSE    2.0  /* at the frame's place a block lacks this many times as much to 1 as at its own, and */
#define MORE     0.02 /* this much */
#define PI       3.14159265358979323846

/* The images on the host, and the rectangle of the pixels of f that count. */
typedef struct {
    size_t width, height;
    float *f, *g;
    uint8_t *f_mask, *g_mask;
    size_t x0, y0, x1, y1;
} images;

typedef struct {
    size_t x, y, side; /* its corner in f */
    int at_x, at_y;    /* whole pixels to its place in g by the frame's drift, and the rest */
    double rest_x, rest_y;
} block;

static penta_status read_images(const prepare_pair *of, const prepare_shape *shape, int frame, images *i)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = of->f->ctx;
    size_t pixels = shape->width * shape->height, at = (size_t)frame * pixels;

    *i = (images){.width = shape->width, .height = shape->height, .x0 = shape->width, .y0 = shape->height};
    TRY(penta_calloc(ctx, pixels, sizeof *i->f, &i->f));
    TRY(penta_calloc(ctx, pixels, sizeof *i->g, &i->g));
    TRY(penta_calloc(ctx, pixels, 1, &i->f_mask));
    TRY(penta_calloc(ctx, pixels, 1, &i->g_mask));
    TRY(penta_buffer_read(of->f, 0, i->f, pixels * sizeof *i->f));
    TRY(penta_buffer_read(of->f_mask, 0, i->f_mask, pixels));
    TRY(penta_buffer_read(of->g, at * sizeof *i->g, i->g, pixels * sizeof *i->g));
    TRY(penta_buffer_read(of->g_mask, at, i->g_mask, pixels));
    for (size_t p = 0; p < pixels; p++)
        if (i->f_mask[p]) {
            size_t x = p % i->width, y = p / i->width;

            i->x0 = x < i->x0 ? x : i->x0;
            i->x1 = x >= i->x1 ? x + 1 : i->x1;
            i->y0 = y < i->y0 ? y : i->y0;
            i->y1 = y + 1;
        }
cleanup:
    return status;
}

static void free_images(images *i)
{
    free(i->f);
    free(i->g);
    free(i->f_mask);
    free(i->g_mask);
}

/* The correlation coefficient of a block with g, (sx, sy) from its place; -1: too few pixels, or no contrast. */
static double coefficient(const images *i, const block *b, int sx, int sy)
{
    double n = 0, f = 0, g = 0, ff = 0, gg = 0, fg = 0;

    for (size_t y = b->y; y < b->y + b->side; y += STRIDE)
        for (size_t x = b->x; x < b->x + b->side; x += STRIDE) {
            long u = (long)x + b->at_x + sx, v = (long)y + b->at_y + sy;
            size_t p = y * i->width + x, q;
            double a, c;

            if (!i->f_mask[p] || u < 0 || v < 0 || u >= (long)i->width || v >= (long)i->height)
                continue;
            q = (size_t)v * i->width + (size_t)u;
            if (!i->g_mask[q])
                continue;
            a = (double)i->f[p];
            c = (double)i->g[q];
            n++, f += a, g += c, ff += a * a, gg += c * c, fg += a * c;
        }
    if (3 * n < (double)(b->side / STRIDE) * (double)(b->side / STRIDE))
        return -1;
    ff = ff - f * f / n;
    gg = gg - g * g / n;
    return ff > 0 && gg > 0 ? (fg - f * g / n) / sqrt(ff * gg) : -1;
}

/* The nine coefficients about a shift; false: one is missing. */
static bool nine(const images *i, const block *b, int sx, int sy, double *r)
{
    for (int k = 0; k < 9; k++) {
        r[k] = coefficient(i, b, sx + k % 3 - 1, sy + k / 3 - 1);
        if (!(r[k] > -1))
            return false;
    }
    return true;
}

/* The quadratic through the nine by least squares. */
static double quadratic(const double *r, double x, double y)
{
    double c = 0, cx = 0, cy = 0, cxx = 0, cyy = 0, cxy = 0;

    for (int k = 0; k < 9; k++) {
        double u = k % 3 - 1, v = k / 3 - 1;

        c += r[k] * (5 - 3 * (u * u + v * v)) / 9;
        cx += r[k] * u / 6;
        cy += r[k] * v / 6;
        cxy += r[k] * u * v / 4;
        cxx += r[k] * (u * u / 2 - 1.0 / 3);
        cyy += r[k] * (v * v / 2 - 1.0 / 3);
    }
    return c + cx * x + cy * y + cxx * x * x + cyy * y * y + cxy * x * y;
}

/* Whether a block is found; *dx, *dy: from the frame's place, 0 where it fits there as well. */
static bool find_block(const images *i, const block *b, double *dx, double *dy)
{
    double here[9], r[9], best = -1, x, y, top, at_frame;
    int bx = 0, by = 0;

    *dx = *dy = 0;
    if (!nine(i, b, 0, 0, here))
        return false;
    at_frame = quadratic(here, b->rest_x, b->rest_y);
    if (1 - at_frame <= MORE)
        return true;
    for (int sy = -REACH; sy <= REACH; sy += 2)
        for (int sx = -REACH; sx <= REACH; sx += 2) {
            double now = coefficient(i, b, sx, sy);

            if (now > best)
                best = now, bx = sx, by = sy;
        }
    for (int move = 0; move < 3; move++) {
        int k = 4;

        if (!nine(i, b, bx, by, r))
            return false;
        for (int j = 0; j < 9; j++)
            k = r[j] > r[k] ? j : k;
        bx += k % 3 - 1;
        by += k / 3 - 1;
        if (k == 4)
            break;
    }
    if (abs(bx) > REACH || abs(by) > REACH || !nine(i, b, bx, by, r) || !prepare_peak(r, &x, &y, &top))
        return false;
    top = fmin(top, 1);
    if (!(top >= FOUND))
        return false;
    x += bx - b->rest_x;
    y += by - b->rest_y;
    if (hypot(x, y) > FAR && 1 - at_frame > WORSE * (1 - top) + MORE) {
        *dx = x;
        *dy = y;
    }
    return true;
}

/* Block (column, row) of n along each side, and where the frame's motion takes its middle. */
static block block_at(const images *i, const prepare_match *m, size_t side, size_t column, size_t row, size_t columns,
                      size_t rows)
{
    block b = {.side = side,
               .x = i->x0 + (columns > 1 ? (i->x1 - i->x0 - side) * column / (columns - 1) : 0),
               .y = i->y0 + (rows > 1 ? (i->y1 - i->y0 - side) * row / (rows - 1) : 0)};
    double x = (double)b.x + 0.5 * (double)side - 0.5 * ((double)i->width - 1);
    double y = (double)b.y + 0.5 * (double)side - 0.5 * ((double)i->height - 1);
    double a = m->drift.angle * PI / 180, c = (1 + m->grow) * cos(a), s = (1 + m->grow) * sin(a);
    double to_x = c * x - s * y + m->drift.dx - x, to_y = s * x + c * y + m->drift.dy - y;

    b.at_x = (int)floor(to_x + 0.5);
    b.at_y = (int)floor(to_y + 0.5);
    b.rest_x = to_x - b.at_x;
    b.rest_y = to_y - b.at_y;
    return b;
}

/* The largest number of blocks that agree, and where they are on average. */
static size_t largest_part(size_t n, const double *at, double *dx, double *dy)
{
    size_t most = 0;

    for (size_t i = 0; i < n; i++) {
        double x = 0, y = 0;
        size_t count = 0;

        for (size_t j = 0; j < n; j++)
            if (hypot(at[2 * j] - at[2 * i], at[2 * j + 1] - at[2 * i + 1]) <= TOGETHER)
                count++, x += at[2 * j], y += at[2 * j + 1];
        if (count > most) {
            most = count;
            *dx = x / (double)count;
            *dy = y / (double)count;
        }
    }
    return most;
}

penta_status prepare_moves_run(const prepare_pair *of, const prepare_shape *shape, const prepare_match *match,
                               bool *apart, double *dx, double *dy)
{
    penta_status status = PENTA_OK;
    size_t side = prepare_shorter_side(shape) / 10, columns, rows, found = 0, off = 0;
    double at[2 * MOST_BLOCKS * MOST_BLOCKS];
    images i;

    *apart = false;
    *dx = *dy = 0;
    side = side < LEAST_SIDE ? LEAST_SIDE : side > MOST_SIDE ? MOST_SIDE : side;
    TRY(read_images(of, shape, match->frame, &i));
    if (i.x1 < i.x0 + side || i.y1 < i.y0 + side)
        goto cleanup;
    columns = (i.x1 - i.x0) / side < MOST_BLOCKS ? (i.x1 - i.x0) / side : MOST_BLOCKS;
    rows = (i.y1 - i.y0) / side < MOST_BLOCKS ? (i.y1 - i.y0) / side : MOST_BLOCKS;
    for (size_t k = 0; k < columns * rows; k++) {
        block b = block_at(&i, match, side, k % columns, k / columns, columns, rows);

        if (!find_block(&i, &b, &at[2 * off], &at[2 * off + 1]))
            continue;
        found++;
        off += at[2 * off] != 0 || at[2 * off + 1] != 0;
    }
    found = off == 0 ? 0 : found;
    off = largest_part(off, at, dx, dy);
    *apart = off >= LEAST_PART && (double)off >= SHARE * (double)found;
cleanup:
    free_images(&i);
    return status;
}
