/* A picture drawn without gnuplot: 8-bit RGB, lines and letters smoothed at their edges. x to the right, y down, in px;
 * what lies outside is left out. Colours are 0xRRGGBB. */
#ifndef PENTA_PLOT_CANVAS_H
#define PENTA_PLOT_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct canvas {
    size_t width, height;
    uint8_t *rgb; /* height x width x 3 */
} canvas;

/* White. False when out of memory, the canvas being empty. */
bool canvas_create(size_t width, size_t height, canvas *out);
void canvas_free(canvas *c);

void canvas_fill(canvas *c, double x, double y, double width, double height, uint32_t colour); /* whole pixels */
void canvas_line(canvas *c, double x0, double y0, double x1, double y1, double width, uint32_t colour);
/* Of a line of many pieces: its ends are cut off straight, so that no pixel is covered twice where two meet. */
void canvas_piece(canvas *c, double x0, double y0, double x1, double y1, double width, uint32_t colour);
void canvas_frame(canvas *c, double x, double y, double width, double height, uint32_t colour); /* 1 px, inside */

/* Text whose capitals are `size` px high, y at their feet; align: 0 begins at x, 0.5 has x in its middle, 1 ends there.
 * UTF-8; letters beyond ASCII and the signs for micro, degree, plus-minus and times are drawn as boxes. */
void canvas_text(canvas *c, double x, double y, double size, double align, uint32_t colour, const char *text);
double canvas_text_width(double size, const char *text);

/* ---- what axes need ---- */

/* 1, 2 or 5 times a power of 10, so that at most `most` steps of it lie in the span. */
double canvas_nice_step(double span, int most);
/* The number with as few decimals as multiples of the step need. */
void canvas_put_tick(char *text, size_t size, double value, double step);

/* viridis, perceptually uniform: 0 dark blue .. 1 yellow. */
uint32_t canvas_viridis(double share);

#endif
