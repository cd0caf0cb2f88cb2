/* Whether the program is one of several processes that a launcher of MPI has started. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* By the environment; PENTACL_MPI=off says no. */
typedef struct launch {
    size_t rank, size;    /* 0 and 1: no launcher, or one process */
    const char *launcher; /* "mpirun" or "srun" */
    bool no_exchange;     /* srun has started them without what MPI needs */
} launch;

const launch *launch_look(void);

/* Whether this is the one that speaks: rank 0. */
bool launch_speaks(void);
