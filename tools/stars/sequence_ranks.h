/* --track by the ranks of a job. */
#ifndef PENTA_TOOLS_STARS_SEQUENCE_RANKS_H
#define PENTA_TOOLS_STARS_SEQUENCE_RANKS_H

#include "stars/records.h"

/* As stars_sequence_run, on every rank; records and messages are those of rank 0. */
int stars_sequence_run_ranks(stars_run *run, stars_sequence *out);

#endif
