/* Checkpoints of n-body runs. The checksum is set right first: with it no damage would get further. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <pentacl/io/checkpoint.h>

enum { SUM_AT = 184, HEADER_BYTES = 192 };

/* CRC-64/XZ, bit by bit. */
static uint64_t sum_more(uint64_t sum, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        sum ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0xC96C5795D7870F42u : 0);
    }
    return sum;
}

static void set_sum(uint8_t *data, size_t size)
{
    uint64_t sum;

    if (size < HEADER_BYTES)
        return;
    sum = ~sum_more(sum_more(UINT64_MAX, data, SUM_AT), data + HEADER_BYTES, size - HEADER_BYTES);
    for (int i = 0; i < 8; i++)
        data[SUM_AT + i] = (uint8_t)(sum >> 8 * i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = (uint8_t *)fuzz_text(data, size);
    penta_io_checkpoint c;
    penta_io_error err = {""};

    if (size > 0 && size % 2 == 0) /* the other half keeps the file's own sum */
        set_sum(copy, size);
    if (penta_io_checkpoint_read(fuzz_file("checkpoint.bin", copy, size), &c, &err)) {
        fuzz_check(c.n > 0 && c.state && c.options.size == sizeof c.options, "a checkpoint has a state");
        fuzz_check(c.about.n == c.n, "attributes are of as many bodies");
        for (size_t i = 0; c.about.family && i < c.n; i++)
            fuzz_check(c.about.family[i] < PENTA_IO_FAMILIES, "a family is known");
        fuzz_check(penta_io_checkpoint_write(fuzz_path("again.bin"), &c, &err),
                   "a checkpoint that was read can be written");
    } else {
        fuzz_check_error(&err);
    }
    penta_io_checkpoint_free(&c);
    free(copy);
    return 0;
}
