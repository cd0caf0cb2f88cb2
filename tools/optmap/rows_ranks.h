/* One movie by the ranks of mpirun. */
#ifndef PENTA_TOOLS_OPTMAP_ROWS_RANKS_H
#define PENTA_TOOLS_OPTMAP_ROWS_RANKS_H

#include "optmap/turns.h"

/* At every rank: the first does the movie whose turn it is, the others help. An exchange. */
int optmap_do_rows_in_ranks(optmap_turns *t);

#endif
