/* Inside the pictures of optmap: colours and sizes. */
#ifndef PENTA_TOOLS_OPTMAP_DRAW_H
#define PENTA_TOOLS_OPTMAP_DRAW_H

#include <stdio.h>

#include "optmap/maps.h"
#include "figures/canvas.h"

#define OPTMAP_INK     0x202020u
#define OPTMAP_UNKNOWN 0xd4d4d4u /* no value */
#define OPTMAP_BEFORE  0x9a9a9au
#define OPTMAP_AFTER   0x0072b2u

enum { OPTMAP_LETTERS = 10, OPTMAP_TITLE = 13 }; /* px, height of capitals */

/* Ticks of the colour bar; arrows along the longer side. */
enum { OPTMAP_MOST_TICKS = 6, OPTMAP_MOST_ARROWS = 12 };

/* White on dark colours, ink on light ones. */
static inline uint32_t optmap_line_colour(double share)
{
    return share < 0.6 ? 0xffffff : OPTMAP_INK;
}

static inline double optmap_share(const optmap_range *range, double value)
{
    return range->high > range->low ? (value - range->low) / (range->high - range->low) : 0.5;
}

/* An arrow of two strokes more than its shaft: line(x0, y0, x1, y1) for each. (x, y): its middle; (dx, dy): from there
 * to its tip. */
void optmap_arrow(double x, double y, double dx, double dy,
                  void (*line)(void *user, double x0, double y0, double x1, double y1), void *user);

/* A length that is about `most` px and a round number; false without a pixel size. text: "2 mm". */
bool optmap_scale_length(const optmap_findings *f, double most, double *pixels, char *text, size_t size);

/* The animated PNG, where there are frames. False when out of memory. */
bool optmap_put_movie(FILE *out, const optmap_findings *f);

/* The picture to a file, and freed; ok: it was drawn. */
bool optmap_write_canvas(const char *path, canvas *c, bool ok, penta_io_error *err);

#endif
