/* PNG in memory, and animated ones: chunks by ourselves, deflate and CRC by zlib, which libpng brings. */
#ifndef PENTA_TOOLS_FIGURES_APNG_H
#define PENTA_TOOLS_FIGURES_APNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* rgb: height x width x 3. The file's bytes, to be freed; NULL when out of memory. */
uint8_t *png_bytes(size_t width, size_t height, const uint8_t *rgb, size_t *size);

/* An animation being written. */
typedef struct apng {
    FILE *out;
    size_t width, height, frame;
    unsigned delay, sequence; /* ms; the next chunk's number */
} apng;

/* An animation of `frames` frames that repeats for ever, each shown for `delay` ms; palette: red, green, blue of 256
 * colours. Viewers that know no APNG show the first frame. The stream's errors are its owner's. */
apng apng_begin(FILE *out, size_t width, size_t height, const uint8_t palette[768], size_t frames, unsigned delay);
/* The next frame: height x width places in the palette. False when out of memory. */
bool apng_add(apng *file, const uint8_t *pixels);
/* All frames being there. */
void apng_end(apng *file);

#endif
