/* PNG in memory and animated PNG, with zlib, which libpng needs anyway. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A PNG file of rgb (height x width x 3); the caller frees it. NULL when out of memory. */
uint8_t *png_bytes(size_t width, size_t height, const uint8_t *rgb, size_t *size);

/* An animation being written. */
typedef struct apng {
    FILE *out;
    size_t width, height, frame;
    unsigned delay, sequence; /* ms; the next chunk's number */
} apng;

/* Begins an animation of `frames` frames that repeats for ever and shows each for `delay` ms; palette: red, green, blue
 * of 256 colours. Viewers without APNG show the first frame. The caller checks the stream for errors. */
apng apng_begin(FILE *out, size_t width, size_t height, const uint8_t palette[768], size_t frames, unsigned delay);
/* Packs a frame, height x width indices into the palette, on any thread; the caller frees it. NULL when out of memory.
 */
uint8_t *apng_pack(size_t width, size_t height, const uint8_t *pixels, size_t *size);
/* Adds a packed frame. */
void apng_add(apng *file, const uint8_t *packed, size_t size);
/* Ends the animation, after its last frame. */
void apng_end(apng *file);
