/*
 * What a watched series carries over restarts, in DIR/.prepare: state.json (version, recipe, the frames' size and type,
 * all frames of the series with what was found of them, penta_prepare_state's numbers) and the arrays of
 * penta_prepare_state, key-N.npy, last-N.npy, illumination-N.npy, N being the number of frames. state.json is written
 * last and names its arrays, whose names are not used for others: whenever a run ends, what it names is whole. All of
 * DIR that is about the series as a whole (drift.csv, report) follows from it.
 */
#ifndef PENTA_TOOLS_PREPARE_STATE_H
#define PENTA_TOOLS_PREPARE_STATE_H

#include <jansson.h>
#include <pentacl/autocorr.h>
#include <pentacl/prepare.h>

#include <pentacl/io/error.h>
#include <pentacl/io/image.h>
#include "prepare/drift_csv.h"

enum { WATCH_STATE_VERSION = 1 };

/* A frame of the series, or one that was left out (row.skipped). */
typedef struct watch_file {
    char *file;    /* name in the directory that is watched */
    char *stem;    /* of its outputs */
    size_t page;   /* of the file */
    bool paged;    /* the file has several pages */
    double time;   /* s since the epoch, of the file */
    int64_t bytes; /* of the file; of frames that were left out, -1: not known */
    bool fresh;    /* recorded since the last tables; not kept */
    bool here;     /* left out in this run; not kept */
    drift_row row;
    penta_peak peak; /* NaN and PENTA_PEAK_FLAT where skipped */
} watch_file;

typedef struct watch_state {
    json_t *recipe; /* of the first run */
    watch_file *files;
    size_t count, room;
    penta_io_image like; /* size, channels and type of the frames, no data */
    penta_prepare_state series;
} watch_state;

/* *found false: there is none. Untrusted: sizes are checked against one another. row.file of the files is NULL. */
bool watch_state_read(const char *directory, bool *found, watch_state *out, penta_io_error *err);
bool watch_state_write(const char *directory, const watch_state *state, penta_io_error *err);
void watch_state_free(watch_state *state);

/* One more frame, all 0, at the end or where the page of the file has its place in the order of names; NULL: out of
 * memory. */
watch_file *watch_state_add(watch_state *state);
watch_file *watch_state_insert(watch_state *state, const char *file, size_t page);
/* Forgets the frames of the file that were left out. */
void watch_state_drop(watch_state *state, const char *file);

/* Brings a file or the names of a directory onto the disk, so that a name does not outlive a power cut without its
 * contents. */
bool watch_sync(const char *path, penta_io_error *err);

/* DIR/.prepare/name, to be freed; NULL: out of memory. */
char *watch_state_path(const char *directory, const char *name);

#endif
