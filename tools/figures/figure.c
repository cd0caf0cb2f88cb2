/* Describing a figure: memory, parts, texts. */
#include "figures/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include <pentacl/numbers.h>

/* ---- memory ---- */

typedef struct figure_block {
    struct figure_block *next;
    size_t used, size;
    max_align_t data[];
} figure_block;

void figure_open(figure *f, double width, double height)
{
    *f = (figure){.width = width, .height = height, .letters = 11, .colours = figure_range_none()};
    f->last_panel = &f->panels;
}

static void free_points(figure_panel *panel)
{
    for (figure_mark *m = panel->marks; m; m = m->next)
        free(m->points);
}

void figure_close(figure *f)
{
    for (figure_panel *p = f->panels; p; p = p->next)
        free_points(p);
    free_points(&f->spare_panel);
    free(f->spare_mark.points);
    while (f->blocks) {
        figure_block *next = f->blocks->next;

        free(f->blocks);
        f->blocks = next;
    }
    *f = (figure){0};
}

/* Small parts share a block. */
void *figure_memory(figure *f, size_t size)
{
    enum { BLOCK = 16384, ALIGN = sizeof(max_align_t) };
    size_t rounded = (size + ALIGN - 1) / ALIGN * ALIGN, wanted = rounded > BLOCK ? rounded : BLOCK;
    figure_block *block = f->blocks;

    if (!block || block->size - block->used < rounded) {
        block = calloc(1, sizeof *block + wanted);
        if (!block) {
            f->failed = true;
            return NULL;
        }
        block->next = f->blocks;
        block->size = wanted;
        f->blocks = block;
    }
    block->used += rounded;
    return (char *)block->data + block->used - rounded;
}

/* ---- parts ---- */

figure_panel *figure_add_panel(figure *f, figure_panel panel)
{
    figure_panel *p = figure_memory(f, sizeof *p);

    if (!p)
        free_points(p = &f->spare_panel);
    *p = panel;
    p->last_mark = &p->marks;
    p->last_label = &p->labels;
    if (p != &f->spare_panel) {
        *f->last_panel = p;
        f->last_panel = &p->next;
    }
    return p;
}

figure_mark *figure_add_mark(figure *f, figure_panel *panel, figure_mark mark)
{
    figure_mark *m = figure_memory(f, sizeof *m);

    if (!m) {
        free(f->spare_mark.points);
        f->spare_mark = mark;
        return &f->spare_mark;
    }
    *m = mark;
    *panel->last_mark = m;
    panel->last_mark = &m->next;
    return m;
}

void figure_add_point(figure *f, figure_mark *mark, figure_point point)
{
    if (mark->count == mark->room) {
        size_t room = mark->room > 0 ? 2 * mark->room : 64;
        figure_point *points = realloc(mark->points, room * sizeof *points);

        if (!points) {
            f->failed = true;
            return;
        }
        mark->points = points;
        mark->room = room;
    }
    mark->points[mark->count++] = point;
}

void figure_add_label(figure *f, figure_panel *panel, figure_label label)
{
    figure_label *l = figure_memory(f, sizeof *l);

    if (!l)
        return;
    *l = label;
    *panel->last_label = l;
    panel->last_label = &l->next;
}

void figure_add_nothing(figure *f, figure_panel *panel, const char *remark)
{
    panel->frame = FIGURE_FRAME_WHOLE;
    panel->grid = panel->x.ticks = panel->y.ticks = false;
    panel->x.range = panel->y.range = (figure_range){0, 1};
    figure_add_label(f, panel, (figure_label){.text = remark, .x = 0.5, .y = 0.5, .align = 0.5, .colour = 0x606060});
}

/* ---- texts ---- */

static const char *print_text(figure *f, const char *format, va_list values)
{
    va_list again;
    char *text = NULL;
    int length;

    va_copy(again, values);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length >= 0)
        text = figure_memory(f, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, values);
    return text ? text : "";
}

const char *figure_text(figure *f, const char *format, ...)
{
    void *before = penta_c_locale_enter();
    const char *text;
    va_list values;

    va_start(values, format);
    text = print_text(f, format, values);
    va_end(values);
    penta_c_locale_leave(before);
    return text;
}

/* The power of ten of a positive number's leading digit. */
static int exponent_of(double value)
{
    return (int)floor(log10(value));
}

/* "(45.3 ± 0.4)" and so on, both numbers with the same decimals and without the factor 10^power. */
static const char *measured_text(figure *f, double value, double standard_error, int decimals, int power, bool enclosed)
{
    double scale = pow(10, power);
    const char *open = enclosed ? "(" : "", *close = enclosed ? ")" : "";
    const char *factor = power != 0 ? figure_text(f, "×10^{%d}", power) : "";

    if (standard_error > 0)
        return figure_text(f, "%s%.*f ± %.*f%s%s", open, decimals, value / scale, decimals, standard_error / scale,
                           close, factor);
    return figure_text(f, "%s%.*f%s%s", open, decimals, value / scale, close, factor);
}

const char *figure_measured(figure *f, double value, double standard_error, bool enclosed)
{
    bool has_error = isfinite(standard_error) && standard_error > 0;
    int leading, decimals, power;

    if (!isfinite(value))
        return "NaN";
    leading = value != 0 ? exponent_of(fabs(value)) : 0;
    decimals = 2 - leading;
    if (has_error) {
        int of_error = exponent_of(standard_error);

        decimals = standard_error < 1.95 * pow(10, of_error) ? 1 - of_error : -of_error;
        leading = value != 0 && leading > of_error ? leading : of_error;
    }
    power = leading < -3 || leading > 4 ? leading : 0;
    decimals += power;
    decimals = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    if (has_error)
        return measured_text(f, value, standard_error, decimals, power, enclosed || power != 0);
    return measured_text(f, value, 0, decimals, power, enclosed && (value < 0 || power != 0));
}

double figure_title_width(const figure *f)
{
    return f->title ? figure_text_width(FIGURE_TITLE * f->letters, true, f->title) : 0;
}

uint32_t figure_contrast(const figure *f, double value)
{
    return figure_share(f->colours, value) < 0.6 ? 0xffffff : FIGURE_INK;
}

/* ---- arrows ---- */

void figure_add_arrow(figure *f, figure_mark *segments, double x, double y, double dx, double dy)
{
    const double head = 0.55, slope = 0.5; /* of half the shaft */

    figure_add_point(f, segments, (figure_point){x - dx, y - dy, 0, 0});
    figure_add_point(f, segments, (figure_point){x + dx, y + dy, 0, 0});
    for (int side = -1; side <= 1; side += 2) {
        figure_add_point(f, segments, (figure_point){x + dx, y + dy, 0, 0});
        figure_add_point(
            f, segments,
            (figure_point){x + dx - head * (dx + side * slope * dy), y + dy - head * (dy - side * slope * dx), 0, 0});
    }
}
