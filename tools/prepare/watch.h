/* `penta prepare --watch DIR`: frames that arrive in a directory, one after another. */
#ifndef PENTA_TOOLS_PREPARE_WATCH_H
#define PENTA_TOOLS_PREPARE_WATCH_H

#include "prepare/run.h"

/* New names in a directory, those of frames that are whole: of the same size and time for two looks in a row. */
typedef struct arrivals arrivals;
arrivals *arrivals_open(const char *directory);
/* Paths of frames that are whole, in the order of their names, not among those given out before (nor in `done`, names
 * without directory); to be freed. A name before those already in the series is left out with a note in *late. */
bool arrivals_look(arrivals *a, char ***paths, size_t *count, char **late, io_error *err);
bool arrivals_done(arrivals *a, const char *name);
void arrivals_close(arrivals *a);

/* Goes on with the series in the output directory, or begins it: until Ctrl-C (exit code 0), or as the flags say.
 * R_max of a frame: penta_autocorr with estimator unbiased, demean mean and the frame's mask. After each batch:
 * drift.csv, the state, and in DIR/report series.csv, growth.png (3 frames and more), sheet.png.
 */
int prepare_watch(preparation *p);

#endif
