/* A figure on a pen: axes, ticks, marks cut off at the axes, legend, colour bar. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pentacl/numbers.h>

#include "figures/canvas.h"
#include "figures/pen.h"

enum {
    TICK = 4,
    MARGIN = 16,
    MOST_TICKS = 8,
    MOST_BAR_TICKS = 6,
    PER_X_TICK = 80,
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

/* ---- ticks ---- */

typedef struct {
    double first, step, last;
    bool decades; /* powers of ten */
} ticks;

static ticks ticks_of(const figure_axis *a, double length, double per_tick)
{
    double lo = fmin(a->range.lo, a->range.hi), hi = fmax(a->range.lo, a->range.hi);
    ticks t = {.decades = a->logarithmic && hi >= 100 * lo};

    if (t.decades) {
        lo = log10(lo);
        hi = log10(hi);
    }
    t.step = figure_tick_step((figure_range){lo, hi}, (int)fmin(fmax(length / per_tick, 2), MOST_TICKS));
    t.step = a->step > 0 ? a->step : t.decades ? fmax(t.step, 1) : t.step;
    t.first = ceil(lo / t.step - 1e-9);
    t.last = floor(hi / t.step + 1e-9);
    return t;
}

static double tick_value(const ticks *t, double k)
{
    return t->decades ? pow(10, k * t->step) : k * t->step;
}

static void print_tick(const ticks *t, double k, char text[40])
{
    if (t->decades)
        snprintf(text, 40, "10^{%d}", (int)lround(k * t->step));
    else
        canvas_put_tick(text, 40, k * t->step, t->step);
}

static double tick_width(const figure_axis *a, double length, double letters)
{
    ticks t = ticks_of(a, length, PER_Y_TICK);
    double widest = 0;
    char text[40];

    for (double k = t.first; k <= t.last; k++) {
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
        d->pen->text(d->pen, x, d->box.bottom + 8 + d->letters, d->letters, 0.5, FIGURE_INK, false, text);
    }
    if (a->label)
        d->pen->text(d->pen, (d->box.left + d->box.right) / 2, d->box.bottom + 16 + 2 * d->letters, d->letters, 0.5,
                     FIGURE_INK, false, a->label);
}

/* Its label is above it, as the letters of a canvas do not turn. */
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
        d->pen->text(d->pen, d->box.left - 8, y + d->letters / 2, d->letters, 1, FIGURE_INK, false, text);
    }
    if (a->label)
        d->pen->text(d->pen, d->box.left, d->box.top - 8, d->letters, 0, FIGURE_INK, false, a->label);
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
    return m->valued ? canvas_viridis(figure_share(d->f->colours, p->value)) : m->colour;
}

/* Lines begin anew wherever one is left out, or has another colour. */
static void draw_lines(const drawing *d, const figure_mark *m)
{
    size_t step = m->kind == FIGURE_SEGMENTS ? 2 : 1;
    figure_stroke stroke = {.width = m->width, .dashed = m->dashed, .pieces = m->kind == FIGURE_SEGMENTS};
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

static void draw_band(const drawing *d, const figure_mark *m)
{
    for (size_t i = 0; i + 1 < m->count; i++) {
        double ends[2][3];

        for (int k = 0; k < 2; k++) {
            const figure_point *p = &m->points[i + (size_t)k];
            double low = place_y(d, p->y - p->half), high = place_y(d, p->y + p->half);

            ends[k][0] = fmin(fmax(place_x(d, p->x), d->box.left), d->box.right);
            ends[k][1] = fmin(fmax(fmin(low, high), d->box.top), d->box.bottom);
            ends[k][2] = fmin(fmax(fmax(low, high), d->box.top), d->box.bottom);
            ends[k][0] = isfinite(p->x + p->y) ? ends[k][0] : NAN;
        }
        if (isfinite(ends[0][0] + ends[1][0]))
            d->pen->slab(d->pen, ends[0], ends[1], m->colour);
    }
}

static void draw_point(const drawing *d, const figure_mark *m, double x, double y, uint32_t colour)
{
    const double r = m->radius;

    if (m->kind == FIGURE_CROSSES) {
        draw_line(d, x - r, y - r, x + r, y + r, (figure_stroke){.width = 1.2, .colour = colour});
        draw_line(d, x - r, y + r, x + r, y - r, (figure_stroke){.width = 1.2, .colour = colour});
        return;
    }
    d->pen->disc(d->pen, x, y, r, colour);
    if (m->kind == FIGURE_RINGS)
        d->pen->disc(d->pen, x, y, r - 1.2, 0xffffff);
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

    d->pen->text(d->pen, x, y + size / 2 - 1.9 * size * l->rise, size, l->align, l->colour, l->plain, l->text);
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
        d->pen->text(d->pen, x + SAMPLE + 6, y + d->letters / 2, d->letters, 0, FIGURE_INK, false, m->label);
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
    d->pen->text(d->pen, d->box.left + width + 8, y + 2 + d->letters / 2, d->letters, 0, FIGURE_INK, false,
                 d->panel->scale_label);
}

static void draw_bar(drawing *d, figure_box first)
{
    enum { SHADES = 224 };
    float values[SHADES];
    figure_box b = d->f->bar;
    figure_panel axis = {.y = {.range = d->f->colours, .ticks = true}};
    ticks t;
    char text[40];

    if (!(b.right > b.left) || figure_range_is_none(d->f->colours))
        return;
    d->box = b =
        (figure_box){b.left, isnan(b.top) ? first.top : b.top, b.right, isnan(b.bottom) ? first.bottom : b.bottom};
    d->panel = &axis;
    t = ticks_of(&axis.y, MOST_BAR_TICKS * PER_Y_TICK, PER_Y_TICK);
    for (int i = 0; i < SHADES; i++)
        values[i] = (float)(d->f->colours.hi - (d->f->colours.hi - d->f->colours.lo) * i / (SHADES - 1));
    d->pen->image(d->pen, b, &(figure_image){.width = 1, .height = SHADES, .values = values}, d->f->colours);
    axis.frame = FIGURE_FRAME_WHOLE;
    draw_frame(d);
    for (double k = t.first; k <= t.last; k++) {
        double y = place_y(d, k * t.step);

        draw_line(d, b.right, y, b.right + TICK, y, (figure_stroke){.width = 1, .colour = FIGURE_INK});
        print_tick(&t, k, text);
        d->pen->text(d->pen, b.right + 8, y + d->letters / 2, d->letters, 0, FIGURE_INK, false, text);
    }
    if (d->f->bar_label)
        d->pen->text(d->pen, b.left, b.top - 7, d->letters, 0, FIGURE_INK, false, d->f->bar_label);
}

/* ---- panels ---- */

/* Sides that are not given leave room for what is beside them. */
static void place_panel(drawing *d)
{
    const figure_panel *p = d->panel;
    const figure_box *wanted = &p->box;
    double top = 12 + (d->f->title ? 30 : 0), bottom = 8;

    top += (p->title != NULL) * 2.2 * d->letters + (p->note != NULL) * 2 * d->letters;
    top += (p->y.label != NULL) * 2 * d->letters + (p->legend == FIGURE_LEGEND_ABOVE) * 3 * d->letters;
    bottom += (p->x.ticks ? 12 + d->letters : 0) + (p->x.label ? 8 + d->letters : 0);
    bottom += p->legend == FIGURE_LEGEND_BELOW ? 1.9 * d->letters * (double)legend_lines(p) + 8 : 0;
    d->box.top = isnan(wanted->top) ? top : wanted->top;
    d->box.bottom = isnan(wanted->bottom) ? d->f->height - bottom : wanted->bottom;
    d->box.left = wanted->left;
    if (isnan(wanted->left))
        d->box.left = 20 + (p->y.ticks ? tick_width(&p->y, d->box.bottom - d->box.top, d->letters) : 0);
    d->box.right = isnan(wanted->right) ? d->f->width - MARGIN : wanted->right;
}

static void draw_panel(drawing *d)
{
    const figure_panel *p = d->panel;
    double line = d->box.top - 6 - (p->y.label ? 2 * d->letters : 0);

    if (p->inset)
        d->pen->fill(d->pen, figure_around_inset(d->box), 0xffffff);
    draw_x_axis(d);
    draw_y_axis(d);
    draw_image(d);
    for (const figure_mark *m = p->marks; m; m = m->next)
        draw_mark(d, m);
    draw_frame(d);
    if (p->note)
        d->pen->text(d->pen, d->box.left, line, d->letters, 0, FIGURE_INK, true, p->note);
    if (p->title)
        d->pen->text(d->pen, d->box.left, line - (p->note ? 2 * d->letters : 0), d->letters, 0, FIGURE_INK, true,
                     p->title);
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
        pen->text(pen, MARGIN, 27, FIGURE_TITLE * f->letters, 0, FIGURE_INK, true, f->title);
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

/* ---- what pens share ---- */

void figure_slab_by_columns(figure_pen *pen, const double from[3], const double to[3], uint32_t colour)
{
    for (double x = floor(from[0]); x < ceil(to[0]); x++) {
        double t = to[0] > from[0] ? fmin(fmax((x + 0.5 - from[0]) / (to[0] - from[0]), 0), 1) : 0;
        double low = from[1] + t * (to[1] - from[1]), high = from[2] + t * (to[2] - from[2]);

        pen->fill(pen, (figure_box){x, low, x + 1, high}, colour);
    }
}

bool figure_next_run(const char **text, bool plain, figure_run *run)
{
    const char *at = *text;

    if (!*at)
        return false;
    run->level = 0;
    if (!plain && (at[0] == '_' || at[0] == '^') && at[1] == '{' && strchr(at, '}')) {
        *run = (figure_run){at + 2, strchr(at, '}'), at[0] == '_' ? -1 : 1};
        *text = run->end + 1;
        return true;
    }
    run->at = at++;
    while (*at && (plain || !((at[0] == '_' || at[0] == '^') && at[1] == '{')))
        at++;
    *text = run->end = at;
    return true;
}

double figure_text_width(double size, bool plain, const char *text)
{
    char part[256];
    double width = 0;

    for (figure_run run; figure_next_run(&text, plain, &run);) {
        snprintf(part, sizeof part, "%.*s", (int)(run.end - run.at), run.at);
        width += canvas_text_width(run.level ? 0.75 * size : size, part) + 0.2 * size;
    }
    return fmax(width - 0.2 * size, 0);
}

static size_t pixel_at(double length, size_t count, double px)
{
    size_t i = (size_t)((px + 0.5) * ((double)count / length));

    return i < count ? i : count - 1;
}

double figure_image_run(double length, size_t count, double from, size_t *pixel)
{
    double to = from + 1;

    *pixel = pixel_at(length, count, from);
    while (to < round(length) && pixel_at(length, count, to) == *pixel)
        to++;
    return to;
}

uint32_t figure_pixel(const figure_image *image, figure_range colours, size_t i)
{
    if (image->rgb)
        return (uint32_t)image->rgb[3 * i] << 16 | (uint32_t)image->rgb[3 * i + 1] << 8 | image->rgb[3 * i + 2];
    return isfinite(image->values[i]) ? canvas_viridis(figure_share(colours, (double)image->values[i]))
                                      : FIGURE_UNKNOWN;
}
