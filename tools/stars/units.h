/* Units of the coordinates in CSV catalogues. */
#ifndef PENTA_TOOLS_STARS_UNITS_H
#define PENTA_TOOLS_STARS_UNITS_H

#include <pentacl/io/csv.h>
#include "stars/catalog.h"

/* "deg", "hour", "rad" or "sexagesimal". */
const char *star_unit_name(enum star_ra_unit unit);

/* Degrees in one unit of right ascension, and in one of the declinations beside it. */
double star_ra_degrees(enum star_ra_unit unit);
double star_dec_degrees(enum star_ra_unit unit);

/*
 * The unit of the right ascensions in column `ra`, whose declinations are in column `dec`, of the rows from `first` on,
 * by the column's name, its unit (units_row: the row above `first` that has the units, or -1), the values, and whether
 * the other columns look like HYG's. The reason is "" where there is no doubt.
 */
enum { UNIT_REASON_BYTES = 160 };
enum star_ra_unit star_guess_unit(const penta_io_csv *csv, size_t ra, size_t dec, size_t first, int units_row,
                                  bool like_hyg, char reason[UNIT_REASON_BYTES]);

/* "05 55 10.3", "-16:42:58", "5h55.2m": two or three numbers, of which the last may have a fraction. */
bool star_parse_sexagesimal(const char *text, double *out);

#endif
