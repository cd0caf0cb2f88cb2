/* --resume of a track: what its record tells of frames, and which of them are left to draw. docs/reliability.md. */
#pragma once

#include "stars/files.h"
#include "stars/records.h"

/* At rank 0, before files are read: how they are now. An exit code, after a line on stderr. */
int stars_resume_look(stars_run *run);

/* Finds which frames of the open sequence are left, with --resume but for those of the run before. An exchange. */
int stars_resume_begin(stars_run *run, stars_sequence *s);

/* A frame is written: its files are those of the run from now on, and the record tells of them. On any thread of rank
 * 0. The files stay the caller's. */
bool stars_resume_put(stars_run *run, stars_sequence *s, size_t frame, const stars_files *files, penta_io_error *err);

/* Writes the record, if it is time; on one thread of rank 0. */
void stars_resume_save(stars_run *run, stars_sequence *s);

/* The record as it is when files appear. */
bool stars_resume_finish(const stars_run *run, const stars_sequence *s, penta_io_error *err);
