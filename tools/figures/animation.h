/* Figures of one size as the frames of an animated PNG, whose palette is the colour scale and greys. */
#ifndef PENTA_FIGURES_ANIMATION_H
#define PENTA_FIGURES_ANIMATION_H

#include "figures/apng.h"
#include "figures/canvas.h"
#include "figures/figure.h"

typedef struct figure_animation {
    apng file;
    size_t width, height;
    uint8_t *pixels; /* height x width indices into the palette */
    canvas letters;  /* on which text is written */
} figure_animation;

/* So many frames, each shown for `delay` ms. False when out of memory; figure_animation_end is due all the same. */
bool figure_animation_begin(figure_animation *a, FILE *out, size_t width, size_t height, size_t frames, unsigned delay);
/* The next frame. Lines have no soft edges, and colours other than those of the scale become greys. False when out of
 * memory. */
bool figure_animation_add(figure_animation *a, const figure *f);
void figure_animation_end(figure_animation *a);

#endif
