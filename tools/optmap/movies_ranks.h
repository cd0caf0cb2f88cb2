/* Movies that the ranks of a job analyse, each on its device. */
#ifndef PENTA_TOOLS_OPTMAP_MOVIES_RANKS_H
#define PENTA_TOOLS_OPTMAP_MOVIES_RANKS_H

#include "optmap/turns.h"

/* On every rank, once the devices are open. An error of the hand-out itself; what became of movies is in the turns of
 * rank 0. */
int optmap_do_in_ranks(optmap_turns *t);

#endif
