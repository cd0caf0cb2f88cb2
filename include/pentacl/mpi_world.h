/* All ranks that mpirun or srun started as one group, for programs that do not call MPI themselves: this header does
 * not need that of MPI. */
#ifndef PENTACL_MPI_WORLD_H
#define PENTACL_MPI_WORLD_H

#include <pentacl/group.h>

PENTA_BEGIN_DECLS

/**
 * Starts MPI, unless it runs, and makes a group of all ranks. Errors: those of penta_group_mpi (pentacl/mpi.h); MPI
 * itself ends a program that it cannot start.
 */
PENTA_API penta_status penta_mpi_world_open(penta_group **out);

/** Leaves the group and ends MPI, if penta_mpi_world_open has started it; every rank waits for the others. NULL is
 * fine. */
PENTA_API void penta_mpi_world_close(penta_group *group);

/** Ends all ranks at once, with this exit code. */
PENTA_API void penta_mpi_world_abort(int code);

/** "Open MPI v4.1.4, ...": one line about the MPI library, as long as the program runs. */
PENTA_API const char *penta_mpi_library(void);

PENTA_END_DECLS
#endif
