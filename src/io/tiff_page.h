/* The two halves of the TIFF reader: tiff.c finds and opens pages, tiff_page.c decodes one. movie_tiff.c uses both.
 * Internal to src/io. */
#pragma once

#include <stdint.h>

#include "io/format.h"
#include "io/tiff_client.h"

/* Fails with the page and libtiff's reason after `what`. */
bool io_tiff_fail(const penta_io_reader *reader, size_t page, penta_io_error *err, const char *what);

/* The file with a header that points to one page. */
typedef struct {
    const io_input *in;
    unsigned char header[16];
    uint64_t header_bytes;
    uint64_t at;
} io_tiff_view;

/* Opens a page of a reader of io_tiff_format, on any thread. view must live until the TIFF is closed. NULL on failure.
 */
TIFF *io_tiff_open_page(const penta_io_reader *reader, size_t page, io_tiff_view *view, penta_io_error *err);

/* The name of a SAMPLEFORMAT_..., such as "signed integers". */
const char *io_tiff_kind(uint16_t format);
/* Largest ratio of a compression: see format.h. */
uint64_t io_tiff_inflation(uint16_t compression);
/* The number after NAME= in the description that ImageJ gives a page; fallback if there is none. */
double io_tiff_imagej(TIFF *tif, const char *name, double fallback);
/* Flips a page of ORIENTATION_TOPLEFT to _BOTLEFT so that its top left corner comes first. */
void io_tiff_turn_upright(uint16_t orientation, penta_io_image *image);

/* Decodes the directory at which `tif` is. */
bool io_tiff_decode(TIFF *tif, const penta_io_reader *reader, size_t page, penta_io_image *out, penta_io_error *err);
