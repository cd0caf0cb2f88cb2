/* Looks, ranges and numbers. */
#include "figures/style.h"

#include <math.h>

plot_range plot_range_none(void)
{
    return (plot_range){INFINITY, -INFINITY};
}

bool plot_range_is_none(plot_range range)
{
    return !(range.lo <= range.hi);
}

void plot_range_add(plot_range *range, double value)
{
    if (!isfinite(value))
        return;
    range->lo = fmin(range->lo, value);
    range->hi = fmax(range->hi, value);
}

plot_range plot_range_pad(plot_range range, double below, double above)
{
    double width = range.hi - range.lo, least;

    if (plot_range_is_none(range))
        return (plot_range){0, 1};
    least = fmax(fabs(range.lo), fabs(range.hi)) * 1e-9; /* below this the tics would all read the same */
    if (!(width > least)) {
        width = least > 0 ? 0.2 * fmax(fabs(range.lo), fabs(range.hi)) : 1;
        return (plot_range){range.lo - width / 2, range.hi + width / 2};
    }
    return (plot_range){range.lo - below * width, range.hi + above * width};
}

void plot_put_range(gnuplot *plot, const char *axis, plot_range range)
{
    gnuplot_put(plot, "set %srange [%.15g:%.15g]\n", axis, range.lo, range.hi);
}

void plot_put_style(gnuplot *plot)
{
    gnuplot_put(plot, "set border 3 lc rgb '#404040'\n"
                      "set tics nomirror out scale 0.6 textcolor rgb '#202020'\nset format '%%.11h'\n"
                      "set grid lc rgb '#dddddd' lw 1 dt 1\n"
                      "set key noautotitle samplen 2.5 spacing 1.2\n"
                      "set palette defined (0 '#440154', 1 '#482878', 2 '#3e4989', 3 '#31688e', 4 '#26828e', "
                      "5 '#1f9e89', 6 '#35b779', 7 '#6ece58', 8 '#b5de2b', 9 '#fde725')\n");
}

void plot_put_title(gnuplot *plot, const char *title, const char *note)
{
    if (!title && !note)
        return;
    gnuplot_put(plot, "set title ");
    if (title)
        gnuplot_put_string(plot, title, 90);
    if (note)
        gnuplot_put(plot, "%s%s", title ? ".\"\\n\"." : "", note);
    gnuplot_put(plot, " noenhanced\n");
}

/* The power of ten of a positive number's leading digit. */
static int exponent_of(double value)
{
    return (int)floor(log10(value));
}

/* "(45.3 ± 0.4)" and so on, both numbers with the same decimals and taken out of them 10^power. */
static void put_number(gnuplot *plot, double value, double standard_error, int decimals, int power, bool enclosed)
{
    double scale = pow(10, power);

    gnuplot_put(plot, "%s%.*f", enclosed ? "(" : "", decimals, value / scale);
    if (standard_error > 0)
        gnuplot_put(plot, " ± %.*f", decimals, standard_error / scale);
    gnuplot_put(plot, "%s", enclosed ? ")" : "");
    if (power != 0)
        gnuplot_put(plot, "×10^{%d}", power);
}

void plot_put_measured(gnuplot *plot, double value, double standard_error, bool enclosed)
{
    bool has_error = isfinite(standard_error) && standard_error > 0;
    int leading, decimals, power;

    if (!isfinite(value)) {
        gnuplot_put(plot, "NaN");
        return;
    }
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
        put_number(plot, value, standard_error, decimals, power, enclosed || power != 0);
    else
        put_number(plot, value, 0, decimals, power, enclosed && (value < 0 || power != 0));
}

void plot_put_nothing(gnuplot *plot, const char *remark)
{
    gnuplot_put(plot,
                "set label 1 '%s' at graph 0.5, 0.5 center textcolor rgb '#606060'\n"
                "unset tics\nset border 15\nunset grid\nset xrange [0:1]\nset yrange [0:1]\nplot NaN\n",
                remark);
}
