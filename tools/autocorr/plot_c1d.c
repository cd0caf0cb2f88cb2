/* C1D(r): one curve with its trough and peak, or a series in the colours of time. */
#include <math.h>

#include "autocorr/plots.h"

enum { MOST_CURVES = 24, MOST_OUTLINES = 60, MOST_DOTS = 40, WIDTH = 1000, HEIGHT = 700 };

/* The frames and how they are shown. */
typedef struct {
    size_t n, drawn; /* drawn curves, spread evenly from the first frame to the last */
    const autocorr_c1d_frame *frames;
    bool seconds;      /* colours are times in s; else times as frame numbers */
    bool timed;        /* frames have times of their own; else the frame's index is its colour */
    figure_range x, y; /* of the axes */
    figure_range whole_x, whole_y;
    bool closed_in; /* x, y show so little of the whole that it gets an inset */
} view;

static const autocorr_c1d_frame *drawn_frame(const view *v, size_t i)
{
    return &v->frames[v->drawn > 1 ? i * (v->n - 1) / (v->drawn - 1) : 0];
}

static double colour_of(const view *v, const autocorr_c1d_frame *frame)
{
    return v->timed ? frame->time : (double)(frame - v->frames);
}

static bool has_peak(const autocorr_c1d_frame *frame)
{
    return (frame->peak.status == PENTA_PEAK_OK || frame->peak.status == PENTA_PEAK_WEAK) &&
           isfinite(frame->peak.r_max) && isfinite(frame->peak.c_max);
}

static bool has_value(const penta_autocorr_bin *bin)
{
    return isfinite(bin->mean_r) && isfinite(bin->c);
}

static bool has_times(size_t n, const autocorr_c1d_frame *frames)
{
    figure_range times = figure_range_none();

    for (size_t i = 0; i < n; i++) {
        if (!isfinite(frames[i].time))
            return false;
        figure_range_add(&times, frames[i].time);
    }
    return times.lo < times.hi;
}

/* ---- ranges ---- */

/* The values at from <= r <= to, and where they are; x may be NULL. */
static void add_values(const autocorr_c1d_frame *frame, double from, double to, figure_range *x, figure_range *y)
{
    for (size_t i = 0; i < frame->bins; i++) {
        const penta_autocorr_bin *bin = &frame->c1d[i];

        if (!has_value(bin) || bin->mean_r < from || bin->mean_r > to)
            continue;
        figure_range_add(y, bin->c);
        if (x)
            figure_range_add(x, bin->mean_r);
    }
}

/* The range of C1D from the trough on. */
static void add_structure(const autocorr_c1d_frame *frame, double to, figure_range *structure)
{
    add_values(frame, isfinite(frame->peak.r_min) ? frame->peak.r_min : frame->peak.r_max, to, NULL, structure);
    figure_range_add(structure, frame->peak.c_min);
    figure_range_add(structure, frame->peak.c_max);
}

/* The axes reach to 4 R_max and about three times the height from trough to peak; without a peak they show all. */
static void choose_ranges(view *v)
{
    figure_range structure = figure_range_none(), visible = figure_range_none(), peaks = figure_range_none();

    v->whole_x = v->whole_y = figure_range_none();
    for (size_t i = 0; i < v->drawn; i++)
        add_values(drawn_frame(v, i), 0, INFINITY, &v->whole_x, &v->whole_y);
    for (size_t i = 0; i < v->n; i++)
        if (has_peak(&v->frames[i]))
            figure_range_add(&peaks, v->frames[i].peak.r_max);
    figure_range_add(&v->whole_x, 0);
    v->x = figure_range_pad(v->whole_x, 0, 0.01);
    if (!figure_range_is_none(peaks))
        v->x.hi = fmin(v->x.hi, 4 * peaks.hi);
    for (size_t i = 0; i < v->drawn; i++) {
        add_values(drawn_frame(v, i), 0, v->x.hi, NULL, &visible);
        if (has_peak(drawn_frame(v, i)))
            add_structure(drawn_frame(v, i), v->x.hi, &structure);
    }
    v->y = figure_range_pad(visible, 0.12, 0.05);
    if (figure_range_is_none(structure))
        return;
    structure = figure_range_pad(structure, 0.2, 1.5);
    v->closed_in = structure.hi < v->y.lo + 0.75 * (v->y.hi - v->y.lo);
    if (v->closed_in)
        v->y = structure;
}

/* ---- parts of the figure ---- */

static const char *why_no_peak(const autocorr_c1d_frame *frame)
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

/* The drawn curves, separated, with gaps where they have no value. */
static void add_bins(figure *f, figure_panel *panel, const view *v, figure_mark style)
{
    figure_mark *mark = figure_add_mark(f, panel, style);

    for (size_t i = 0; i < v->drawn; i++) {
        const autocorr_c1d_frame *frame = drawn_frame(v, i);

        for (size_t k = 0; k < frame->bins; k++) {
            const penta_autocorr_bin *bin = &frame->c1d[k];
            double half = bin->count > 0 ? bin->sd / sqrt((double)bin->count) : 0;

            figure_add_point(f, mark,
                             (figure_point){has_value(bin) ? bin->mean_r : (double)NAN, bin->c,
                                            isfinite(half) ? half : 0, colour_of(v, frame)});
        }
        figure_add_point(f, mark, (figure_point){.x = NAN});
    }
}

/* Few bins get dots as well, since a single one has no line. */
static void add_curves(figure *f, figure_panel *panel, const view *v, figure_range x, double width)
{
    figure_mark style = {.kind = FIGURE_LINE, .colour = FIGURE_BLUE, .valued = v->n > 1, .width = width};

    add_bins(f, panel, v, style);
    style.kind = FIGURE_DISCS;
    style.radius = 2.2;
    if (x.hi < MOST_DOTS)
        add_bins(f, panel, v, style);
}

static void add_disc(figure *f, figure_panel *panel, figure_kind kind, uint32_t colour, double x, double y)
{
    figure_mark *mark =
        figure_add_mark(f, panel, (figure_mark){.kind = kind, .colour = colour, .radius = 5, .width = 1.5});

    figure_add_point(f, mark, (figure_point){x, y, 0, 0});
}

/* Trough and peak of the only frame, with labels beside the curve. */
static void add_extrema(figure *f, figure_panel *panel, const view *v)
{
    const penta_peak *peak = &v->frames[0].peak;
    double place = (peak->r_max - v->x.lo) / (v->x.hi - v->x.lo);
    figure_label label = {.on_axes = true, .x = peak->r_max, .y = peak->c_max, .align = 0.5, .rise = 1.3};
    figure_mark *line;

    if (!has_peak(&v->frames[0])) {
        if (v->frames[0].cross)
            return;
        figure_add_label(f, panel,
                         (figure_label){.text = why_no_peak(&v->frames[0]), .x = 0.98, .y = 0.95, .align = 1});
        return;
    }
    line = figure_add_mark(
        f, panel, (figure_mark){.kind = FIGURE_LINE, .colour = FIGURE_VERMILLION, .width = 1.5, .dashed = true});
    figure_add_point(f, line, (figure_point){peak->r_max, v->y.lo, 0, 0});
    figure_add_point(f, line, (figure_point){peak->r_max, peak->c_max, 0, 0});
    add_disc(f, panel, FIGURE_DISCS, FIGURE_VERMILLION, peak->r_max, peak->c_max);
    label.align = place < 0.3 ? 0 : place > 0.8 ? 1 : 0.5;
    label.text = figure_text(f, "R_{max} = %s px", figure_measured(f, peak->r_max, peak->r_max_se, false));
    figure_add_label(f, panel, label);
    if (!isfinite(peak->r_min) || !isfinite(peak->c_min))
        return;
    add_disc(f, panel, FIGURE_RINGS, 0x606060, peak->r_min, peak->c_min);
    figure_add_label(f, panel,
                     (figure_label){.text = figure_text(f, "trough %s px", figure_measured(f, peak->r_min, NAN, false)),
                                    .on_axes = true,
                                    .x = peak->r_min,
                                    .y = peak->c_min,
                                    .align = 0.5,
                                    .rise = -1.2,
                                    .colour = 0x606060});
}

/* R_max of every frame in the colour of its time, outlined where they are not too many. */
static void add_peaks(figure *f, figure_panel *panel, const view *v)
{
    const double radius = v->n > MOST_OUTLINES ? 2.75 : v->n > 12 ? 3.85 : 5.5;
    figure_mark style = {.kind = FIGURE_DISCS, .valued = true, .radius = radius};

    for (int outline = 0; outline < (v->n > MOST_OUTLINES ? 1 : 2); outline++) {
        figure_mark *mark = figure_add_mark(f, panel, style);

        for (size_t i = 0; i < v->n; i++)
            if (has_peak(&v->frames[i]))
                figure_add_point(
                    f, mark,
                    (figure_point){v->frames[i].peak.r_max, v->frames[i].peak.c_max, 0, colour_of(v, &v->frames[i])});
        style = (figure_mark){.kind = FIGURE_RINGS, .radius = radius, .width = 0.7};
    }
}

static void add_notes(figure *f, figure_panel *panel, const view *v)
{
    const char *curves = "", *found = "";
    size_t peaks = 0;

    for (size_t i = 0; i < v->n; i++)
        peaks += has_peak(&v->frames[i]);
    if (v->drawn < v->n)
        curves = figure_text(f, "%zu of %zu curves drawn", v->drawn, v->n);
    if (v->n > 1 && peaks < v->n && !v->frames[0].cross)
        found = figure_text(f, "R_max found in %zu of %zu frames", peaks, v->n);
    if (*curves || *found)
        panel->note = figure_text(f, "%s%s%s", curves, *curves && *found ? ", " : "", found);
}

/* The whole curves, with what the main axes show of them as a grey box. */
static void add_inset(figure *f, const view *v, double right)
{
    figure_panel *panel =
        figure_add_panel(f, (figure_panel){.box = {right - 0.35 * WIDTH, 98, right - 0.01 * WIDTH, 273},
                                           .x = {.range = figure_range_pad(v->whole_x, 0, 0.01), .ticks = true},
                                           .y = {.range = figure_range_pad(v->whole_y, 0.08, 0.05), .ticks = true},
                                           .frame = FIGURE_FRAME_WHOLE,
                                           .inset = true,
                                           .grid = true});
    figure_mark *shown = figure_add_mark(f, panel, (figure_mark){.kind = FIGURE_BAND, .colour = 0xe0e0e0});
    double middle = (v->y.lo + v->y.hi) / 2, half = (v->y.hi - v->y.lo) / 2;

    figure_add_point(f, shown, (figure_point){v->x.lo, middle, half, 0});
    figure_add_point(f, shown, (figure_point){v->x.hi, middle, half, 0});
    add_curves(f, panel, v, v->whole_x, 1);
}

static void add_colour_bar(figure *f, const view *v, double right)
{
    for (size_t i = 0; i < v->n; i++)
        figure_range_add(&f->colours, colour_of(v, &v->frames[i]));
    f->colours = figure_range_pad(f->colours, 0, 0);
    f->bar = (figure_box){right + 0.015 * WIDTH, NAN, right + 0.035 * WIDTH, NAN};
    f->bar_whole = !(v->timed && v->seconds);
    f->bar_label = f->bar_whole ? "frame" : "time (s)";
}

static void describe(figure *f, const view *v, const char *title)
{
    double right = (v->n == 1 ? 0.965 : 0.85) * WIDTH;
    figure_panel *panel = figure_add_panel(f, (figure_panel){.box = {NAN, NAN, right, NAN},
                                                             .title = title,
                                                             .x = {.label = "r (px)", .range = v->x, .ticks = true},
                                                             .y = {.label = "C_{1D}(r)", .range = v->y, .ticks = true},
                                                             .grid = true});

    add_notes(f, panel, v);
    if (figure_range_is_none(v->whole_y)) {
        figure_add_nothing(f, panel, "no finite value of C_{1D}");
        return;
    }
    if (v->n > 1)
        add_colour_bar(f, v, right);
    else
        add_bins(f, panel, v, (figure_mark){.kind = FIGURE_BAND, .colour = 0xcce3f0});
    add_curves(f, panel, v, v->x, v->drawn > 12 ? 1.2 : 2);
    if (v->n > 1)
        add_peaks(f, panel, v);
    else
        add_extrema(f, panel, v);
    if (v->closed_in)
        add_inset(f, v, right);
}

bool autocorr_plot_c1d(const char *base, const char *title, bool seconds, size_t n, const autocorr_c1d_frame *frames,
                       penta_io_error *err)
{
    view v = {.n = n, .drawn = n < MOST_CURVES ? n : MOST_CURVES, .frames = frames, .seconds = seconds};
    figure f;
    bool ok;

    v.timed = has_times(n, frames);
    choose_ranges(&v);
    figure_open(&f, WIDTH, HEIGHT);
    describe(&f, &v, title);
    ok = figure_files(&f, base, err);
    figure_close(&f);
    return ok;
}
