/* Traces of a few pixels before and after conditioning, and where those are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "optmap/draw.h"

enum { LEFT = 62, TOP = 62, PLOT = 640, PANEL = 92, GAP = 14, FOOT = 44, SIDE = 210, MOST = 6, MOST_Y_TICKS = 4 };

typedef struct {
    const float *data; /* element n of the trace at n * pitch */
    size_t frames, pitch;
    double rate; /* Hz */
} trace;

typedef struct {
    const optmap_findings *f;
    canvas canvas;
    size_t pixels[MOST], count;
    double end; /* ms */
    double y;   /* of the panel */
    double low, high;
} sheet;

static trace trace_of(const sheet *s, size_t pixel, bool after)
{
    const optmap_findings *f = s->f;
    size_t pitch = f->height * f->width;

    if (after)
        return (trace){f->filtered + pixel, f->filtered_frames, pitch, f->filtered_rate};
    return (trace){f->traces ? f->traces + pixel : NULL, f->traces ? f->frames : 0, pitch, f->rate};
}

static void widen(sheet *s, const trace *t)
{
    for (size_t n = 0; n < t->frames; n++) {
        double v = (double)t->data[n * t->pitch];

        if (isfinite(v)) {
            s->low = fmin(s->low, v);
            s->high = fmax(s->high, v);
        }
    }
}

static double place_x(const sheet *s, double ms)
{
    return LEFT + PLOT * ms / s->end;
}

static double place_y(const sheet *s, double value)
{
    return s->y + PANEL * (s->high - value) / (s->high - s->low);
}

static void draw_trace(sheet *s, const trace *t, double width, uint32_t colour)
{
    for (size_t n = 0; n + 1 < t->frames; n++) {
        double a = (double)t->data[n * t->pitch], b = (double)t->data[(n + 1) * t->pitch];

        if (isfinite(a) && isfinite(b))
            canvas_line(&s->canvas, place_x(s, 1e3 * (double)n / t->rate), place_y(s, a),
                        place_x(s, 1e3 * (double)(n + 1) / t->rate), place_y(s, b), width, colour);
    }
}

static void draw_y_axis(sheet *s)
{
    double step = optmap_tick_step(100 * s->low, 100 * s->high, MOST_Y_TICKS);
    char text[40];

    for (double k = ceil(100 * s->low / step); k * step <= 100 * s->high; k++) {
        double y = place_y(s, k * step / 100);

        canvas_line(&s->canvas, LEFT - 4, y, LEFT, y, 1, OPTMAP_INK);
        plot_put_tick(text, sizeof text, k * step, step);
        canvas_text(&s->canvas, LEFT - 8, y + 5, OPTMAP_LETTERS, 1, OPTMAP_INK, text);
    }
}

static void draw_x_axis(sheet *s)
{
    double step = plot_nice_step(s->end, 8), y = TOP + (double)s->count * (PANEL + GAP) - GAP;
    char text[40];

    for (double k = 0; k * step <= s->end * (1 + 1e-9); k++) {
        double x = place_x(s, k * step);

        canvas_line(&s->canvas, x, y, x, y + 4, 1, OPTMAP_INK);
        plot_put_tick(text, sizeof text, k * step, step);
        canvas_text(&s->canvas, x, y + 18, OPTMAP_LETTERS, 0.5, OPTMAP_INK, text);
    }
    canvas_text(&s->canvas, LEFT + 0.5 * PLOT, y + 36, OPTMAP_LETTERS, 0.5, OPTMAP_INK, "time, ms");
}

static void draw_panel(sheet *s, size_t i)
{
    trace before = trace_of(s, s->pixels[i], false), after = trace_of(s, s->pixels[i], true);
    double pad;
    char text[80];

    s->low = INFINITY;
    s->high = -INFINITY;
    widen(s, &before);
    widen(s, &after);
    pad = s->high > s->low ? 0.05 * (s->high - s->low) : 1;
    s->low -= pad;
    s->high += pad;
    s->y = TOP + (double)i * (PANEL + GAP);
    canvas_line(&s->canvas, LEFT, s->y, LEFT, s->y + PANEL, 1, OPTMAP_INK);
    canvas_line(&s->canvas, LEFT, s->y + PANEL, LEFT + PLOT, s->y + PANEL, 1, OPTMAP_INK);
    draw_trace(s, &before, 1.2, OPTMAP_BEFORE);
    draw_trace(s, &after, 1.4, OPTMAP_AFTER);
    draw_y_axis(s);
    snprintf(text, sizeof text, "%zu: (%zu, %zu)", i + 1, s->pixels[i] % s->f->width, s->pixels[i] / s->f->width);
    canvas_text(&s->canvas, LEFT + PLOT + 10, s->y + 14, OPTMAP_LETTERS, 0, OPTMAP_INK, text);
}

/* The frame at the right, its valid pixels dark, with the places' numbers. */
static void draw_places(sheet *s)
{
    const optmap_findings *f = s->f;
    double longest = (double)(f->width > f->height ? f->width : f->height), scale = (SIDE - 100) / longest;
    double x0 = LEFT + PLOT + 96, y0 = TOP;
    char text[24];

    for (double j = 0; j < scale * (double)f->height; j++)
        for (double i = 0; i < scale * (double)f->width; i++) {
            size_t x = (size_t)(i / scale), y = (size_t)(j / scale);
            bool valid = x < f->width && y < f->height && isfinite(f->filtered[y * f->width + x]);

            canvas_fill(&s->canvas, x0 + i, y0 + j, 1, 1, valid ? 0xb9cfdcu : OPTMAP_UNKNOWN);
        }
    for (size_t i = 0; i < s->count; i++) {
        double x = x0 + scale * ((double)(s->pixels[i] % f->width) + 0.5);
        double y = y0 + scale * ((double)(s->pixels[i] / f->width) + 0.5);

        snprintf(text, sizeof text, "%zu", i + 1);
        canvas_text(&s->canvas, x, y + 5, OPTMAP_LETTERS, 0.5, OPTMAP_INK, text);
    }
}

static void draw_legend(sheet *s)
{
    canvas_text(&s->canvas, LEFT, 27, OPTMAP_TITLE, 0, OPTMAP_INK, "Fluorescence change, % of F0");
    canvas_line(&s->canvas, LEFT, 44, LEFT + 24, 44, 1.5, OPTMAP_BEFORE);
    canvas_text(&s->canvas, LEFT + 30, 49, OPTMAP_LETTERS, 0, OPTMAP_INK, "before");
    canvas_line(&s->canvas, LEFT + 100, 44, LEFT + 124, 44, 2, OPTMAP_AFTER);
    canvas_text(&s->canvas, LEFT + 130, 49, OPTMAP_LETTERS, 0, OPTMAP_INK, "after conditioning");
}

bool optmap_draw_traces(const char *path, const optmap_findings *f, penta_io_error *err)
{
    sheet s = {.f = f};
    size_t height;
    bool ok;

    s.count = optmap_choose_places(f, MOST, s.pixels);
    s.end = fmax(1e3 * (double)f->frames / f->rate, 1e-6);
    height = TOP + (s.count > 2 ? s.count : 2) * (PANEL + GAP) + FOOT;
    ok = canvas_create(LEFT + PLOT + SIDE + 16, height, &s.canvas);
    if (ok) {
        draw_legend(&s);
        for (size_t i = 0; i < s.count; i++)
            draw_panel(&s, i);
        if (s.count > 0) {
            draw_x_axis(&s);
            draw_places(&s);
        } else {
            canvas_text(&s.canvas, LEFT, TOP + 60, OPTMAP_LETTERS, 0, OPTMAP_INK, "no pixel has a result");
        }
    }
    return optmap_write_canvas(path, &s.canvas, ok, err);
}
