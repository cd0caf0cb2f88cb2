/*
 * What a prepared series leaves beside its frames: drift.csv, and the archive of a series that goes on later, in
 * DIR/.prepare.
 *
 * An archive is state.json (version, recipe, the frames' size and type, all frames of the series with what was found of
 * them, the numbers of penta_prepare_state) and the arrays of penta_prepare_state: key-N.npy, last-N.npy and
 * illumination-N.npy, N being the number of frames. state.json is written last and names its arrays, whose names are
 * not used for others: whenever a run ends, what it names is whole.
 */
#ifndef PENTACL_IO_ARCHIVE_H
#define PENTACL_IO_ARCHIVE_H

#include <pentacl/autocorr.h>
#include <pentacl/prepare.h>

#include <pentacl/io/error.h>
#include <pentacl/io/image.h>

PENTA_BEGIN_DECLS

/* ---- drift.csv ---- */

typedef struct penta_io_drift_row {
    char *file;   /* as given */
    bool done;    /* it belongs to the series */
    bool skipped; /* it was left out: status is the reason, OK standing for a frame that could not be read */
    enum penta_prepared status;
    penta_drift drift;
    size_t dust_pixels;
} penta_io_drift_row;

/**
 * Writes index,file,dx,dy,angle,score,places,others of the rows that are done, whole or not at all: numbers with the
 * digits that give them back, index counting these rows from 0, score empty where it was not measured. places: how many
 * places fit as well, 1 where it is this one alone; others: "dx dy" of the others, joined by semicolons.
 */
PENTA_API bool penta_io_drift_write(const char *path, size_t n, const penta_io_drift_row *rows, penta_io_error *err);

/** Reads such a file: its rows, all done, without the others. On failure *rows is NULL and *n 0. */
PENTA_API bool penta_io_drift_read(const char *path, penta_io_drift_row **rows, size_t *n, penta_io_error *err);

PENTA_API void penta_io_drift_free(penta_io_drift_row *rows, size_t n); /* NULL is fine */

/* ---- archives ---- */

/* A frame of the series, or one that was left out (row.skipped). */
typedef struct penta_io_archive_frame {
    char *file;    /* its name, without folders */
    char *stem;    /* of its outputs */
    size_t page;   /* of the file */
    bool paged;    /* the file has several pages */
    double time;   /* s since the epoch, of the file */
    int64_t bytes; /* of the file; of frames that were left out, -1: not known */
    bool fresh;    /* for the caller; not in the file */
    bool here;     /* for the caller; not in the file */
    penta_io_drift_row row;
    penta_peak peak; /* NaN and PENTA_PEAK_FLAT where skipped; doubts are not in the file and read as 0 */
} penta_io_archive_frame;

/* Everything is malloc'ed. */
typedef struct penta_io_archive {
    char *recipe; /* JSON (pentacl/io/recipe.h) of the first run; NULL: none yet */
    penta_io_archive_frame *files;
    size_t count, room;
    penta_io_image like; /* size, channels and type of the frames, no data */
    penta_prepare_state series;
} penta_io_archive;

/**
 * Reads the archive in directory/.prepare. *found false: there is none, which is no error. Files are untrusted: sizes
 * are checked against one another, and files that are not what the run wrote (run.h) are refused. row.file of the
 * frames is NULL. On failure *out is empty.
 */
PENTA_API bool penta_io_archive_read(const char *directory, bool *found, penta_io_archive *out, penta_io_error *err);

/** Writes it, on the disk when this returns; arrays of earlier archives are removed after that. While a run is open in
 * the directory (run.h), both come with its commit. */
PENTA_API bool penta_io_archive_write(const char *directory, const penta_io_archive *archive, penta_io_error *err);

PENTA_API void penta_io_archive_free(penta_io_archive *archive); /* empties it; an empty one is fine */

/** One more frame, all 0, at the end; NULL: out of memory. */
PENTA_API penta_io_archive_frame *penta_io_archive_add(penta_io_archive *archive);

/** directory/.prepare/name, to be freed; NULL: out of memory. */
PENTA_API char *penta_io_archive_path(const char *directory, const char *name);

PENTA_END_DECLS
#endif
