#include "io/catalog_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const prefixes[] = {
    [PENTA_IO_STAR_NUMBER] = "", [PENTA_IO_STAR_HR] = "HR ",   [PENTA_IO_STAR_HIP] = "HIP ",
    [PENTA_IO_STAR_HD] = "HD ",  [PENTA_IO_STAR_HYG] = "HYG ",
};

bool io_star_ids_reserve(penta_io_star_ids *ids, size_t most)
{
    size_t room = most ? most : 1;

    *ids = (penta_io_star_ids){.kind = calloc(room, sizeof *ids->kind), .value = calloc(room, sizeof *ids->value)};
    if (ids->kind && ids->value)
        return true;
    penta_io_star_ids_free(ids);
    return false;
}

void io_star_ids_add(penta_io_star_ids *ids, enum penta_io_star_id_kind kind, uint64_t number)
{
    ids->kind[ids->n] = (unsigned char)kind;
    ids->value[ids->n++] = number;
}

/* Parses only numbers that print as written: no sign, no leading zeros; with `tail` a fraction of zeros is allowed. */
static bool parse_number(const char *text, bool tail, uint64_t *number)
{
    const char *at = text;
    uint64_t n = 0;

    if (*at == '0' && at[1] >= '0' && at[1] <= '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');

        if (n > (UINT64_MAX - digit) / 10)
            return false;
        n = 10 * n + digit;
    }
    if (at == text)
        return false;
    if (tail && *at == '.')
        for (at++; *at == '0'; at++)
            ;
    *number = n;
    return *at == 0;
}

static bool keep_text(penta_io_star_ids *ids, const char *text)
{
    size_t bytes = strlen(text) + 1;

    if (bytes > ids->text_room - ids->text_bytes) {
        size_t room = 2 * ids->text_room + bytes + 256;
        char *grown = realloc(ids->text, room);

        if (!grown)
            return false;
        ids->text = grown;
        ids->text_room = room;
    }
    memcpy(ids->text + ids->text_bytes, text, bytes);
    io_star_ids_add(ids, PENTA_IO_STAR_TEXT, ids->text_bytes);
    ids->text_bytes += bytes;
    return true;
}

bool io_star_ids_add_text(penta_io_star_ids *ids, enum penta_io_star_id_kind kind, const char *text)
{
    bool plain = kind == PENTA_IO_STAR_NUMBER || kind == PENTA_IO_STAR_TEXT;
    uint64_t number;

    if (!parse_number(text, !plain, &number))
        return keep_text(ids, text);
    io_star_ids_add(ids, plain ? PENTA_IO_STAR_NUMBER : kind, number);
    return true;
}

const char *penta_io_star_name(const penta_io_star_ids *ids, size_t i, char buffer[PENTA_IO_STAR_NAME_BYTES])
{
    if (ids->kind[i] == PENTA_IO_STAR_TEXT)
        return ids->text + ids->value[i];
    snprintf(buffer, PENTA_IO_STAR_NAME_BYTES, "%s%" PRIu64, prefixes[ids->kind[i]], ids->value[i]);
    return buffer;
}

void penta_io_star_ids_free(penta_io_star_ids *ids)
{
    free(ids->kind);
    free(ids->value);
    free(ids->text);
    *ids = (penta_io_star_ids){0};
}
