/* PNG in memory, and animated ones: chunks by ourselves, deflate and CRC by zlib, which libpng brings. */
#ifndef PENTA_IO_APNG_H
#define PENTA_IO_APNG_H

#include <stddef.h>
#include <stdint.h>

#include "io/error.h"

/* rgb: height x width x 3. The file's bytes, to be freed; NULL when out of memory. */
uint8_t *io_png_bytes(size_t width, size_t height, const uint8_t *rgb, size_t *size);

typedef struct io_apng io_apng;

/* An animation of `frames` frames that repeats for ever, each shown for `delay` ms; palette: red, green, blue of 256
 * colours. Viewers that know no APNG show the first frame. On failure *out is NULL. */
bool io_apng_open(const char *path, size_t width, size_t height, const uint8_t palette[768], size_t frames,
                  unsigned delay, io_apng **out, io_error *err);
/* The next frame: height x width places in the palette. */
bool io_apng_add(io_apng *file, const uint8_t *pixels, io_error *err);
/* All frames being there: the file appears. Frees file in every case. */
bool io_apng_close(io_apng *file, io_error *err);
void io_apng_abort(io_apng *file); /* NULL is fine */

#endif
