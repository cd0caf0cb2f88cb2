/*
 * Processes that mpirun or srun has started as one job. Rank 0 speaks: it alone prints, and what fails elsewhere is
 * told to it. Without a launcher there is one rank, and every function here does what that leaves to do.
 *
 * What all ranks do together is an exchange, which carries each one's exit code so far: when one of them has failed,
 * the others hear of it there, and nobody waits for a rank that has gone another way. After that nothing is exchanged.
 */
#pragma once

#include <pentacl/group.h>

#include "shared/cli.h"

/* Before a command runs, on every rank: CLI_OK, and *runs tells whether this rank runs it; or CLI_USAGE after a line
 * where the command does not run on several ranks, or this build has no MPI. */
int ranks_begin(const cli_command *command, bool *runs);

/* Ends all ranks at once, after a line of this one's last error: for what others cannot be told. Does nothing where
 * there is one rank. */
void ranks_abort(int code);

/* After all is printed: waits for the other ranks, ends MPI. Returns the exit code of this process. */
int ranks_end(int code);

size_t ranks_size(void);
size_t ranks_rank(void);
/* NULL: there is one rank. */
penta_group *ranks_group(void);

/*
 * Tells all ranks this one's exit code, and where nobody has failed its bytes: *all are those of all ranks one after
 * another, from malloc, of so many bytes each as sizes says. all and sizes may be NULL. Returns code, or another rank's
 * after rank 0 has said why.
 */
int ranks_exchange(int code, const void *data, size_t bytes, void **all, size_t *sizes);
int ranks_agree(int code);

/* Interrupts of one rank are those of all from here on (cli_interrupted). An exchange. */
static inline int ranks_share_interrupts(void)
{
    return ranks_agree(CLI_OK);
}

/* Nothing is exchanged any more, since a rank does not answer: ranks_end ends all of them. */
void ranks_give_up(void);
/* Rank 0 calls this often while it waits for what others do: a signal may mean that one is gone, whose work will not
 * come back. True some time after the signal, once it has given up. *since: 0 at first. */
bool ranks_lose_patience(double *since);

/* ---- who they are ---- */

typedef struct rank_place {
    char host[64], device[128]; /* its name */
    size_t index, part, parts;  /* of the device; it has part `part` of `parts` of it */
    int type;                   /* penta_device_type */
} rank_place;

/* Opens this rank's device, of those that the list of -d names on its machine: ranks there take them in turn. NULL as
 * out: only finds it. An exchange. */
int ranks_open_device(const char *command, const char *list, bool verbose, penta_context **out);

/* One a rank, once ranks_open_device has been called; else NULL. */
const rank_place *ranks_places(void);

/* How many ranks this machine has; 1 before ranks_open_device. */
size_t ranks_here(void);

/* Kernel seconds of every rank, NULL until they were exchanged. */
int ranks_exchange_seconds(int code, double seconds);
const double *ranks_seconds(void);
