/*
 * Files that several processes, or threads, write together: one begins the file and tells the others where it is, all
 * write parts of it at their places, and the first finishes it when it has their accounts of what they wrote. It
 * appears whole or not at all, like every file of this library, and nobody reads it again for its checksum.
 */
#ifndef PENTACL_IO_SHARED_FILE_H
#define PENTACL_IO_SHARED_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <pentacl/io/error.h>

PENTA_BEGIN_DECLS

typedef struct penta_io_shared_file penta_io_shared_file;

/* Bytes that were written: the first one's place, how many, and their checksum. Empty: {0}. */
typedef struct penta_io_part {
    uint64_t at, bytes, sum;
} penta_io_part;

/** Where the file is, for penta_io_shared_file_join; *bytes is freed with free. */
PENTA_API bool penta_io_shared_file_tell(const penta_io_shared_file *file, void **bytes, size_t *size,
                                         penta_io_error *err);

/** Opens a file that another process, or thread, has begun. *out NULL without an error: it is not seen here, as on a
 * machine without that file system. */
PENTA_API bool penta_io_shared_file_join(const void *bytes, size_t size, penta_io_shared_file **out,
                                         penta_io_error *err);

/** Closes a file that was joined. What was written into it is then seen by the process that began it, and will be on
 * the disk once that one's run is committed. Frees in every case. */
PENTA_API bool penta_io_shared_file_leave(penta_io_shared_file *file, penta_io_error *err);

/** Removes a file that was begun, or closes one that was joined, and frees. NULL is fine. */
PENTA_API void penta_io_shared_file_abandon(penta_io_shared_file *file);

PENTA_END_DECLS
#endif
