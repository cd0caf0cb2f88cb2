/* --track: a frame for each row, drawn one after another while threads write those before. */
#ifndef PENTA_TOOLS_STARS_SEQUENCE_H
#define PENTA_TOOLS_STARS_SEQUENCE_H

#include "stars/shot.h"

/* What remains of a frame once it is written. */
typedef struct star_record {
    bool written;
    size_t drawn;
    double flux_total, flux_in_frame;
    uint64_t variables; /* as in star_shot */
} star_record;

typedef struct star_sequence {
    size_t n;
    star_record *records;
    const char *engine; /* NULL until a frame is drawn */
} star_sequence;

/*
 * Draws and writes DIR/frame-0000.SUFFIX and on, and TRUTH/frame-0000.truth.csv where --truth names a directory. An
 * exit code, after a line on stderr; what was written until then is kept.
 */
int star_sequence_run(star_run *run, star_sequence *out);

/* DIR/frame-0000.SUFFIX, to be freed; NULL when out of memory. */
char *star_sequence_name(const char *directory, size_t number, const char *suffix);

void star_sequence_free(star_sequence *sequence); /* a zeroed one is fine */

#endif
