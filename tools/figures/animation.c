/* A figure in indexed colours. */
#include "figures/animation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures/pen.h"

/* The palette: COLOURS of viridis, then GREYS from black to white. */
enum { COLOURS = 224, GREYS = 32 };

/* What a frame is drawn on. */
typedef struct {
    size_t width, height;
    uint8_t *pixels; /* height x width indices into the palette */
} sheet;

typedef struct {
    figure_pen pen;
    sheet *a;
    figure_pen *letters; /* with which text is written */
    figure_stroke stroke;
} brush;

static void make_palette(uint8_t palette[768])
{
    for (int i = 0; i < COLOURS + GREYS; i++) {
        uint32_t grey = (uint32_t)lround(255.0 * (i - COLOURS) / (GREYS - 1));
        uint32_t colour = i < COLOURS ? figure_viridis((double)i / (COLOURS - 1)) : grey << 16 | grey << 8 | grey;

        for (int k = 0; k < 3; k++)
            palette[3 * i + k] = (uint8_t)(colour >> (16 - 8 * k));
    }
}

/* By its green, which is about as light as the colour. */
static uint8_t grey_of(uint32_t colour)
{
    return (uint8_t)(COLOURS + ((colour >> 8 & 0xff) * (GREYS - 1) + 127) / 255);
}

static void put_block(sheet *a, double x, double y, double width, double height, uint8_t index)
{
    long right = lround(fmin(x + width, (double)a->width)), below = lround(fmin(y + height, (double)a->height));

    for (long j = lround(fmax(y, 0)); j < below; j++)
        for (long i = lround(fmax(x, 0)); i < right; i++)
            a->pixels[(size_t)j * a->width + (size_t)i] = index;
}

/* ---- the pen ---- */

static void begin(figure_pen *pen, figure_stroke stroke)
{
    ((brush *)pen)->stroke = stroke;
}

/* A pixel for each step along the longer side, and as many across as the line is wide. */
static void line(figure_pen *pen, double x0, double y0, double x1, double y1, bool joined)
{
    brush *b = (brush *)pen;
    const bool flat = fabs(x1 - x0) >= fabs(y1 - y0);
    double steps = fmax(ceil(fmax(fabs(x1 - x0), fabs(y1 - y0))), 1), across = fmax(b->stroke.width, 1);

    (void)joined;
    for (double k = 0; k <= steps; k++) {
        double x = floor(x0 + (x1 - x0) * k / steps), y = floor(y0 + (y1 - y0) * k / steps), before = (across - 1) / 2;

        put_block(b->a, flat ? x : x - before, flat ? y - before : y, flat ? 1 : across, flat ? across : 1,
                  grey_of(b->stroke.colour));
    }
}

static void end(figure_pen *pen)
{
    (void)pen;
}

static void fill(figure_pen *pen, figure_box box, uint32_t colour)
{
    put_block(((brush *)pen)->a, box.left, box.top, box.right - box.left, box.bottom - box.top, grey_of(colour));
}

static void circle(figure_pen *pen, double x, double y, double radius, double width, uint32_t colour)
{
    (void)width;
    for (double j = floor(-radius); j <= radius; j++) {
        double half = sqrt(fmax(radius * radius - j * j, 0));

        put_block(((brush *)pen)->a, x - half, floor(y + j), 2 * half, 1, grey_of(colour));
    }
}

static uint8_t index_of(const figure_image *im, figure_range colours, size_t at)
{
    double share;

    if (!im->values || !isfinite(im->values[at]))
        return grey_of(figure_pixel(im, colours, at));
    share = figure_share(colours, (double)im->values[at]);
    return (uint8_t)lround(fmin(fmax(share, 0), 1) * (COLOURS - 1));
}

static void image(figure_pen *pen, figure_box box, const figure_image *im, figure_range colours)
{
    sheet *a = ((brush *)pen)->a;
    double width = box.right - box.left, height = box.bottom - box.top, x_end, y_end;
    double left = round(fmax(box.left, 0)), top = round(fmax(box.top, 0));
    size_t i, j;

    for (double y = 0; y < round(height); y = y_end) {
        y_end = figure_image_run(height, im->height, y, &j);
        for (double x = 0; x < round(width); x = x_end) {
            x_end = figure_image_run(width, im->width, x, &i);
            put_block(a, left + x, top + y, x_end - x, y_end - y, index_of(im, colours, j * im->width + i));
        }
    }
}

static void text(figure_pen *pen, figure_letters letters, const char *words)
{
    figure_pen *writer = ((brush *)pen)->letters;

    writer->text(writer, letters, words);
}

/* ---- the animation ---- */

uint8_t *figure_animation_draw(size_t width, size_t height, const figure *f, size_t *size)
{
    sheet paper = {.width = width, .height = height, .pixels = malloc(width * height)};
    brush b = {.pen = {false, begin, line, end, fill, NULL, circle, image, text},
               .a = &paper,
               .letters = figure_cairo_open(width, height)};
    const uint32_t *ink = NULL;
    uint8_t *packed = NULL;

    *size = 0;
    if (b.letters && paper.pixels && !f->failed) {
        memset(paper.pixels, grey_of(0xffffff), width * height);
        figure_draw(f, &b.pen);
        ink = figure_cairo_pixels(b.letters);
        for (size_t i = 0; ink && i < width * height; i++)
            if ((ink[i] & 0xff00) < 0xff00)
                paper.pixels[i] = grey_of(ink[i]);
        if (ink && !b.pen.failed)
            packed = apng_pack(width, height, paper.pixels, size);
    }
    figure_cairo_close(b.letters);
    free(paper.pixels);
    return packed;
}

apng figure_animation_begin(FILE *out, size_t width, size_t height, size_t frames, unsigned delay)
{
    uint8_t palette[768];

    make_palette(palette);
    return apng_begin(out, width, height, palette, frames, delay);
}
