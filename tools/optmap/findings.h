/* What the pictures, the report and the tables of a movie are made from. */
#pragma once

#include <pentacl/findings.h>

#include "shared/cli.h"

/* A warning, as it is printed. */
typedef struct optmap_note {
    int kind; /* enum penta_doubt_kind */
    char text[400];
} optmap_note;

typedef struct optmap_findings {
    const penta_findings *found;
    const char *movie, *device, *version, *command; /* command: the line that was typed */
    double real_time_factor;                        /* length of the movie over the time since reading began */
    const optmap_note *notes;
    size_t note_count;
    bool no_movie;    /* in the report */
    const char *film; /* the animated PNG, where it was drawn before; NULL: it is drawn when it is wanted */
    size_t film_bytes;
    const cli_table *settings; /* in force, each given or not; the last has NULL rows; NULL: they are not told */
} optmap_findings;
