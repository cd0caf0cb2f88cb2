/* What the readers of catalogues share. Internal to tools/stars. */
#ifndef PENTA_TOOLS_STARS_CATALOG_FORMAT_H
#define PENTA_TOOLS_STARS_CATALOG_FORMAT_H

#include <pentacl/io/input.h>
#include "stars/catalog.h"

#define DEGREES_PER_RADIAN 57.295779513082320877

typedef struct {
    double ra, dec; /* deg; |ra| <= 360 */
    double mag;
    double pmra, pmdec; /* mas/yr */
} star_entry;

/* Arrays for `most` stars in a zeroed catalogue. */
bool star_catalog_reserve(star_catalog *catalog, size_t most, const char *name, penta_io_error *err);

/* Adds the star without its id, which the caller adds; or counts it as faint and returns false. */
bool star_catalog_add(star_catalog *catalog, const star_entry *star, double mag_limit);

/* Whether these first bytes of a file, `size` of them, are a header of BSC5's format. */
enum { BSC5_HEADER_BYTES = 28 };
bool star_bsc5_matches(const unsigned char *head, size_t size);
bool star_bsc5_read_builtin(double mag_limit, star_catalog *out, penta_io_error *err);
bool star_bsc5_read(const penta_io_input *in, double mag_limit, star_catalog *out, penta_io_error *err);

bool star_csv_read(const char *path, const star_catalog_options *options, star_catalog *out, penta_io_error *err);

#endif
