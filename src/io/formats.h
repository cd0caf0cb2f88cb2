/* Each kind's part of the list of formats, from its own table. Internal to src/io. */
#pragma once

#include <pentacl/io/formats.h>

bool io_image_at(size_t i, penta_io_format *out);
bool io_cube_at(size_t i, penta_io_format *out);
bool io_movie_at(size_t i, penta_io_format *out);
bool io_bodies_at(size_t i, penta_io_format *out);
bool io_catalog_at(size_t i, penta_io_format *out);

/* Lists the readable formats of a part, as "PNG, FITS and NPY" (formats_text.c). */
void io_format_names(bool (*at)(size_t i, penta_io_format *out), char *text, size_t size);
