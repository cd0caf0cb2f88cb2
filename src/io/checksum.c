#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64
#include "io/checksum.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { SLICES = 8, BLOCK_BYTES = 1 << 20 };

/* table[k][b]: what byte b contributes when k bytes follow it in a step of 8. */
static uint64_t table[SLICES][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    for (unsigned i = 0; i < 256; i++) {
        uint64_t r = i;

        for (int bit = 0; bit < 8; bit++)
            r = r >> 1 ^ (r & 1 ? 0xC96C5795D7870F42u : 0);
        table[0][i] = r;
    }
    for (unsigned i = 0; i < 256; i++)
        for (int k = 1; k < SLICES; k++)
            table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
}

void io_checksum_begin(io_checksum *c)
{
    (void)pthread_once(&once, make_table);
    c->sum = UINT64_MAX;
}

void io_checksum_add(io_checksum *c, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    uint64_t sum = c->sum;

    for (; count >= SLICES; count -= SLICES, at += SLICES) {
        uint64_t next = 0;

        for (int i = 0; i < SLICES; i++)
            next ^= table[SLICES - 1 - i][(sum >> 8 * i ^ at[i]) & 255];
        sum = next;
    }
    for (; count > 0; count--, at++)
        sum = table[0][(sum ^ *at) & 255] ^ sum >> 8;
    c->sum = sum;
}

uint64_t io_checksum_end(const io_checksum *c)
{
    return ~c->sum;
}

bool io_checksum_file(int fd, uint64_t *sum, uint64_t *bytes)
{
    unsigned char *block = malloc(BLOCK_BYTES);
    io_checksum c;
    ssize_t n = 1;

    if (!block) {
        errno = ENOMEM;
        return false;
    }
    io_checksum_begin(&c);
    for (*bytes = 0; n > 0; *bytes += n > 0 ? (uint64_t)n : 0) {
        do
            n = pread(fd, block, BLOCK_BYTES, (off_t)*bytes);
        while (n < 0 && errno == EINTR);
        io_checksum_add(&c, block, n > 0 ? (size_t)n : 0);
    }
    free(block);
    *sum = io_checksum_end(&c);
    return n == 0;
}
