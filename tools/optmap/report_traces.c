/* Traces in the report, in SVG. */
#include <math.h>

#include "optmap/report_html.h"

enum { LEFT = 48, WIDTH = 760, PANEL = 84, GAP = 14, FOOT = 40, MOST = 6, MOST_POINTS = 3000 };

typedef struct {
    FILE *out;
    const optmap_findings *f;
    double end; /* ms */
    double y, low, high;
} sheet;

static void widen(sheet *s, const float *trace, size_t frames)
{
    for (size_t n = 0; n < frames; n++) {
        double v = (double)trace[n * s->f->height * s->f->width];

        if (isfinite(v)) {
            s->low = fmin(s->low, v);
            s->high = fmax(s->high, v);
        }
    }
}

static double place_y(const sheet *s, double value)
{
    return s->y + PANEL * (s->high - value) / (s->high - s->low);
}

static void put_trace(const sheet *s, const float *trace, size_t frames, double rate, uint32_t colour)
{
    size_t pitch = s->f->height * s->f->width, step = frames / MOST_POINTS + 1;

    fprintf(s->out, "<polyline fill=\"none\" stroke=\"#%06x\" stroke-width=\"1.1\" points=\"", (unsigned)colour);
    for (size_t n = 0; n < frames; n += step)
        if (isfinite(trace[n * pitch]))
            fprintf(s->out, "%.1f,%.1f ", LEFT + WIDTH * 1e3 * (double)n / rate / s->end,
                    place_y(s, (double)trace[n * pitch]));
    fputs("\"/>\n", s->out);
}

static void put_y_axis(const sheet *s)
{
    double step = optmap_tick_step(100 * s->low, 100 * s->high, 4);
    char text[40];

    fprintf(s->out, "<path fill=\"none\" stroke=\"#202020\" d=\"M%d %.1fv%dh%d\"/>\n", LEFT, s->y, PANEL, WIDTH);
    for (double k = ceil(100 * s->low / step); k * step <= 100 * s->high; k++) {
        double y = place_y(s, k * step / 100);

        plot_put_tick(text, sizeof text, k * step, step);
        fprintf(s->out,
                "<path stroke=\"#202020\" d=\"M%d %.1fh4\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                LEFT - 4, y, LEFT - 7, y + 4, text);
    }
}

static void put_panel(sheet *s, size_t pixel)
{
    const optmap_findings *f = s->f;
    double pad;

    s->low = INFINITY;
    s->high = -INFINITY;
    if (f->traces)
        widen(s, f->traces + pixel, f->frames);
    widen(s, f->filtered + pixel, f->filtered_frames);
    pad = s->high > s->low ? 0.05 * (s->high - s->low) : 1;
    s->low -= pad;
    s->high += pad;
    put_y_axis(s);
    if (f->traces)
        put_trace(s, f->traces + pixel, f->frames, f->rate, OPTMAP_BEFORE);
    put_trace(s, f->filtered + pixel, f->filtered_frames, f->filtered_rate, OPTMAP_AFTER);
    fprintf(s->out, "<text x=\"%d\" y=\"%.1f\">(%zu, %zu)</text>\n", LEFT + WIDTH + 8, s->y + 12, pixel % f->width,
            pixel / f->width);
}

static void put_x_axis(const sheet *s, double y)
{
    double step = plot_nice_step(s->end, 8);
    char text[40];

    for (double k = 0; k * step <= s->end * (1 + 1e-9); k++) {
        double x = LEFT + WIDTH * k * step / s->end;

        plot_put_tick(text, sizeof text, k * step, step);
        fprintf(s->out,
                "<path stroke=\"#202020\" d=\"M%.1f %.1fv4\"/><text x=\"%.1f\" y=\"%.1f\" "
                "text-anchor=\"middle\">%s</text>\n",
                x, y, x, y + 17, text);
    }
    fprintf(s->out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">time, ms</text>\n", LEFT + WIDTH / 2, y + 33);
}

void optmap_html_traces(FILE *out, const optmap_findings *f)
{
    sheet s = {.out = out, .f = f, .end = fmax(1e3 * (double)f->frames / f->rate, 1e-6)};
    size_t pixels[MOST], count = optmap_choose_places(f, MOST, pixels);
    double height = (double)count * (PANEL + GAP) - GAP + FOOT;

    if (count == 0) {
        fputs("<p>No pixel has a result.</p>\n", out);
        return;
    }
    fprintf(out,
            "<figure><svg width=\"%d\" height=\"%.0f\" viewBox=\"0 -6 %d %.0f\" role=\"img\" font-size=\"12\" "
            "font-family=\"sans-serif\">\n<title>Traces</title>\n",
            LEFT + WIDTH + 80, height + 6, LEFT + WIDTH + 80, height + 6);
    for (size_t i = 0; i < count; i++) {
        s.y = (double)i * (PANEL + GAP);
        put_panel(&s, pixels[i]);
    }
    put_x_axis(&s, s.y + PANEL);
    fputs(
        "</svg><figcaption>Fluorescence change, % of F0, before (grey) and after conditioning (blue), at pixels (x, y)."
        "</figcaption></figure>\n",
        out);
}
