/* --shard I/N: one of N runs that do the parts of a series without knowing of one another. */
#ifndef PENTA_TOOLS_SHARD_H
#define PENTA_TOOLS_SHARD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct shard {
    size_t part, parts;  /* from 0; 0 of 1: the whole */
    size_t first, count; /* of the items, by shard_slice */
} shard;

/* NULL: the whole. False: the text is no I/N with 1 <= I <= N. */
bool shard_read(const char *text, shard *out);

/* Parts follow one another, and their sizes differ by one at most. */
void shard_slice(shard *s, size_t items);

#endif
