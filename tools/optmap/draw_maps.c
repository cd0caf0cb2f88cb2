/* Maps as a figure: a panel a beat, isochrones or arrows, one colour scale for all, a scale bar. */
#include <math.h>
#include <stdio.h>

#include "optmap/draw.h"

/* px; BAR: room for the colour bar and its numbers */
enum { GAP = 14, LABEL = 20, BAR = 118, FOOT = 34, LEAST_SIDE = 96, LEAST_PITCH = 110, LEAST_HEIGHT = 260 };
enum { MOST_ARROWS = 12 }; /* along the longer side */

const optmap_style optmap_picture_style = {
    .letters = 10, .head = 44, .margin = 16, .width = 1500, .side = 360, .most_panels = 400};
const optmap_style optmap_report_style = {.letters = 8.6,
                                          .head = 0,
                                          .width = 800,
                                          .side = 200,
                                          .columns = 4,
                                          .most_panels = 100,
                                          .most_pixels = 256,
                                          .most_points = 3000};

typedef struct {
    figure *fig;
    const optmap_findings *f;
    const penta_findings_map *map;
    const optmap_style *style;
    size_t panels, columns, rows;
    size_t thinned, width, height; /* each thinned-th pixel is shown: so many */
    double scale;                  /* px of the figure for one that is shown */
    double step;                   /* of isochrones, ms; 0: none */
    figure_mark *arrows[2];        /* white, ink */
} sheet;

/* ---- layout ---- */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Whole px for a pixel where all are shown. */
static void lay_out(sheet *s)
{
    const optmap_style *style = s->style;
    size_t longest = s->map->width > s->map->height ? s->map->width : s->map->height;
    double side;

    s->panels = least(s->map->count, style->most_panels);
    s->columns = s->panels <= 3 ? s->panels : (size_t)ceil(sqrt(1.4 * (double)s->panels));
    if (style->columns > 0)
        s->columns = least(s->panels, style->columns);
    s->columns = s->columns > 0 ? s->columns : 1;
    s->rows = s->panels > 0 ? (s->panels + s->columns - 1) / s->columns : 1;
    side = fmin(fmax(style->width / (double)s->columns, LEAST_SIDE), style->side);
    s->thinned = (size_t)ceil((double)longest / fmax(side, (double)style->most_pixels));
    s->width = (s->map->width + s->thinned - 1) / s->thinned;
    s->height = (s->map->height + s->thinned - 1) / s->thinned;
    s->scale = side * (double)s->thinned / (double)longest;
    if (s->thinned == 1 && s->scale >= 1)
        s->scale = floor(s->scale);
}

static double panel_width(const sheet *s)
{
    return fmax(round(s->scale * (double)s->width), 1);
}

static double panel_height(const sheet *s)
{
    return fmax(round(s->scale * (double)s->height), 1);
}

static double pitch_x(const sheet *s)
{
    return fmax(panel_width(s), s->map->per_beat ? LEAST_PITCH : 0) + GAP;
}

static double pitch_y(const sheet *s)
{
    return panel_height(s) + LABEL + GAP;
}

/* ---- a panel ---- */

static void add_arrow(void *user, double x, double y, double vx, double vy)
{
    sheet *s = user;
    double speed = hypot(vx, vy), half = 0.42 * (double)optmap_block(s->map, MOST_ARROWS) / speed;
    figure_mark *mark = s->arrows[figure_contrast(s->fig, speed) == FIGURE_INK];

    figure_add_arrow(s->fig, mark, x, y, half * vx, half * vy);
}

static void add_arrows(sheet *s, figure_panel *panel, size_t beat)
{
    for (int i = 0; i < 2; i++)
        s->arrows[i] = figure_add_mark(s->fig, panel,
                                       (figure_mark){.kind = FIGURE_SEGMENTS,
                                                     .colour = i == 0 ? 0xffffff : FIGURE_INK,
                                                     .width = s->style->head > 0 ? 1.3 : 1});
    optmap_directions(s->map, beat, MOST_ARROWS, add_arrow, s);
}

/* Of map i, whose numbers are in `values`. */
static void add_panel(sheet *s, size_t i, const float *values, double origin)
{
    double left = s->style->margin + (double)(i % s->columns) * pitch_x(s);
    double top = s->style->head + LABEL + (double)(i / s->columns) * pitch_y(s), pixels;
    float *shown = figure_memory(s->fig, s->width * s->height * sizeof *shown);
    figure_panel *panel;
    char text[80];

    if (!shown)
        return;
    for (size_t k = 0; k < s->width * s->height; k++)
        shown[k] = values[k / s->width * s->thinned * s->map->width + k % s->width * s->thinned];
    panel = figure_add_panel(
        s->fig, (figure_panel){.box = {left, top, left + panel_width(s), top + panel_height(s)},
                               .x.range = {-0.5, (double)(s->width * s->thinned) - 0.5},
                               .y = {.range = {-0.5, (double)(s->height * s->thinned) - 0.5}, .downwards = true},
                               .frame = FIGURE_FRAME_NONE,
                               .image = {s->width, s->height, 0.5 * (double)(s->thinned - 1),
                                         0.5 * (double)(s->thinned - 1), (double)s->thinned, shown, NULL}});
    if (s->map->per_beat && s->map->instants && !figure_range_is_none(s->fig->colours))
        panel->title = figure_text(s->fig, "beat %zu: %.1f ms", i + 1, origin);
    else if (s->map->per_beat)
        panel->title = figure_text(s->fig, "beat %zu", i + 1);
    if (s->map->velocities)
        add_arrows(s, panel, i);
    if (s->step > 0)
        figure_add_isolines(s->fig, panel, s->step, s->style->head > 0 ? 1.2 : 0.8);
    if (i % s->columns == 0 && i / s->columns == s->rows - 1 && !figure_range_is_none(s->fig->colours) &&
        optmap_scale_length(s->f->found, 0.4 * (double)s->map->width, &pixels, text, sizeof text)) {
        panel->scale = pixels;
        panel->scale_label = figure_text(s->fig, "%s", text);
    }
}

static bool add_panels(sheet *s)
{
    float *values = figure_memory(s->fig, s->map->height * s->map->width * sizeof *values);

    for (size_t i = 0; values && i < s->panels; i++) {
        double origin = optmap_map_values(s->map, i, values);

        add_panel(s, i, values, origin);
    }
    return !s->fig->failed;
}

/* ---- what surrounds them ---- */

void optmap_caption(const optmap_findings *f, const penta_findings_map *map, const optmap_style *style, char *text,
                    size_t size)
{
    figure_range colours;
    char step[40] = "", more[80] = "", shown[64] = "";

    if (map->instants && optmap_colours(map, &colours) && optmap_isochrone_step(map, colours) > 0)
        snprintf(step, sizeof step, "; isochrones every %g ms", optmap_isochrone_step(map, colours));
    if (map->data && map->data == f->found->frequency)
        snprintf(more, sizeof more, "; the movie tells frequencies apart that differ by %.3g Hz or more",
                 map->resolution);
    if (map->count > style->most_panels)
        snprintf(shown, sizeof shown, "; the first %zu of %zu beats", style->most_panels, map->count);
    snprintf(text, size, "%s, %s%s%s%s%s", map->title, map->unit,
             map->instants && map->count > 0 ? " after the beat's first pixel" : "", step, more, shown);
}

/* In place of panels, or below them. */
static void add_remark(sheet *s, double y, const char *text)
{
    figure_panel *panel =
        figure_add_panel(s->fig, (figure_panel){.box = {s->style->margin, y - 10, s->style->margin + 100, y},
                                                .frame = FIGURE_FRAME_NONE});

    figure_add_label(s->fig, panel, (figure_label){.text = text, .y = 0.5, .colour = FIGURE_INK});
}

bool optmap_describe_maps(figure *fig, const optmap_findings *f, const penta_findings_map *map,
                          const optmap_style *style)
{
    sheet s = {.fig = fig, .f = f, .map = map, .style = style};
    double top = style->head + LABEL, width, height, tall;
    char text[200];

    lay_out(&s);
    width = 2 * style->margin + (double)s.columns * pitch_x(&s) - GAP + BAR;
    height = style->head + (double)s.rows * pitch_y(&s) + FOOT;
    figure_open(fig, width, height);
    fig->letters = style->letters;
    if (!optmap_colours(map, &fig->colours))
        return false;
    s.step = map->instants ? optmap_isochrone_step(map, fig->colours) : 0;
    if (style->head > 0) {
        optmap_caption(f, map, style, text, sizeof text);
        fig->title = figure_text(fig, "%s", text);
        fig->width = fmax(width, 2 * style->margin + fmax(figure_title_width(fig), 240));
        fig->height = fmax(height, LEAST_HEIGHT);
    }
    tall = fmin(fmax((double)s.rows * pitch_y(&s) - LABEL - GAP, 130), 420);
    fig->bar = (figure_box){style->margin + (double)s.columns * pitch_x(&s) + 4, top,
                            style->margin + (double)s.columns * pitch_x(&s) + 20, top + tall};
    fig->bar_label = map->unit;
    fig->height = fmax(fig->height, top + tall + 10);
    if (s.panels == 0)
        add_remark(&s, style->head + 60, map->per_beat ? "no beat was found" : "not known");
    else if (figure_range_is_none(fig->colours))
        add_remark(&s, fig->height - 10, "no pixel has a value");
    return add_panels(&s);
}

/* ---- files ---- */

bool optmap_draw_map(const char *path, const optmap_findings *f, const char *which, penta_io_error *err)
{
    penta_findings_map map;
    figure fig = {0};
    bool ok;

    if (!penta_findings_map_named(f->found, which, &map))
        return penta_io_fail(err, "%s: there are no maps of %s", path, which);
    ok = optmap_describe_maps(&fig, f, &map, &optmap_picture_style);
    ok = ok ? figure_png(&fig, path, err) : penta_io_fail(err, "%s: out of memory for the picture", path);
    figure_close(&fig);
    return ok;
}

bool optmap_draw_activation(const char *path, const optmap_findings *f, penta_io_error *err)
{
    return optmap_draw_map(path, f, "activation", err);
}
