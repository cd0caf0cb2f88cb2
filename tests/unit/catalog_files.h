/* Catalogues of tests, opened or refused. */
#pragma once

#include "io_files.h"

#include <math.h>

#include <pentacl/io/catalog.h>

static inline penta_io_catalog open_catalog(const char *path, double mag_limit)
{
    penta_io_catalog catalog;
    penta_io_error err = {""};

    if (!penta_io_catalog_read(path, &(penta_io_catalog_options){.mag_limit = mag_limit}, &catalog, &err))
        fail_msg("%s", err.text);
    return catalog;
}

static inline penta_io_catalog open_csv(const char *text)
{
    return open_catalog(write_file("a.csv", text, strlen(text)), INFINITY);
}

static inline penta_io_catalog open_csv_in(const char *text, enum penta_io_ra_unit unit)
{
    const char *path = write_file("a.csv", text, strlen(text));
    penta_io_catalog catalog;
    penta_io_error err = {""};

    if (!penta_io_catalog_read(path, &(penta_io_catalog_options){.mag_limit = INFINITY, .ra_unit = unit}, &catalog,
                               &err))
        fail_msg("%s", err.text);
    return catalog;
}

static inline void expect_catalog_error(const char *path, const char *what)
{
    penta_io_catalog catalog;
    penta_io_error err = {""};

    memset(&catalog, 1, sizeof catalog);
    assert_false(penta_io_catalog_read(path, NULL, &catalog, &err));
    assert_true(catalog.n == 0 && !catalog.ra && !catalog.ids.kind);
    expect_line(&err, path, what);
}

static inline void expect_csv_error(const char *text, const char *what)
{
    expect_catalog_error(write_file("bad.csv", text, strlen(text)), what);
}

static inline void expect_star(const penta_io_catalog *c, size_t i, const char *name, double ra, double dec, double mag,
                               double pmra, double pmdec)
{
    char buffer[PENTA_IO_STAR_NAME_BYTES];

    assert_true(i < c->n && c->ids.n == c->n);
    assert_string_equal(penta_io_star_name(&c->ids, i, buffer), name);
    expect_near(c->ra[i], ra, 1e-9);
    expect_near(c->dec[i], dec, 1e-9);
    expect_near(c->mag[i], mag, 1e-9);
    expect_near(c->pmra[i], pmra, 1e-3);
    expect_near(c->pmdec[i], pmdec, 1e-3);
}

static inline void expect_format(const penta_io_catalog *c, const char *format, double epoch, size_t n)
{
    assert_string_equal(c->origin.format, format);
    assert_true(c->origin.epoch == epoch);
    assert_int_equal(c->n, n);
}
