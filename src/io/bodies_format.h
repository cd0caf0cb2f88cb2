/* The interface of one format of bodies, and what the formats share. Internal to src/io. */
#pragma once

#include <stdio.h>

#include <pentacl/io/bodies.h>
#include <pentacl/io/table.h>
#include "io/input.h"

enum { IO_BODY_COLUMNS = 7, IO_BODY_X = 1, IO_BODY_VX = 4 };

extern const char *const io_body_columns[IO_BODY_COLUMNS]; /* "mass", "x" and so on */

enum {
    IO_KEEPS_ID = 1,
    IO_KEEPS_FAMILY = 2,
    IO_KEEPS_SOFTENING = 4,
    IO_KEEPS_TIME = 8,
    IO_KEEPS_UNITS = 16,
    IO_KEEPS_ALL = 31
};

#define IO_LOSES_TIME  "a time that no file gave"
#define IO_LOSES_FLOAT "all but 24 bits of each number (float32); .npy, .csv, .tab and .hdf5 keep them all"

/* One format. */
typedef struct {
    const char *name;        /* in messages */
    const char *const *ends; /* suffixes of file names to write, without the dot, ending with NULL; NULL: none */
    const char *library;     /* the library that implements it; NULL: none */
    const char *missing; /* what to install if this build lacks the format; then only name, ends and matches are set */
    /* Whether the content is of this format; `sure`: and of no other. NULL: another format's row decides. */
    bool (*matches)(const io_input *in, bool sure);
    /* Sets n, rows, time and the attributes; the caller frees them, even on failure, and checks the numbers. */
    bool (*read)(const io_input *in, penta_io_bodies *out, penta_io_error *err);
    /* The bodies have been checked, and sorted if `ranks` is set. */
    bool (*write)(const char *path, const penta_io_bodies *in, penta_io_error *err);
    unsigned keeps;       /* IO_KEEPS_...: attributes that need no attributes file */
    const uint8_t *ranks; /* rank of each family, if the format groups bodies by family; NULL: no groups */
    unsigned families;    /* bits of the families that it distinguishes; 0: all, if it keeps them */
    const char *loss;     /* what is always lost; NULL: nothing */
} io_bodies_format;

/* Sets n and allocates the rows. n = 0 and lack of memory are errors. The caller has checked n against the file. */
bool io_bodies_alloc(const char *path, uint64_t n, penta_io_bodies *out, penta_io_error *err);

/* The file's text, terminated, to be freed. NULL with the error set, also if the file has a zero byte. */
char *io_bodies_text_load(const io_input *in, penta_io_error *err);

/* Checks rows first .. first + count - 1 of n, which `rows` begins with; and all but the rows. */
bool io_bodies_check_rows(const char *path, size_t n, size_t first, size_t count, const double *rows,
                          penta_io_error *err);
bool io_bodies_check_about(const char *path, const penta_io_bodies *b, penta_io_error *err);

/* ---- attributes: bodies_attributes.c ---- */

/* Allocates n elements each, n being set; keeps arrays that exist. Lack of memory is an error. */
bool io_bodies_want_ids(const char *path, penta_io_bodies *out, penta_io_error *err);
bool io_bodies_want_families(const char *path, penta_io_bodies *out, penta_io_error *err);
bool io_bodies_want_softening(const char *path, penta_io_bodies *out, penta_io_error *err);

/* Appends to out->note as much as fits. */
void io_bodies_note(penta_io_bodies *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Leaves out implausible attributes, with a note, and those that carry no information. */
void io_bodies_settle(penta_io_bodies *out);

/* Sets the units if all three are finite and positive; otherwise sets none, with a note unless all are 0. */
void io_bodies_set_units(penta_io_bodies *out, double length, double mass, double velocity);

/* The IO_KEEPS_... bits of the attributes that the bodies have. */
unsigned io_bodies_attributes(const penta_io_bodies *in);

/* Reads and writes comments such as "# time = 0.5". */
void io_bodies_take_comments(const char *text, penta_io_bodies *out);
void io_bodies_put_comments(FILE *f, const penta_io_bodies *in, unsigned which);
/* Reads columns id, family and softening; leaves out a column with invalid numbers, with a note. */
bool io_bodies_take_columns(const penta_io_table *csv, const char *path, penta_io_bodies *out, penta_io_error *err);
/* Writes column names such as ",id,family"; before: also a comma before the first one. */
void io_bodies_put_names(FILE *f, unsigned which, bool before);
void io_bodies_put_columns(FILE *f, const penta_io_bodies *in, size_t i, unsigned which, bool before);

/* Reads, writes or removes FILE.attributes.csv. A missing file is fine; removing ignores errors. */
bool io_bodies_side_read(const char *path, penta_io_bodies *out, penta_io_error *err);
bool io_bodies_side_write(const char *path, const penta_io_bodies *in, unsigned which, penta_io_error *err);
void io_bodies_side_remove(const char *path);
/* Beside a file of the format that was just written: what it has no room for, or nothing. */
bool io_bodies_side_put(const char *path, const io_bodies_format *format, const penta_io_bodies *in,
                        penta_io_error *err);

/*
 * Sorts the bodies by rank[family], stably. If they were sorted already, sorted->rows == in->rows and everything is
 * borrowed from `in`; otherwise the caller frees sorted, which then has ids.
 */
bool io_bodies_sort(const char *path, const penta_io_bodies *in, const uint8_t rank[PENTA_IO_FAMILIES],
                    penta_io_bodies *sorted, penta_io_error *err);
/* Counts the bodies of each rank. */
void io_bodies_count(const penta_io_bodies *in, const uint8_t rank[PENTA_IO_FAMILIES],
                     size_t counts[PENTA_IO_FAMILIES]);

extern const io_bodies_format io_bodies_npy;

extern const uint8_t io_gadget_ranks[PENTA_IO_FAMILIES];

/* Whether the name ends with the suffix, ignoring case, and has something before it. */
bool io_has_suffix(const char *path, const char *suffix);

/* ---- numbers in files of either byte order ---- */

uint32_t io_get_u32(const unsigned char *at, bool big);
uint64_t io_get_u64(const unsigned char *at, bool big);
double io_get_float(const unsigned char *at, size_t size, bool big); /* size: 4 or 8 */
void io_put_u32(unsigned char *at, uint32_t value, bool big);
void io_put_u64(unsigned char *at, uint64_t value, bool big);
void io_put_float(unsigned char *at, double value, bool big); /* float32 */
void io_put_double(unsigned char *at, double value, bool big);

/* Whether all numbers fit in float32 and no mass or softening is rounded to 0; otherwise fails, naming the body. */
bool io_bodies_fit_float(const char *path, const penta_io_bodies *in, const char *format, penta_io_error *err);
