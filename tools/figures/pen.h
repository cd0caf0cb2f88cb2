/* What a figure is drawn with when no gnuplot does it: canvas and SVG have a pen each. Inside tools/figures. */
#ifndef PENTA_FIGURES_PEN_H
#define PENTA_FIGURES_PEN_H

#include "figures/canvas.h"
#include "figures/figure.h"

typedef struct {
    double width;
    uint32_t colour;
    bool dashed, pieces; /* pieces: apart from each other, of one thin line */
} figure_stroke;

typedef struct figure_pen figure_pen;
struct figure_pen {
    bool failed;
    /* A line of any number of pieces, one after another; joined: it goes on where the last one ended. */
    void (*begin)(figure_pen *pen, figure_stroke stroke);
    void (*line)(figure_pen *pen, double x0, double y0, double x1, double y1, bool joined);
    void (*end)(figure_pen *pen);
    void (*fill)(figure_pen *pen, figure_box box, uint32_t colour);
    /* Between (x0, low0 .. high0) and (x1, low1 .. high1). */
    void (*slab)(figure_pen *pen, const double from[3], const double to[3], uint32_t colour);
    void (*disc)(figure_pen *pen, double x, double y, double radius, uint32_t colour);
    void (*image)(figure_pen *pen, figure_box box, const figure_image *image, figure_range colours);
    /* As canvas_text. */
    void (*text)(figure_pen *pen, double x, double y, double size, double align, uint32_t colour, bool plain,
                 const char *text);
};

/* What an inset hides of the panel below it: room for its numbers, too. */
static inline figure_box figure_around_inset(figure_box b)
{
    return (figure_box){b.left - 60, b.top - 8, b.right + 10, b.bottom + 34};
}

void figure_draw(const figure *f, figure_pen *pen);

/* `slab` for pens that have no better one. */
void figure_slab_by_columns(figure_pen *pen, const double from[3], const double to[3], uint32_t colour);
/* As canvas_text from x on, with subscripts and superscripts unless it is plain. */
void figure_canvas_text(canvas *c, double x, double y, double size, uint32_t colour, bool plain, const char *words);

/* The colour of value i of the image. */
/* Along a side of `length` px that shows `count` pixels of an image: sets *pixel to the one at px `from`, and returns
 * the px at which the next one begins, or the side ends. */
double figure_image_run(double length, size_t count, double from, size_t *pixel);
uint32_t figure_pixel(const figure_image *image, figure_range colours, size_t i);

/* Text with subscripts and superscripts is written run by run. level: -1, 0 or 1. False at the end. */
typedef struct {
    const char *at, *end;
    int level;
} figure_run;
bool figure_next_run(const char **text, bool plain, figure_run *run);
/* px, with capitals of that size. */
double figure_text_width(double size, bool plain, const char *text);

#endif
