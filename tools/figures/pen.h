/* What a figure is drawn with: Cairo and SVG have a pen each. Inside tools/figures. */
#pragma once

#include "figures/figure.h"

typedef struct {
    double width;
    uint32_t colour;
    bool dashed;
} figure_stroke;

/* Text with its baseline at y: align 0 begins at x, 0.5 has x in its middle, 1 ends there. size: px, of capitals.
 * turned: upwards, with the baseline at x. */
typedef struct {
    double x, y, size, align;
    uint32_t colour;
    bool plain, turned;
} figure_letters;

typedef struct figure_pen figure_pen;
struct figure_pen {
    bool failed;
    int shades; /* of the colour scale; 0: any number */
    /* A line of any number of pieces, one after another; joined: it goes on where the last one ended. */
    void (*begin)(figure_pen *pen, figure_stroke stroke);
    void (*line)(figure_pen *pen, double x0, double y0, double x1, double y1, bool joined);
    void (*end)(figure_pen *pen);
    void (*fill)(figure_pen *pen, figure_box box, uint32_t colour);
    void (*polygon)(figure_pen *pen, size_t n, const double (*corners)[2], uint32_t colour);
    void (*circle)(figure_pen *pen, double x, double y, double radius, double width,
                   uint32_t colour); /* width 0: full */
    void (*image)(figure_pen *pen, figure_box box, const figure_image *image, figure_range colours);
    void (*text)(figure_pen *pen, figure_letters letters, const char *words);
};

/* What an inset hides of the panel below it: room for its numbers, too. */
static inline figure_box figure_around_inset(figure_box b)
{
    return (figure_box){b.left - 60, b.top - 8, b.right + 10, b.bottom + 34};
}

void figure_draw(const figure *f, figure_pen *pen);

/* A pen of Cairo on white paper; NULL without Cairo or memory. */
figure_pen *figure_cairo_open(size_t width, size_t height);
const uint32_t *figure_cairo_pixels(figure_pen *pen); /* height x width of 0xRRGGBB; NULL: it failed */
void figure_cairo_close(figure_pen *pen);             /* NULL is fine */

/* figure_svg with more attributes of the element. */
bool figure_put_svg(const figure *f, const char *name, const char *more, FILE *out);

/* The colour of value i of the image. */
uint32_t figure_pixel(const figure_pen *pen, const figure_image *image, figure_range colours, size_t i);

/* ---- letters ---- */

/* Shares of the font's size: height of capitals, of subscripts and superscripts, by which these are shifted. */
#define FIGURE_CAPITALS 0.729
#define FIGURE_SMALLER  0.75
#define FIGURE_SHIFT    0.3

/* Text with subscripts and superscripts is written run by run. level: -1, 0 or 1. False at the end. */
typedef struct {
    const char *at, *end;
    int level;
} figure_run;
bool figure_next_run(const char **text, bool plain, figure_run *run);
/* Bytes of the UTF-8 sequence there; 0 if it is invalid. */
size_t utf8_bytes(const char *text);
