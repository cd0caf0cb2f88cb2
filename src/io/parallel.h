/* Runs work in pieces on all cores. Internal to src/io. */
#pragma once

#include <stddef.h>

#include <pentacl/io/error.h>

/* Does piece i; on failure sets *err and returns false. Runs on any thread. */
typedef bool (*io_piece)(void *user, size_t i, penta_io_error *err);

/* Runs pieces 0 .. count - 1 in any order, with one thread per core, including the caller's. On failure err is the
 * error of the lowest piece that fails, independent of the threads, and other pieces may have been skipped. */
bool io_parallel(size_t count, io_piece piece, void *user, penta_io_error *err);
