/* A figure as SVG inside HTML: text stays text. */
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
    fprintf(((writer *)pen)->out,
            "<path fill=\"none\" stroke=\"#%06x\"%s stroke-linejoin=\"round\" stroke-width=\"%g\" d=\"",
            (unsigned)stroke.colour, stroke.dashed ? " stroke-dasharray=\"8 6\"" : "", stroke.width);
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

static void polygon(figure_pen *pen, size_t n, const double (*corners)[2], uint32_t colour)
{
    FILE *out = ((writer *)pen)->out;

    fprintf(out, "<path fill=\"#%06x\" d=\"", (unsigned)colour);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%c%.1f %.1f", i > 0 ? 'L' : 'M', corners[i][0], corners[i][1]);
    fputs("z\"/>\n", out);
}

static void circle(figure_pen *pen, double x, double y, double radius, double width, uint32_t colour)
{
    FILE *out = ((writer *)pen)->out;

    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" ", x, y, radius);
    if (width > 0)
        fprintf(out, "fill=\"none\" stroke=\"#%06x\" stroke-width=\"%g\"/>\n", (unsigned)colour, width);
    else
        fprintf(out, "fill=\"#%06x\"/>\n", (unsigned)colour);
}

static void image(figure_pen *pen, figure_box box, const figure_image *im, figure_range colours)
{
    FILE *out = ((writer *)pen)->out;
    size_t n = im->width * im->height, size = 0;
    uint8_t *rgb = malloc(3 * n), *bytes = NULL;

    for (size_t i = 0; rgb && i < n; i++) {
        uint32_t colour = figure_pixel(pen, im, colours, i);

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

static void text(figure_pen *pen, figure_letters l, const char *words)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    FILE *out = ((writer *)pen)->out;
    const double font = l.size / FIGURE_CAPITALS;

    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\" fill=\"#%06x\"", l.x, l.y, font,
            anchors[(int)(2 * l.align)], (unsigned)l.colour);
    if (l.turned)
        fprintf(out, " transform=\"rotate(-90 %.1f %.1f)\"", l.x, l.y);
    fputc('>', out);
    for (figure_run run; figure_next_run(&words, l.plain, &run);) {
        double shift = run.level * -FIGURE_SHIFT * font;

        if (run.level)
            fprintf(out, "<tspan dy=\"%.1f\" font-size=\"%.1f\">", shift, FIGURE_SMALLER * font);
        html_text(out, run.at, (size_t)(run.end - run.at));
        if (run.level)
            fprintf(out, "</tspan><tspan dy=\"%.1f\">&#8203;</tspan>", -shift);
    }
    fputs("</text>\n", out);
}

bool figure_put_svg(const figure *f, const char *name, const char *more, FILE *out)
{
    writer w = {.pen = {false, 0, begin, line, end, fill, polygon, circle, image, text}, .out = out};

    if (f->failed)
        return false;
    fprintf(out,
            "<svg%s width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "role=\"img\" font-family=\"DejaVu Sans, sans-serif\">\n<title>",
            more, f->width, f->height, f->width, f->height);
    html_text(out, name, SIZE_MAX);
    fputs("</title>\n", out);
    fill(&w.pen, (figure_box){0, 0, f->width, f->height}, 0xffffff);
    figure_draw(f, &w.pen);
    fputs("</svg>\n", out);
    return !w.pen.failed;
}

bool figure_svg(const figure *f, const char *name, FILE *out)
{
    return figure_put_svg(f, name, "", out);
}
