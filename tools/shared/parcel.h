/*
 * What ranks tell each other, as bytes: written to a memory stream, one item after another, and read back in that
 * order. All ranks are of one build and one class of machine, so numbers go as they are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "shared/messages.h"

/* Being written. */
typedef struct parcel {
    FILE *out; /* NULL: out of memory */
    char *bytes;
    size_t size;
} parcel;

void parcel_begin(parcel *p);
/* *bytes is freed with free; false, and nothing is given, where memory ran out. */
bool parcel_end(parcel *p, void **bytes, size_t *size);

/* Errors of the stream are found at the end. */
void parcel_put(FILE *out, const void *data, size_t bytes);
void parcel_put_block(FILE *out, const void *data, size_t bytes); /* its length goes first */
void parcel_put_text(FILE *out, const char *text);                /* NULL comes back as NULL */
void parcel_put_messages(FILE *out, const held_messages *held);

/* Being read; `ok` turns false where bytes are missing or memory runs out, and stays so. */
typedef struct parcel_reader {
    const char *at;
    size_t left;
    bool ok;
} parcel_reader;

parcel_reader parcel_read(const void *bytes, size_t size);
void parcel_get(parcel_reader *r, void *out, size_t bytes); /* zeros where it fails */
/* Copies from malloc; NULL where there are no bytes or it fails. */
void *parcel_get_block(parcel_reader *r, size_t *bytes);
char *parcel_get_text(parcel_reader *r);
void parcel_get_messages(parcel_reader *r, held_messages *held);
