/* The two halves of the TIFF reader: tiff.c finds and opens pages, tiff_page.c decodes one. Internal to tools/io. */
#ifndef PENTA_IO_TIFF_PAGE_H
#define PENTA_IO_TIFF_PAGE_H

#include <stdint.h>

#include "io/format.h"
#include "io/tiff_client.h"

/* Fails with the page and libtiff's reason after `what`. */
bool io_tiff_fail(const io_reader *reader, size_t page, io_error *err, const char *what);

/* Decodes the directory that `tif` stands at. */
bool io_tiff_decode(TIFF *tif, const io_reader *reader, size_t page, io_image *out, io_error *err);

#endif
