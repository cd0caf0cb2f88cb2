/* `penta prepare --watch DIR`: a series that grows while frames arrive in a directory (prepare/arrivals.h). */
#ifndef PENTA_TOOLS_PREPARE_WATCH_H
#define PENTA_TOOLS_PREPARE_WATCH_H

#include <pentacl/autocorr.h>

#include "prepare/arrivals.h"
#include "prepare/run.h"
#include "prepare/state.h"

typedef struct watching {
    preparation *p;
    watch_state state; /* the series up to now */
    arrivals *arrivals;
    penta_autocorr *correlator;
    int lock;        /* file descriptor; -1: none */
    size_t left_out; /* frames, in this run */
    bool sheet;      /* wanted */
    bool keep_going; /* as asked for */
    bool told_plots; /* that they need gnuplot */
} watching;

/*
 * Goes on with the series in the output directory (prepare/state.h), or begins it, until Ctrl-C or as watch_idle says:
 * exit code 0. Frames that cannot be used are named and left out, whatever keep_going; without it the exit code is 1 at
 * the end. R_max of a frame: penta_autocorr of what was written, with estimator unbiased, demean mean and the frame's
 * mask. After every batch: drift.csv, report/series.csv and the state; when no frame waits: report/growth.png (3 frames
 * and more) and report/sheet.png. Whenever it is ended, and be it by a power cut, the next run goes on to the same
 * files as if it had not been.
 */
int prepare_watch(preparation *p);

/* ---- resume.c: the series in the output directory ---- */

/* Takes the output directory for this run, reads what is there, opens the device and, where there is a series, the plan
 * that goes on with it. */
int watch_open(watching *w);
void watch_unlock(watching *w); /* before the state goes */

/* ---- record.c: what is written about the series as a whole ---- */

/* R_max of the frames of the state from `from` on, from their files, which are brought onto the disk. */
int watch_measure(watching *w, size_t from);
/* drift.csv, report/series.csv, the state. */
int watch_write_tables(watching *w);
/* The pictures. */
int watch_write_pictures(watching *w);
/* Of --json: frames as without watching, each with its r_max, and growth. NULL: out of memory. */
json_t *watch_details(watching *w);

#endif
