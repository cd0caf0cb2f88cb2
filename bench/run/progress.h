/* Which case runs, told on a terminal's stderr. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Of so many cases. Nothing is told when quiet, or where stderr is no terminal. With `lasting` each case has a line of
 * its own, otherwise one line is drawn over. */
void bench_progress_begin(size_t cases, bool quiet, bool lasting);
/* The next case, and one more of its rows. */
void bench_progress_case(const char *workload, const char *name);
void bench_progress_row(void);
/* Before other text. */
void bench_progress_clear(void);
