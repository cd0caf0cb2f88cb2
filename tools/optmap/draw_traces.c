/* Traces of a few pixels before and after conditioning, and where those are. */
#include <math.h>

#include "optmap/draw.h"

enum { LEFT = 62, TOP = 62, PLOT = 640, PANEL = 92, GAP = 14, FOOT = 44, SIDE = 210, MOST = 6 }; /* px */

static const uint32_t before_colour = 0x9a9a9a, tissue[] = {FIGURE_UNKNOWN, 0xb9cfdc};

/* In per cent. */
static void add_trace(figure *fig, figure_panel *panel, figure_mark style, const float *movie, size_t frames,
                      size_t pitch, double rate, size_t most)
{
    figure_mark *mark = figure_add_mark(fig, panel, style);
    size_t step = most > 0 ? frames / most + 1 : 1;

    for (size_t n = 0; movie && n < frames; n += step)
        figure_add_point(fig, mark, (figure_point){1e3 * (double)n / rate, 100 * (double)movie[n * pitch], 0, 0});
}

static void add_panel(figure *fig, const optmap_findings *f, size_t i, size_t pixel, const optmap_style *style)
{
    double top = TOP + (double)i * (PANEL + GAP),
           end = fmax(1e3 * (double)f->found->frames / f->found->frame_rate_hz, 1e-6);
    size_t pitch = f->found->height * f->found->width;
    figure_panel *p = figure_add_panel(fig, (figure_panel){.box = {LEFT, top, LEFT + PLOT, top + PANEL},
                                                           .x = {.range = {0, end}},
                                                           .y = {.range = figure_range_none(), .ticks = true}});

    add_trace(
        fig, p,
        (figure_mark){.kind = FIGURE_LINE, .width = 1.2, .colour = before_colour, .label = i == 0 ? "before" : NULL},
        f->found->result.traces ? f->found->result.traces + pixel : NULL, f->found->frames, pitch,
        f->found->frame_rate_hz, style->most_points);
    add_trace(
        fig, p,
        (figure_mark){
            .kind = FIGURE_LINE, .width = 1.4, .colour = FIGURE_BLUE, .label = i == 0 ? "after conditioning" : NULL},
        f->found->filtered.data + pixel, f->found->filtered.frames, pitch, f->found->filtered.frame_rate_hz,
        style->most_points);
    for (const figure_mark *m = p->marks; m; m = m->next)
        for (size_t k = 0; k < m->count; k++)
            figure_range_add(&p->y.range, m->points[k].y);
    p->y.range = figure_range_pad(p->y.range, 0.05, 0.05);
    p->legend = i == 0 ? FIGURE_LEGEND_ABOVE : FIGURE_NO_LEGEND;
    figure_add_label(fig, p,
                     (figure_label){.text = figure_text(fig, "%zu: (%zu, %zu)", i + 1, pixel % f->found->width,
                                                        pixel / f->found->width),
                                    .x = 1 + 10.0 / PLOT,
                                    .y = 0.9,
                                    .colour = FIGURE_INK});
}

/* The frame at the right, its valid pixels dark, with the places' numbers. */
static void add_places(figure *fig, const optmap_findings *f, const size_t *pixels, size_t count)
{
    double longest = (double)(f->found->width > f->found->height ? f->found->width : f->found->height),
           scale = (SIDE - 100) / longest;
    double left = LEFT + PLOT + 96;
    figure_box box = {left, TOP, left + fmax(scale * (double)f->found->width, 1),
                      TOP + fmax(scale * (double)f->found->height, 1)};
    uint8_t *rgb = figure_memory(fig, 3 * f->found->width * f->found->height);
    figure_panel *p =
        figure_add_panel(fig, (figure_panel){.box = box,
                                             .x.range = {-0.5, (double)f->found->width - 0.5},
                                             .y = {.range = {-0.5, (double)f->found->height - 0.5}, .downwards = true},
                                             .frame = FIGURE_FRAME_NONE});

    if (!rgb)
        return;
    for (size_t i = 0; i < 3 * f->found->width * f->found->height; i++)
        rgb[i] = (uint8_t)(tissue[isfinite(f->found->filtered.data[i / 3])] >> (16 - 8 * (i % 3)));
    p->image = (figure_image){f->found->width, f->found->height, 0, 0, 1, NULL, rgb};
    for (size_t i = 0; i < count; i++)
        figure_add_label(fig, p,
                         (figure_label){.text = figure_text(fig, "%zu", i + 1),
                                        .on_axes = true,
                                        .x = (double)(pixels[i] % f->found->width),
                                        .y = (double)(pixels[i] / f->found->width),
                                        .align = 0.5,
                                        .colour = FIGURE_INK});
}

void optmap_describe_traces(figure *fig, const optmap_findings *f, const optmap_style *style)
{
    size_t pixels[MOST], count = optmap_choose_places(f->found, MOST, pixels);

    figure_open(fig, LEFT + PLOT + SIDE + 16, TOP + (double)(count > 2 ? count : 2) * (PANEL + GAP) + FOOT);
    fig->letters = style->letters;
    fig->title = "Fluorescence change, % of F0";
    for (size_t i = 0; i < count; i++)
        add_panel(fig, f, i, pixels[i], style);
    if (count > 0) {
        figure_panel *last = (figure_panel *)fig->panels;

        while (last->next)
            last = last->next;
        last->x.ticks = true;
        last->x.label = "time, ms";
        add_places(fig, f, pixels, count);
    } else {
        figure_panel *p = figure_add_panel(
            fig, (figure_panel){.box = {LEFT, TOP, LEFT + PLOT, TOP + PANEL}, .frame = FIGURE_FRAME_NONE});

        figure_add_label(fig, p, (figure_label){.text = "no pixel has a result", .y = 0.4, .colour = FIGURE_INK});
    }
}

bool optmap_draw_traces(const char *path, const optmap_findings *f, penta_io_error *err)
{
    figure fig;
    bool ok;

    optmap_describe_traces(&fig, f, &optmap_picture_style);
    ok = figure_png(&fig, path, err);
    figure_close(&fig);
    return ok;
}
