/* One movie by all devices or ranks of a run: its rows are divided while it is conditioned. */
#ifndef PENTA_TOOLS_OPTMAP_ROWS_H
#define PENTA_TOOLS_OPTMAP_ROWS_H

#include "optmap/run.h"

/* The second step of the study's analysis, by the members of this process or, with the other ranks that
 * are in optmap_do_rows_in_ranks, by all of these. */
penta_status optmap_condition_rows(optmap_study *s, const penta_recording *recording);

#endif
