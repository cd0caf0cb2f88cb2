/* The files of a frame of a track, as they wait for the commit of their runs. */
#pragma once

#include "stars/shot.h"

/* Bytes of penta_io_run_take: of the run of the frames, and of that of the truth, where it has one of its own. */
typedef struct stars_files {
    void *bytes[2];
    size_t sizes[2];
} stars_files;

/* Writes a frame; its files are no run's yet. On any thread, never two of one frame. On failure *out is zeroed. */
bool stars_files_write(const stars_run *run, const stars_shot *shot, stars_files *out, penta_io_error *err);

/* They are those of the runs of this process from now on; after an error those that are not are removed. */
bool stars_files_give(const stars_run *run, const stars_files *files, penta_io_error *err);

/* The files of a frame stay whatever becomes of the runs that wrote it. Before this call they are removed with them. */
void stars_files_settle(const stars_run *run, size_t frame);

/* discard: removes what waits, too. */
void stars_files_free(stars_files *files, bool discard);
