/*
 * Stars from files: catalogues on the sky, and lists of stars on an image.
 *
 * Catalogues are the Yale Bright Star Catalogue (BSC5), which is built in, files of its binary format in either byte
 * order, and CSV tables with named columns: HYG, Hipparcos, Tycho-2, Gaia and others (catalog_csv.c has the names).
 * The content tells the format, not the file's name.
 */
#ifndef PENTACL_IO_CATALOG_H
#define PENTACL_IO_CATALOG_H

#include <stddef.h>
#include <stdint.h>

#include <pentacl/status.h>

#include <pentacl/io/error.h>

PENTA_BEGIN_DECLS

/* ---- names of stars ---- */

enum penta_io_star_id_kind {
    PENTA_IO_STAR_NUMBER = 0, /* as it is: Gaia's source_id, a row number */
    PENTA_IO_STAR_TEXT,       /* as it is */
    PENTA_IO_STAR_HR,         /* number of a catalogue: its name is "HR 2491" */
    PENTA_IO_STAR_HIP,
    PENTA_IO_STAR_HD,
    PENTA_IO_STAR_HYG
};

/* What stars are called: numbers where the source has numbers, up to 64 bits exactly, else its text. */
typedef struct penta_io_star_ids {
    size_t n;
    unsigned char *kind; /* enum penta_io_star_id_kind */
    uint64_t *value;     /* the number; of PENTA_IO_STAR_TEXT the offset into text */
    char *text;          /* terminated strings, one behind the other */
    size_t text_bytes, text_room;
} penta_io_star_ids;

/** The name of star i, in the buffer or in *ids. */
enum { PENTA_IO_STAR_NAME_BYTES = 32 };
PENTA_API const char *penta_io_star_name(const penta_io_star_ids *ids, size_t i, char buffer[PENTA_IO_STAR_NAME_BYTES]);

PENTA_API void penta_io_star_ids_free(penta_io_star_ids *ids); /* empties it; a zeroed one is fine */

/* ---- catalogues ---- */

/* Of the right ascensions in a CSV table. The declinations beside radians are in radians, all others in degrees. */
enum penta_io_ra_unit {
    PENTA_IO_RA_AUTO = 0, /* by the table's columns and values */
    PENTA_IO_RA_DEG,
    PENTA_IO_RA_HOUR,
    PENTA_IO_RA_RAD,
    PENTA_IO_RA_SEXAGESIMAL /* hours */
};

typedef struct penta_io_catalog_options {
    double mag_limit;              /* fainter stars are left out; INFINITY keeps all */
    enum penta_io_ra_unit ra_unit; /* of a CSV table */
} penta_io_catalog_options;

/* How a catalogue was read. */
typedef struct penta_io_catalog_origin {
    const char *format;    /* "BSC5", "HYG", "Hipparcos", "Tycho-2", "Gaia" or "CSV" */
    const char *ra_unit;   /* "deg", "hour", "rad" or "sexagesimal" */
    char ra_column[48];    /* its name; "" in BSC5 */
    char unit_reason[160]; /* why this unit, where that is a guess; else "" */
    double epoch;          /* Julian year */
    bool epoch_stated;     /* by a column, or by the format (BSC5); else that of the catalogue it is taken for */
    char motion_like[128]; /* columns that look like proper motions, by names that are not known; "" for none */
} penta_io_catalog_origin;

typedef struct penta_io_catalog {
    size_t n;
    double *ra, *dec;     /* deg, ICRS (BSC5: FK5, J2000), where the star is at the origin's epoch; ra in [0, 360) */
    double *mag;          /* in the band of the source */
    double *pmra, *pmdec; /* mas/yr; pmra is the motion on the sky, with its cos(dec); 0 where unknown */
    penta_io_star_ids ids;
    penta_io_catalog_origin origin;
    size_t moving;     /* stars whose proper motion is known */
    size_t faint;      /* left out: fainter than the limit */
    size_t incomplete; /* left out: rows without a position or a magnitude, empty, NaN or null */
    size_t nonstellar; /* left out: what is no star in BSC5, the Sun in HYG */
} penta_io_catalog;

/**
 * Reads a catalogue. path NULL: the built-in BSC5, with the magnitudes of penta_io_star_variables; files are taken as
 * they are. options NULL: all stars. On failure *out is zeroed and the error names the file, and the line or record.
 */
PENTA_API bool penta_io_catalog_read(const char *path, const penta_io_catalog_options *options, penta_io_catalog *out,
                                     penta_io_error *err);

PENTA_API void penta_io_catalog_free(penta_io_catalog *catalog); /* empties it; a zeroed one is fine */

/* ---- variable stars of the built-in catalogue ---- */

/*
 * A star whose magnitude in the Bright Star Catalogue says little about a given night: T Coronae Borealis and the
 * Miras. data/README.md has the sources.
 */
typedef struct penta_io_star_variable {
    uint64_t hr; /* its number in the catalogue */
    const char *name;
    double mag; /* V, instead of the catalogue's; NAN: as catalogued, near the maximum */
} penta_io_star_variable;

/** All of them; *count, unless NULL, is at most 64. */
PENTA_API const penta_io_star_variable *penta_io_star_variables(size_t *count);

/** The place of a star in that table; -1: it is not there. */
PENTA_API int penta_io_star_variable_find(uint64_t hr);

/* ---- stars on an image ---- */

/*
 * A CSV table whose header names x, y (px, pixel centres at integers) and mag, and optionally id, mx and my (px that
 * the star moves during the exposure); other columns are ignored. Or an NPY array of float64 or float32, n x 3 (x, y,
 * mag) or n x 5 (x, y, mag, mx, my).
 */
typedef struct penta_io_star_list {
    size_t n; /* 0 for a header alone */
    double *x, *y, *mag;
    double *motion_x, *motion_y; /* NULL: no such columns */
    penta_io_star_ids ids;       /* the row, counted from 1, where there is no id */
} penta_io_star_list;

/** On failure *out is zeroed and the error names the file and, for a bad number, its line and column. */
PENTA_API bool penta_io_star_list_read(const char *path, penta_io_star_list *out, penta_io_error *err);

PENTA_API void penta_io_star_list_free(penta_io_star_list *list); /* empties it; a zeroed one is fine */

/** Whether the list is an NPY array, of which parts can be read; then how many stars it has, with 3 or 5 numbers each.
 */
PENTA_API bool penta_io_star_array_look(const char *path, bool *is_array, size_t *n, size_t *columns,
                                        penta_io_error *err);

/** Stars first .. first + n - 1 of such an array, without ids. On failure as penta_io_star_list_read. */
PENTA_API bool penta_io_star_array_read(const char *path, size_t first, size_t n, penta_io_star_list *out,
                                        penta_io_error *err);

PENTA_END_DECLS
#endif
