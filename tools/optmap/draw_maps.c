/* Maps as pictures: a panel a beat, isochrones or arrows, one colour bar for all, a scale bar. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/image.h>
#include "optmap/draw.h"

/* px; BAR: room for the colour bar and its numbers */
enum { MARGIN = 16, GAP = 14, HEAD = 44, LABEL = 20, BAR = 118, FOOT = 34, MOST_PANEL = 360, LEAST_PANEL = 96 };
enum { ALL_PANELS = 1500, MOST_PANELS = 400 }; /* px, width of them together; of one picture */

typedef struct {
    const optmap_findings *f;
    const optmap_map *map;
    optmap_range range;
    canvas canvas;
    float *values, *smooth; /* height x width, of the panel; smooth: for isochrones */
    size_t panels, columns, rows;
    double scale;         /* px of the picture for one of the map */
    double width, height; /* of a panel */
    double x, y;          /* of the panel that is drawn */
    double step;          /* of isochrones */
    double level;
    uint32_t colour; /* of the arrow that is drawn */
} sheet;

/* ---- layout ---- */

/* Whole px for a pixel where that fits. */
static void lay_out(sheet *s)
{
    double longest = (double)(s->f->width > s->f->height ? s->f->width : s->f->height);
    double side;

    s->panels = s->map->count < MOST_PANELS ? s->map->count : MOST_PANELS;
    s->columns = s->panels <= 3 ? s->panels : (size_t)ceil(sqrt(1.4 * (double)s->panels));
    s->columns = s->columns > 0 ? s->columns : 1;
    s->rows = s->panels > 0 ? (s->panels + s->columns - 1) / s->columns : 1;
    side = fmin(fmax(ALL_PANELS / (double)s->columns, LEAST_PANEL), MOST_PANEL);
    s->scale = side / longest >= 1 ? floor(side / longest) : side / longest;
    s->width = fmax(round(s->scale * (double)s->f->width), 1);
    s->height = fmax(round(s->scale * (double)s->f->height), 1);
}

static double panel_pitch(const sheet *s)
{
    return fmax(s->width, s->map->per_beat ? 110 : 0) + GAP;
}

static void make_title(const sheet *s, char *text, size_t size)
{
    char shown[64] = "", step[32] = "";

    if (s->map->count > s->panels)
        snprintf(shown, sizeof shown, ", first %zu of %zu beats", s->panels, s->map->count);
    if (s->map->from_first && s->step > 0) {
        plot_put_tick(step, sizeof step, s->step, s->step);
        snprintf(text, size, "%s, ms after the first; lines every %s ms%s", s->map->title, step, shown);
    } else {
        snprintf(text, size, "%s, %s%s", s->map->title, s->map->unit, shown);
    }
}

static bool make_canvas(sheet *s)
{
    char text[200];
    double width = 2 * MARGIN + (double)s->columns * panel_pitch(s) - GAP + BAR;
    double height = HEAD + (double)s->rows * (s->height + LABEL + GAP) + FOOT;

    make_title(s, text, sizeof text);
    width = ceil(fmax(width, 2 * MARGIN + fmax(canvas_text_width(OPTMAP_TITLE, text), 240)));
    return canvas_create((size_t)width, (size_t)fmax(height, 260), &s->canvas);
}

/* ---- a panel ---- */

static void put_isochrone(void *user, double x0, double y0, double x1, double y1)
{
    sheet *s = user;

    canvas_piece(&s->canvas, s->x + (x0 + 0.5) * s->scale, s->y + (y0 + 0.5) * s->scale, s->x + (x1 + 0.5) * s->scale,
                 s->y + (y1 + 0.5) * s->scale, 1.2, optmap_line_colour(optmap_share(&s->range, s->level)));
}

static void put_stroke(void *user, double x0, double y0, double x1, double y1)
{
    sheet *s = user;

    canvas_line(&s->canvas, x0, y0, x1, y1, 1.3, s->colour);
}

static void put_arrow(void *user, double x, double y, double vx, double vy)
{
    sheet *s = user;
    double speed = hypot(vx, vy), half = 0.42 * (double)optmap_block(s->f, OPTMAP_MOST_ARROWS) * s->scale / speed;

    s->colour = optmap_line_colour(optmap_share(&s->range, speed));
    optmap_arrow(s->x + (x + 0.5) * s->scale, s->y + (y + 0.5) * s->scale, half * vx, half * vy, put_stroke, s);
}

static void draw_pixels(sheet *s)
{
    for (double j = 0; j < s->height; j++)
        for (double i = 0; i < s->width; i++) {
            size_t x = (size_t)((i + 0.5) / s->scale), y = (size_t)((j + 0.5) / s->scale);
            float v = s->values[(y < s->f->height ? y : s->f->height - 1) * s->f->width +
                                (x < s->f->width ? x : s->f->width - 1)];

            canvas_fill(&s->canvas, s->x + i, s->y + j, 1, 1,
                        isfinite(v) ? plot_viridis(optmap_share(&s->range, (double)v)) : OPTMAP_UNKNOWN);
        }
}

static void draw_panel(sheet *s, size_t i)
{
    double origin = optmap_map_values(s->f, s->map, i, s->values);
    char text[80];

    s->x = MARGIN + (double)(i % s->columns) * panel_pitch(s);
    s->y = HEAD + LABEL + (double)(i / s->columns) * (s->height + LABEL + GAP);
    if (s->map->from_first && s->range.known > 0)
        snprintf(text, sizeof text, "beat %zu: %.1f ms", i + 1, origin);
    else
        snprintf(text, sizeof text, "beat %zu", i + 1);
    if (s->map->per_beat)
        canvas_text(&s->canvas, s->x, s->y - 6, OPTMAP_LETTERS, 0, OPTMAP_INK, text);
    draw_pixels(s);
    if (s->map->squared)
        optmap_directions(s->f, i, OPTMAP_MOST_ARROWS, put_arrow, s);
    if (!(s->step > 0))
        return;
    optmap_smooth(s->values, s->f->height, s->f->width, s->smooth);
    for (double k = ceil(s->range.low / s->step + 1e-9); k * s->step < s->range.high; k++) {
        s->level = k * s->step;
        optmap_isoline(s->smooth, s->f->height, s->f->width, s->level, put_isochrone, s);
    }
}

/* ---- what surrounds them ---- */

static void draw_bar(sheet *s)
{
    double x = MARGIN + (double)s->columns * panel_pitch(s) + 4, y = HEAD + LABEL;
    double height = fmin(fmax((double)s->rows * (s->height + LABEL + GAP) - LABEL - GAP, 130), 420);
    double step = optmap_tick_step(s->range.low, s->range.high, OPTMAP_MOST_TICKS);
    char text[40];

    if (s->range.known == 0)
        return;
    for (double j = 0; j < height; j++)
        canvas_fill(&s->canvas, x, y + j, 16, 1, plot_viridis(1 - (j + 0.5) / height));
    canvas_frame(&s->canvas, x, y, 16, height, OPTMAP_INK);
    for (double k = ceil(s->range.low / step - 1e-9); k * step <= s->range.high; k++) {
        double at = y + height * (1 - optmap_share(&s->range, k * step));

        canvas_line(&s->canvas, x + 16, at, x + 20, at, 1, OPTMAP_INK);
        plot_put_tick(text, sizeof text, k * step, step);
        canvas_text(&s->canvas, x + 24, at + 5, OPTMAP_LETTERS, 0, OPTMAP_INK, text);
    }
    canvas_text(&s->canvas, x, y - 7, OPTMAP_LETTERS, 0, OPTMAP_INK, s->map->unit);
}

void optmap_arrow(double x, double y, double dx, double dy,
                  void (*line)(void *user, double x0, double y0, double x1, double y1), void *user)
{
    const double head = 0.55, slope = 0.5; /* of half the shaft */

    line(user, x - dx, y - dy, x + dx, y + dy);
    for (int side = -1; side <= 1; side += 2)
        line(user, x + dx, y + dy, x + dx - head * (dx + side * slope * dy), y + dy - head * (dy - side * slope * dx));
}

bool optmap_scale_length(const optmap_findings *f, double most, double *pixels, char *text, size_t size)
{
    double length = 10 * most * f->pixel_size, step; /* mm */

    if (!(f->pixel_size > 0))
        return false;
    step = pow(10, floor(log10(length) + 1e-9));
    step *= length >= 5 * step ? 5 : length >= 2 * step ? 2 : 1;
    *pixels = step / (10 * f->pixel_size);
    if (step < 0.1)
        snprintf(text, size, "%g \xc2\xb5m", 1e3 * step);
    else if (step < 10)
        snprintf(text, size, "%g mm", step);
    else
        snprintf(text, size, "%g cm", step / 10);
    return true;
}

static void draw_scale(sheet *s)
{
    double y = HEAD + (double)s->rows * (s->height + LABEL + GAP) + 2, pixels;
    char text[40];

    if (!optmap_scale_length(s->f, 0.4 * (double)s->f->width, &pixels, text, sizeof text))
        return;
    canvas_fill(&s->canvas, MARGIN, y, fmax(pixels * s->scale, 1), 4, OPTMAP_INK);
    canvas_text(&s->canvas, MARGIN + pixels * s->scale + 8, y + 7, OPTMAP_LETTERS, 0, OPTMAP_INK, text);
}

static void draw_sheet(sheet *s)
{
    char text[200];

    make_title(s, text, sizeof text);
    canvas_text(&s->canvas, MARGIN, 27, OPTMAP_TITLE, 0, OPTMAP_INK, text);
    for (size_t i = 0; i < s->panels; i++)
        draw_panel(s, i);
    if (s->panels == 0)
        canvas_text(&s->canvas, MARGIN, HEAD + 60, OPTMAP_LETTERS, 0, OPTMAP_INK,
                    s->map->per_beat ? "no beat was found" : "not known");
    else if (s->range.known == 0)
        canvas_text(&s->canvas, MARGIN, (double)s->canvas.height - 14, OPTMAP_LETTERS, 0, OPTMAP_INK,
                    "no pixel has a value");
    draw_bar(s);
    if (s->panels > 0 && s->range.known > 0)
        draw_scale(s);
}

bool optmap_write_canvas(const char *path, canvas *c, bool ok, penta_io_error *err)
{
    if (ok)
        ok = penta_io_png_write_rgb(path, c->width, c->height, c->rgb, err);
    else if (!err->text[0])
        penta_io_fail(err, "%s: out of memory for the picture", path);
    canvas_free(c);
    return ok;
}

bool optmap_draw_map(const char *path, const optmap_findings *f, const char *which, penta_io_error *err)
{
    optmap_map map;
    sheet s = {.f = f, .map = &map};
    bool ok;

    if (!optmap_find_map(f, which, &map))
        return penta_io_fail(err, "%s: there are no maps of %s", path, which);
    lay_out(&s);
    s.values = malloc(f->height * f->width * sizeof *s.values);
    s.smooth = malloc(f->height * f->width * sizeof *s.smooth);
    ok = s.values && s.smooth && optmap_range_of_maps(f, &map, &s.range);
    if (ok && map.from_first)
        s.step = optmap_isochrone_step(f, &s.range);
    ok = ok && make_canvas(&s);
    if (ok)
        draw_sheet(&s);
    free(s.values);
    free(s.smooth);
    return optmap_write_canvas(path, &s.canvas, ok, err);
}

bool optmap_draw_activation(const char *path, const optmap_findings *f, penta_io_error *err)
{
    return optmap_draw_map(path, f, "activation", err);
}
