/* A figure as PNG, on a canvas. */
#include <math.h>
#include <stdio.h>

#include <pentacl/io/image.h>
#include "figures/canvas.h"
#include "figures/pen.h"

typedef struct {
    figure_pen pen;
    canvas canvas;
    figure_stroke stroke;
    double drawn; /* px of a dashed line so far */
} brush;

static void begin(figure_pen *pen, figure_stroke stroke)
{
    brush *b = (brush *)pen;

    b->stroke = stroke;
    b->drawn = 0;
}

static void dash(brush *b, double x0, double y0, double x1, double y1)
{
    const double on = 8, period = 14;
    double length = hypot(x1 - x0, y1 - y0), begun = b->drawn;

    for (double k = floor(begun / period); k * period < begun + length; k++) {
        double from = fmax(k * period - begun, 0) / length, to = fmin(k * period + on - begun, length) / length;

        if (to > from)
            canvas_piece(&b->canvas, x0 + from * (x1 - x0), y0 + from * (y1 - y0), x0 + to * (x1 - x0),
                         y0 + to * (y1 - y0), b->stroke.width, b->stroke.colour);
    }
    b->drawn += length;
}

static void line(figure_pen *pen, double x0, double y0, double x1, double y1, bool joined)
{
    brush *b = (brush *)pen;

    if (!joined)
        b->drawn = 0;
    if (b->stroke.dashed)
        dash(b, x0, y0, x1, y1);
    else
        (b->stroke.pieces ? canvas_piece : canvas_line)(&b->canvas, x0, y0, x1, y1, b->stroke.width, b->stroke.colour);
}

static void end(figure_pen *pen)
{
    (void)pen;
}

static void fill(figure_pen *pen, figure_box box, uint32_t colour)
{
    canvas_fill(&((brush *)pen)->canvas, box.left, box.top, box.right - box.left, box.bottom - box.top, colour);
}

static void disc(figure_pen *pen, double x, double y, double radius, uint32_t colour)
{
    canvas_line(&((brush *)pen)->canvas, x, y, x, y, 2 * radius, colour);
}

static void image(figure_pen *pen, figure_box box, const figure_image *im, figure_range colours)
{
    double width = box.right - box.left, height = box.bottom - box.top, x_end, y_end;
    size_t i, j;

    for (double y = 0; y < round(height); y = y_end) {
        y_end = figure_image_run(height, im->height, y, &j);
        for (double x = 0; x < round(width); x = x_end) {
            x_end = figure_image_run(width, im->width, x, &i);
            fill(pen, (figure_box){box.left + x, box.top + y, box.left + x_end, box.top + y_end},
                 figure_pixel(im, colours, j * im->width + i));
        }
    }
}

void figure_canvas_text(canvas *c, double x, double y, double size, uint32_t colour, bool plain, const char *words)
{
    char part[256];

    for (figure_run run; figure_next_run(&words, plain, &run);) {
        double letters = run.level ? 0.75 * size : size;

        snprintf(part, sizeof part, "%.*s", (int)(run.end - run.at), run.at);
        canvas_text(c, x, y - (run.level > 0 ? 0.6 : run.level < 0 ? -0.35 : 0) * size, letters, 0, colour, part);
        x += canvas_text_width(letters, part) + 0.2 * size;
    }
}

static void text(figure_pen *pen, double x, double y, double size, double align, uint32_t colour, bool plain,
                 const char *words)
{
    figure_canvas_text(&((brush *)pen)->canvas, x - align * figure_text_width(size, plain, words), y, size, colour,
                       plain, words);
}

bool figure_png(const figure *f, const char *path, penta_io_error *err)
{
    brush b = {.pen = {false, begin, line, end, fill, figure_slab_by_columns, disc, image, text}};
    bool ok = !f->failed && canvas_create((size_t)ceil(f->width), (size_t)ceil(f->height), &b.canvas);

    if (!ok)
        return penta_io_fail(err, "%s: out of memory for the picture", path);
    figure_draw(f, &b.pen);
    ok = penta_io_png_write_rgb(path, b.canvas.width, b.canvas.height, b.canvas.rgb, err);
    canvas_free(&b.canvas);
    return ok;
}
