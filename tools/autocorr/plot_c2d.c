/* C2D(X, Y): heat maps of one or two frames. */
#include "autocorr/plots.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PIXELS = 512, HEIGHT = 700, WIDTH_OF_ONE = 800, WIDTH_OF_TWO = 1360, SIDE = 511 /* px */ };

/* A panel averaged over blocks of step x step offsets, step odd so that the middle block is centred on the origin;
 * blocks that the margin cuts are left out. */
typedef struct {
    size_t step, reach; /* (2 reach + 1)^2 blocks */
    float *values;
} blocks;

static size_t side_of(const blocks *b)
{
    return 2 * b->reach + 1;
}

/* Mean of the finite values in block (column, row); NaN if there are none. */
static double block_mean(const autocorr_c2d_panel *panel, const blocks *b, size_t column, size_t row)
{
    size_t side = 2 * panel->max_offset + 1, margin = panel->max_offset - (b->step / 2 + b->reach * b->step);
    const double *corner = panel->c2d + (margin + row * b->step) * side + margin + column * b->step;
    double sum = 0;
    size_t count = 0;

    for (size_t y = 0; y < b->step; y++)
        for (size_t x = 0; x < b->step; x++)
            if (isfinite(corner[y * side + x])) {
                sum += corner[y * side + x];
                count++;
            }
    return count > 0 ? sum / (double)count : NAN;
}

static bool blocks_make(const autocorr_c2d_panel *panel, blocks *b, penta_io_error *err)
{
    size_t side = 2 * panel->max_offset + 1;

    b->step = (side + MOST_PIXELS - 1) / MOST_PIXELS;
    b->step += b->step % 2 == 0;
    b->reach = (panel->max_offset - b->step / 2) / b->step;
    b->values = malloc(side_of(b) * side_of(b) * sizeof *b->values);
    if (!b->values)
        return penta_io_fail(err, "out of memory for a plot");
    for (size_t row = 0; row < side_of(b); row++)
        for (size_t column = 0; column < side_of(b); column++)
            b->values[row * side_of(b) + column] = (float)block_mean(panel, b, column, row);
    return true;
}

/* ---- colours ---- */

/* The offsets that show the structure, px: from inside the trough to well past R_max, without the spike at the origin.
 * Where there is no R_max, all but the innermost sixth; of two images, all. */
static figure_range ring_of(const autocorr_c2d_panel *panel)
{
    const penta_peak *peak = &panel->peak;

    if (panel->shift)
        return (figure_range){0, INFINITY};
    if (!isfinite(peak->r_max))
        return (figure_range){(double)panel->max_offset / 6, INFINITY};
    return (figure_range){isfinite(peak->r_min) ? 0.8 * peak->r_min : 0.45 * peak->r_max, 2.5 * peak->r_max};
}

/* Copies the finite values whose distance from the origin, px, is in the ring; returns how many. */
static size_t gather(const blocks *b, figure_range ring, float *out)
{
    double middle = (double)b->reach, step = (double)b->step;
    size_t n = 0;

    for (size_t row = 0; row < side_of(b); row++)
        for (size_t column = 0; column < side_of(b); column++) {
            double r = hypot((double)column - middle, (double)row - middle) * step;
            float value = b->values[row * side_of(b) + column];

            if (isfinite(value) && r >= ring.lo && r <= ring.hi)
                out[n++] = value;
        }
    return n;
}

/* The 1st to 99th percentile of all panels within their rings, or of all values if the rings are empty. */
static bool colour_range(size_t n, const autocorr_c2d_panel *panels, const blocks *b, figure_range *range,
                         penta_io_error *err)
{
    size_t count = 0, most = 0;
    float *values;

    for (size_t i = 0; i < n; i++)
        most += side_of(&b[i]) * side_of(&b[i]);
    values = malloc((most + 1) * sizeof *values);
    if (!values)
        return penta_io_fail(err, "out of memory for a plot");
    for (size_t i = 0; i < n; i++)
        count += gather(&b[i], ring_of(&panels[i]), values + count);
    for (size_t i = 0; i < n && count == 0; i++)
        count += gather(&b[i], (figure_range){0, INFINITY}, values + count);
    *range = figure_range_within(values, count, 1);
    free(values);
    return true;
}

/* ---- the figure ---- */

static void add_ring(figure *f, figure_panel *p, double radius, uint32_t colour, bool dashed)
{
    enum { CORNERS = 180 };
    figure_mark *ring;

    if (!isfinite(radius) || !(radius > 0))
        return;
    ring = figure_add_mark(f, p, (figure_mark){.kind = FIGURE_LINE, .colour = colour, .width = 1.5, .dashed = dashed});
    for (int i = 0; i <= CORNERS; i++) {
        double angle = 2 * acos(-1) * i / CORNERS;

        figure_add_point(f, ring, (figure_point){radius * cos(angle), radius * sin(angle), 0, 0});
    }
}

/* A displacement in white on black, as the ring is. */
static void add_cross(figure *f, figure_panel *p, const penta_displacement *shift)
{
    if (!isfinite(shift->dx) || shift->status == PENTA_DISPLACEMENT_NO_MATCH)
        return;
    for (int front = 0; front < 2; front++) {
        figure_mark *cross = figure_add_mark(f, p,
                                             (figure_mark){.kind = FIGURE_CROSSES,
                                                           .colour = front ? 0xffffff : 0x000000,
                                                           .radius = front ? 8 : 9,
                                                           .width = front ? 1.5 : 4});

        figure_add_point(f, cross, (figure_point){shift->dx, shift->dy, 0, 0});
    }
}

static const char *displacement_text(figure *f, const penta_displacement *shift)
{
    switch (shift->status) {
    case PENTA_DISPLACEMENT_OK:
        return figure_text(f, "displacement (%.2f, %.2f) px", shift->dx, shift->dy);
    case PENTA_DISPLACEMENT_AMBIGUOUS:
        return figure_text(f, "displacement (%.2f, %.2f) px, ambiguous", shift->dx, shift->dy);
    case PENTA_DISPLACEMENT_AT_EDGE:
        return figure_text(f, "displacement (%.0f, %.0f) px or beyond", shift->dx, shift->dy);
    case PENTA_DISPLACEMENT_FLAT:
        return "no displacement: an image is uniform";
    default:
        return "no displacement: nothing matches";
    }
}

static const char *r_max_text(figure *f, const penta_peak *peak)
{
    return isfinite(peak->r_max)
               ? figure_text(f, "R_{max} = %s px", figure_measured(f, peak->r_max, peak->r_max_se, false))
               : "no R_{max}";
}

static void add_panel(figure *f, const autocorr_c2d_panel *panel, const blocks *b, double left, bool first)
{
    const double step = (double)b->step, reach = (double)b->reach * step, half = reach + step / 2;
    figure_panel *p = figure_add_panel(
        f, (figure_panel){
               .box = {left, 0.16 * HEIGHT, left + SIDE, 0.89 * HEIGHT},
               .x = {.label = "X (px)", .range = {-half, half}, .ticks = true},
               .y = {.label = first ? "Y (px)" : NULL, .range = {-half, half}, .ticks = true, .downwards = true},
               .frame = FIGURE_FRAME_WHOLE,
               .image = {side_of(b), side_of(b), -reach, -reach, step, b->values, NULL}});

    add_ring(f, p, panel->peak.r_max, 0x000000, false);
    add_ring(f, p, panel->peak.r_max, 0xffffff, true);
    if (panel->shift)
        add_cross(f, p, panel->shift);
    figure_add_label(
        f, p,
        (figure_label){.text = panel->label ? panel->label : "", .plain = true, .x = 0.5, .y = 1.09, .align = 0.5});
    figure_add_label(
        f, p,
        (figure_label){.text = panel->shift ? displacement_text(f, panel->shift) : r_max_text(f, &panel->peak),
                       .x = 0.5,
                       .y = 1.035,
                       .align = 0.5,
                       .size = 0.92,
                       .colour = 0x404040});
}

/* A single offset gets a remark instead. */
static void describe(figure *f, const char *title, size_t n, const autocorr_c2d_panel *panels, const blocks *b,
                     figure_range colours)
{
    double left = (n == 1 ? 0.13 * WIDTH_OF_ONE : 0.07 * WIDTH_OF_TWO);

    if (figure_range_is_none(colours) || b[0].reach == 0 || b[n - 1].reach == 0) {
        figure_panel *p = figure_add_panel(f, (figure_panel){.box = {NAN, NAN, NAN, NAN}, .title = title});

        figure_add_nothing(f, p, figure_range_is_none(colours) ? "no finite value of C_{2D}" : "a single offset");
        return;
    }
    f->title = title ? title : "";
    f->colours = figure_range_pad(colours, 0, 0);
    for (size_t i = 0; i < n; i++, left += SIDE + 0.07 * WIDTH_OF_TWO)
        add_panel(f, &panels[i], &b[i], left, i == 0);
    left -= 0.07 * WIDTH_OF_TWO;
    f->bar = (figure_box){left + 12, NAN, left + 38, NAN};
    f->bar_label = (double)b[0].values[side_of(&b[0]) * side_of(&b[0]) / 2] > colours.hi
                       ? "C_{2D}(X, Y), the peak at the origin off scale"
                       : "C_{2D}(X, Y)";
}

bool autocorr_plot_c2d(const char *base, const char *title, size_t n, const autocorr_c2d_panel *panels,
                       penta_io_error *err)
{
    bool ok = false;
    blocks b[2] = {{0}};
    figure_range colours = figure_range_none();
    figure f;

    if (n > 2)
        return penta_io_fail(err, "%s: cannot draw more than two panels", base);
    figure_open(&f, n == 1 ? WIDTH_OF_ONE : WIDTH_OF_TWO, HEIGHT);
    for (size_t i = 0; i < n; i++)
        if (!blocks_make(&panels[i], &b[i], err))
            goto cleanup;
    if (!colour_range(n, panels, b, &colours, err))
        goto cleanup;
    describe(&f, title, n, panels, b, colours);
    ok = figure_files(&f, base, err);
cleanup:
    for (size_t i = 0; i < 2; i++)
        free(b[i].values);
    figure_close(&f);
    return ok;
}
