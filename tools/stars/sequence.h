/* --track: draws a frame for each row, while threads write the frames before it. */
#ifndef PENTA_TOOLS_STARS_SEQUENCE_H
#define PENTA_TOOLS_STARS_SEQUENCE_H

#include "stars/shot.h"

/* What is kept of a frame once it is written. */
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

/*
 * Draws and writes DIR/frame-0000.SUFFIX and on, and TRUTH/frame-0000.truth.csv where --truth names a directory. An
 * exit code, after a line on stderr; what was written until then is kept.
 */
int stars_sequence_run(stars_run *run, stars_sequence *out);

/* DIR/frame-0000.SUFFIX, to be freed; NULL when out of memory. */
char *stars_sequence_name(const char *directory, size_t number, const char *suffix);

void stars_sequence_free(stars_sequence *sequence); /* a zeroed one is fine */

#endif
