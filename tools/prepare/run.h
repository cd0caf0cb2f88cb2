/* The loop of `penta prepare` over the frames: decoded images in, batches through the plan, files out. */
#ifndef PENTA_TOOLS_PREPARE_RUN_H
#define PENTA_TOOLS_PREPARE_RUN_H

#include <jansson.h>

#include "prepare/preparation.h"

/* The finish job of the stream: DIR/STEM.png and DIR/STEM.mask.png (255: counts). context: the preparation. */
void prepare_finish_frame(frame *f, void *context);

/* The plan for frames like p->first; an exit code. */
int prepare_make_plan(preparation *p);
/* The plan, from the first frame of the list that can be read (with keep_going later ones are tried), and its look at
 * the list; an exit code. */
int prepare_open_plan(preparation *p);
/* Whether any frame of the list can be read; if not, err says why of the first. */
bool prepare_any_readable(const preparation *p, penta_io_error *err);
/* The stream over the list, with the plan's batch; sheet and rows for its frames. */
int prepare_open_stream(preparation *p);

/* Runs the frames of the stream to their end, an error, or Ctrl-C; an exit code. A bad frame ends it, or with
 * keep_going is named and left out; what was finished is kept. */
int prepare_run_frames(preparation *p);

/* drift.csv and report/sheet.png of what was done. */
int prepare_write_summary(preparation *p);
/* A note where drifts are ambiguous. */
void prepare_note_ambiguous(const preparation *p);
/* [{dx, dy}] of the other places of a drift. */
json_t *prepare_others_json(const penta_drift *d);
/* Of the answer, what there is so far: frames[{file, dx, dy, angle, score, dust_pixels, status, ambiguous, others[{dx,
 * dy}]}]; NULL when memory runs out. */
json_t *prepare_details(const preparation *p);

#endif
