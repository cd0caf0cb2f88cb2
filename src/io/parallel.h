/* Work in pieces on all cores. Internal to src/io. */
#ifndef PENTA_IO_PARALLEL_H
#define PENTA_IO_PARALLEL_H

#include <stddef.h>

#include <pentacl/io/error.h>

/* Piece i; on failure says why in *err and returns false. Runs on any thread. */
typedef bool (*io_piece)(void *user, size_t i, penta_io_error *err);

/* Runs pieces 0 .. count - 1 in no order, on a thread a core, the caller's among them. On failure err is that of the
 * first piece that fails, whatever the threads did, and others may have been left out. */
bool io_parallel(size_t count, io_piece piece, void *user, penta_io_error *err);

#endif
