/* A figure as a script for gnuplot. */
#include <math.h>

#include "figures/canvas.h"
#include "figures/gnuplot.h"
#include "figures/pen.h"

enum { PER_COLUMN = 11 }; /* px that a letter of a title takes */

static const double point_radius = 5.5; /* px, of gnuplot's points of size 1 */

/* ---- words ---- */

static void put_text(gnuplot *plot, const char *text)
{
    gnuplot_put_string(plot, text ? text : "", (size_t)-1);
}

static void put_title(gnuplot *plot, const figure_panel *p, double width)
{
    const size_t columns = (size_t)(width / PER_COLUMN);

    if (!p->title && !p->note)
        return;
    gnuplot_put(plot, "set title ");
    if (p->title)
        gnuplot_put_string(plot, p->title, columns);
    if (p->note) {
        gnuplot_put(plot, p->title ? ".\"\\n\"." : "");
        put_text(plot, p->note);
    }
    gnuplot_put(plot, " noenhanced\n");
}

static void put_labels(gnuplot *plot, const figure_panel *p)
{
    static const char *const sides[] = {"left", "center", "right"};
    const double width = (p->box.right - p->box.left) / (PER_COLUMN - 1);
    int n = 0;

    for (const figure_label *l = p->labels; l; l = l->next) {
        gnuplot_put(plot, "set label %d ", ++n);
        gnuplot_put_string(plot, l->text, l->plain && width > 0 ? (size_t)width : (size_t)-1);
        gnuplot_put(plot, " %sat %s %.9g, %s %.9g %s offset 0, %.9g front font ',%.9g' textcolor rgb '#%06x'\n",
                    l->plain ? "noenhanced " : "", l->on_axes ? "first" : "graph", l->x, l->on_axes ? "first" : "graph",
                    l->y, sides[(int)(2 * l->align)], l->rise, 13 * (l->size > 0 ? l->size : 1), (unsigned)l->colour);
    }
    if (p->scale > 0) {
        gnuplot_put(plot, "set arrow 1 from graph 0, graph -0.08 to first %.9g, graph -0.08 nohead lw 4\nset label %d ",
                    p->x.range.lo + p->scale, ++n);
        put_text(plot, p->scale_label);
        gnuplot_put(plot, " at first %.9g, graph -0.08 offset 1, 0\n", p->x.range.lo + p->scale);
    }
}

/* ---- data ---- */

static bool has_place(const figure_point *p)
{
    return isfinite(p->x) && isfinite(p->y);
}

static bool has_points(const figure_mark *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (has_place(&m->points[i]))
            return true;
    return false;
}

/* x, y and, where it has a say, the colour or half of the height; a blank line wherever a line is interrupted. */
static void put_points(gnuplot *plot, const figure_mark *m)
{
    bool broken = true;

    for (size_t i = 0; i < m->count; i++) {
        const figure_point *p = &m->points[i];

        if (has_place(p)) {
            gnuplot_put(plot, "%.15g %.9g", p->x, p->y);
            if (m->valued)
                gnuplot_put(plot, " %.15g", p->value);
            else if (m->kind == FIGURE_BARS || m->kind == FIGURE_BAND)
                gnuplot_put(plot, " %.9g", p->half);
            gnuplot_put(plot, "\n");
        }
        if ((!has_place(p) && !broken) || (m->kind == FIGURE_SEGMENTS && i % 2 == 1))
            gnuplot_put(plot, "\n");
        broken = !has_place(p);
    }
}

static void put_matrix(gnuplot *plot, const figure_image *image)
{
    for (size_t y = 0; y < image->height; y++) {
        for (size_t x = 0; x < image->width; x++) {
            size_t i = y * image->width + x;

            if (image->rgb)
                gnuplot_put(plot, "%zu %zu %d %d %d\n", x, y, image->rgb[3 * i], image->rgb[3 * i + 1],
                            image->rgb[3 * i + 2]);
            else
                gnuplot_put(plot, isfinite(image->values[i]) ? "%.9g " : "NaN ", (double)image->values[i]);
        }
        gnuplot_put(plot, "\n");
    }
}

static void put_data(gnuplot *plot, const figure *f)
{
    size_t i = 0, k;

    for (const figure_panel *p = f->panels; p; p = p->next, i++) {
        if (p->image.width > 0) {
            gnuplot_put(plot, "$map%zu << END\n", i);
            put_matrix(plot, &p->image);
            gnuplot_put(plot, "END\n");
        }
        k = 0;
        for (const figure_mark *m = p->marks; m; m = m->next) {
            gnuplot_put(plot, "$data%zu_%zu << END\n", i, k++);
            put_points(plot, m);
            gnuplot_put(plot, "END\n");
        }
    }
}

/* ---- marks ---- */

static void put_colour(gnuplot *plot, const figure_mark *m)
{
    if (m->valued)
        gnuplot_put(plot, " lc palette");
    else
        gnuplot_put(plot, " lc rgb '#%06x'", (unsigned)m->colour);
}

static void put_mark(gnuplot *plot, const figure_mark *m, size_t panel, size_t number)
{
    const char *shade = m->valued ? ":3" : "";

    if (!has_points(m)) {
        gnuplot_put(plot, "NaN with lines lc rgb '#ffffff'");
        return;
    }
    gnuplot_put(plot, "$data%zu_%zu using ", panel, number);
    if (m->kind == FIGURE_LINE || m->kind == FIGURE_SEGMENTS) {
        gnuplot_put(plot, "1:2%s with lines lw %.9g dt %d", shade, m->width, m->dashed ? 2 : 1);
    } else if (m->kind == FIGURE_BAND) {
        gnuplot_put(plot, "1:($2-$3):($2+$3) with filledcurves fs solid noborder fc rgb '#%06x'", (unsigned)m->colour);
        return;
    } else if (m->kind == FIGURE_BARS) {
        gnuplot_put(plot, "1:($2-$3):(0):(2*$3) with vectors nohead lw %.9g", m->width);
    } else {
        gnuplot_put(plot, "1:2%s with points pt %d ps %.9g lw %.9g", shade,
                    m->kind == FIGURE_DISCS   ? 7
                    : m->kind == FIGURE_RINGS ? 6
                                              : 2,
                    m->radius / point_radius, m->width > 0 ? m->width : 1.2);
    }
    put_colour(plot, m);
}

static void put_image(gnuplot *plot, const figure_image *image, size_t panel)
{
    gnuplot_put(plot, "$map%zu %susing (%.9g+$1*%.9g):(%.9g+$2*%.9g):%s", panel, image->rgb ? "" : "matrix ", image->x,
                image->step, image->y, image->step, image->rgb ? "3:4:5 with rgbimage" : "3 with image");
}

static void put_plot(gnuplot *plot, const figure_panel *p, size_t panel)
{
    const char *comma = "";
    size_t k = 0;

    gnuplot_put(plot, "plot ");
    if (p->image.width > 0) {
        put_image(plot, &p->image, panel);
        comma = ", ";
    }
    for (const figure_mark *m = p->marks; m; m = m->next, k++) {
        if (!m->label && !has_points(m))
            continue;
        gnuplot_put(plot, "%s", comma);
        put_mark(plot, m, panel, k);
        if (m->label) {
            gnuplot_put(plot, " title ");
            put_text(plot, m->label);
        }
        comma = ", ";
    }
    gnuplot_put(plot, *comma ? "\n" : "NaN\n");
}

/* ---- panels ---- */

static void put_axis(gnuplot *plot, const char *name, const figure_axis *a, bool small)
{
    const bool decades = a->logarithmic && a->range.hi >= 100 * a->range.lo;

    gnuplot_put(plot, "%s logscale %s\nset format %s '%s'\n", a->logarithmic ? "set" : "unset", name, name,
                decades          ? "10^{%T}"
                : a->logarithmic ? "%.4h"
                                 : "%.11h");
    gnuplot_put(plot, "set %srange [%.15g:%.15g]\n", name, a->downwards ? a->range.hi : a->range.lo,
                a->downwards ? a->range.lo : a->range.hi);
    if (a->ticks)
        gnuplot_put(plot, "set %stics nomirror out scale 0.6 textcolor rgb '#202020' font ',%d' ", name,
                    small ? 10 : 13);
    else
        gnuplot_put(plot, "unset %stics", name);
    if (a->ticks && a->step > 0)
        gnuplot_put(plot, "%.9g", a->step);
    else if (a->ticks)
        gnuplot_put(plot, "autofreq");
    gnuplot_put(plot, "\nset %slabel ", name);
    put_text(plot, a->label);
    gnuplot_put(plot, "\n");
}

static void put_side(gnuplot *plot, const char *name, double share)
{
    if (!isnan(share))
        gnuplot_put(plot, "set %s at screen %.9g\n", name, share);
}

static void put_box(gnuplot *plot, const figure *f, const figure_panel *p)
{
    put_side(plot, "lmargin", p->box.left / f->width);
    put_side(plot, "rmargin", p->box.right / f->width);
    put_side(plot, "tmargin", 1 - p->box.top / f->height);
    put_side(plot, "bmargin", 1 - p->box.bottom / f->height);
}

/* Beside the first panel, or where the bar is to be. */
static void put_bar(gnuplot *plot, const figure *f)
{
    const figure_box *b = &f->bar;

    if (!(b->right > b->left) || figure_range_is_none(f->colours)) {
        gnuplot_put(plot, "unset colorbox\n");
        return;
    }
    gnuplot_put(plot, "set cblabel ");
    put_text(plot, f->bar_label);
    gnuplot_put(plot, " offset 1.2\nset colorbox user origin screen %.9g, ", b->left / f->width);
    if (isnan(b->top) || isnan(b->bottom))
        gnuplot_put(plot, "graph 0 size screen %.9g, graph 1\n", (b->right - b->left) / f->width);
    else
        gnuplot_put(plot, "screen %.9g size screen %.9g, screen %.9g\n", 1 - b->bottom / f->height,
                    (b->right - b->left) / f->width, (b->bottom - b->top) / f->height);
}

static void put_surroundings(gnuplot *plot, const figure *f, const figure_panel *p)
{
    static const char *const keys[] = {[FIGURE_NO_LEGEND] = "unset key",
                                       [FIGURE_LEGEND_INSIDE] = "set key default noautotitle samplen 2.5 spacing 1.2",
                                       [FIGURE_LEGEND_BELOW] =
                                           "set key bmargin left Left reverse vertical maxcols 1 title ' ' font ',6'",
                                       [FIGURE_LEGEND_ABOVE] = "set key tmargin left Left reverse horizontal"};
    static const int borders[] = {[FIGURE_FRAME_AXES] = 3, [FIGURE_FRAME_WHOLE] = 15, [FIGURE_FRAME_NONE] = 0};

    gnuplot_put(plot, "set border %d lc rgb '#404040'\n%s\n%s\n", borders[p->frame], keys[p->legend],
                p->grid ? "set grid lc rgb '#dddddd' lw 1 dt 1" : "unset grid");
    if (p->image.width > 0)
        gnuplot_put(plot,
                    "set object 2 rectangle from graph 0, 0 to graph 1, 1 behind fc rgb '#%06x' fs solid noborder\n",
                    FIGURE_UNKNOWN);
    if (p->inset) {
        const figure_box around = figure_around_inset(p->box);

        gnuplot_put(plot,
                    "set object 1 rectangle from "
                    "screen %.9g, %.9g to screen %.9g, %.9g behind "
                    "fc rgb '#ffffff' fs solid noborder\n",
                    around.left / f->width, 1 - around.bottom / f->height, around.right / f->width,
                    1 - around.top / f->height);
    }
}

static void put_panel(gnuplot *plot, const figure *f, const figure_panel *p, size_t number)
{
    if (number > 0)
        gnuplot_put(plot, "unset label\nunset arrow\nunset object\nunset title\nunset colorbox\n");
    else
        put_bar(plot, f);
    put_box(plot, f, p);
    put_surroundings(plot, f, p);
    put_axis(plot, "x", &p->x, p->inset);
    put_axis(plot, "y", &p->y, p->inset);
    put_title(plot, p, f->width);
    put_labels(plot, p);
    put_plot(plot, p, number);
}

static void put_script(gnuplot *plot, const figure *f)
{
    const bool several = f->title || (f->panels && f->panels->next);
    size_t i = 0;

    gnuplot_put(plot,
                "set tics nomirror out scale 0.6 textcolor rgb '#202020'\nset key noautotitle samplen 2.5 spacing 1.2\n"
                "set palette defined (");
    for (int k = 0; k < 10; k++)
        gnuplot_put(plot, "%s%d '#%06x'", k > 0 ? ", " : "", k, (unsigned)canvas_viridis(k / 9.0));
    gnuplot_put(plot, ")\nset clip two\n"); /* lines whose ends lie outside are drawn within */
    if (!figure_range_is_none(f->colours))
        gnuplot_put(plot, "set cbrange [%.15g:%.15g]\nset format cb '%%.11h'\n", f->colours.lo, f->colours.hi);
    put_data(plot, f);
    if (several)
        gnuplot_put(plot, "set multiplot");
    if (f->title) {
        gnuplot_put(plot, " title ");
        gnuplot_put_string(plot, f->title, (size_t)(f->width / PER_COLUMN));
        gnuplot_put(plot, " noenhanced");
    }
    gnuplot_put(plot, several ? "\n" : "");
    for (const figure_panel *p = f->panels; p; p = p->next)
        put_panel(plot, f, p, i++);
    gnuplot_put(plot, several ? "unset multiplot\n" : "");
}

plot_status figure_gnuplot(const figure *f, const char *base, penta_io_error *err)
{
    plot_status status = PLOT_FAILED;
    gnuplot *plot;

    if (f->failed) {
        penta_io_fail(err, "%s: out of memory for a plot", base);
        return PLOT_FAILED;
    }
    if (!gnuplot_open(&plot, err))
        return PLOT_FAILED;
    put_script(plot, f);
    status = gnuplot_write(plot, base, (int)f->width, (int)f->height, err);
    gnuplot_close(plot);
    return status;
}
