/* What is kept of the frames of a run once they are written. */
#ifndef PENTA_TOOLS_STARS_RECORDS_H
#define PENTA_TOOLS_STARS_RECORDS_H

#include "stars/shot.h"

typedef struct stars_record {
    bool written;
    size_t drawn;
    double flux_total, flux_in_frame;
    uint64_t variables; /* as in stars_shot */
} stars_record;

typedef struct stars_sequence {
    size_t n;
    stars_record *records;
    const char *engine; /* NULL until a frame is drawn */
} stars_sequence;

/* Of a frame that is not yet written. */
stars_record stars_record_of(const stars_shot *shot);

/* Of the run's track. An exit code, after a line on stderr. */
int stars_sequence_open(const stars_run *run, stars_sequence *out);

/* Files that were written appear. code: of the drawing; returns it, or an error of its own, also where frames are
 * missing. */
int stars_sequence_commit(stars_run *run, const stars_sequence *s, int code);

void stars_sequence_free(stars_sequence *sequence); /* a zeroed one is fine */

#endif
