/* What `penta prepare` does with the frames of its list, and what it writes and says about all of them. */
#pragma once

#include <jansson.h>

#include "prepare/preparation.h"

/* The plan for frames like p->first; an exit code. */
int prepare_make_plan(preparation *p);
/* The plan, from the first frame of the list that can be read (with keep_going later ones are tried), and its look at
 * the list; an exit code. */
int prepare_open_plan(preparation *p);
/* Whether any frame of the list can be read; if not, err says why of the first. */
bool prepare_any_readable(const preparation *p, penta_io_error *err);
/* Starts decoding the list, with the plan's batch; sheet and rows for its frames. */
int prepare_open_stream(preparation *p);

/* The frames_task of `penta prepare`; `run` is the preparation. A bad frame ends the run, or with keep_going is named
 * and left out. */
int prepare_compute(void *run, size_t member, size_t n, frame **frames);
int prepare_accept(void *run, frame *f);
/* DIR/STEM.png and DIR/STEM.mask.png (255: counts). */
bool prepare_write_frame(void *run, frame *f, penta_io_error *err);
/* The cell of the sheet. */
bool prepare_keep_cell(void *run, frame *f, penta_io_error *err);
void prepare_free_result(void *result);
size_t prepare_count_done(const void *run);
/* drift.csv and report/sheet.png of what was done. */
int prepare_write_summary(void *run);
/* Of the answer, what there is so far: frames[{file, dx, dy, angle, score, dust_pixels, status, ambiguous, others[{dx,
 * dy}]}]; NULL when memory runs out. */
json_t *prepare_details(const void *run);

/* ---- packing.c: what one rank tells another, and the record of a run ---- */

bool prepare_pack_plan(void *run, FILE *out);
int prepare_unpack_plan(void *run, const void *bytes, size_t size);
bool prepare_pack(void *run, const frame *f, FILE *out);
bool prepare_unpack(void *run, frame *f, const void *bytes, size_t size);
