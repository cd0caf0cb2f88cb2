/* A figure on a pen: axes, ticks, marks cut off at the axes, legend, colour bar. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/numbers.h>

#include "figures/pen.h"

enum {
    TICK = 4,
    MARGIN = 16,
    MOST_TICKS = 10,
    PER_BAR_TICK = 30,
    PER_X_TICK = 64,
    PER_Y_TICK = 23,
    SAMPLE = 24
}; /* px */

typedef struct {
    const figure *f;
    figure_pen *pen;
    const figure_panel *panel;
    figure_box box; /* of the panel's axes */
    double letters; /* px */
} drawing;

/* ---- places ---- */

static double share_of(const figure_axis *a, double v)
{
    if (a->logarithmic)
        return figure_share((figure_range){log10(a->range.lo), log10(a->range.hi)}, log10(v));
    return figure_share(a->range, v);
}

static double place_x(const drawing *d, double v)
{
    return d->box.left + (d->box.right - d->box.left) * share_of(&d->panel->x, v);
}

static double place_y(const drawing *d, double v)
{
    double share = share_of(&d->panel->y, v);

    return d->box.bottom + (d->box.top - d->box.bottom) * (d->panel->y.downwards ? 1 - share : share);
}

static void draw_line(const drawing *d, double x0, double y0, double x1, double y1, figure_stroke stroke)
{
    d->pen->begin(d->pen, stroke);
    d->pen->line(d->pen, x0, y0, x1, y1, false);
    d->pen->end(d->pen);
}

static void put(const drawing *d, double x, double y, double align, const char *words)
{
    d->pen->text(d->pen, (figure_letters){.x = x, .y = y, .size = d->letters, .align = align, .colour = FIGURE_INK},
                 words);
}

/* Plain text, of which only the end is written where there is no room for all of it. */
static void put_plain(const drawing *d, figure_letters letters, double room, const char *words)
{
    char rest[1024];

    letters.plain = true;
    if (figure_text_width(letters.size, true, words) > room) {
        do
            words += utf8_bytes(words) > 0 ? utf8_bytes(words) : 1;
        while (*words && figure_text_width(letters.size, true, words) > room - letters.size);
        snprintf(rest, sizeof rest, "\u2026%s", words);
        words = rest;
    }
    d->pen->text(d->pen, letters, words);
}

/* ---- ticks ---- */

typedef struct {
    double first, step, last;
    bool decades;   /* powers of ten */
    bool mantissas; /* 1, 2 and 5 times powers of ten */
} ticks;

static double mantissa_tick(double k)
{
    double decade = floor(k / 3);

    return (const double[]){1, 2, 5}[(int)(k - 3 * decade)] * pow(10, decade);
}

static ticks ticks_of(const figure_axis *a, double length, double per_tick)
{
    double lo = fmin(a->range.lo, a->range.hi), hi = fmax(a->range.lo, a->range.hi);
    ticks t = {.decades = a->logarithmic && hi >= 100 * lo,
               .mantissas = a->logarithmic && hi < 100 * lo && hi >= 4 * lo};

    if (t.mantissas) {
        t.first = 3 * floor(log10(lo));
        while (mantissa_tick(t.first) < lo * (1 - 1e-9))
            t.first++;
        for (t.last = t.first; mantissa_tick(t.last + 1) <= hi * (1 + 1e-9);)
            t.last++;
        return t;
    }
    if (t.decades) {
        lo = log10(lo);
        hi = log10(hi);
    }
    t.step = figure_tick_step((figure_range){lo, hi}, (int)fmin(fmax(length / per_tick, 2), MOST_TICKS));
    t.step = a->step > 0 ? a->step : t.decades || a->whole ? fmax(t.step, 1) : t.step;
    t.first = ceil(lo / t.step - 1e-9);
    t.last = floor(hi / t.step + 1e-9);
    return t;
}

static double tick_value(const ticks *t, double k)
{
    return t->decades ? pow(10, k * t->step) : t->mantissas ? mantissa_tick(k) : k * t->step;
}

static void print_tick(const ticks *t, double k, char text[40])
{
    if (t->decades)
        snprintf(text, 40, "10^{%d}", (int)lround(k * t->step));
    else
        figure_put_tick(text, 40, tick_value(t, k), t->mantissas ? mantissa_tick(3 * floor(k / 3)) : t->step);
}

static double tick_width(const figure_axis *a, double length, double letters)
{
    ticks t = ticks_of(a, length, PER_Y_TICK);
    double widest = 0;
    char text[40];

    for (double k = t.first; a->ticks && k <= t.last; k++) {
        print_tick(&t, k, text);
        widest = fmax(widest, figure_text_width(letters, false, text));
    }
    return widest;
}

static void draw_x_axis(const drawing *d)
{
    const figure_axis *a = &d->panel->x;
    ticks t = ticks_of(a, d->box.right - d->box.left, PER_X_TICK);
    char text[40];

    for (double k = t.first; a->ticks && k <= t.last; k++) {
        double x = place_x(d, tick_value(&t, k));

        if (d->panel->grid)
            draw_line(d, x, d->box.top, x, d->box.bottom, (figure_stroke){.width = 1, .colour = 0xececec});
        draw_line(d, x, d->box.bottom, x, d->box.bottom + TICK, (figure_stroke){.width = 1, .colour = FIGURE_INK});
        print_tick(&t, k, text);
        put(d, x, d->box.bottom + 8 + d->letters, 0.5, text);
    }
    if (a->label)
        put(d, (d->box.left + d->box.right) / 2, d->box.bottom + 18 + 2 * d->letters, 0.5, a->label);
}

/* Between powers of ten of the y axis. */
static void draw_minor_tick(const drawing *d, double value)
{
    double y = place_y(d, value);

    if (y >= d->box.top && y <= d->box.bottom)
        draw_line(d, d->box.left - 2, y, d->box.left, y, (figure_stroke){.width = 1, .colour = FIGURE_INK});
}

/* Along a side of the panel, upwards. */
static void put_beside(const drawing *d, double x, const char *words)
{
    d->pen->text(d->pen,
                 (figure_letters){.x = x,
                                  .y = (d->box.top + d->box.bottom) / 2,
                                  .size = d->letters,
                                  .align = 0.5,
                                  .colour = FIGURE_INK,
                                  .turned = true},
                 words);
}

static void draw_y_axis(const drawing *d)
{
    const figure_axis *a = &d->panel->y;
    ticks t = ticks_of(a, d->box.bottom - d->box.top, PER_Y_TICK);
    char text[40];

    for (double k = t.first; a->ticks && k <= t.last; k++) {
        double y = place_y(d, tick_value(&t, k));

        if (d->panel->grid)
            draw_line(d, d->box.left, y, d->box.right, y, (figure_stroke){.width = 1, .colour = 0xececec});
        draw_line(d, d->box.left - TICK, y, d->box.left, y, (figure_stroke){.width = 1, .colour = FIGURE_INK});
        print_tick(&t, k, text);
        put(d, d->box.left - 8, y + d->letters / 2, 1, text);
        for (int i = 2; t.decades && t.step < 1.5 && i < 10; i++)
            draw_minor_tick(d, i * tick_value(&t, k));
    }
    if (a->label)
        put_beside(d, d->box.left - 20 - tick_width(a, d->box.bottom - d->box.top, d->letters), a->label);
}

static void draw_frame(const drawing *d)
{
    const figure_box *b = &d->box;
    const figure_stroke stroke = {.width = 1, .colour = FIGURE_INK};

    if (d->panel->frame == FIGURE_FRAME_NONE)
        return;
    draw_line(d, b->left, b->top, b->left, b->bottom, stroke);
    draw_line(d, b->left, b->bottom, b->right, b->bottom, stroke);
    if (d->panel->frame == FIGURE_FRAME_AXES)
        return;
    draw_line(d, b->left, b->top, b->right, b->top, stroke);
    draw_line(d, b->right, b->top, b->right, b->bottom, stroke);
}

/* ---- marks ---- */

/* Liang and Barsky: what of the line lies in the box; false: nothing. */
static bool clip(const figure_box *b, double line[4])
{
    const double dx = line[2] - line[0], dy = line[3] - line[1];
    const double step[] = {-dx, dx, -dy, dy};
    const double room[] = {line[0] - b->left, b->right - line[0], line[1] - b->top, b->bottom - line[1]};
    double from = 0, to = 1;

    for (int i = 0; i < 4; i++) {
        if (step[i] < 0)
            from = fmax(from, room[i] / step[i]);
        else if (step[i] > 0)
            to = fmin(to, room[i] / step[i]);
        else if (room[i] < 0)
            return false;
    }
    if (!(from <= to))
        return false;
    memcpy(line, (double[]){line[0] + from * dx, line[1] + from * dy, line[0] + to * dx, line[1] + to * dy},
           4 * sizeof *line);
    return true;
}

static uint32_t colour_of(const drawing *d, const figure_mark *m, const figure_point *p)
{
    return m->valued ? figure_viridis(figure_share(d->f->colours, p->value)) : m->colour;
}

/* Lines begin anew wherever one is left out, or has another colour. */
static void draw_lines(const drawing *d, const figure_mark *m)
{
    size_t step = m->kind == FIGURE_SEGMENTS ? 2 : 1;
    figure_stroke stroke = {.width = m->width, .dashed = m->dashed};
    bool begun = false, joined = false;

    for (size_t i = 0; i + 1 < m->count; i += step) {
        const figure_point *p = &m->points[i], *q = p + 1;
        double line[4] = {place_x(d, p->x), place_y(d, p->y), place_x(d, q->x), place_y(d, q->y)};
        const double wanted_x = line[2], wanted_y = line[3];
        uint32_t colour = colour_of(d, m, p);

        if (!isfinite(line[0] + line[1] + line[2] + line[3]) || !clip(&d->box, line)) {
            joined = false;
            continue;
        }
        if (!begun || colour != stroke.colour) {
            if (begun)
                d->pen->end(d->pen);
            stroke.colour = colour;
            d->pen->begin(d->pen, stroke);
            begun = true;
            joined = false;
        }
        d->pen->line(d->pen, line[0], line[1], line[2], line[3], joined && step == 1);
        joined = line[2] == wanted_x && line[3] == wanted_y;
    }
    if (begun)
        d->pen->end(d->pen);
}

/* Points from .. to - 1, which all have a place: along their upper ends, and back along the lower ones. */
static void draw_part_of_band(const drawing *d, const figure_mark *m, size_t from, size_t to)
{
    size_t n = 2 * (to - from);
    double(*corners)[2] = malloc(n * sizeof *corners);

    for (size_t i = 0; corners && i < n; i++) {
        const figure_point *p = &m->points[i < n / 2 ? from + i : to - 1 - (i - n / 2)];

        corners[i][0] = fmin(fmax(place_x(d, p->x), d->box.left), d->box.right);
        corners[i][1] = fmin(fmax(place_y(d, p->y + (i < n / 2 ? p->half : -p->half)), d->box.top), d->box.bottom);
    }
    if (corners)
        d->pen->polygon(d->pen, n, (const double(*)[2])corners, m->colour);
    d->pen->failed |= !corners;
    free(corners);
}

static void draw_band(const drawing *d, const figure_mark *m)
{
    size_t from = 0;

    for (size_t i = 0; i <= m->count; i++)
        if (i == m->count || !isfinite(m->points[i].x + m->points[i].y)) {
            if (i > from + 1)
                draw_part_of_band(d, m, from, i);
            from = i + 1;
        }
}

static void draw_point(const drawing *d, const figure_mark *m, double x, double y, uint32_t colour)
{
    const double r = m->radius, width = m->width > 0 ? m->width : 1.2;

    if (m->kind == FIGURE_CROSSES) {
        draw_line(d, x - r, y - r, x + r, y + r, (figure_stroke){.width = width, .colour = colour});
        draw_line(d, x - r, y + r, x + r, y - r, (figure_stroke){.width = width, .colour = colour});
        return;
    }
    d->pen->circle(d->pen, x, y, r, m->kind == FIGURE_RINGS ? width : 0, colour);
}

static void draw_points(const drawing *d, const figure_mark *m)
{
    for (size_t i = 0; i < m->count; i++) {
        const figure_point *p = &m->points[i];
        double x = place_x(d, p->x), y = place_y(d, p->y);
        double bar[4] = {x, place_y(d, p->y - p->half), x, place_y(d, p->y + p->half)};
        bool inside =
            x >= d->box.left - 1e-6 && x <= d->box.right + 1e-6 && y >= d->box.top - 1e-6 && y <= d->box.bottom + 1e-6;

        if (m->kind == FIGURE_BARS && isfinite(bar[0] + bar[1] + bar[3]) && clip(&d->box, bar))
            draw_line(d, bar[0], bar[1], bar[2], bar[3],
                      (figure_stroke){.width = m->width, .colour = colour_of(d, m, p)});
        else if (m->kind != FIGURE_BARS && inside)
            draw_point(d, m, x, y, colour_of(d, m, p));
    }
}

static void draw_mark(const drawing *d, const figure_mark *m)
{
    if (m->kind == FIGURE_LINE || m->kind == FIGURE_SEGMENTS)
        draw_lines(d, m);
    else if (m->kind == FIGURE_BAND)
        draw_band(d, m);
    else
        draw_points(d, m);
}

static void draw_image(const drawing *d)
{
    const figure_image *image = &d->panel->image;
    double right = image->x + image->step * ((double)image->width - 0.5);
    double bottom = image->y + image->step * ((double)image->height - 0.5);
    figure_box box = {place_x(d, image->x - image->step / 2), place_y(d, image->y - image->step / 2), place_x(d, right),
                      place_y(d, bottom)};

    if (image->width > 0 && image->height > 0)
        d->pen->image(d->pen, box, image, d->f->colours);
}

/* ---- words ---- */

static void draw_label(const drawing *d, const figure_label *l)
{
    double size = d->letters * (l->size > 0 ? l->size : 1);
    double x = l->on_axes ? place_x(d, l->x) : d->box.left + l->x * (d->box.right - d->box.left);
    double y = l->on_axes ? place_y(d, l->y) : d->box.bottom + l->y * (d->box.top - d->box.bottom);

    const figure_letters letters = {x, y + size / 2 - 1.9 * size * l->rise, size, l->align, l->colour, false, false};

    if (l->plain)
        put_plain(d, letters, fmax(d->box.right - d->box.left, MARGIN), l->text);
    else
        d->pen->text(d->pen, letters, l->text);
}

static size_t legend_lines(const figure_panel *p)
{
    size_t n = 0;

    for (const figure_mark *m = p->marks; m; m = m->next)
        n += m->label != NULL;
    return n;
}

static void draw_sample(const drawing *d, const figure_mark *m, double x, double y)
{
    if (m->kind == FIGURE_LINE)
        draw_line(d, x, y, x + SAMPLE, y, (figure_stroke){.width = m->width, .colour = m->colour, .dashed = m->dashed});
    else if (m->kind == FIGURE_DISCS || m->kind == FIGURE_RINGS || m->kind == FIGURE_CROSSES)
        draw_point(d, m, x + SAMPLE / 2.0, y, m->colour);
}

static void draw_legend(const drawing *d)
{
    double pitch = 1.9 * d->letters, widest = 0, x = d->box.left, y = d->box.top - 1.8 * d->letters;

    for (const figure_mark *m = d->panel->marks; m; m = m->next)
        widest = fmax(widest, m->label ? figure_text_width(d->letters, false, m->label) : 0);
    if (d->panel->legend == FIGURE_LEGEND_INSIDE) {
        x = d->box.right - widest - SAMPLE - 14;
        y = d->box.top + d->letters;
    } else if (d->panel->legend == FIGURE_LEGEND_BELOW) {
        y = d->box.bottom + 24 + 3 * d->letters;
    }
    for (const figure_mark *m = d->panel->marks; m; m = m->next) {
        if (!m->label)
            continue;
        draw_sample(d, m, x, y);
        put(d, x + SAMPLE + 6, y + d->letters / 2, 0, m->label);
        if (d->panel->legend == FIGURE_LEGEND_ABOVE)
            x += SAMPLE + 28 + figure_text_width(d->letters, false, m->label);
        else
            y += pitch;
    }
}

static void draw_scale(const drawing *d)
{
    double y = d->box.bottom + 16, width = place_x(d, d->panel->x.range.lo + d->panel->scale) - d->box.left;

    if (!(d->panel->scale > 0))
        return;
    d->pen->fill(d->pen, (figure_box){d->box.left, y, d->box.left + fmax(width, 1), y + 4}, FIGURE_INK);
    put(d, d->box.left + width + 8, y + 2 + d->letters / 2, 0, d->panel->scale_label);
}

static void draw_bar(drawing *d, figure_box first)
{
    enum { SHADES = 224 };
    float values[SHADES];
    figure_box b = d->f->bar;
    figure_panel axis = {.y = {.range = d->f->colours, .ticks = true, .whole = d->f->bar_whole}};
    ticks t;
    double widest = 0;
    char text[40];

    if (!(b.right > b.left) || figure_range_is_none(d->f->colours))
        return;
    d->box = b =
        (figure_box){b.left, isnan(b.top) ? first.top : b.top, b.right, isnan(b.bottom) ? first.bottom : b.bottom};
    d->panel = &axis;
    t = ticks_of(&axis.y, b.bottom - b.top, PER_BAR_TICK);
    for (int i = 0; i < SHADES; i++)
        values[i] = (float)(d->f->colours.hi - (d->f->colours.hi - d->f->colours.lo) * i / (SHADES - 1));
    d->pen->image(d->pen, b, &(figure_image){.width = 1, .height = SHADES, .values = values}, d->f->colours);
    axis.frame = FIGURE_FRAME_WHOLE;
    draw_frame(d);
    for (double k = t.first; k <= t.last; k++) {
        double y = place_y(d, k * t.step);

        draw_line(d, b.right, y, b.right + TICK, y, (figure_stroke){.width = 1, .colour = FIGURE_INK});
        print_tick(&t, k, text);
        put(d, b.right + 8, y + d->letters / 2, 0, text);
        widest = fmax(widest, figure_text_width(d->letters, false, text));
    }
    if (d->f->bar_label && b.left + figure_text_width(d->letters, false, d->f->bar_label) < d->f->width)
        put(d, b.left, b.top - 10, 0, d->f->bar_label);
    else if (d->f->bar_label)
        put_beside(d, b.right + 16 + d->letters + widest, d->f->bar_label);
}

/* ---- panels ---- */

/* Sides that are not given leave room for what is beside them. */
static void place_panel(drawing *d)
{
    const figure_panel *p = d->panel;
    const figure_box *wanted = &p->box;
    double top = 12 + (d->f->title ? 30 : 0), bottom = 8;

    top += (p->title != NULL) * 2.2 * d->letters + (p->note != NULL) * 2 * d->letters;
    top += (p->legend == FIGURE_LEGEND_ABOVE) * 3 * d->letters;
    bottom += p->x.label ? 20 + 2 * d->letters : p->x.ticks ? 12 + d->letters : 0;
    bottom += p->legend == FIGURE_LEGEND_BELOW ? 1.9 * d->letters * (double)legend_lines(p) + 8 : 0;
    d->box.top = isnan(wanted->top) ? top : wanted->top;
    d->box.bottom = isnan(wanted->bottom) ? d->f->height - bottom : wanted->bottom;
    d->box.left = wanted->left;
    if (isnan(wanted->left))
        d->box.left =
            20 + tick_width(&p->y, d->box.bottom - d->box.top, d->letters) + (p->y.label ? 12 + d->letters : 0);
    d->box.right = isnan(wanted->right) ? d->f->width - MARGIN : wanted->right;
}

static void draw_panel(drawing *d)
{
    const figure_panel *p = d->panel;
    figure_letters line = {d->box.left, d->box.top - 8, d->letters, 0, FIGURE_INK, true, false};

    if (p->inset)
        d->pen->fill(d->pen, figure_around_inset(d->box), 0xffffff);
    draw_x_axis(d);
    draw_y_axis(d);
    draw_image(d);
    for (const figure_mark *m = p->marks; m; m = m->next)
        draw_mark(d, m);
    draw_frame(d);
    if (p->note)
        put_plain(d, line, d->f->width - line.x, p->note);
    line.y -= p->note ? 2 * d->letters : 0;
    if (p->title)
        put_plain(d, line, d->f->width - line.x, p->title);
    for (const figure_label *l = p->labels; l; l = l->next)
        draw_label(d, l);
    if (p->legend != FIGURE_NO_LEGEND)
        draw_legend(d);
    draw_scale(d);
}

void figure_draw(const figure *f, figure_pen *pen)
{
    drawing d = {.f = f, .pen = pen, .letters = f->letters};
    figure_box first = {0};
    void *before = penta_c_locale_enter();

    if (f->title)
        put_plain(&d, (figure_letters){MARGIN, 27, FIGURE_TITLE * f->letters, 0, FIGURE_INK, true, false},
                  f->width - 2 * MARGIN, f->title);
    for (d.panel = f->panels; d.panel; d.panel = d.panel->next) {
        d.letters = f->letters * (d.panel->inset ? 0.8 : 1);
        place_panel(&d);
        draw_panel(&d);
        first = d.panel == f->panels ? d.box : first;
    }
    d.letters = f->letters;
    draw_bar(&d, first);
    penta_c_locale_leave(before);
}
