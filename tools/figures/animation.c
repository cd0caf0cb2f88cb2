/* A figure in indexed colours: COLOURS of viridis, then GREYS from black to white. */
#include "figures/animation.h"

#include <math.h>
#include <stdlib.h>

#include "figures/pen.h"

enum { COLOURS = 224, GREYS = 32 };

static uint32_t colour_of(int index)
{
    uint32_t grey = (uint32_t)lround(255.0 * (index - COLOURS) / (GREYS - 1));

    return index < COLOURS ? figure_viridis((double)index / (COLOURS - 1)) : grey << 16 | grey << 8 | grey;
}

/* The colour of the scale, whose green never falls, or a grey by the green, which is about as light as the colour. */
static uint8_t index_of(uint32_t colour, const uint32_t scale[COLOURS])
{
    const uint32_t green = colour >> 8 & 0xff;
    int low = 0, high = COLOURS;

    while (low < high) {
        int middle = (low + high) / 2;

        if ((scale[middle] >> 8 & 0xff) < green)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < COLOURS && (scale[low] >> 8 & 0xff) == green; low++)
        if (scale[low] == (colour & 0xffffff))
            return (uint8_t)low;
    return (uint8_t)(COLOURS + (green * (GREYS - 1) + 127) / 255);
}

uint8_t *figure_animation_draw(size_t width, size_t height, const figure *f, size_t *size)
{
    figure_pen *pen = f->failed ? NULL : figure_cairo_open(width, height);
    uint8_t *pixels = malloc(width * height), *packed = NULL;
    const uint32_t *rgb = NULL;
    uint32_t scale[COLOURS];

    *size = 0;
    for (int i = 0; i < COLOURS; i++)
        scale[i] = colour_of(i);
    if (pen && pixels) {
        pen->shades = COLOURS;
        figure_draw(f, pen);
        rgb = figure_cairo_pixels(pen);
    }
    for (size_t i = 0; rgb && i < width * height; i++)
        pixels[i] = i > 0 && rgb[i] == rgb[i - 1] ? pixels[i - 1] : index_of(rgb[i], scale);
    if (rgb)
        packed = apng_pack(width, height, pixels, size);
    figure_cairo_close(pen);
    free(pixels);
    return packed;
}

apng figure_animation_begin(FILE *out, size_t width, size_t height, size_t frames, unsigned delay)
{
    uint8_t palette[768];

    for (int i = 0; i < COLOURS + GREYS; i++)
        for (int k = 0; k < 3; k++)
            palette[3 * i + k] = (uint8_t)(colour_of(i) >> (16 - 8 * k));
    return apng_begin(out, width, height, palette, frames, delay);
}
