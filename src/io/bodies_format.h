/* What one format of bodies is to reading and writing, and what the formats share. Internal to src/io. */
#ifndef PENTA_IO_BODIES_FORMAT_H
#define PENTA_IO_BODIES_FORMAT_H

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
    const char *const *ends; /* of the names that it is written under, without the dot; the last is NULL; NULL: none */
    const char *missing;     /* what to install, where this build lacks it and has name, ends and matches alone */
    /* By the content; `sure`: no other reading of the file makes sense. NULL: the row of another format tells. */
    bool (*matches)(const io_input *in, bool sure);
    /* Sets n, rows and time, and the attributes; the caller frees them on failure too, and checks the numbers. */
    bool (*read)(const io_input *in, penta_io_bodies *out, penta_io_error *err);
    /* The bodies have been checked, and sorted where there are ranks. */
    bool (*write)(const char *path, const penta_io_bodies *in, penta_io_error *err);
    unsigned keeps;       /* IO_KEEPS_...: what need not go to the file beside it */
    const uint8_t *ranks; /* of the families, by which the format groups bodies; NULL: it does not */
    unsigned families;    /* bits of those that it tells apart; 0: all, where it keeps them */
    const char *loss;     /* what is not kept even so; NULL: nothing */
} io_bodies_format;

/* Whether the file is HDF5. */
bool io_hdf5_matches(const io_input *in);

/* Sets n and allocates the rows. n = 0 and want of memory are errors. Whether the file can hold so many has been asked.
 */
bool io_bodies_alloc(const char *path, uint64_t n, penta_io_bodies *out, penta_io_error *err);

/* The file's text and a terminator, to be freed; NULL with the error set, for a file with a zero byte too. */
char *io_bodies_text_load(const io_input *in, penta_io_error *err);

/* ---- attributes: bodies_attributes.c ---- */

/* Room for n elements each, n being set; those that are there stay. Want of memory is an error. */
bool io_bodies_want_ids(const char *path, penta_io_bodies *out, penta_io_error *err);
bool io_bodies_want_families(const char *path, penta_io_bodies *out, penta_io_error *err);
bool io_bodies_want_softening(const char *path, penta_io_bodies *out, penta_io_error *err);

/* Adds to out->note, after what is there, as much as there is room for. */
void io_bodies_note(penta_io_bodies *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Leaves out attributes that cannot be right, with a note, and those that say nothing. */
void io_bodies_settle(penta_io_bodies *out);

/* The units, where all three are finite and positive; else none, and a note unless all are 0. */
void io_bodies_set_units(penta_io_bodies *out, double length, double mass, double velocity);

/* Those of IO_KEEPS_... that the bodies have. */
unsigned io_bodies_attributes(const penta_io_bodies *in);

/* Comments "# time = 0.5" of a text. */
void io_bodies_take_comments(const char *text, penta_io_bodies *out);
void io_bodies_put_comments(FILE *f, const penta_io_bodies *in, unsigned which);
/* Columns id, family and softening; those that are no such numbers are left out with a note. */
bool io_bodies_take_columns(const penta_io_table *csv, const char *path, penta_io_bodies *out, penta_io_error *err);
/* ",id,family" and so on; before: a comma before the first one. */
void io_bodies_put_names(FILE *f, unsigned which, bool before);
void io_bodies_put_columns(FILE *f, const penta_io_bodies *in, size_t i, unsigned which, bool before);

/* FILE.attributes.csv; a missing one is fine. Removing looks at nothing. */
bool io_bodies_side_read(const char *path, penta_io_bodies *out, penta_io_error *err);
bool io_bodies_side_write(const char *path, const penta_io_bodies *in, unsigned which, penta_io_error *err);
void io_bodies_side_remove(const char *path);

/*
 * The bodies sorted by rank[family], those of a rank in their order. sorted->rows == in->rows: they were, and
 * everything is borrowed from `in`; else sorted is the caller's to free, and has ids.
 */
bool io_bodies_sort(const char *path, const penta_io_bodies *in, const uint8_t rank[PENTA_IO_FAMILIES],
                    penta_io_bodies *sorted, penta_io_error *err);
/* How many there are of each rank. */
void io_bodies_count(const penta_io_bodies *in, const uint8_t rank[PENTA_IO_FAMILIES],
                     size_t counts[PENTA_IO_FAMILIES]);

extern const uint8_t io_gadget_ranks[PENTA_IO_FAMILIES];

/* Whether the name ends so, in upper or lower case, with something before it. */
bool io_has_suffix(const char *path, const char *suffix);

/* ---- numbers in files of either byte order ---- */

uint32_t io_get_u32(const unsigned char *at, bool big);
uint64_t io_get_u64(const unsigned char *at, bool big);
double io_get_float(const unsigned char *at, size_t size, bool big); /* size: 4 or 8 */
void io_put_u32(unsigned char *at, uint32_t value, bool big);
void io_put_u64(unsigned char *at, uint64_t value, bool big);
void io_put_float(unsigned char *at, double value, bool big); /* float32 */
void io_put_double(unsigned char *at, double value, bool big);

/* Whether all numbers fit into float32, to nearest, and no mass or softening becomes 0; else an error that names the
 * body. */
bool io_bodies_fit_float(const char *path, const penta_io_bodies *in, const char *format, penta_io_error *err);

#endif
