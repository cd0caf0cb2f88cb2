/*
 * A program that has set a locale with a decimal comma: every text format is written with the bytes of the locale "C",
 * and read back with the numbers that were written.
 */

#include "write_files.h"

#include <locale.h>
#include <pentacl/io/bodies.h>
#include <pentacl/io/catalog.h>
#include <pentacl/io/model.h>
#include <pentacl/io/nbody_tables.h>
#include <pentacl/io/output.h>
#include <pentacl/io/points.h>
#include <pentacl/io/recipe.h>
#include <pentacl/io/table.h>

#include "support/locale.h"

static void must(bool ok, const penta_io_error *err)
{
    if (!ok)
        fail_msg("%s", err->text);
}

/* Writes NAME twice, once in each locale, and compares the bytes; the comma locale stays set. */
static void expect_same_bytes(const char *name, void (*write)(const char *path))
{
    size_t size[2];
    char *bytes[2];

    setlocale(LC_ALL, "C");
    write(in_directory(name));
    bytes[0] = file_contents(in_directory(name), &size[0]);
    assert_int_equal(unlink(in_directory(name)), 0);
    set_comma_locale();
    write(in_directory(name));
    bytes[1] = file_contents(in_directory(name), &size[1]);
    assert_non_null(bytes[0]);
    assert_non_null(bytes[1]);
    if (size[0] != size[1] || memcmp(bytes[0], bytes[1], size[0]) != 0)
        fail_msg("%s differs from that of the locale C", name);
    free(bytes[0]);
    free(bytes[1]);
}

/* ---- bodies ---- */

enum { BODIES = 3 };

static void make_bodies(penta_io_bodies *b, double rows[7 * BODIES], double softening[BODIES])
{
    for (size_t i = 0; i < 7 * BODIES; i++)
        rows[i] = (double)(i + 1) / 7;
    for (size_t i = 0; i < BODIES; i++)
        softening[i] = 0.01 * (double)(i + 1);
    *b = (penta_io_bodies){.n = BODIES, .rows = rows, .time = 0.75, .has_time = true, .softening = softening};
    b->units = (penta_io_units){3.085678e21, 1.989e43, 1.5e5};
}

static void write_bodies(const char *path)
{
    double rows[7 * BODIES], softening[BODIES];
    penta_io_bodies b;
    penta_io_error err = {""};

    make_bodies(&b, rows, softening);
    must(penta_io_bodies_write(path, &b, &err), &err);
}

static void expect_bodies(const char *path)
{
    double rows[7 * BODIES], softening[BODIES];
    penta_io_bodies b, back;
    penta_io_error err = {""};

    make_bodies(&b, rows, softening);
    must(penta_io_bodies_read(path, &back, &err), &err);
    assert_int_equal(back.n, BODIES);
    assert_memory_equal(back.rows, rows, sizeof rows);
    expect_near(back.time, b.time, 0);
    assert_non_null(back.softening);
    assert_memory_equal(back.softening, softening, sizeof softening);
    expect_near(back.units.velocity, b.units.velocity, 0);
    penta_io_bodies_free(&back);
}

TEST(bodies)
{
    static const char *const names[] = {"a.csv", "a.tab", "a.mpv", "a.npy"};

    for (size_t i = 0; i < COUNT(names); i++) {
        expect_same_bytes(names[i], write_bodies);
        expect_bodies(in_directory(names[i]));
    }
}

/* ---- tables ---- */

static void write_numbers(const char *path)
{
    penta_io_output *output = NULL;
    penta_io_error err = {""};

    must(penta_io_output_open(path, &output, &err), &err);
    fputs("x,y,z\n", penta_io_output_stream(output));
    for (int i = 1; i < 5; i++)
        for (int k = 0; k < 3; k++) {
            penta_io_table_put_number(penta_io_output_stream(output), pow(i + k / 3.0, 9 * k - 9));
            fputs(k < 2 ? "," : "\n", penta_io_output_stream(output));
        }
    must(penta_io_output_commit(output, &err), &err);
}

IO_TEST(tables)
{
    size_t count = 0;
    HELD double *points = NULL;

    expect_same_bytes("points.csv", write_numbers);
    must(penta_io_points_read(in_directory("points.csv"), &points, &count, &err), &err);
    assert_int_equal(count, 4);
    for (int i = 1; i < 5; i++)
        for (int k = 0; k < 3; k++)
            expect_near(points[3 * (i - 1) + k], pow(i + k / 3.0, 9 * k - 9), 0);
}

/* Spreadsheets of countries with a comma write ; between fields: read alike in every locale. */
IO_TEST(commas_of_spreadsheets)
{
    const char text[] = "a;b\n0,5;1.5\n";
    HELD_BY(penta_io_table_held) penta_io_table *table = NULL;
    double value[2] = {0};
    bool ok[2];

    set_comma_locale();
    must(penta_io_table_open(write_file("sheet.csv", text, strlen(text)), PENTA_IO_TABLE_AUTO, &table, &err), &err);
    for (int in_c = 0; in_c < 2; in_c++) {
        setlocale(LC_ALL, in_c ? "C" : comma_locale());
        ok[in_c] = penta_io_table_number(table, 0, 0, &value[in_c], &err);
    }
    assert_int_equal(ok[0], ok[1]);
    expect_near(value[0], value[1], 0);
}

static void write_diagnostics(const char *path)
{
    penta_io_nbody_tables *tables = NULL;
    penta_nbody_diagnostics row;
    penta_nbody_energy energy = {0};
    penta_io_error err = {""};

    (void)path;
    memset(&row, 0, sizeof row);
    row.kinetic = 1.0 / 3;
    row.potential = -2.0 / 3;
    row.energy = row.energy_com = row.kinetic + row.potential;
    must(penta_io_nbody_tables_open(test_directory, NULL, &energy, &tables, &err), &err);
    penta_io_nbody_tables_add(tables, 0, 0, &row);
    penta_io_nbody_tables_add(tables, 5, 0.125, &row);
    must(penta_io_nbody_tables_write(tables, &err), &err);
    penta_io_nbody_tables_close(tables);
}

IO_TEST(nbody_tables)
{
    const penta_io_nbody_resume resume = {5, 5, NULL};
    penta_io_nbody_tables *tables = NULL;
    penta_nbody_energy energy;

    expect_same_bytes("diagnostics.csv", write_diagnostics);
    penta_nbody_energy_begin(&energy, 1.0 / 3 - 2.0 / 3, -2.0 / 3);
    must(penta_io_nbody_tables_open(test_directory, &resume, &energy, &tables, &err), &err);
    assert_int_equal(penta_io_nbody_tables_last(tables), 5);
    penta_io_nbody_tables_close(tables);
}

/* ---- catalogues ---- */

IO_TEST(catalogue)
{
    const char text[] = "ra,dec,mag,pmra,pmdec\n10.25,-20.25,5.5,0.125,-1.5\n1.25,2.5,-1.44,0,0\n";
    const penta_io_catalog_options options = {.mag_limit = INFINITY, .ra_unit = PENTA_IO_RA_DEG};
    HELD_BY(penta_io_catalog_free) penta_io_catalog catalog;

    set_comma_locale();
    must(penta_io_catalog_read(write_file("stars.csv", text, strlen(text)), &options, &catalog, &err), &err);
    assert_int_equal(catalog.n, 2);
    expect_near(catalog.ra[0], 10.25, 0);
    expect_near(catalog.mag[1], -1.44, 0);
    expect_near(catalog.pmra[0], 0.125, 0);
}

/* ---- JSON ---- */

static void write_recipe(const char *path)
{
    penta_prepare_options o;
    penta_io_recipe_table tables[] = {{penta_prepare_option_table(), &o, NULL}, {NULL, NULL, NULL}};
    HELD char *text = NULL;
    FILE *f;

    penta_prepare_options_init(&o);
    o.min_score = 0.625;
    text = penta_io_recipe_text(tables, NULL);
    assert_non_null(text);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

IO_TEST(recipe)
{
    penta_prepare_options o;
    penta_io_recipe_table tables[] = {{penta_prepare_option_table(), &o, NULL}, {NULL, NULL, NULL}};
    penta_io_recipe_strings *strings = NULL;
    const char bad[] = "{\"min_score\": 99.5}";

    penta_prepare_options_init(&o);
    expect_same_bytes("recipe.json", write_recipe);
    must(penta_io_recipe_read_tables(in_directory("recipe.json"), tables, &strings, &err), &err);
    expect_near(o.min_score, 0.625, 0);
    penta_io_recipe_strings_free(strings);
    assert_false(penta_io_recipe_read_tables(write_file("bad.json", bad, strlen(bad)), tables, &strings, &err));
    expect_text(err.text, "99.5");
}

/* ---- images ---- */

#ifdef PENTA_HAVE_FITS
static penta_io_fits_wcs_cards some_wcs(void)
{
    penta_io_fits_wcs_cards w = {.wcs = {.crval = {1.0 / 3, -89.0 / 7}, .crpix = {0.1 + 0.2, -1e5 / 3}}};

    w.wcs.cd[0][0] = -1e-5 / 3;
    w.wcs.cd[1][1] = 1e-5 / 9;
    return w;
}

static void write_fits(const char *path)
{
    const penta_io_fits_wcs_cards w = some_wcs();
    const penta_io_card gain = {.key = "GAIN", .kind = PENTA_IO_CARD_REAL, .real = 1.0 / 7, .comment = "e-/adu"};
    const penta_io_metadata meta = {.wcs = &w, .exposure = 0.3, .cards = &gain, .card_count = 1};
    float pixels[] = {0.5f, 1.5f, -2.25f, 1e-20f};
    const penta_io_image image = {.width = 2, .height = 2, .channels = 1, .type = PENTA_F32, .data = pixels};
    penta_io_error err = {""};

    must(penta_io_image_write(path, &image, &meta, &err), &err);
}

IO_TEST(fits)
{
    const penta_io_fits_wcs_cards w = some_wcs();
    penta_io_fits_wcs_cards back;
    HELD_BY(penta_io_image_free) penta_io_image image;

    expect_same_bytes("a.fits", write_fits);
    must(penta_io_fits_wcs(in_directory("a.fits"), &back, &err), &err);
    assert_memory_equal(&back.wcs.crval, &w.wcs.crval, sizeof w.wcs.crval);
    assert_memory_equal(&back.wcs.cd, &w.wcs.cd, sizeof w.wcs.cd);
    must(penta_io_image_read(in_directory("a.fits"), &image, &err), &err);
    expect_near(((const float *)image.data)[2], -2.25, 0);
}
#endif

IN_DIRECTORY;
