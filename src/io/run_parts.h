#pragma once

#include <pentacl/io/run.h>

#include "io/staging.h"

/* More files than this are synced together with everything else that the file system has not written yet. */
enum { MOST_SINGLE_SYNCS = 64 };

/* The files of an open run. */
io_staging *io_run_staging(const penta_io_run *run);
/* As it was given. */
const char *io_run_directory(const penta_io_run *run);

/* A run that was opened again goes on with the one that has committed the record, and with those before. */
bool io_run_go_on(penta_io_run *run, const char *record, penta_io_error *err);

/* Onto the disk: a file or the names of a directory; false: errno says why. */
bool io_run_sync_path(const char *path);
/* The whole file system; false where that is not possible. */
bool io_run_sync_system(const char *path);

/* The file that bytes of penta_io_run_take begin with, and how many of them are of it; it has no entry of a pending
 * file yet. NULL: there is none, or no memory. */
io_staged *io_run_told_file(const char *at, size_t size, size_t *used);
