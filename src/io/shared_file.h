/* What formats need to have their files written by several processes (pentacl/io/shared_file.h). */
#ifndef PENTA_IO_SHARED_FILE_H
#define PENTA_IO_SHARED_FILE_H

#include <pentacl/io/shared_file.h>

/* Begins a file of so many bytes, under a temporary name. data_at: told to all, for the format. */
bool io_shared_file_begin(const char *path, uint64_t bytes, uint64_t data_at, penta_io_shared_file **out,
                          penta_io_error *err);

const char *io_shared_file_path(const penta_io_shared_file *file); /* for messages */
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

/* The checksum of a file's bytes from `from` on, of which these are the parts; false: they are not all of them. Sorts
 * the parts. */
bool io_parts_sum(penta_io_part *parts, size_t count, uint64_t from, uint64_t bytes, uint64_t *sum);

/* Writes bytes at their place in an open file. */
bool io_put(const char *path, int fd, uint64_t at, const void *data, size_t bytes, penta_io_error *err);

#endif
