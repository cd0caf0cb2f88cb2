/* C2D(X, Y): heat maps of one or two frames. */
#include "figures/autocorr_plot.h"

#include <math.h>
#include <stdlib.h>

#include "figures/style.h"

enum { MOST_PIXELS = 512, HEIGHT = 700, WIDTH_OF_ONE = 800, WIDTH_OF_TWO = 1360 };

/* A panel averaged over blocks of step x step offsets, step odd so that the middle block is centred on the origin;
 * blocks that the margin cuts are left out. */
typedef struct {
    size_t step, reach; /* (2 reach + 1)^2 blocks */
    double *values;
} blocks;

static size_t side_of(const blocks *b)
{
    return 2 * b->reach + 1;
}

/* Mean of the finite values in block (column, row); NaN if there are none. */
static double block_mean(const plot_c2d_panel *panel, const blocks *b, size_t column, size_t row)
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

static bool blocks_make(const plot_c2d_panel *panel, blocks *b, penta_io_error *err)
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
            b->values[row * side_of(b) + column] = block_mean(panel, b, column, row);
    return true;
}

/* ---- colours ---- */

/* The offsets that show the structure, px: from inside the trough to well past R_max, without the spike at the origin.
 * Where there is no R_max, all but the innermost sixth. */
static plot_range ring_of(const plot_c2d_panel *panel)
{
    const penta_peak *peak = &panel->peak;

    if (!isfinite(peak->r_max))
        return (plot_range){(double)panel->max_offset / 6, INFINITY};
    return (plot_range){isfinite(peak->r_min) ? 0.8 * peak->r_min : 0.45 * peak->r_max, 2.5 * peak->r_max};
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Copies the finite values whose distance from the origin, px, is in the ring; returns how many. */
static size_t gather(const blocks *b, plot_range ring, double *out)
{
    double middle = (double)b->reach, step = (double)b->step;
    size_t n = 0;

    for (size_t row = 0; row < side_of(b); row++)
        for (size_t column = 0; column < side_of(b); column++) {
            double r = hypot((double)column - middle, (double)row - middle) * step;
            double value = b->values[row * side_of(b) + column];

            if (isfinite(value) && r >= ring.lo && r <= ring.hi)
                out[n++] = value;
        }
    return n;
}

/* The 1st to 99th percentile of all panels in their rings, or, where that leaves nothing, of all values. */
static bool colour_range(size_t n, const plot_c2d_panel *panels, const blocks *b, plot_range *range,
                         penta_io_error *err)
{
    size_t count = 0, most = 0;
    double *values;

    for (size_t i = 0; i < n; i++)
        most += side_of(&b[i]) * side_of(&b[i]);
    values = malloc((most + 1) * sizeof *values);
    if (!values)
        return penta_io_fail(err, "out of memory for a plot");
    for (size_t i = 0; i < n; i++)
        count += gather(&b[i], ring_of(&panels[i]), values + count);
    for (size_t i = 0; i < n && count == 0; i++)
        count += gather(&b[i], (plot_range){0, INFINITY}, values + count);
    qsort(values, count, sizeof *values, ascending);
    *range = plot_range_none();
    if (count > 0)
        *range = (plot_range){values[(count - 1) / 100], values[count - 1 - (count - 1) / 100]};
    free(values);
    return true;
}

/* ---- drawing ---- */

static void put_matrix(gnuplot *plot, const blocks *b, size_t index)
{
    gnuplot_put(plot, "$map%zu << END\n", index);
    for (size_t row = 0; row < side_of(b); row++) {
        for (size_t column = 0; column < side_of(b); column++) {
            double value = b->values[row * side_of(b) + column];

            gnuplot_put(plot, isfinite(value) ? "%.9g " : "NaN ", value);
        }
        gnuplot_put(plot, "\n");
    }
    gnuplot_put(plot, "END\n");
}

/* "first frame" and, below it, "R_max = 45.3 px". */
static void put_label(gnuplot *plot, const plot_c2d_panel *panel)
{
    gnuplot_put(plot, "set label 1 ");
    gnuplot_put_string(plot, panel->label ? panel->label : "", 50);
    gnuplot_put(plot, " noenhanced at graph 0.5, 1.09 center font ',13'\nset label 2 '");
    if (isfinite(panel->peak.r_max)) {
        gnuplot_put(plot, "R_{max} = ");
        plot_put_measured(plot, panel->peak.r_max, panel->peak.r_max_se, false);
        gnuplot_put(plot, " px");
    } else {
        gnuplot_put(plot, "no R_{max}");
    }
    gnuplot_put(plot, "' at graph 0.5, 1.035 center font ',12' textcolor rgb '#404040'\n");
}

static void put_ring(gnuplot *plot, double radius)
{
    if (!isfinite(radius) || !(radius > 0))
        return;
    gnuplot_put(plot,
                "set object 1 circle at 0, 0 size %.9g front fs empty border lc rgb '#000000' lw 3 dt (10, 8)\n"
                "set object 2 circle at 0, 0 size %.9g front fs empty border lc rgb '#ffffff' lw 1.5 dt (10, 8)\n",
                radius, radius);
}

static void put_panel(gnuplot *plot, const plot_c2d_panel *panel, const blocks *b, size_t index)
{
    double half = (double)b->reach * (double)b->step + (double)b->step / 2;

    gnuplot_put(plot, "set lmargin at screen left%zu\nset rmargin at screen right%zu\n", index, index);
    gnuplot_put(plot, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", -half, half, half, -half);
    gnuplot_put(plot, "unset label\nunset object\n");
    put_label(plot, panel);
    put_ring(plot, panel->peak.r_max);
    gnuplot_put(plot, "plot $map%zu matrix using (($1-%zu)*%zu):(($2-%zu)*%zu):3 with image\n", index, b->reach,
                b->step, b->reach, b->step);
}

/* A single offset gets words instead: gnuplot's images have two pixels a side at least. */
static void put_script(gnuplot *plot, const char *title, size_t n, const plot_c2d_panel *panels, const blocks *b,
                       plot_range colours)
{
    double origin;

    plot_put_style(plot);
    if (plot_range_is_none(colours) || b[0].reach == 0 || b[n - 1].reach == 0) {
        plot_put_title(plot, title, NULL);
        plot_put_nothing(plot, plot_range_is_none(colours) ? "no finite value of C_{2D}" : "a single offset");
        return;
    }
    for (size_t i = 0; i < n; i++)
        put_matrix(plot, &b[i], i);
    origin = b[0].values[side_of(&b[0]) * side_of(&b[0]) / 2];
    plot_put_range(plot, "cb", plot_range_pad(colours, 0, 0));
    gnuplot_put(plot, "set border 15\nunset grid\nset tmargin at screen 0.84\nset bmargin at screen 0.11\n");
    gnuplot_put(plot, "set xlabel 'X (px)'\nset ylabel 'Y (px)'\nset cblabel 'C_{2D}(X, Y)%s' offset 1.5\n",
                origin > colours.hi ? ", the peak at the origin off scale" : "");
    if (n == 1)
        gnuplot_put(plot, "left0 = 0.13\nright0 = left0 + 0.73 * %d / %d\n", HEIGHT, WIDTH_OF_ONE);
    else
        gnuplot_put(plot,
                    "left0 = 0.07\nright0 = left0 + 0.73 * %d / %d\n"
                    "left1 = right0 + 0.07\nright1 = left1 + right0 - left0\n",
                    HEIGHT, WIDTH_OF_TWO);
    gnuplot_put(plot, "set multiplot title ");
    gnuplot_put_string(plot, title ? title : "", n == 1 ? 70 : 110);
    gnuplot_put(plot, " noenhanced\n");
    for (size_t i = 0; i < n; i++) {
        gnuplot_put(plot, i + 1 < n ? "unset colorbox\n" : "set colorbox\n");
        gnuplot_put(plot, i > 0 ? "unset ylabel\n" : "");
        put_panel(plot, &panels[i], &b[i], i);
    }
    gnuplot_put(plot, "unset multiplot\n");
}

plot_status plot_c2d(const char *base, const char *title, size_t n, const plot_c2d_panel *panels, penta_io_error *err)
{
    plot_status status = PLOT_FAILED;
    gnuplot *plot = NULL;
    blocks b[2] = {{0}};
    plot_range colours = plot_range_none();

    if (n > 2) {
        penta_io_fail(err, "%s: cannot draw more than two panels", base);
        return PLOT_FAILED;
    }
    if (!gnuplot_open(&plot, err))
        return PLOT_FAILED;
    for (size_t i = 0; i < n; i++)
        if (!blocks_make(&panels[i], &b[i], err))
            goto cleanup;
    if (!colour_range(n, panels, b, &colours, err))
        goto cleanup;
    put_script(plot, title, n, panels, b, colours);
    status = gnuplot_write(plot, base, n == 1 ? WIDTH_OF_ONE : WIDTH_OF_TWO, HEIGHT, err);
cleanup:
    for (size_t i = 0; i < 2; i++)
        free(b[i].values);
    gnuplot_close(plot);
    return status;
}
