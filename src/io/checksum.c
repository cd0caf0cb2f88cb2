#define _FILE_OFFSET_BITS 64
#include "io/checksum.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/parallel.h"

enum { SLICES = 8, BLOCK_BYTES = 1 << 20, PIECE_BYTES = 8 << 20 };

static const uint64_t polynomial = 0xC96C5795D7870F42u; /* the highest bit belongs to x^0 */

/* table[k][b]: what byte b contributes when k bytes follow it in a step of 8. */
static uint64_t table[SLICES][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    for (unsigned i = 0; i < 256; i++) {
        uint64_t r = i;

        for (int bit = 0; bit < 8; bit++)
            r = r >> 1 ^ (r & 1 ? polynomial : 0);
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

/* ---- several sums in one ---- */

/* The product of two polynomials modulo that of the checksum. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product = 0;

    for (; a != 0; a <<= 1) {
        product ^= a >> 63 ? b : 0;
        b = b >> 1 ^ (b & 1 ? polynomial : 0);
    }
    return product;
}

/* Bytes behind others multiply those by x^8 each. */
uint64_t io_checksum_join(uint64_t first, uint64_t second, uint64_t bytes)
{
    uint64_t power = (uint64_t)1 << (63 - 8);

    for (; bytes > 0; bytes >>= 1) {
        first = bytes & 1 ? multiply(first, power) : first;
        power = multiply(power, power);
    }
    return first ^ second;
}

/* ---- files ---- */

typedef struct {
    uint64_t sum, bytes;
    int code; /* errno */
} file_piece;

typedef struct {
    int fd;
    file_piece *pieces;
} whole_file;

static ssize_t read_block(int fd, void *block, uint64_t at)
{
    ssize_t n;

    do
        n = pread(fd, block, BLOCK_BYTES, (off_t)at);
    while (n < 0 && errno == EINTR);
    return n;
}

static bool sum_piece(void *user, size_t i, penta_io_error *err)
{
    const whole_file *f = user;
    file_piece *p = &f->pieces[i];
    unsigned char *block = malloc(BLOCK_BYTES);
    io_checksum c;
    ssize_t n = block ? 1 : -1;

    (void)err;
    io_checksum_begin(&c);
    while (n > 0 && p->bytes < PIECE_BYTES) {
        n = read_block(f->fd, block, i * (uint64_t)PIECE_BYTES + p->bytes);
        io_checksum_add(&c, block, n > 0 ? (size_t)n : 0);
        p->bytes += n > 0 ? (size_t)n : 0;
    }
    p->code = n < 0 ? errno : 0;
    free(block);
    p->sum = io_checksum_end(&c);
    return n >= 0;
}

/* Of pieces that follow one another. Returns 0 or errno. */
static int join_pieces(const file_piece *pieces, size_t count, uint64_t *sum, uint64_t *bytes)
{
    *sum = *bytes = 0;
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].code != 0)
            return pieces[i].code;
        *sum = io_checksum_join(*sum, pieces[i].sum, pieces[i].bytes);
        *bytes += pieces[i].bytes;
    }
    return 0;
}

bool io_checksum_file(int fd, uint64_t *sum, uint64_t *bytes)
{
    whole_file f = {.fd = fd};
    struct stat st;
    size_t count;

    if (fstat(fd, &st) != 0)
        return false;
    count = (size_t)((uint64_t)st.st_size / PIECE_BYTES) + 1;
    f.pieces = calloc(count, sizeof *f.pieces);
    if (!f.pieces) {
        errno = ENOMEM;
        return false;
    }
    (void)io_parallel(count, sum_piece, &f, NULL);
    errno = join_pieces(f.pieces, count, sum, bytes);
    free(f.pieces);
    return errno == 0;
}
