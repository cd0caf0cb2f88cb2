/* `penta prepare --watch DIR`: a series that grows while frames arrive in a directory (prepare/arrivals.h). */
#pragma once

#include <pentacl/autocorr.h>

#include "prepare/arrivals.h"
#include "prepare/run.h"
#include "prepare/state.h"

typedef struct watching {
    preparation *p;
    penta_io_archive state; /* the series up to now */
    arrivals *arrivals;
    penta_autocorr *correlator;
    bool sheet;      /* wanted */
    bool told_plots; /* that Cairo is missing */
    bool told_doubt; /* what is not read of the first such file */
} watching;

/*
 * Goes on with the series in the output directory (prepare/state.h), or begins it, until Ctrl-C or as watch_idle says:
 * exit code 0. Frames that cannot be used are named and left out, with or without keep_going; the exit code is 1 in the
 * end. A frame that was left out, in this run or an earlier one, is run again when its file has changed,
 * and takes its place in the order of names; frames after it stay as they are. R_max of a frame: penta_autocorr of what
 * was written, with estimator unbiased, demean mean and the frame's mask. After every batch: drift.csv,
 * report/series.csv and the state; when no frame waits: report/growth.png (3 frames and more) and report/sheet.png.
 * Wherever it ends, even by a power cut, the next run goes on to the same files as without the interruption.
 */
int prepare_watch(preparation *p);

/* ---- resume.c: the series in the output directory ---- */

/* Takes the output directory for this run, reads what is there, opens the device and, where there is a series, the plan
 * that goes on with it. */
int watch_open(watching *w);

/* ---- group.c: frames that have arrived ---- */

/* Makes the plan; surveys use all frames that have arrived. No plan while none of them can be read. */
int watch_begin(watching *w, const arrival *list, size_t count);
/* Runs the list: new frames in batches, the others one at a time. Ctrl-C takes effect after each. */
int watch_run(watching *w, const arrival *list, size_t count);

/* ---- record.c: what is written about the series as a whole ---- */

/* R_max of the fresh frames of the state, from their files. */
int watch_measure(watching *w);
/* drift.csv, report/series.csv, the state; they and the frames appear. */
int watch_write_tables(watching *w);
/* The pictures. */
int watch_write_pictures(watching *w);
/* Warns where the flattening is too narrow for the pattern. */
void watch_note_narrow(const watching *w);
/* Of --json: frames as without watching, each with its r_max, and growth. NULL: out of memory. */
json_t *watch_details(watching *w);
