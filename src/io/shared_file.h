/* What formats need to have their files written by several processes (pentacl/io/shared_file.h). */
#pragma once

#include <pentacl/io/shared_file.h>

/* Begins a file of so many bytes, under a temporary name. data_at: told to all, for the format. */
bool io_shared_file_begin(const char *path, uint64_t bytes, uint64_t data_at, penta_io_shared_file **out,
                          penta_io_error *err);

const char *io_shared_file_path(const penta_io_shared_file *file);      /* for messages */
const char *io_shared_file_temporary(const penta_io_shared_file *file); /* NULL: it is a device */
uint64_t io_shared_file_bytes(const penta_io_shared_file *file);
uint64_t io_shared_file_data_at(const penta_io_shared_file *file);

/*
 * Writes count elements of `size` bytes, least significant byte first, from byte `at` of the file on; large arrays by
 * several threads. *part grows by them, which must begin where it ends, or be its first.
 */
bool io_shared_file_put(penta_io_shared_file *file, uint64_t at, const void *elements, size_t count, size_t size,
                        penta_io_part *part, penta_io_error *err);

/* Of the process that began it. The parts, in any order, must be the whole file. Frees in every case. */
bool io_shared_file_finish(penta_io_shared_file *file, const penta_io_part *parts, size_t count, penta_io_error *err);

/* The same where parts are not known: the file is read for its checksum. */
bool io_shared_file_finish_unknown(penta_io_shared_file *file, penta_io_error *err);

/* As penta_io_shared_file_tell, of a file that something else has begun. */
bool io_tell_file(const char *path, const char *file, uint64_t size, uint64_t data_at, void **bytes, size_t *told_bytes,
                  penta_io_error *err);
/* The name for messages in such bytes, which are whole. */
const char *io_told_path(const void *bytes);
