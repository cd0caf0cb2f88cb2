/* Eigenvalues, and how much of the variance the first ones hold. */
#include "figures/scree_plot.h"

#include <math.h>

#include "figures/style.h"

enum { WIDTH = 1200, HEIGHT = 560, DECADES = 16, FEW = 40 /* components that get a point each */ };

typedef struct {
    const plot_scree_values *values;
    double floor; /* what is drawn is greater */
    size_t below; /* components that are not */
    double least; /* that is drawn */
    size_t reach; /* components of the right panel */
} view;

/* Components until their shares add up to `percent`. */
static size_t until(const plot_scree_values *v, double percent)
{
    double sum = 0;
    size_t i = 0;

    while (i < v->n && sum < percent)
        sum += v->percent[i++];
    return i;
}

/* Past the bend, and past those that are kept unless they are many. */
static size_t choose_reach(const plot_scree_values *v)
{
    size_t reach = 4 * until(v, 95), most = until(v, 99.99);

    reach = reach < most ? reach : most;
    reach = reach < 8 ? 8 : reach;
    if (v->kept < FEW && reach < v->kept + 2)
        reach = v->kept + 2;
    return reach < v->n ? reach : v->n;
}

static view choose(const plot_scree_values *values)
{
    view v = {.values = values, .floor = values->eigenvalues[0] * pow(10, -DECADES)};

    v.floor = v.floor > 0 ? v.floor : 0;
    v.least = values->eigenvalues[0];
    for (size_t i = 0; i < values->n; i++) {
        bool drawn = values->eigenvalues[i] > v.floor;

        v.below += !drawn;
        v.least = drawn ? values->eigenvalues[i] : v.least;
    }
    v.reach = choose_reach(values);
    return v;
}

/* Number, eigenvalue, whether it is kept, per cent up to it, whether it is rounding. */
static void put_values(gnuplot *plot, const view *v)
{
    double sum = 0;

    gnuplot_put(plot, "$scree << END\n");
    for (size_t i = 0; i < v->values->n; i++) {
        double value = v->values->eigenvalues[i];

        sum += v->values->percent[i];
        if (value > v->floor)
            gnuplot_put(plot, "%zu %.9g %d %.9g %d\n", i + 1, value, i < v->values->kept, sum,
                        value <= v->values->rounding);
        else
            gnuplot_put(plot, "%zu NaN %d %.9g 1\n", i + 1, i < v->values->kept, sum);
    }
    gnuplot_put(plot, "END\n");
}

/* Tics at whole numbers. */
static void put_numbers(gnuplot *plot, size_t n)
{
    gnuplot_put(plot, "set xrange [%.9g:%.9g]\nset xtics autofreq\nset mxtics default\n",
                n > 1 ? 1 - 0.02 * (double)n : 0, n > 1 ? 1.02 * (double)n : 2);
    if (n <= 12)
        gnuplot_put(plot, "set xtics 1\n");
}

/* A line at the rounding, and crosses for what is not above it. */
static void put_rounding(gnuplot *plot, const view *v)
{
    const plot_scree_values *values = v->values;
    size_t rounded = 0;

    for (size_t i = 0; i < values->n; i++)
        rounded += values->eigenvalues[i] <= values->rounding;
    if (rounded == 0)
        return;
    if (values->rounding > v->least / 2)
        gnuplot_put(plot, ", %.9g with lines dt 2 lw 1 lc rgb '" PLOT_GREY "'", values->rounding);
    gnuplot_put(plot,
                ", $scree using 1:($5 == 1 ? $2 : NaN) with points pt 2 ps %s lw 1.2 lc rgb '" PLOT_GREY
                "' title '%zu not above rounding'",
                values->n > FEW ? "0.4" : "0.8", rounded);
}

static void put_eigenvalues(gnuplot *plot, const view *v)
{
    const plot_scree_values *values = v->values;
    double top = values->eigenvalues[0];

    gnuplot_put(plot,
                "set lmargin at screen 0.09\nset rmargin at screen 0.49\nset logscale y\nset format y '10^{%%T}'\n"
                "set ylabel '%s'\nset yrange [%.9g:%.9g]\n",
                values->noise_fractions ? "eigenvalue (signal-to-noise ratio + 1)" : "eigenvalue", v->least / 2,
                2 * top);
    if (top / v->least < 100)
        gnuplot_put(plot, "set format y '%%.4h'\n");
    put_numbers(plot, values->n);
    if (v->below > 0)
        gnuplot_put(plot,
                    "set label 1 '%zu below 10^{-%d} of the first not drawn' at graph 0.02, 0.03 left font ',11' "
                    "textcolor rgb '#606060'\n",
                    v->below, (int)DECADES);
    gnuplot_put(plot, "plot $scree using 1:2 with lines lw 1.2 lc rgb '" PLOT_GREY "'");
    if (values->kept < values->n)
        gnuplot_put(plot,
                    ", $scree using 1:($3 == 0 && $5 == 0 ? $2 : NaN) with points pt 6 ps %s lw 1.2 lc rgb '" PLOT_GREY
                    "' title '%zu not kept'",
                    values->n > FEW ? "0.4" : "0.8", values->n - values->kept);
    gnuplot_put(plot, ", $scree using 1:($3 == 1 && $5 == 0 ? $2 : NaN) with points pt 7 ps %s lc rgb '" PLOT_BLUE "'",
                values->n > FEW ? "0.5" : "0.9");
    if (values->kept < values->n)
        gnuplot_put(plot, " title '%zu kept'", values->kept);
    put_rounding(plot, v);
    gnuplot_put(plot, "\nunset label 1\nunset logscale y\n");
}

static void put_share(gnuplot *plot, const view *v)
{
    const plot_scree_values *values = v->values;
    double first = values->percent[0], low = first < 50   ? 0
                                             : first < 90 ? 10 * floor(first / 10 - 1)
                                                          : floor(first - 1);

    gnuplot_put(plot,
                "set lmargin at screen 0.575\nset rmargin at screen 0.985\nset format y '%%.11h'\n"
                "set ylabel '%s, cumulative (%%)'\nset yrange [%.9g:%.9g]\n",
                values->noise_fractions ? "share of the eigenvalues" : "variance", low, 100 + 0.04 * (100 - low));
    put_numbers(plot, v->reach);
    gnuplot_put(plot, "plot $scree using 1:($1 <= %zu ? $4 : NaN) with lines lw 1.2 lc rgb '" PLOT_GREY "'", v->reach);
    if (values->kept < v->reach)
        gnuplot_put(
            plot,
            ", $scree using 1:($3 == 0 && $1 <= %zu ? $4 : NaN) with points pt 6 ps %s lw 1.2 lc rgb '" PLOT_GREY "'",
            v->reach, v->reach > FEW ? "0.5" : "0.8");
    gnuplot_put(plot,
                ", $scree using 1:($3 == 1 && $1 <= %zu ? $4 : NaN) with points pt 7 ps %s lc rgb '" PLOT_BLUE "'\n",
                v->reach, v->reach > FEW ? "0.5" : "0.9");
}

static void put_script(gnuplot *plot, const view *v, const char *title)
{
    plot_put_style(plot);
    if (!(v->values->eigenvalues[0] > 0)) {
        plot_put_title(plot, title, NULL);
        plot_put_nothing(plot, "no band varies");
        return;
    }
    put_values(plot, v);
    gnuplot_put(plot,
                "set tmargin at screen 0.9\nset bmargin at screen 0.13\nset xlabel 'component'\nset multiplot title ");
    gnuplot_put_string(plot, title ? title : "", 110);
    gnuplot_put(plot, " noenhanced\n");
    put_eigenvalues(plot, v);
    put_share(plot, v);
    gnuplot_put(plot, "unset multiplot\n");
}

plot_status plot_scree(const char *base, const char *title, const plot_scree_values *values, penta_io_error *err)
{
    view v = choose(values);
    gnuplot *plot;
    plot_status status;

    if (!gnuplot_open(&plot, err))
        return PLOT_FAILED;
    put_script(plot, &v, title);
    status = gnuplot_write(plot, base, WIDTH, HEIGHT, err);
    gnuplot_close(plot);
    return status;
}
