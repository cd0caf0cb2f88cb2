/* A figure as SVG inside HTML: text stays text. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>

#include "figures/apng.h"
#include "figures/html.h"
#include "figures/pen.h"

typedef struct {
    figure_pen pen;
    FILE *out;
} writer;

static void begin(figure_pen *pen, figure_stroke stroke)
{
    fprintf(((writer *)pen)->out, "<path fill=\"none\" stroke=\"#%06x\"%s%s stroke-width=\"%g\" d=\"",
            (unsigned)stroke.colour, stroke.dashed ? " stroke-dasharray=\"8 6\"" : "",
            stroke.pieces ? "" : " stroke-linejoin=\"round\"", stroke.width);
}

static void line(figure_pen *pen, double x0, double y0, double x1, double y1, bool joined)
{
    FILE *out = ((writer *)pen)->out;

    if (!joined)
        fprintf(out, "M%.1f %.1f", x0, y0);
    fprintf(out, "L%.1f %.1f", x1, y1);
}

static void end(figure_pen *pen)
{
    fputs("\"/>\n", ((writer *)pen)->out);
}

static void fill(figure_pen *pen, figure_box box, uint32_t colour)
{
    fprintf(((writer *)pen)->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\"/>\n",
            box.left, box.top, box.right - box.left, box.bottom - box.top, (unsigned)colour);
}

static void slab(figure_pen *pen, const double from[3], const double to[3], uint32_t colour)
{
    fprintf(((writer *)pen)->out, "<path fill=\"#%06x\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fL%.1f %.1fz\"/>\n",
            (unsigned)colour, from[0], from[1], to[0] + 0.1, to[1], to[0] + 0.1, to[2], from[0], from[2]);
}

static void disc(figure_pen *pen, double x, double y, double radius, uint32_t colour)
{
    fprintf(((writer *)pen)->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#%06x\"/>\n", x, y, radius,
            (unsigned)colour);
}

static void image(figure_pen *pen, figure_box box, const figure_image *im, figure_range colours)
{
    FILE *out = ((writer *)pen)->out;
    size_t n = im->width * im->height, size = 0;
    uint8_t *rgb = malloc(3 * n), *bytes = NULL;

    for (size_t i = 0; rgb && i < n; i++) {
        uint32_t colour = figure_pixel(im, colours, i);

        for (size_t k = 0; k < 3; k++)
            rgb[3 * i + k] = (uint8_t)(colour >> (16 - 8 * k));
    }
    if (rgb)
        bytes = png_bytes(im->width, im->height, rgb, &size);
    free(rgb);
    if (!bytes) {
        pen->failed = true;
        return;
    }
    fprintf(out,
            "<image x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.2f\" preserveAspectRatio=\"none\" "
            "style=\"image-rendering:pixelated\" href=\"",
            box.left, box.top, box.right - box.left, box.bottom - box.top);
    html_png(out, bytes, size);
    fputs("\"/>\n", out);
    free(bytes);
}

static void text(figure_pen *pen, double x, double y, double size, double align, uint32_t colour, bool plain,
                 const char *words)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    FILE *out = ((writer *)pen)->out;
    double font = size / 0.72; /* by its capitals */

    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\" fill=\"#%06x\">", x, y, font,
            anchors[(int)(2 * align)], (unsigned)colour);
    for (figure_run run; figure_next_run(&words, plain, &run);) {
        double shift = run.level * -0.3 * font;

        if (run.level)
            fprintf(out, "<tspan dy=\"%.1f\" font-size=\"%.1f\">", shift, 0.75 * font);
        html_text(out, run.at, (size_t)(run.end - run.at));
        if (run.level)
            fprintf(out, "</tspan><tspan dy=\"%.1f\">&#8203;</tspan>", -shift);
    }
    fputs("</text>\n", out);
}

bool figure_svg(const figure *f, const char *name, FILE *out)
{
    writer w = {.pen = {false, begin, line, end, fill, slab, disc, image, text}, .out = out};

    if (f->failed)
        return false;
    fprintf(out,
            "<svg width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" font-family=\"sans-serif\">\n",
            f->width, f->height, f->width, f->height);
    fputs("<title>", out);
    html_text(out, name, SIZE_MAX);
    fputs("</title>\n", out);
    figure_draw(f, &w.pen);
    fputs("</svg>\n", out);
    return !w.pen.failed;
}
