/* CRC-64/XZ (polynomial of ECMA-182, reflected): detects every burst of up to 64 bits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct io_checksum {
    uint64_t sum;
} io_checksum;

void io_checksum_begin(io_checksum *c);
void io_checksum_add(io_checksum *c, const void *bytes, size_t count);
uint64_t io_checksum_end(const io_checksum *c);

/* The checksum of bytes with the checksum `first` and so many others, with `second`, behind them. */
uint64_t io_checksum_join(uint64_t first, uint64_t second, uint64_t bytes);

/* Checksum and size of a whole file open for reading, by several threads where it is large; keeps the file position.
 * False: errno says why. */
bool io_checksum_file(int fd, uint64_t *sum, uint64_t *bytes);
