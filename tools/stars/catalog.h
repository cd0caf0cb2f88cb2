/*
 * Star catalogues of `penta stars`: the Yale Bright Star Catalogue that is built in, files of its binary format in
 * either byte order, and CSV tables with named columns (HYG, Hipparcos, Tycho-2, Gaia and one's own; catalog_csv.c has
 * the names). The content tells which, not the file's name.
 */
#ifndef PENTA_TOOLS_STARS_CATALOG_H
#define PENTA_TOOLS_STARS_CATALOG_H

#include <pentacl/io/error.h>
#include "stars/ids.h"

/* Of the right ascensions in a CSV table. The declinations beside radians are in radians, all others in degrees. */
enum star_ra_unit { STAR_RA_AUTO = 0, STAR_RA_DEG, STAR_RA_HOUR, STAR_RA_RAD, STAR_RA_SEXAGESIMAL /* hours */ };

typedef struct {
    double mag_limit;          /* fainter stars are left out; INFINITY keeps all */
    enum star_ra_unit ra_unit; /* of a CSV table; AUTO: by its columns and values */
} star_catalog_options;

/* How a catalogue was read. */
typedef struct {
    const char *format;    /* "BSC5", "HYG", "Hipparcos", "Tycho-2", "Gaia" or "CSV" */
    const char *ra_unit;   /* "deg", "hour", "rad" or "sexagesimal" */
    char ra_column[48];    /* its name; "" in BSC5 */
    char unit_reason[160]; /* why this unit, where that is a guess; else "" */
    double epoch;          /* Julian year */
} star_catalog_origin;

typedef struct {
    size_t n;
    double *ra, *dec;     /* deg, ICRS (BSC5: FK5, J2000), where the star is at the origin's epoch; ra in [0, 360) */
    double *mag;          /* in the band of the source */
    double *pmra, *pmdec; /* mas/yr; pmra is the motion on the sky, with its cos(dec); 0 where unknown */
    star_ids ids;
    star_catalog_origin origin;
    size_t faint;      /* left out: fainter than the limit */
    size_t incomplete; /* left out: rows without a position or a magnitude */
    size_t nonstellar; /* left out: what is no star in BSC5, the Sun in HYG */
} star_catalog;

/* path NULL: the built-in BSC5, with the magnitudes of variables.h; files are taken as they are. options NULL: all
 * stars. On failure *out is zeroed and the error names the place. */
bool star_catalog_open(const char *path, const star_catalog_options *options, star_catalog *out, penta_io_error *err);

void star_catalog_close(star_catalog *catalog); /* a zeroed one is fine */

#endif
