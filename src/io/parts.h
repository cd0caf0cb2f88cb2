/* Parts of a file that were written, by several threads or processes, and the checksum of all. Internal to src/io. */
#pragma once

#include <pthread.h>

#include <pentacl/io/shared_file.h>

/* *whole: a file's bytes from `from` on to byte `end`, of which these must be the parts, each byte in one of them;
 * false: they are not. Sorts and merges the parts. */
bool io_parts_join(penta_io_part *parts, size_t count, uint64_t from, uint64_t end, penta_io_part *whole);

/* A list that grows; several threads may add to it. */
typedef struct io_parts {
    pthread_mutex_t lock;
    penta_io_part *items;
    size_t count, room;
    bool lost; /* memory ran out: not all parts are in the list */
} io_parts;

void io_parts_init(io_parts *parts);
void io_parts_free(io_parts *parts);
void io_parts_add(io_parts *parts, const penta_io_part *items, size_t count);
