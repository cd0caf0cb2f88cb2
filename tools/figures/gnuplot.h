/*
 * Pictures through gnuplot: a program of 1986, still maintained, in every package system, that draws PNG (pngcairo)
 * and SVG from one script. It is looked for at run time and is optional: without it a picture is PLOT_NO_GNUPLOT, for
 * the caller to note once ("plots need gnuplot: apt install gnuplot-nox") and go on. Needs gnuplot 5.0 with cairo.
 *
 * No shell is involved, and no path enters a script: gnuplot reads the script from its standard input and writes the
 * picture to its standard output. Ordinary files stand behind both and behind its messages rather than pipes, so that
 * nothing can block or raise SIGPIPE.
 */
#ifndef PENTA_PLOT_GNUPLOT_H
#define PENTA_PLOT_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "figures/figure.h"

typedef enum { PLOT_OK = 0, PLOT_NO_GNUPLOT, PLOT_FAILED, PLOT_TOO_SLOW } plot_status;

/* A script that is being written. */
typedef struct gnuplot gnuplot;

/* On failure *out is NULL. */
bool gnuplot_open(gnuplot **out, penta_io_error *err);

/* Adds text to the script, numbers with '.' whatever LC_NUMERIC says. Lack of memory shows at gnuplot_write. */
void gnuplot_put(gnuplot *plot, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Adds a gnuplot string of any text, in quotes. Control characters and bytes that are not UTF-8 become '?'; of a text
 * wider than `columns` the end is kept, behind an ellipsis. Where gnuplot would take '_' or '{' for markup, the
 * command that the string is for has to say `noenhanced`.
 */
void gnuplot_put_string(gnuplot *plot, const char *text, size_t columns);

/*
 * Runs the script twice, giving BASE.png and BASE.svg of width x height px: both or neither.
 * err is set on PLOT_FAILED (also of a picture that breaks off, as on a full disk), on PLOT_NO_GNUPLOT and on
 * PLOT_TOO_SLOW: gnuplot did not end within 60 s, or PENTACL_GNUPLOT_SECONDS, and was killed. The caller warns and goes
 * on without the pictures.
 */
plot_status gnuplot_write(gnuplot *plot, const char *base, int width, int height, penta_io_error *err);

void gnuplot_close(gnuplot *plot); /* NULL is fine */

/* BASE.png and BASE.svg of a figure, both or neither; err as in gnuplot_write. */
plot_status figure_gnuplot(const figure *f, const char *base, penta_io_error *err);

#endif
