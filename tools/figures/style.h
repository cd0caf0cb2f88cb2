/* What the pictures share: looks, ranges, and numbers with their uncertainty. */
#ifndef PENTA_PLOT_STYLE_H
#define PENTA_PLOT_STYLE_H

#include <stdbool.h>
#include <stddef.h>

#include "figures/gnuplot.h"

/* Okabe-Ito colours, told apart by colour-blind readers. */
#define PLOT_BLUE       "#0072b2"
#define PLOT_VERMILLION "#d55e00"
#define PLOT_GREEN      "#009e73"
#define PLOT_GREY       "#8c8c8c"

/* A closed interval; lo > hi: nothing in it yet. */
typedef struct {
    double lo, hi;
} plot_range;

plot_range plot_range_none(void);
bool plot_range_is_none(plot_range range);
void plot_range_add(plot_range *range, double value); /* a value that is not finite is left out */

/* The range with a share of its width added at either end; never of zero width, [0, 1] where there was nothing. */
plot_range plot_range_pad(plot_range range, double below, double above);

/* `set xrange` and the like; axis is "x", "y" or "cb". */
void plot_put_range(gnuplot *plot, const char *axis, plot_range range);

/* Axes, tics, grid, legend and the viridis palette. */
void plot_put_style(gnuplot *plot);

/* title may be NULL. note, in gnuplot's quotes, may be NULL: a second line. */
void plot_put_title(gnuplot *plot, const char *title, const char *note);

/*
 * A value and its standard error for enhanced text: "45.3 ± 0.4", the error to one digit (two when it begins with 1),
 * "(4.53 ± 0.04)×10^{-7}" where plain digits would be long. An error that is not a positive number is left out and the
 * value takes three digits. enclosed: parentheses around whatever is not one plain unsigned number.
 */
void plot_put_measured(gnuplot *plot, double value, double standard_error, bool enclosed);

/* Empty axes with a remark, for a picture without data. */
void plot_put_nothing(gnuplot *plot, const char *remark);

#endif
