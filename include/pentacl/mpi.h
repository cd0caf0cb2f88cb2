/* A penta_group of an MPI communicator, for programs that use MPI. The library is libpentacl_mpi (pkg-config:
 * pentacl-mpi), built where MPI was found; libpentacl itself does not know of MPI. */
#ifndef PENTACL_MPI_H
#define PENTACL_MPI_H

#include <mpi.h>

#include <pentacl/group.h>
#include <pentacl/mpi_world.h>

PENTA_BEGIN_DECLS

/**
 * The members are the ranks of a communicator, which is duplicated; penta_group_leave frees the duplicate. Every rank
 * calls it, and every rank leaves before MPI_Finalize. MPI must have been started with MPI_THREAD_SERIALIZED at least,
 * and with MPI_THREAD_MULTIPLE where the program calls MPI on one thread while another is in a call of the group. A
 * member that waits asks again and again, at last every millisecond, so that ranks may share cores. Errors:
 * PENTA_INVALID (MPI is not running, or its threads will not do), PENTA_MEMORY, PENTA_DEVICE (an error of MPI).
 */
PENTA_API penta_status penta_group_mpi(MPI_Comm communicator, penta_group **out);

PENTA_END_DECLS
#endif
