/* What stars are called: numbers where the source has numbers, up to 64 bits exactly, else its text. */
#ifndef PENTA_TOOLS_STARS_IDS_H
#define PENTA_TOOLS_STARS_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum star_id_kind {
    STAR_ID_NUMBER = 0, /* as it is: Gaia's source_id, a row number */
    STAR_ID_TEXT,       /* as it is */
    STAR_ID_HR,         /* number of a catalogue: its name is "HR 2491" */
    STAR_ID_HIP,
    STAR_ID_HD,
    STAR_ID_HYG
};

typedef struct {
    size_t n;
    unsigned char *kind; /* enum star_id_kind */
    uint64_t *value;     /* the number; of STAR_ID_TEXT the offset into text */
    char *text;          /* terminated strings, one behind the other */
    size_t text_bytes, text_room;
} star_ids;

/* Room for `most` stars in an empty *ids; false: out of memory. What follows must not add more. */
bool star_ids_reserve(star_ids *ids, size_t most);

void star_ids_add(star_ids *ids, enum star_id_kind kind, uint64_t number);

/*
 * Takes a field of a table. Digits become a number of that kind (STAR_ID_TEXT: a plain one), anything else stays text,
 * so that nothing is lost. Where the kind is a catalogue's, "424.0" is 424. False: out of memory.
 */
bool star_ids_add_text(star_ids *ids, enum star_id_kind kind, const char *text);

/* The name of star i, in the buffer or in *ids. */
enum { STAR_NAME_BYTES = 32 };
const char *star_ids_name(const star_ids *ids, size_t i, char buffer[STAR_NAME_BYTES]);

void star_ids_free(star_ids *ids); /* a zeroed one is fine */

#endif
