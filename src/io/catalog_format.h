/* Shared by the readers of catalogues and star lists. Internal to src/io. */
#pragma once

#include <pentacl/io/catalog.h>
#include <pentacl/io/table.h>
#include "io/input.h"

#define DEGREES_PER_RADIAN 57.295779513082320877

/* ---- names (star_ids.c) ---- */

/* Makes room for `most` stars in an empty *ids; false: out of memory. The calls below must not add more. */
bool io_star_ids_reserve(penta_io_star_ids *ids, size_t most);

void io_star_ids_add(penta_io_star_ids *ids, enum penta_io_star_id_kind kind, uint64_t number);

/*
 * Adds a field of a table. Digits become a number of that kind (PENTA_IO_STAR_TEXT: a plain number); anything else
 * stays text, so that nothing is lost. For a catalogue's kind, "424.0" becomes 424. False: out of memory.
 */
bool io_star_ids_add_text(penta_io_star_ids *ids, enum penta_io_star_id_kind kind, const char *text);

/* ---- stars ---- */

typedef struct {
    double ra, dec; /* deg; |ra| <= 360 */
    double mag;
    double pmra, pmdec; /* mas/yr */
    bool moves;         /* these are known */
} io_star;

/* Allocates arrays for `most` stars in a zeroed catalogue. */
bool io_catalog_reserve(penta_io_catalog *catalog, size_t most, const char *name, penta_io_error *err);

/* Adds the star (the caller adds its id), or counts it as faint and returns false. */
bool io_catalog_add(penta_io_catalog *catalog, const io_star *star, double mag_limit);

/* Frees the memory that a magnitude limit left unused. */
void io_catalog_trim(penta_io_catalog *catalog);

/* Magnitude, far brighter than any star, but its flux still fits in a frame of floats. */
#define IO_BRIGHTEST_STAR (-50.0)

/* ---- formats ---- */

/* Whether the first `size` bytes of a file are a header of BSC5's format. */
enum { BSC5_HEADER_BYTES = 28 };
bool io_bsc5_matches(const unsigned char *head, size_t size);
bool io_bsc5_read_builtin(double mag_limit, penta_io_catalog *out, penta_io_error *err);
bool io_bsc5_read(const io_input *in, double mag_limit, penta_io_catalog *out, penta_io_error *err);

bool io_catalog_csv_read(const char *path, const penta_io_catalog_options *options, penta_io_catalog *out,
                         penta_io_error *err);

/* ---- units of the coordinates in CSV tables (catalog_units.c) ---- */

/* "deg", "hour", "rad" or "sexagesimal". */
const char *io_ra_unit_name(enum penta_io_ra_unit unit);

/* The unit in the row of units (-1: there is none), such as VizieR's; AUTO: none that is known. */
enum penta_io_ra_unit io_stated_ra_unit(const penta_io_table *csv, int column, int units_row);

/*
 * mas/yr in a unit of proper motion, such as "arcsec/yr", "10mas/yr" or "mas.yr-1"; 0: not known. Negative in a unit of
 * time, such as "s/ha" (a century), which is for motions in right ascension without their cos(dec).
 */
double io_motion_unit(const char *text);

/* Whether a column's name looks like a proper motion's (and not like its error's). */
bool io_looks_like_motion(const char *name);

/* Degrees per unit of right ascension, and per unit of the declinations beside it. */
double io_ra_degrees(enum penta_io_ra_unit unit);
double io_dec_degrees(enum penta_io_ra_unit unit);

/*
 * Finds the unit of the right ascensions in column `ra` (declinations: column `dec`) of the rows from `first` on, by
 * the column's name, its stated unit (units_row: the row above `first` with the units, or -1), the values, and whether
 * the other columns look like HYG's. The reason is "" if there is no doubt.
 */
enum { UNIT_REASON_BYTES = 160 };
enum penta_io_ra_unit io_guess_ra_unit(const penta_io_table *csv, size_t ra, size_t dec, size_t first, int units_row,
                                       bool like_hyg, char reason[UNIT_REASON_BYTES]);

/* Parses "05 55 10.3", "-16:42:58", "5h55.2m": two or three numbers; the last may have a fraction. */
bool io_parse_sexagesimal(const char *text, double *out);
