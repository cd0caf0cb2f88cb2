/* What a run doubts: lines on stderr, which --quiet silences, and the array "notes" of the JSON answer. */
#ifndef PENTA_TOOLS_AUTOCORR_NOTES_H
#define PENTA_TOOLS_AUTOCORR_NOTES_H

#include <jansson.h>

#include "shared/job.h"

typedef struct notes {
    char **texts;
    size_t count, room;
} notes;

/* Prints a note and keeps it for the JSON; one that is there already is not said again. */
void notes_add(notes *n, const job *j, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The array of strings of the JSON answer. */
json_t *notes_json(const notes *n);
void notes_free(notes *n);

#endif
