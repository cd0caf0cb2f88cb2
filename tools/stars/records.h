/* What is kept of the frames of a run once they are written. */
#pragma once

#include <pthread.h>

#include "stars/shot.h"

typedef struct stars_record {
    bool written;
    size_t drawn;
    double flux_total, flux_in_frame;
    uint64_t variables; /* as in stars_shot */
} stars_record;

/* What threads share that draw, write and take frames. */
typedef struct stars_sequence_shared {
    pthread_mutex_t lock; /* over what the record of --resume tells: files, and which are written */
    double due;           /* for the next record, on the clock of cli_seconds */
    bool unsaved;         /* frames were written since the last one */
    bool given_up;        /* it cannot be written, which was said */
} stars_sequence_shared;

typedef struct stars_sequence {
    size_t n;
    stars_record *records;
    char engine[32]; /* "" until a frame is drawn */
    /* of a track */
    bool complete;             /* a run before has done all */
    size_t left, *todo;        /* numbers of the frames that are to be drawn */
    struct stars_files *files; /* one a frame: where those of written ones wait, or were committed */
    stars_sequence_shared *shared;
} stars_sequence;

/* Of a frame that is not yet written. */
stars_record stars_record_of(const stars_shot *shot);

/* Of the run's track. An exit code, after a line on stderr. */
int stars_sequence_open(const stars_run *run, stars_sequence *out);

size_t stars_sequence_written(const stars_sequence *s); /* number of frames */

void stars_sequence_free(stars_sequence *sequence); /* a zeroed one is fine */
