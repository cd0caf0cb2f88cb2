/*
 * Steps of a program that change files below one directory: creating, writing, closing, syncing, renaming, removing.
 * Before each of them, and within a write, the program can be killed, or the directory be copied as a kill would leave
 * it. Linked into a test, or preloaded (LD_PRELOAD), then with its settings in the environment: PENTA_STEPS_DIR,
 * PENTA_STEPS_KILL, PENTA_STEPS_COPY, PENTA_STEPS_BREAK.
 *
 * A power cut is modelled as a file system does that orders names but not contents: a file whose contents were not
 * synced is empty.
 */
#pragma once

#include <stdbool.h>

typedef struct steps_settings {
    const char *directory; /* real path; NULL: nothing is counted */
    long kill_at;          /* SIGKILL before this step, counted from 1; 0: never */
    bool power;            /* the kill is a power cut */
    const char *copy;      /* copy to COPY/00001, and to COPY/00001.power, ...; or NULL */
    /* A protocol that is wrong on purpose, which those who look at what is left must see; NULL: as it is.
     * "commit": the manifest that says what is pending is not written; "sync": files are not brought onto the disk;
     * "sweep": temporaries are not removed; "settle": what is pending is not done; "full": no room for what is written
     * at a place of a file (pwrite). */
    const char *broken;
} steps_settings;

/* From here on; files that are there are on the disk. */
void steps_begin(const steps_settings *settings);
/* So far. */
long steps_count(void);
