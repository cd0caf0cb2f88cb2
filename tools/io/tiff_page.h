/* The two halves of the TIFF reader: tiff.c finds and opens pages, tiff_page.c decodes one. Internal to tools/io. */
#ifndef PENTA_IO_TIFF_PAGE_H
#define PENTA_IO_TIFF_PAGE_H

#include <stdint.h>
#include <tiffio.h>

#include "io/format.h"

/* What libtiff said on this thread since io_tiff_hush; never printed. */
typedef struct {
    char error[400];   /* the first error: later ones follow from it */
    char warning[400]; /* the last warning */
    bool made_up;      /* a codec warned that the data are damaged and it filled in pixels of its own */
} io_tiff_said;

io_tiff_said *io_tiff_text(void);
void io_tiff_hush(void);

/* Fails with the page and libtiff's reason after `what`. */
bool io_tiff_fail(const io_reader *reader, size_t page, io_error *err, const char *what);

/* Decodes the directory that `tif` stands at. */
bool io_tiff_decode(TIFF *tif, const io_reader *reader, size_t page, io_image *out, io_error *err);

#endif
