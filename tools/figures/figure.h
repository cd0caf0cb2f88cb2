/*
 * A figure as plain data: panels with axes, an image, marks and labels, and a colour scale for all of them. Who
 * describes a figure says what is where; pens draw it. Builders copy what they are given. When memory runs
 * out they set figure.failed, which drawing reports.
 *
 * Places on the figure are in px from its top left corner, places in a panel in the numbers of its axes; colours are
 * 0xRRGGBB. Text is UTF-8 with _{..} for subscripts and ^{..} for superscripts unless it is said to be plain.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pentacl/io/error.h>

/* Okabe-Ito colours, told apart by colour-blind readers, and greys. */
#define FIGURE_BLUE       0x0072b2u
#define FIGURE_VERMILLION 0xd55e00u
#define FIGURE_GREEN      0x009e73u
#define FIGURE_GREY       0x8c8c8cu
#define FIGURE_INK        0x202020u
#define FIGURE_UNKNOWN    0xd4d4d4u /* pixels without a value */

#define FIGURE_TITLE 1.3 /* height of its letters, of the figure's */

/* A closed interval; lo > hi: nothing in it yet. */
typedef struct {
    double lo, hi;
} figure_range;

/* px. A side that is NaN is where labels, title and legend leave room. */
typedef struct {
    double left, top, right, bottom;
} figure_box;

typedef struct {
    const char *label; /* NULL: none */
    figure_range range;
    double step; /* from tick to tick; 0: chosen */
    bool ticks, logarithmic;
    bool whole;     /* ticks at whole numbers only */
    bool downwards; /* y: the least is at the top */
} figure_axis;

/* Colours by the figure's scale, or given. The y axis of its panel runs downwards. */
typedef struct {
    size_t width, height; /* 0: no image */
    double x, y, step;    /* middle of the first pixel; from one to the next */
    const float *values;  /* height x width; NaN: FIGURE_UNKNOWN */
    const uint8_t *rgb;   /* height x width x 3 in place of values */
} figure_image;

typedef enum {
    FIGURE_LINE,     /* through the points, interrupted where x or y is NaN */
    FIGURE_SEGMENTS, /* from point 0 to 1, 2 to 3, .. */
    FIGURE_DISCS,
    FIGURE_RINGS,
    FIGURE_CROSSES,
    FIGURE_BARS, /* y - half .. y + half */
    FIGURE_BAND  /* the same, filled from point to point */
} figure_kind;

typedef struct {
    double x, y, half, value;
} figure_point;

typedef struct figure_mark {
    figure_kind kind;
    uint32_t colour;
    bool valued;       /* colours by the points' values */
    bool dashed;       /* lines */
    double width;      /* px, of lines */
    double radius;     /* px, of discs, rings and crosses */
    const char *label; /* in the legend; NULL: none */
    size_t count, room;
    figure_point *points;
    struct figure_mark *next;
} figure_mark;

typedef struct figure_label {
    const char *text;
    bool plain;
    bool on_axes; /* x, y are in the axes' numbers; else 0 .. 1 of the panel, from its lower left corner */
    double x, y;
    double align; /* 0 begins at x, 0.5 has x in its middle, 1 ends there */
    double rise;  /* lines of text by which it is raised */
    double size;  /* of the figure's letters; 0: 1 */
    uint32_t colour;
    struct figure_label *next;
} figure_label;

typedef enum { FIGURE_NO_LEGEND, FIGURE_LEGEND_INSIDE, FIGURE_LEGEND_BELOW, FIGURE_LEGEND_ABOVE } figure_legend;
typedef enum { FIGURE_FRAME_AXES, FIGURE_FRAME_WHOLE, FIGURE_FRAME_NONE } figure_frame;

typedef struct figure_panel {
    figure_box box;           /* of the axes */
    const char *title, *note; /* above; plain */
    figure_axis x, y;
    figure_frame frame;
    bool grid, inset; /* inset: lies over another panel */
    figure_legend legend;
    double scale; /* length of the scale bar below, in the numbers of x; 0: none */
    const char *scale_label;
    figure_image image;
    figure_mark *marks, **last_mark;
    figure_label *labels, **last_label;
    struct figure_panel *next;
} figure_panel;

typedef struct figure {
    double width, height, letters; /* px; letters: height of capitals */
    const char *title;             /* plain; over all panels */
    figure_range colours;          /* least and largest number of the colour scale */
    figure_box bar;                /* the colour bar; right of left: there is one; NaN: sides of the first panel */
    const char *bar_label;
    bool bar_whole; /* as figure_axis.whole */
    figure_panel *panels, **last_panel;
    bool failed;

    struct figure_block *blocks; /* owned memory */
    figure_panel spare_panel;    /* what builders return without memory */
    figure_mark spare_mark;
} figure;

/* ---- describing ---- */

void figure_open(figure *f, double width, double height);
void figure_close(figure *f); /* of zeros: is fine */

/* Added behind those that are there; fields may be changed after. */
figure_panel *figure_add_panel(figure *f, figure_panel panel);
figure_mark *figure_add_mark(figure *f, figure_panel *panel, figure_mark mark);
void figure_add_point(figure *f, figure_mark *mark, figure_point point);
void figure_add_label(figure *f, figure_panel *panel, figure_label label);
/* Memory that lives as long as the figure: of zeros; NULL without. */
void *figure_memory(figure *f, size_t size);
/* The same as printf, with '.' in numbers whatever LC_NUMERIC says. Never NULL. */
const char *figure_text(figure *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * A value and its standard error: "45.3 ± 0.4", the error to one digit (two when it begins with 1),
 * "(4.53 ± 0.04)×10^{-7}" where plain digits would be long. An error that is not a positive number is left out and the
 * value takes three digits. enclosed: parentheses around whatever is not one plain unsigned number.
 */
const char *figure_measured(figure *f, double value, double standard_error, bool enclosed);
/* Empty axes with a remark, for a figure without data. */
void figure_add_nothing(figure *f, figure_panel *panel, const char *remark);

/* Lines of the panel's image at multiples of step within the colours, smoothed, in colours that stand out from it. */
void figure_add_isolines(figure *f, figure_panel *panel, double step, double line_width);
/* Segments of an arrow with its middle at (x, y) and its tip at (x + dx, y + dy). */
void figure_add_arrow(figure *f, figure_mark *segments, double x, double y, double dx, double dy);
/* White on dark places of the colour scale, ink on light ones. */
uint32_t figure_contrast(const figure *f, double value);

/* ---- ranges and ticks ---- */

figure_range figure_range_none(void);
bool figure_range_is_none(figure_range range);
void figure_range_add(figure_range *range, double value); /* a value that is not finite is left out */
/* Of the finite ones of n values, which are reordered, without that many per cent of the least and of the largest. */
figure_range figure_range_within(float *values, size_t n, size_t percent);
/* The range with a share of its width added at either end; never of zero width, [0, 1] where there was nothing. */
figure_range figure_range_pad(figure_range range, double below, double above);
/* px, of the figure's title. */
double figure_title_width(const figure *f);
/* 0 .. 1 in the range; 0.5 where it has no width. */
double figure_share(figure_range range, double value);
/* From tick to tick: 1, 2 or 5 times a power of 10; about `most` of them, but two at least. */
double figure_tick_step(figure_range range, int most);

/* ---- maps ---- */

/* The map for isolines: each value and its neighbours by 1 2 1 along x and y; of a neighbour that is unknown the
 * opposite one is left out, too, so that straight slopes stay as they are. */
void figure_smooth(const float *map, size_t width, size_t height, float *out);
/* Pieces of the line where the map is `level`, between middles of pixels; none touches an unknown pixel. */
void figure_isoline(const float *map, size_t width, size_t height, double level,
                    void (*line)(void *user, double x0, double y0, double x1, double y1), void *user);

/* ---- ticks, colours and letters ---- */

/* The least step of 1, 2 or 5 times a power of 10 of which at most `most` fit into the span. */
double figure_nice_step(double span, int most);
/* Prints the number with just the decimals that multiples of the step need. */
void figure_put_tick(char *text, size_t size, double value, double step);
/* viridis, perceptually uniform: 0 dark blue .. 1 yellow. */
uint32_t figure_viridis(double share);
/* px, with capitals of that size. */
double figure_text_width(double size, bool plain, const char *text);

/* ---- drawing ---- */

/* Loads Cairo and FreeType once; on any thread. False: they are missing, and err says what to install. */
bool figures_ready(penta_io_error *err);
/* One PNG through Cairo, whole or not at all. */
bool figure_png(const figure *f, const char *path, penta_io_error *err);
/* An <svg> element, as it stands in HTML. name: its title. False when out of memory. */
bool figure_svg(const figure *f, const char *name, FILE *out);
/* BASE.png and BASE.svg, both or neither. */
bool figure_files(const figure *f, const char *base, penta_io_error *err);
