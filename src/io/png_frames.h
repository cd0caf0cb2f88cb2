/* The frames of animated PNG for png.c, which decodes one image. Internal to src/io. */
#ifndef PENTA_IO_PNG_FRAMES_H
#define PENTA_IO_PNG_FRAMES_H

#include "io/format.h"

/* Decodes the PNG that is the reader's input. alpha NULL: as penta_io_reader_read says; else palettes are colours,
 * checksums are not looked at, and *alpha gets height x width bytes, to be freed. */
typedef bool (*io_png_decoder)(const penta_io_reader *reader, size_t page, penta_io_image *out, uint8_t **alpha,
                               penta_io_error *err);

/* Finds the frames of an animation; a file without them has one page and no state. */
bool io_png_open(penta_io_reader *reader, penta_io_error *err);
/* The canvas after the frame was drawn on it. */
bool io_png_read_frame(penta_io_reader *reader, size_t page, io_png_decoder decode, penta_io_image *out,
                       penta_io_error *err);
void io_png_close(penta_io_reader *reader);

#endif
