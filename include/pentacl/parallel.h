/* Work of the host in pieces, on a thread a core: what the library does so itself, for programs beside it. */
#ifndef PENTACL_PARALLEL_H
#define PENTACL_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/status.h>

PENTA_BEGIN_DECLS

/**
 * Calls body(data, i) once for every i < count, in no order, on as many threads as there are cores, the caller's among
 * them, and waits until all are done. The body runs on any thread and must not use a penta_context. It may call this
 * itself, and several threads may call at once: they share the helper threads. These are kept until the process ends or
 * the library is unloaded, and leave signals to other threads. A child of fork starts its own.
 */
PENTA_API void penta_parallel(size_t count, void (*body)(void *data, size_t i), void *data);

/**
 * The same until a piece fails, which is when the body returns false: the first such piece, or count. Whatever the
 * threads did, all pieces before it were done; of those behind it some were.
 */
PENTA_API size_t penta_parallel_until(size_t count, bool (*body)(void *data, size_t i), void *data);

PENTA_END_DECLS
#endif
