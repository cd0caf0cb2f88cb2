/* What `penta prepare` works on, and its way through the frames: decoded images in, batches through the plan, files
 * out. */
#ifndef PENTA_TOOLS_PREPARE_RUN_H
#define PENTA_TOOLS_PREPARE_RUN_H

#include <pthread.h>

#include "shared/frames.h"
#include "shared/job.h"
#include "prepare/drift_csv.h"
#include "prepare/recipe.h"
#include "prepare/sheet.h"
#include "shared/prepare_plan.h"
#include "shared/progress.h"

typedef struct prepare_flags {
    const char *recipe, *watch;
    double interval;    /* s between frames, for the growth; 0: by the files' times */
    double watch_every; /* s between looks */
    double watch_idle;  /* s without a new frame after which watching ends; 0: never */
    bool print_recipe, keep_going, no_sheet;
} prepare_flags;
extern const penta_option prepare_flag_table[];

/* Everything of one run. */
typedef struct preparation {
    job job;
    prepare_flags flags;
    recipe recipe;
    frame_list list;
    drift_row *rows; /* one a frame of the list */
    penta_prepare *plan;
    penta_io_image first; /* size, channels and type of the frames, data NULL; known when there is a plan */
    frame_stream *stream;
    sheet sheet;
    pthread_mutex_t lock; /* over finish_error */
    penta_io_error finish_error;
    progress bar;
} preparation;

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
/* frames[{file, dx, dy, angle, score, dust_pixels, status, ambiguous, others[{dx, dy}]}]; NULL when memory runs out. */
json_t *prepare_details(const preparation *p);

#endif
