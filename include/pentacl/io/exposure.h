/*
 * Tables of star cameras: attitudes in, the truth about the stars of a frame out. Their arrays are those of
 * pentacl/exposure.h.
 */
#ifndef PENTACL_IO_EXPOSURE_H
#define PENTACL_IO_EXPOSURE_H

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/exposure.h>

#include <pentacl/io/catalog.h>
#include <pentacl/io/error.h>

PENTA_BEGIN_DECLS

/* Attitudes: of a frame each, or during one exposure (penta_attitude_path_follow). */
typedef struct penta_io_track {
    size_t n; /* at least 1 */
    penta_attitude *attitude;
    double *time; /* s; NULL: no such column */
    char **name;  /* NULL: no such column */
} penta_io_track;

/**
 * A CSV table whose header names ra, dec (deg) and perhaps roll (0 without it), or w, x, y, z, or q0, q1, q2, q3 (w
 * first); and perhaps time and name. Other columns are errors. On failure *out is zeroed.
 */
PENTA_API bool penta_io_track_read(const char *path, penta_io_track *out, penta_io_error *err);

PENTA_API void penta_io_track_free(penta_io_track *track); /* empties it; a zeroed one is fine */

/* Where the stars of a scene come from, as arrays that the scene's places count in. */
typedef struct penta_io_truth_stars {
    const penta_io_star_ids *ids;           /* NULL: the stars are called by their places, from 1 */
    const double *ra, *dec;                 /* deg, as seen; NULL: by pixel */
    const double *ra_catalog, *dec_catalog; /* deg, as catalogued; NULL: as ra, dec */
    bool built_in;                          /* the built-in catalogue, some of whose stars are known to vary */
} penta_io_truth_stars;

/**
 * Writes a CSV table with a row for each star: id,ra,dec,mag,x,y,flux,flux_in_frame,saturated,x_mean,y_mean,x_start,
 * y_start,x_end,y_end,electrons,dn,ra_catalog,dec_catalog,ra_apparent,dec_apparent,variable. Numbers are the shortest
 * that read back the same; a field is empty where it has no meaning. penta_io_star_list_read takes the table.
 */
PENTA_API bool penta_io_truth_write(const char *path, const penta_stars_truth *truth, const penta_io_truth_stars *stars,
                                    penta_io_error *err);

PENTA_END_DECLS
#endif
