/* An 8-bit RGB picture with antialiased lines and letters. x to the right, y down, in px; whatever lies outside is
 * clipped. Colours are 0xRRGGBB. */
#ifndef PENTA_PLOT_CANVAS_H
#define PENTA_PLOT_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct canvas {
    size_t width, height;
    uint8_t *rgb; /* height x width x 3 */
} canvas;

/* A white canvas. False when out of memory; then the canvas is empty. */
bool canvas_create(size_t width, size_t height, canvas *out);
void canvas_free(canvas *c);

void canvas_fill(canvas *c, double x, double y, double width, double height, uint32_t colour); /* whole pixels */
void canvas_line(canvas *c, double x0, double y0, double x1, double y1, double width, uint32_t colour);
/* One piece of a longer line: its ends are straight, so that no pixel is covered twice where two pieces meet. */
void canvas_piece(canvas *c, double x0, double y0, double x1, double y1, double width, uint32_t colour);

/* UTF-8 text whose capitals are `size` px high, with its baseline at y; align: 0 begins at x, 0.5 is centred, 1 ends
 * there. The font has ASCII and the signs for micro, degree, plus-minus and times; other letters are drawn as boxes. */
void canvas_text(canvas *c, double x, double y, double size, double align, uint32_t colour, const char *text);
double canvas_text_width(double size, const char *text);

/* ---- ticks and colours ---- */

/* The least step of 1, 2 or 5 times a power of 10 of which at most `most` fit into the span. */
double canvas_nice_step(double span, int most);
/* Prints the number with just the decimals that multiples of the step need. */
void canvas_put_tick(char *text, size_t size, double value, double step);

/* viridis, perceptually uniform: 0 dark blue .. 1 yellow. */
uint32_t canvas_viridis(double share);

#endif
