/* The Yale Bright Star Catalogue: the built-in one, its binary format in both byte orders, and damaged files of it. */

#include "catalog_files.h"

extern const unsigned char io_bsc5[]; /* data/bsc5 */
extern const size_t io_bsc5_bytes;

static size_t find(const penta_io_catalog *c, const char *name)
{
    char buffer[PENTA_IO_STAR_NAME_BYTES];

    for (size_t i = 0; i < c->n; i++)
        if (strcmp(penta_io_star_name(&c->ids, i, buffer), name) == 0)
            return i;
    fail_msg("no %s", name);
    return 0;
}

TEST(builtin)
{
    penta_io_catalog c = open_catalog(NULL, INFINITY);

    expect_format(&c, "BSC5", 2000, 9096);
    assert_int_equal(c.nonstellar, 14);
    assert_int_equal(c.faint + c.incomplete, 0);
    /* the catalogue's sexagesimal positions: Sirius 06 45 08.9 -16 42 58, Betelgeuse 05 55 10.3 +07 24 25,
     * Polaris 02 31 48.7 +89 15 51, Vega 18 36 56.3 +38 47 01 */
    expect_star(&c, find(&c, "HR 2491"), "HR 2491", 15 * (6 + 45 / 60.0 + 8.9 / 3600), -(16 + 42 / 60.0 + 58 / 3600.0),
                -1.46, -553, -1205);
    expect_star(&c, find(&c, "HR 2061"), "HR 2061", 15 * (5 + 55 / 60.0 + 10.3 / 3600), 7 + 24 / 60.0 + 25 / 3600.0,
                0.5, 26, 9);
    expect_star(&c, find(&c, "HR 424"), "HR 424", 15 * (2 + 31 / 60.0 + 48.7 / 3600), 89 + 15 / 60.0 + 51 / 3600.0,
                2.02, 38, -15);
    expect_star(&c, find(&c, "HR 7001"), "HR 7001", 15 * (18 + 36 / 60.0 + 56.3 / 3600), 38 + 47 / 60.0 + 1 / 3600.0,
                0.03, 202, 286);
    for (size_t i = 0; i < c.n; i++)
        assert_true(c.ra[i] >= 0 && c.ra[i] < 360 && fabs(c.dec[i]) <= 90 && c.mag[i] >= -1.46 && c.mag[i] <= 10.08);
    penta_io_catalog_free(&c);
    penta_io_catalog_free(&c); /* zeroed */
}

/* T CrB in quiescence and Miras at their mean; and as published where the same bytes are a user's file. */
TEST(variables)
{
    static const struct {
        const char *name;
        double corrected, published;
    } stars[] = {{"HR 5958", 10.08, 2.0}, {"HR 681", 6.47, 3.04},  {"HR 868", 7.22, 4.0},
                 {"HR 7564", 7.91, 4.23}, {"HR 5080", 6.40, 4.97}, {"HR 3882", 6.02, 6.02}};
    HELD_BY(penta_io_catalog_free)
    penta_io_catalog built_in = open_catalog(NULL, INFINITY), file, bright = open_catalog(NULL, 6);
    size_t changed = 0;

    file = open_catalog(write_file("bsc5", io_bsc5, io_bsc5_bytes), INFINITY);
    assert_int_equal(file.n, built_in.n);
    for (size_t i = 0; i < COUNT(stars); i++) {
        expect_near(built_in.mag[find(&built_in, stars[i].name)], stars[i].corrected, 1e-9);
        expect_near(file.mag[find(&file, stars[i].name)], stars[i].published, 1e-9);
    }
    for (size_t i = 0; i < file.n; i++) {
        assert_true(file.ra[i] == built_in.ra[i] && file.dec[i] == built_in.dec[i]);
        changed += file.mag[i] < built_in.mag[i] || file.mag[i] > built_in.mag[i];
    }
    assert_int_equal(changed, 5);
    for (size_t i = 0; i < bright.n; i++) /* the limit is for the corrected magnitudes */
        assert_true(bright.mag[i] <= 6 && bright.ids.value[i] != 5958 && bright.ids.value[i] != 868);
}

TEST(magnitude_limit)
{
    HELD_BY(penta_io_catalog_free) penta_io_catalog all = open_catalog(NULL, INFINITY);
    HELD_BY(penta_io_catalog_free) penta_io_catalog some = open_catalog(NULL, 4.5);
    HELD_BY(penta_io_catalog_free) penta_io_catalog none = open_catalog(NULL, -2);
    size_t bright = 0;

    for (size_t i = 0; i < all.n; i++)
        bright += all.mag[i] <= 4.5;
    assert_int_equal(some.n, bright);
    assert_int_equal(some.faint, all.n - bright);
    assert_int_equal(some.ids.n, bright);
    assert_int_equal(none.n, 0);
}

enum { STARS = 3, BYTES = 28 + 32 * STARS };

static void put(unsigned char *to, const void *value, size_t size, bool big)
{
    const uint16_t one = 1;
    bool host_big = *(const unsigned char *)&one == 0;

    for (size_t i = 0; i < size; i++)
        to[i] = ((const unsigned char *)value)[big == host_big ? i : size - 1 - i];
}

static void put_int(unsigned char *to, int32_t value, bool big)
{
    put(to, &value, sizeof value, big);
}

static void put_record(unsigned char *to, float number, double ra, double dec, int16_t mag, float pmra, float pmdec,
                       bool big)
{
    put(to, &number, 4, big);
    put(to + 4, &ra, 8, big);
    put(to + 12, &dec, 8, big);
    put(to + 20, "K0", 2, true);
    put(to + 22, &mag, 2, big);
    put(to + 24, &pmra, 4, big);
    put(to + 28, &pmdec, 4, big);
}

/* A star, a nova without a position, a star. */
static void make_binary(unsigned char bytes[BYTES], bool big)
{
    static const int32_t header[7] = {0, 1, -STARS, 1, 1, 1, 32};

    for (int i = 0; i < 7; i++)
        put_int(bytes + 4 * i, header[i], big);
    put_record(bytes + 28, 7, 3, -1.5, -146, 0x1p-18f, -0x1p-20f, big);
    put_record(bytes + 60, 8, 0, 0, 0, 0, 0, big);
    put_record(bytes + 92, 16777216, 6.25, 1.25, 796, 0, 0, big);
}

TEST(byte_orders)
{
    const double degree = 180 / 3.14159265358979323846;
    unsigned char bytes[BYTES];

    for (int big = 0; big < 2; big++) {
        HELD_BY(penta_io_catalog_free) penta_io_catalog c;

        make_binary(bytes, big);
        c = open_catalog(write_file("any.name", bytes, sizeof bytes), INFINITY);
        expect_format(&c, "BSC5", 2000, 2);
        assert_int_equal(c.nonstellar, 1);
        expect_star(&c, 0, "HR 7", 3 * degree, -1.5 * degree, -1.46, 0x1p-18 * degree * 3600e3,
                    -0x1p-20 * degree * 3600e3);
        expect_star(&c, 1, "HR 16777216", 6.25 * degree, 1.25 * degree, 7.96, 0, 0);
    }
}

TEST(binary_sizes)
{
    unsigned char bytes[BYTES + 1] = {0};
    const char *path;

    make_binary(bytes, false);
    for (size_t size = 28; size < BYTES; size++)
        expect_catalog_error(write_file("cut", bytes, size),
                             "but its header promises 3 stars in 124; it was cut short");
    for (size_t size = 1; size < 28; size++)
        expect_catalog_error(write_file("cut", bytes, size), "less than the header of a binary catalogue (28)");
    expect_catalog_error(write_file("long", bytes, BYTES + 1), "has 125 bytes, but its header promises 3 stars in 124");
    expect_catalog_error(write_file("empty", bytes, 0), "empty (0 bytes)");
    put_int(bytes + 8, INT32_MIN, false);
    expect_catalog_error(write_file("huge", bytes, BYTES), "2147483648 stars in 68719476764; it was cut short");
    make_binary(bytes, true);
    path = write_file("sparse", bytes, BYTES);
    stretch_file(path, 1ll << 33); /* refused before anything is read */
    expect_catalog_error(path, "has 8589934592 bytes");
}

TEST(binary_headers)
{
    unsigned char bytes[BYTES];

    for (int big = 0; big < 2; big++) {
        make_binary(bytes, big);
        put_int(bytes + 8, STARS, big);
        expect_catalog_error(write_file("b1950", bytes, BYTES), "B1950 positions (its header has a positive count, 3)");
        put_int(bytes + 8, 0, big);
        expect_catalog_error(write_file("none", bytes, BYTES), "promises no stars");
        for (int field = 3; field < 7; field++) {
            make_binary(bytes, big);
            put_int(bytes + 4 * field, 2, big);
            expect_catalog_error(write_file("other", bytes, BYTES), "neither a CSV table nor a binary catalogue");
        }
    }
}

TEST(damaged_records)
{
    const double bad_angles[] = {NAN, INFINITY, 7, -1e300};
    const float bad_numbers[] = {NAN, INFINITY, 0, -1, 1.5f, 1e30f};
    const float bad_motion[] = {NAN, -INFINITY};
    unsigned char bytes[BYTES];

    for (int big = 0; big < 2; big++) {
        for (size_t i = 0; i < 3 * COUNT(bad_numbers); i++) {
            size_t field = i % 3;
            size_t k = i / 3;

            make_binary(bytes, big);
            if (field == 0)
                put(bytes + 92, &bad_numbers[k], 4, big);
            else if (field == 1)
                put(bytes + 96 + 8 * (k & 1), &bad_angles[k % COUNT(bad_angles)], 8, big);
            else
                put(bytes + 116 + 4 * (k & 1), &bad_motion[k / 2 % 2], 4, big);
            expect_catalog_error(write_file("damaged", bytes, BYTES), "record 3 (byte 92) is damaged");
        }
    }
}

/* Whatever the bytes are, a catalogue or an error: never a fault. */
TEST(damaged_files)
{
    unsigned char bytes[BYTES];
    penta_io_catalog c;
    penta_io_error err;

    for (size_t i = 0; i < BYTES; i++)
        for (int value = 0; value < 256; value += 17) {
            make_binary(bytes, i & 1);
            bytes[i] = (unsigned char)value;
            if (penta_io_catalog_read(write_file("fuzz", bytes, BYTES), NULL, &c, &err))
                penta_io_catalog_free(&c);
        }
}

IN_DIRECTORY;
