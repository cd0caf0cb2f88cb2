/* Files of bodies for the tests of src/io: made byte by byte, and what reading them must give. */
#pragma once

#include "io_files.h"

#include <math.h>

#include <pentacl/io/bodies.h>

/* ---- bytes of either order ---- */

typedef struct {
    unsigned char at[1 << 17];
    size_t size;
    bool big;
} bytes;

static inline void add_bytes(bytes *b, const void *data, size_t size)
{
    assert_true(b->size + size <= sizeof b->at);
    memcpy(b->at + b->size, data, size);
    b->size += size;
}

/* The bytes of a number of this machine, in the file's order. */
static inline void add_number(bytes *b, const void *number, size_t size)
{
    const uint16_t one = 1;
    const bool host_big = *(const unsigned char *)&one == 0;

    for (size_t i = 0; i < size; i++)
        add_bytes(b, (const unsigned char *)number + (b->big == host_big ? i : size - 1 - i), 1);
}

static inline void add_u32(bytes *b, uint32_t value)
{
    add_number(b, &value, sizeof value);
}

static inline void add_f32(bytes *b, double value)
{
    float single = (float)value;

    add_number(b, &single, sizeof single);
}

static inline void add_f64(bytes *b, double value)
{
    add_number(b, &value, sizeof value);
}

/* Replaces a number that is in the file already. */
static inline void set_u32(bytes *b, size_t at, uint32_t value)
{
    size_t size = b->size;

    b->size = at;
    add_u32(b, value);
    b->size = size;
}

static inline void set_f32(bytes *b, size_t at, double value)
{
    size_t size = b->size;

    b->size = at;
    add_f32(b, value);
    b->size = size;
}

static inline void set_f64(bytes *b, size_t at, double value)
{
    size_t size = b->size;

    b->size = at;
    add_f64(b, value);
    b->size = size;
}

/* ---- bodies that float32 holds ---- */

/* Column k (mass, x, y, z, vx, vy, vz) of body i; all differ. */
static inline double body_value(size_t i, size_t k)
{
    return k == 0 ? 0.125 * (double)(i + 1) : (k % 2 ? 1 : -1) * (10 * (double)k + 0.25 * (double)i);
}

static inline penta_io_bodies make_bodies(size_t n)
{
    penta_io_bodies b = {.n = n, .rows = malloc(n * 7 * sizeof(double)), .time = 1.5};

    assert_non_null(b.rows);
    for (size_t i = 0; i < 7 * n; i++)
        b.rows[i] = body_value(i / 7, i % 7);
    return b;
}

/* ---- reading ---- */

/* To be freed. */
static inline penta_io_bodies read_bodies(const char *path)
{
    penta_io_bodies b;
    penta_io_error err = {""};

    if (!penta_io_bodies_read(path, &b, &err))
        fail_msg("cannot be read: %s", err.text);
    assert_string_equal(err.text, "");
    assert_non_null(b.rows);
    return b;
}

static inline void expect_bodies(const char *path, size_t n, const double *rows, double time)
{
    penta_io_bodies b = read_bodies(path);

    assert_int_equal(b.n, n);
    for (size_t i = 0; i < 7 * n; i++)
        if (memcmp(&b.rows[i], &rows[i], sizeof *rows) != 0)
            fail_msg("%s: body %zu, column %zu is %.17g instead of %.17g", path, i / 7, i % 7, b.rows[i], rows[i]);
    if (b.time != time)
        fail_msg("%s: the time is %.17g instead of %.17g", path, b.time, time);
    penta_io_bodies_free(&b);
    assert_null(b.rows);
    assert_int_equal(b.n, 0);
}

/* The bodies of make_bodies. */
static inline void expect_made(const char *path, size_t n, double time)
{
    penta_io_bodies b = make_bodies(n);

    expect_bodies(path, n, b.rows, time);
    penta_io_bodies_free(&b);
}

/* Reading must fail with one line that names the file and contains `what`, and give nothing. */
static inline void expect_refused(const char *path, const char *what)
{
    penta_io_bodies b;
    penta_io_error err = {""};

    if (penta_io_bodies_read(path, &b, &err)) {
        penta_io_bodies_free(&b);
        fail_msg("%s can be read, but should fail with '%s'", path, what);
    }
    assert_null(b.rows);
    assert_int_equal(b.n, 0);
    if (strncmp(err.text, path, strlen(path)) != 0 || !strstr(err.text, what) || strchr(err.text, '\n'))
        fail_msg("the error '%s' should name the file and say '%s'", err.text, what);
}

static inline void expect_text_refused(const char *text, const char *what)
{
    expect_refused(write_file("refused.txt", text, strlen(text)), what);
}

static inline const char *write_bytes(const char *name, const bytes *b)
{
    return write_file(name, b->at, b->size);
}

/* ---- tipsy ---- */

/* Junk in the header's padding. The bodies are those of make_bodies. */
static inline void make_tipsy(bytes *b, bool big, uint32_t gas, uint32_t dark, uint32_t star)
{
    const uint32_t counts[3] = {gas, dark, star};
    const size_t more[3] = {5, 2, 4}; /* numbers after the velocity */
    size_t i = 0;

    *b = (bytes){.big = big};
    add_f64(b, 1.5);
    add_u32(b, gas + dark + star);
    add_u32(b, 3);
    for (size_t kind = 0; kind < 3; kind++)
        add_u32(b, counts[kind]);
    add_bytes(b, "\x7f\xf0\xff\xee", 4);
    for (size_t kind = 0; kind < 3; kind++)
        for (uint32_t n = 0; n < counts[kind]; n++, i++) {
            for (size_t k = 0; k < 7; k++)
                add_f32(b, body_value(i, k));
            for (size_t k = 0; k < more[kind]; k++)
                add_bytes(b, "\xff\xff\xff\xff", 4); /* NaN, which nobody must look at */
        }
}

/* ---- GADGET-2 ---- */

typedef struct {
    bool big, labelled, wide; /* wide: float64 */
    uint32_t counts[6];
    double masses[6]; /* of the header */
    double redshift;
    uint32_t files;
    bool shuffled; /* labelled records in another order, with one that nobody knows */
} gadget_spec;

static inline void begin_record(bytes *b, const gadget_spec *s, const char *label, uint32_t size)
{
    if (s->labelled) {
        add_u32(b, 8);
        add_bytes(b, label, 4);
        add_u32(b, size + 8);
        add_u32(b, 8);
    }
    add_u32(b, size);
}

static inline void add_gadget_header(bytes *b, const gadget_spec *s)
{
    size_t end;

    begin_record(b, s, "HEAD", 256);
    end = b->size + 256;
    for (size_t k = 0; k < 6; k++)
        add_u32(b, s->counts[k]);
    for (size_t k = 0; k < 6; k++)
        add_f64(b, s->masses[k]);
    add_f64(b, 1.5);
    add_f64(b, s->redshift);
    add_u32(b, 0);
    add_u32(b, 0);
    for (size_t k = 0; k < 6; k++)
        add_u32(b, s->counts[k]);
    add_u32(b, 0);
    add_u32(b, s->files);
    while (b->size < end)
        add_bytes(b, "", 1);
    add_u32(b, 256);
}

static inline void add_gadget_numbers(bytes *b, const gadget_spec *s, const char *label, size_t first, size_t width)
{
    uint32_t rows = 0;
    uint32_t all = 0;
    uint32_t size;
    size_t i = 0;

    for (size_t k = 0; k < 6; k++) {
        rows += first > 0 || s->masses[k] == 0 ? s->counts[k] : 0;
        all += s->counts[k];
    }
    if (rows == 0 && all > 0)
        return;
    size = rows * (uint32_t)width * (s->wide ? 8 : 4);
    begin_record(b, s, label, size);
    for (size_t type = 0; type < 6; type++)
        for (uint32_t n = 0; n < s->counts[type]; n++, i++)
            for (size_t k = first; k < first + width && (first > 0 || s->masses[type] == 0); k++)
                s->wide ? add_f64(b, body_value(i, k)) : add_f32(b, body_value(i, k));
    add_u32(b, size);
}

static inline void add_gadget_ids(bytes *b, const gadget_spec *s)
{
    uint32_t n = 0;

    for (size_t k = 0; k < 6; k++)
        n += s->counts[k];
    begin_record(b, s, "ID  ", 4 * n);
    for (uint32_t i = 0; i < n; i++)
        add_u32(b, 0xffffffffu);
    add_u32(b, 4 * n);
}

/* The bodies are those of make_bodies, but for masses that the header gives. */
static inline void make_gadget(bytes *b, const gadget_spec *s)
{
    *b = (bytes){.big = s->big};
    add_gadget_header(b, s);
    if (s->shuffled) {
        add_gadget_numbers(b, s, "MASS", 0, 1);
        begin_record(b, s, "U   ", 5);
        add_bytes(b, "\0\1\2\3\4", 5);
        add_u32(b, 5);
        add_gadget_numbers(b, s, "VEL ", 4, 3);
        add_gadget_ids(b, s);
        add_gadget_numbers(b, s, "POS ", 1, 3);
        return;
    }
    add_gadget_numbers(b, s, "POS ", 1, 3);
    add_gadget_numbers(b, s, "VEL ", 4, 3);
    add_gadget_ids(b, s);
    add_gadget_numbers(b, s, "MASS", 0, 1);
}
