/* Preloaded: MPI_Abort ends the rank that calls it before the launcher has sent it a signal, as happens on a busy
 * machine. */
#include <mpi.h>
#include <unistd.h>

int MPI_Abort(MPI_Comm group, int code)
{
    (void)group;
    _exit(code);
}
