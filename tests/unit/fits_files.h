/* FITS files made by hand, card by card, for the tests of src/io. */
#pragma once

#include "io_files.h"

#define PRIMARY "SIMPLE  = T\n"
#define IMAGE   "XTENSION= 'IMAGE   '\n"
#define TABLE   "XTENSION= 'BINTABLE'\nBITPIX  = 8\nNAXIS   = 2\n"
#define EMPTY   PRIMARY "BITPIX  = 8\nNAXIS   = 0\nEXTEND  = T\n"

typedef struct {
    unsigned char bytes[32 * 2880];
    size_t size;
} hand_made;

static inline void pad(hand_made *f, char with)
{
    while (f->size % 2880 != 0)
        f->bytes[f->size++] = (unsigned char)with;
}

/* cards: lines "KEYWORD = value". */
static inline void add_header(hand_made *f, const char *cards)
{
    while (*cards) {
        size_t length = strcspn(cards, "\n");

        assert_true(length <= 80 && f->size + 80 < sizeof f->bytes - 2880);
        memset(f->bytes + f->size, ' ', 80);
        memcpy(f->bytes + f->size, cards, length);
        f->size += 80;
        cards += length + (cards[length] == '\n');
    }
    memcpy(f->bytes + f->size, "END", 3);
    memset(f->bytes + f->size + 3, ' ', 77);
    f->size += 80;
    pad(f, ' ');
}

static inline void add_data(hand_made *f, const void *data, size_t size)
{
    assert_true(f->size + size < sizeof f->bytes - 2880);
    memcpy(f->bytes + f->size, data, size);
    f->size += size;
    pad(f, 0);
}

static inline const char *save(const char *name, const hand_made *f)
{
    return write_file(name, f->bytes, f->size);
}

static inline const char *one_hdu(const char *name, const char *cards, const void *data, size_t size)
{
    hand_made f = {.size = 0};

    add_header(&f, cards);
    add_data(&f, data, size);
    return save(name, &f);
}

/* 3 rows of one double, and a heap of 5 bytes. */
static inline void add_table(hand_made *f, const char *more)
{
    char cards[400];

    snprintf(cards, sizeof cards,
             TABLE "NAXIS1  = 8\nNAXIS2  = 3\nPCOUNT  = 5\nGCOUNT  = 1\nTFIELDS = 1\nTFORM1  = '1D'\n%s", more);
    add_header(f, cards);
    add_data(f, "a table of 24 bytes and a heap", 29);
}
