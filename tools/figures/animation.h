/* Figures of one size as the frames of an animated PNG, whose palette is the colour scale and greys. */
#pragma once

#include "figures/apng.h"
#include "figures/figure.h"

/* So many frames, each shown for `delay` ms: apng_add and apng_end follow. */
apng figure_animation_begin(FILE *out, size_t width, size_t height, size_t frames, unsigned delay);
/* Draws and packs a frame, on any thread; the caller frees it. Colours other than those of the scale become greys.
 * NULL without Cairo or memory. */
uint8_t *figure_animation_draw(size_t width, size_t height, const figure *f, size_t *size);
