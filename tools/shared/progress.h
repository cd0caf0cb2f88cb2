/* A progress line on a terminal's stderr for work that takes over a second: share, rate, time left. */
#pragma once

#include <stdbool.h>

typedef struct progress {
    const char *title, *unit;
    double start, shown;
    bool enabled, drawn;
} progress;

/* Nothing is drawn when quiet, or where stderr is no terminal or one that takes no control sequences. */
void progress_begin(progress *p, const char *title, const char *unit, bool quiet);
void progress_update(progress *p, double done, double total);
void progress_end(progress *p); /* clears the line */
