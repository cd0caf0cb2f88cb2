/* C1D(r): one curve with its trough and peak, or a series in the colours of time. */
#include "figures/autocorr_plot.h"

#include <math.h>

#include "figures/style.h"

enum { MOST_CURVES = 24, MOST_OUTLINES = 60, MOST_DOTS = 40, WIDTH = 1000, HEIGHT = 700 };

/* The frames and how they are shown. */
typedef struct {
    size_t n, drawn; /* drawn curves, spread evenly from the first frame to the last */
    const plot_c1d_frame *frames;
    bool seconds;    /* colours are times in s; else times as frame numbers */
    bool timed;      /* frames have times of their own; else the frame's index is its colour */
    plot_range x, y; /* of the axes */
    plot_range whole_x, whole_y;
    bool closed_in; /* x, y leave out so much of the whole that an inset is due */
} view;

static const plot_c1d_frame *drawn_frame(const view *v, size_t i)
{
    return &v->frames[v->drawn > 1 ? i * (v->n - 1) / (v->drawn - 1) : 0];
}

static double colour_of(const view *v, const plot_c1d_frame *frame)
{
    return v->timed ? frame->time : (double)(frame - v->frames);
}

static bool has_peak(const plot_c1d_frame *frame)
{
    return (frame->peak.status == PENTA_PEAK_OK || frame->peak.status == PENTA_PEAK_WEAK) &&
           isfinite(frame->peak.r_max) && isfinite(frame->peak.c_max);
}

static bool has_value(const penta_autocorr_bin *bin)
{
    return isfinite(bin->mean_r) && isfinite(bin->c);
}

static bool has_times(size_t n, const plot_c1d_frame *frames)
{
    plot_range times = plot_range_none();

    for (size_t i = 0; i < n; i++) {
        if (!isfinite(frames[i].time))
            return false;
        plot_range_add(&times, frames[i].time);
    }
    return times.lo < times.hi;
}

/* ---- ranges ---- */

/* The values at from <= r <= to, and where they are; x may be NULL. */
static void add_values(const plot_c1d_frame *frame, double from, double to, plot_range *x, plot_range *y)
{
    for (size_t i = 0; i < frame->bins; i++) {
        const penta_autocorr_bin *bin = &frame->c1d[i];

        if (!has_value(bin) || bin->mean_r < from || bin->mean_r > to)
            continue;
        plot_range_add(y, bin->c);
        if (x)
            plot_range_add(x, bin->mean_r);
    }
}

/* What C1D does from the trough on. */
static void add_structure(const plot_c1d_frame *frame, double to, plot_range *structure)
{
    add_values(frame, isfinite(frame->peak.r_min) ? frame->peak.r_min : frame->peak.r_max, to, NULL, structure);
    plot_range_add(structure, frame->peak.c_min);
    plot_range_add(structure, frame->peak.c_max);
}

/* Out to 4 R_max, and up to about three times the height from trough to peak. Without any peak, the whole curves. */
static void choose_ranges(view *v)
{
    plot_range structure = plot_range_none(), visible = plot_range_none(), peaks = plot_range_none();

    v->whole_x = v->whole_y = plot_range_none();
    for (size_t i = 0; i < v->drawn; i++)
        add_values(drawn_frame(v, i), 0, INFINITY, &v->whole_x, &v->whole_y);
    for (size_t i = 0; i < v->n; i++)
        if (has_peak(&v->frames[i]))
            plot_range_add(&peaks, v->frames[i].peak.r_max);
    plot_range_add(&v->whole_x, 0);
    v->x = plot_range_pad(v->whole_x, 0, 0.01);
    if (!plot_range_is_none(peaks))
        v->x.hi = fmin(v->x.hi, 4 * peaks.hi);
    for (size_t i = 0; i < v->drawn; i++) {
        add_values(drawn_frame(v, i), 0, v->x.hi, NULL, &visible);
        if (has_peak(drawn_frame(v, i)))
            add_structure(drawn_frame(v, i), v->x.hi, &structure);
    }
    v->y = plot_range_pad(visible, 0.12, 0.05);
    if (plot_range_is_none(structure))
        return;
    structure = plot_range_pad(structure, 0.2, 1.5);
    v->closed_in = structure.hi < v->y.lo + 0.75 * (v->y.hi - v->y.lo);
    if (v->closed_in)
        v->y = structure;
}

/* ---- data ---- */

/* x, y, colour and half the width of the band; a blank line wherever a curve is interrupted. */
static void put_curve(gnuplot *plot, const view *v, const plot_c1d_frame *frame)
{
    bool broken = true;

    for (size_t i = 0; i < frame->bins; i++) {
        const penta_autocorr_bin *bin = &frame->c1d[i];
        double band = bin->count > 0 ? bin->sd / sqrt((double)bin->count) : 0;

        if (has_value(bin))
            gnuplot_put(plot, "%.9g %.9g %.15g %.9g\n", bin->mean_r, bin->c, colour_of(v, frame),
                        isfinite(band) ? band : 0);
        else if (!broken)
            gnuplot_put(plot, "\n");
        broken = !has_value(bin);
    }
    if (!broken)
        gnuplot_put(plot, "\n");
}

static void put_data(gnuplot *plot, const view *v)
{
    gnuplot_put(plot, "$curves << END\n");
    for (size_t i = 0; i < v->drawn; i++)
        put_curve(plot, v, drawn_frame(v, i));
    gnuplot_put(plot, "END\n$peaks << END\n");
    for (size_t i = 0; i < v->n; i++) {
        const plot_c1d_frame *frame = &v->frames[i];

        if (has_peak(frame))
            gnuplot_put(plot, "%.9g %.9g %.15g\n", frame->peak.r_max, frame->peak.c_max, colour_of(v, frame));
    }
    gnuplot_put(plot, "END\n");
}

/* ---- drawing ---- */

static const char *why_no_peak(const plot_c1d_frame *frame)
{
    switch (frame->peak.status) {
    case PENTA_PEAK_NO_TROUGH:
        return "no R_{max}: the curve does not rise again";
    case PENTA_PEAK_AT_EDGE:
        return "no R_{max}: still rising at the largest offset";
    case PENTA_PEAK_FLAT:
        return "no R_{max}: uniform image";
    default:
        return "no R_{max}";
    }
}

/* Trough and peak of the only frame, with their places in words that stay clear of the curve. */
static void put_marks(gnuplot *plot, const view *v)
{
    const penta_peak *peak = &v->frames[0].peak;
    double place = (peak->r_max - v->x.lo) / (v->x.hi - v->x.lo);
    const char *side = "center";

    if (place < 0.3)
        side = "left";
    else if (place > 0.8)
        side = "right";
    if (!has_peak(&v->frames[0])) {
        gnuplot_put(plot, "set label 1 '%s' at graph 0.98, 0.95 right\n", why_no_peak(&v->frames[0]));
        return;
    }
    gnuplot_put(plot, "set arrow 1 from %.9g, graph 0 to %.9g, %.9g nohead lc rgb '" PLOT_VERMILLION "' lw 1.5 dt 2\n",
                peak->r_max, peak->r_max, peak->c_max);
    gnuplot_put(plot, "set label 1 'R_{max} = ");
    plot_put_measured(plot, peak->r_max, peak->r_max_se, false);
    gnuplot_put(plot, " px' at %.9g, %.9g %s offset 0, 1.3 point pt 7 ps 0.9 lc rgb '" PLOT_VERMILLION "' front\n",
                peak->r_max, peak->c_max, side);
    if (!isfinite(peak->r_min) || !isfinite(peak->c_min))
        return;
    gnuplot_put(plot, "set label 2 'trough ");
    plot_put_measured(plot, peak->r_min, NAN, false);
    gnuplot_put(plot,
                " px' at %.9g, %.9g center offset 0, -1.2 textcolor rgb '#606060' "
                "point pt 6 ps 0.9 lw 1.5 lc rgb '#606060' front\n",
                peak->r_min, peak->c_min);
}

static void put_notes(gnuplot *plot, const view *v, const char *title, size_t peaks)
{
    gnuplot_put(plot, "note = ''\n");
    if (v->drawn < v->n)
        gnuplot_put(plot, "note = '%zu of %zu curves drawn'\n", v->drawn, v->n);
    if (v->n > 1 && peaks < v->n)
        gnuplot_put(plot, "note = note.(note eq '' ? '' : ', ').'R_max found in %zu of %zu frames'\n", peaks, v->n);
    plot_put_title(plot, title, v->n > 1 && (v->drawn < v->n || peaks < v->n) ? "note" : NULL);
}

static void put_colour_bar(gnuplot *plot, const view *v)
{
    plot_range colours = plot_range_none();

    for (size_t i = 0; i < v->n; i++)
        plot_range_add(&colours, colour_of(v, &v->frames[i]));
    plot_put_range(plot, "cb", plot_range_pad(colours, 0, 0));
    gnuplot_put(plot,
                "set cblabel '%s' offset 1.2\n"
                "set colorbox user origin screen right + 0.015, graph 0 size screen 0.02, graph 1\n",
                v->timed && v->seconds ? "time (s)" : "frame");
}

/* Bins are dotted where they are few: a lone one has no line. */
static void put_curves(gnuplot *plot, const view *v, plot_range x, const char *width)
{
    const char *style = x.hi < MOST_DOTS ? "linespoints pt 7 ps 0.4" : "lines";

    if (v->n == 1)
        gnuplot_put(plot, "$curves using 1:2 with %s lw %s lc rgb '" PLOT_BLUE "'", style, width);
    else
        gnuplot_put(plot, "$curves using 1:2:3 with %s lw %s lc palette", style, width);
}

static void put_main(gnuplot *plot, const view *v, size_t peaks)
{
    const char *size = v->n > MOST_OUTLINES ? "0.5" : v->n > 12 ? "0.7" : "1"; /* of the points */

    plot_put_range(plot, "x", v->x);
    plot_put_range(plot, "y", v->y);
    gnuplot_put(plot, "set xlabel 'r (px)'\nset ylabel 'C_{1D}(r)'\nset rmargin at screen right\n");
    if (v->n == 1)
        put_marks(plot, v);
    else
        put_colour_bar(plot, v);
    if (v->closed_in)
        gnuplot_put(plot, "set object 1 rectangle from screen right - 0.42, 0.56 to screen right, 0.87 "
                          "front fc rgb '#ffffff' fs solid noborder\n");
    gnuplot_put(plot, "plot ");
    if (v->n == 1)
        gnuplot_put(plot, "$curves using 1:($2-$4):($2+$4) with filledcurves fc rgb '" PLOT_BLUE
                          "' fs transparent solid 0.2 noborder, ");
    put_curves(plot, v, v->x, v->drawn > 12 ? "1.2" : "2");
    if (v->n > 1 && peaks > 0)
        gnuplot_put(plot, ", $peaks using 1:2:3 with points pt 7 ps %s lc palette", size);
    if (v->n > 1 && peaks > 0 && v->n <= MOST_OUTLINES)
        gnuplot_put(plot, ", $peaks using 1:2 with points pt 6 ps %s lw 0.7 lc rgb '#000000'", size);
    gnuplot_put(plot, "\n");
}

/* The whole curves, with what the main axes show of them as a grey box. */
static void put_inset(gnuplot *plot, const view *v)
{
    gnuplot_put(plot,
                "unset label\nunset arrow\nunset object\nunset title\nunset xlabel\nunset ylabel\nunset colorbox\n"
                "set lmargin at screen right - 0.35\nset rmargin at screen right - 0.01\n"
                "set bmargin at screen 0.61\nset tmargin at screen 0.86\n"
                "set border 15\nset tics font ',10'\nset xtics autofreq\nset ytics autofreq\n"
                "set object 1 rectangle from %.9g, %.9g to %.9g, %.9g behind fc rgb '#e0e0e0' fs solid noborder\n",
                v->x.lo, v->y.lo, v->x.hi, v->y.hi);
    plot_put_range(plot, "x", plot_range_pad(v->whole_x, 0, 0.01));
    plot_put_range(plot, "y", plot_range_pad(v->whole_y, 0.08, 0.05));
    gnuplot_put(plot, "plot ");
    put_curves(plot, v, v->whole_x, "1");
    gnuplot_put(plot, "\n");
}

static void put_script(gnuplot *plot, const view *v, const char *title)
{
    size_t peaks = 0;

    for (size_t i = 0; i < v->n; i++)
        peaks += has_peak(&v->frames[i]);
    plot_put_style(plot);
    put_notes(plot, v, title, peaks);
    if (plot_range_is_none(v->whole_y)) {
        gnuplot_put(plot, "set xlabel 'r (px)'\nset ylabel 'C_{1D}(r)'\n");
        plot_put_nothing(plot, "no finite value of C_{1D}");
        return;
    }
    put_data(plot, v);
    gnuplot_put(plot, "right = %s\nset multiplot\n", v->n == 1 ? "0.965" : "0.85");
    put_main(plot, v, peaks);
    if (v->closed_in)
        put_inset(plot, v);
    gnuplot_put(plot, "unset multiplot\n");
}

plot_status plot_c1d(const char *base, const char *title, bool seconds, size_t n, const plot_c1d_frame *frames,
                     penta_io_error *err)
{
    view v = {.n = n, .drawn = n < MOST_CURVES ? n : MOST_CURVES, .frames = frames, .seconds = seconds};
    gnuplot *plot;
    plot_status status;

    if (!gnuplot_open(&plot, err))
        return PLOT_FAILED;
    v.timed = has_times(n, frames);
    choose_ranges(&v);
    put_script(plot, &v, title);
    status = gnuplot_write(plot, base, WIDTH, HEIGHT, err);
    gnuplot_close(plot);
    return status;
}
