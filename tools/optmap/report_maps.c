/* Maps in the report: PNG of the values, a px a pixel, with labels and isochrones in SVG around them. */
#include <math.h>
#include <stdlib.h>

#include <pentacl/io/apng.h>
#include "optmap/report_html.h"

enum {
    PANEL = 200,
    GAP = 16,
    LABEL = 20,
    TOP = 8,
    COLUMNS = 4,
    BAR = 96,
    FOOT = 30,
    MOST_SIDE = 256,
    MOST_PANELS = 100
};

typedef struct {
    FILE *out;
    const optmap_findings *f;
    const optmap_map *map;
    optmap_range range;
    float *values, *shown, *smooth; /* of the panel; the others are rows x cols; smooth: for isochrones */
    uint8_t *rgb;
    size_t thinned, rows, cols; /* each thinned-th pixel is shown */
    size_t panels, columns;
    double scale, width, height; /* px for a pixel that is shown; of a panel */
    double x, y, step;           /* step: of isochrones, ms */
} sheet;

static void lay_out(sheet *s)
{
    size_t longest = s->f->width > s->f->height ? s->f->width : s->f->height;

    s->thinned = (longest + MOST_SIDE - 1) / MOST_SIDE;
    s->rows = (s->f->height + s->thinned - 1) / s->thinned;
    s->cols = (s->f->width + s->thinned - 1) / s->thinned;
    s->scale = (double)PANEL * (double)s->thinned / (double)longest;
    s->width = s->scale * (double)s->cols;
    s->height = s->scale * (double)s->rows;
    s->panels = s->map->count < MOST_PANELS ? s->map->count : MOST_PANELS;
    s->columns = s->panels < COLUMNS ? s->panels : COLUMNS;
}

static double pitch_x(const sheet *s)
{
    return fmax(s->width, 110) + GAP;
}

static double panels_height(const sheet *s)
{
    return (double)((s->panels + s->columns - 1) / s->columns) * (s->height + LABEL + GAP);
}

static void paint(sheet *s)
{
    for (size_t i = 0; i < s->rows * s->cols; i++) {
        float v = s->values[i / s->cols * s->thinned * s->f->width + i % s->cols * s->thinned];
        uint32_t colour = isfinite(v) ? plot_viridis(optmap_share(&s->range, (double)v)) : OPTMAP_UNKNOWN;

        s->shown[i] = v;
        for (int k = 0; k < 3; k++)
            s->rgb[3 * i + (size_t)k] = (uint8_t)(colour >> (16 - 8 * k));
    }
}

static bool put_image(sheet *s)
{
    size_t size = 0;
    uint8_t *bytes = penta_io_png_bytes(s->cols, s->rows, s->rgb, &size);

    if (!bytes)
        return false;
    fprintf(s->out,
            "<image x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.2f\" preserveAspectRatio=\"none\" "
            "style=\"image-rendering:pixelated\" href=\"",
            s->x, s->y, s->width, s->height);
    optmap_html_png(s->out, bytes, size);
    fputs("\"/>\n", s->out);
    free(bytes);
    return true;
}

static void put_piece(void *user, double x0, double y0, double x1, double y1)
{
    sheet *s = user;

    fprintf(s->out, "M%.1f %.1fL%.1f %.1f", s->x + (x0 + 0.5) * s->scale, s->y + (y0 + 0.5) * s->scale,
            s->x + (x1 + 0.5) * s->scale, s->y + (y1 + 0.5) * s->scale);
}

static void put_isochrones(sheet *s)
{
    double step = s->step;

    optmap_smooth(s->shown, s->rows, s->cols, s->smooth);
    for (double k = ceil(s->range.low / step + 1e-9); k * step < s->range.high; k++) {
        fprintf(s->out, "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"0.8\" stroke-linecap=\"round\" d=\"M0 0",
                (unsigned)optmap_line_colour(optmap_share(&s->range, k * step)));
        optmap_isoline(s->smooth, s->rows, s->cols, k * step, put_piece, s);
        fputs("\"/>\n", s->out);
    }
}

static void put_stroke(void *user, double x0, double y0, double x1, double y1)
{
    const sheet *s = user;

    fprintf(s->out, "M%.1f %.1fL%.1f %.1f", x0, y0, x1, y1);
}

static void put_arrow(void *user, double x, double y, double vx, double vy)
{
    sheet *s = user;
    double speed = hypot(vx, vy), pixel = s->scale / (double)s->thinned;
    double half = 0.42 * pixel * (double)optmap_block(s->f, OPTMAP_MOST_ARROWS) / speed;

    fprintf(s->out, "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"1\" d=\"",
            (unsigned)optmap_line_colour(optmap_share(&s->range, speed)));
    optmap_arrow(s->x + (x + 0.5) * pixel, s->y + (y + 0.5) * pixel, half * vx, half * vy, put_stroke, s);
    fputs("\"/>\n", s->out);
}

static bool put_panel(sheet *s, size_t i)
{
    double origin = optmap_map_values(s->f, s->map, i, s->values);

    s->x = (double)(i % s->columns) * pitch_x(s);
    s->y = TOP + LABEL + (double)(i / s->columns) * (s->height + LABEL + GAP);
    if (s->map->per_beat)
        fprintf(s->out, "<text x=\"%.1f\" y=\"%.1f\">beat %zu", s->x, s->y - 6, i + 1);
    if (s->map->per_beat && s->map->from_first && s->range.known > 0)
        fprintf(s->out, ": %.1f ms", origin);
    if (s->map->per_beat)
        fputs("</text>\n", s->out);
    paint(s);
    if (!put_image(s))
        return false;
    if (s->step > 0)
        put_isochrones(s);
    if (s->map->squared)
        optmap_directions(s->f, i, OPTMAP_MOST_ARROWS, put_arrow, s);
    return true;
}

static void put_bar(sheet *s)
{
    double x = (double)s->columns * pitch_x(s), y = TOP + LABEL, height = s->height < 120 ? 120 : s->height;
    double step = optmap_tick_step(s->range.low, s->range.high, OPTMAP_MOST_TICKS);
    char text[40];

    for (int i = 0; i < 50; i++)
        fprintf(s->out, "<rect x=\"%.1f\" y=\"%.2f\" width=\"14\" height=\"%.2f\" fill=\"#%06x\"/>", x,
                y + height * (49 - i) / 50, height / 50 + 0.3, (unsigned)plot_viridis((i + 0.5) / 50));
    fprintf(s->out, "\n<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x, y - 6, s->map->unit);
    for (double k = ceil(s->range.low / step - 1e-9); k * step <= s->range.high; k++) {
        double at = y + height * (1 - optmap_share(&s->range, k * step));

        plot_put_tick(text, sizeof text, k * step, step);
        fprintf(s->out, "<path stroke=\"#202020\" d=\"M%.1f %.1fh4\"/><text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x + 14,
                at, x + 21, at + 4, text);
    }
}

static void put_scale(sheet *s)
{
    double y = TOP + panels_height(s) - 4, pixels, width;
    char text[40];

    if (!optmap_scale_length(s->f, 0.4 * (double)s->f->width, &pixels, text, sizeof text))
        return;
    width = pixels * s->scale / (double)s->thinned;
    fprintf(s->out, "<rect x=\"0\" y=\"%.1f\" width=\"%.2f\" height=\"3\"/><text x=\"%.1f\" y=\"%.1f\">%s</text>\n",
            y + 4, width, width + 7, y + 10, text);
}

static void put_caption(const sheet *s)
{
    fprintf(s->out, "<figcaption>%s, %s%s", s->map->title, s->map->unit,
            s->map->from_first ? " after the beat's first pixel" : "");
    if (s->step > 0)
        fprintf(s->out, "; isochrones every %g ms", s->step);
    if (s->map->data == s->f->frequency)
        fprintf(s->out, "; the movie tells frequencies apart that differ by %.3g Hz or more",
                optmap_frequency_resolution(s->f));
    if (s->map->count > s->panels)
        fprintf(s->out, "; the first %zu of %zu beats", s->panels, s->map->count);
    fprintf(s->out, "%s.</figcaption>", s->range.known == 0 ? "; no pixel has a value" : "");
}

static bool put_sheet(sheet *s)
{
    double width = (double)s->columns * pitch_x(s) + BAR, height = TOP + panels_height(s) + FOOT;

    fprintf(s->out,
            "<figure><svg width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" font-size=\"12\" "
            "font-family=\"sans-serif\">\n",
            width, height, width, height);
    fprintf(s->out, "<title>%s</title>\n", s->map->title);
    for (size_t i = 0; i < s->panels; i++)
        if (!put_panel(s, i))
            return false;
    if (s->range.known > 0) {
        put_bar(s);
        put_scale(s);
    }
    fputs("</svg>", s->out);
    put_caption(s);
    fputs("</figure>\n", s->out);
    return true;
}

bool optmap_html_maps(FILE *out, const optmap_findings *f, const char *name)
{
    optmap_map map;
    sheet s = {.out = out, .f = f, .map = &map};
    bool ok;

    if (!optmap_find_map(f, name, &map) || map.count == 0)
        return true;
    lay_out(&s);
    s.values = malloc(f->height * f->width * sizeof *s.values);
    s.shown = malloc(s.rows * s.cols * sizeof *s.shown);
    s.smooth = malloc(s.rows * s.cols * sizeof *s.smooth);
    s.rgb = malloc(3 * s.rows * s.cols);
    ok = s.values && s.shown && s.smooth && s.rgb && optmap_range_of_maps(f, &map, &s.range);
    if (ok && map.from_first)
        s.step = optmap_isochrone_step(f, &s.range);
    if (ok && (map.per_beat || s.range.known > 0))
        ok = put_sheet(&s);
    free(s.values);
    free(s.shown);
    free(s.smooth);
    free(s.rgb);
    return ok;
}
