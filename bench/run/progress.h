/* Which case runs, told on a terminal's stderr. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "shared/bench_flags.h"

/* What will be measured. */
typedef struct {
    size_t count, of;            /* cases; that there are */
    double seconds, all_seconds; /* that these take about; that all take, or 0: not known */
    const char *later;           /* " (20 s once kernels are compiled)", or "" */
    const char *more; /* "WORKLOAD times more of one, ": flags besides --thorough and --case that bring others */
} bench_plan;

/* A note before it begins: how long it will take, and what is left out. Nothing where a case was asked for by name. */
void bench_announce(const bench_plan *plan, const bench_flags *flags);

/* Of so many cases. Nothing is told when quiet, or where stderr is no terminal. With `lasting` each case has a line of
 * its own, otherwise one line is drawn over. */
void bench_progress_begin(size_t cases, bool quiet, bool lasting);
/* The next case, and one more of its rows. */
void bench_progress_case(const char *workload, const char *name);
void bench_progress_row(void);
/* Before other text. */
void bench_progress_clear(void);
