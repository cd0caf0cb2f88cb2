/* Tipsy and GADGET-2 files made by hand: both byte orders, every kind of body, every cut, damaged headers; and the
 * very bytes that the writers give. */

#include "body_files.h"

static bytes file;

/* ---- tipsy ---- */

TEST(tipsy)
{
    static const uint32_t kinds[][3] = {{2, 3, 4}, {0, 5, 0}, {1, 0, 0}, {0, 0, 1100}, {1, 1, 0}};

    for (size_t i = 0; i < COUNT(kinds); i++)
        for (int big = 0; big < 2; big++) {
            make_tipsy(&file, big, kinds[i][0], kinds[i][1], kinds[i][2]);
            expect_made(write_bytes("a.bin", &file), kinds[i][0] + kinds[i][1] + kinds[i][2], 1.5);
        }
}

TEST(cut_tipsy)
{
    for (int big = 0; big < 2; big++) {
        make_tipsy(&file, big, 1, 2, 1);
        for (size_t n = 0; n < file.size; n++)
            expect_refused(write_file("cut", file.at, n),
                           n == 0   ? "empty"
                           : n < 16 ? "cut: "
                           : n < 32 ? "ends inside its tipsy header"
                                    : "1 gas, 2 dark and 1 star records, which take 196 bytes with the header, but");
        add_bytes(&file, "more", 1);
        expect_refused(write_bytes("long", &file), big ? "a tipsy file (big-endian)" : "a tipsy file (little-endian)");
    }
}

TEST(damaged_tipsy)
{
    for (int big = 0; big < 2; big++) {
        make_tipsy(&file, big, 0, 3, 2);
        set_u32(&file, 8, 6);
        expect_refused(write_bytes("a", &file),
                       "its header has 6 bodies of which 0 are gas, 3 dark matter and 2 stars");
        set_u32(&file, 8, 0xffffffffu);
        expect_refused(write_bytes("a", &file), "its header has 4294967295 bodies");
        set_u32(&file, 20, 0xfffffffdu);
        expect_refused(write_bytes("a", &file), "4294967293 dark and 2 star records, which take");
        set_u32(&file, 8, 5);
        set_u32(&file, 20, 3);
        set_u32(&file, 12, 2);
        expect_refused(write_bytes("a", &file), "is a tipsy file of 2 dimensions; only 3");
        set_u32(&file, 12, 4);
        expect_refused(write_bytes("a", &file), "unknown format");
        make_tipsy(&file, big, 0, 0, 0);
        expect_refused(write_bytes("a", &file), "holds no bodies");
    }
}

TEST(bad_numbers_in_tipsy)
{
    make_tipsy(&file, true, 1, 2, 2);
    set_f32(&file, 32 + 48 + 36 + 4, NAN);
    expect_refused(write_bytes("a", &file), "body 3 of 5: x is ");
    set_f32(&file, 32 + 48 + 36 + 4, 0);
    set_f32(&file, 32 + 48 + 2 * 36 + 24, INFINITY);
    expect_refused(write_bytes("a", &file), "body 4 of 5: vz is inf, not a finite number");
    set_f32(&file, 32 + 48 + 2 * 36 + 24, 0);
    set_f32(&file, 32, -0.25);
    expect_refused(write_bytes("a", &file), "body 1 of 5: its mass is negative (-0.25)");
    set_f32(&file, 32, 0);
    set_f64(&file, 0, NAN);
    expect_refused(write_bytes("a", &file), "its time is ");
}

/* A swapped header before records of the other order: numbers, but no sense; the sizes are what can be checked. */
TEST(tipsy_of_two_orders)
{
    static bytes other;

    make_tipsy(&file, true, 0, 2, 0);
    make_tipsy(&other, false, 0, 2, 0);
    memcpy(file.at + 16, other.at + 16, 16);
    expect_refused(write_bytes("a", &file), "looks like a tipsy file (big-endian), but its header has 2 bodies");
}

IO_TEST(written_tipsy)
{
    static const unsigned char expected[32 + 36] = {
        0x3f, 0xf8, 0, 0, 0,    0,    0, 0, 0,    0,    0, 1, 0,    0,    0, 3, 0,    0,    0, 0, 0,    0,    0, 1,
        0,    0,    0, 0, 0,    0,    0, 0, 0x3e, 0,    0, 0, 0x41, 0x20, 0, 0, 0xc1, 0xa0, 0, 0, 0x41, 0xf0, 0, 0,
        0xc2, 0x20, 0, 0, 0x42, 0x48, 0, 0, 0xc2, 0x70, 0, 0, 0,    0,    0, 0, 0,    0,    0, 0};
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(1);
    HELD unsigned char *data = NULL;
    size_t size;

    assert_true(penta_io_bodies_write(in_directory("w.tipsy"), &b, &err));
    data = read_file(in_directory("w.tipsy"), &size);
    assert_int_equal(size, sizeof expected);
    assert_memory_equal(data, expected, sizeof expected);
}

/* ---- GADGET-2 ---- */

static const gadget_spec specs[] = {
    {.counts = {0, 5, 0, 0, 0, 0}, .files = 1},
    {.counts = {2, 0, 1, 1100, 1, 3}, .files = 1, .big = true},
    {.counts = {1, 2, 3, 0, 0, 0}, .labelled = true},
    {.counts = {1, 2, 3, 0, 0, 1}, .labelled = true, .big = true, .wide = true},
    {.counts = {1, 2, 3, 0, 0, 1}, .labelled = true, .shuffled = true, .files = 1},
    {.counts = {0, 0, 0, 0, 4, 0}, .wide = true},
};

TEST(gadget)
{
    for (size_t i = 0; i < COUNT(specs); i++) {
        size_t n = 0;

        for (size_t k = 0; k < 6; k++)
            n += specs[i].counts[k];
        make_gadget(&file, &specs[i]);
        expect_made(write_bytes("a.g2", &file), n, 1.5);
    }
}

/* Masses of some types, or all, in the header. */
TEST(gadget_masses)
{
    static const gadget_spec some = {.counts = {2, 1, 1, 0, 1, 0}, .masses = {0, 8, 0, 9, 0.5, 0}};
    static const gadget_spec all = {.counts = {0, 1, 1, 0, 3, 0}, .masses = {0, 8, 16, 0, 0.5, 0}};
    static const double some_masses[5] = {0.125, 0.25, 8, 0.5, 0.5};
    static const double all_masses[5] = {8, 16, 0.5, 0.5, 0.5};

    for (int which = 0; which < 4; which++) {
        gadget_spec s = which % 2 ? all : some;
        HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(5);

        s.labelled = which >= 2;
        for (size_t i = 0; i < 5; i++)
            b.rows[7 * i] = which % 2 ? all_masses[i] : some_masses[i];
        make_gadget(&file, &s);
        expect_bodies(write_bytes("a.g2", &file), 5, b.rows, 1.5);
    }
}

IO_TEST(cut_gadget)
{
    for (size_t i = 0; i < COUNT(specs); i++) {
        if (specs[i].counts[3] > 0)
            continue;
        make_gadget(&file, &specs[i]);
        for (size_t n = 8; n < file.size; n++) {
            const char *path = write_file("cut", file.at, n);
            penta_io_bodies b;

            assert_false(penta_io_bodies_read(path, &b, &err));
            if (!strstr(err.text, "truncated"))
                fail_msg("%zu of %zu bytes: %s", n, file.size, err.text);
        }
        for (size_t n = 1; n < 8; n++)
            expect_refused(write_file("cut", file.at, n), "unknown format");
    }
}

TEST(damaged_gadget)
{
    for (int big = 0; big < 2; big++) {
        gadget_spec s = {.counts = {0, 3, 0, 0, 0, 0}, .big = big};

        make_gadget(&file, &s);
        set_u32(&file, 260, 255);
        expect_refused(write_bytes("a", &file),
                       "record 1 of its GADGET-2 snapshot has 256 bytes by the mark before it");
        set_u32(&file, 260, 256);
        set_u32(&file, 264, 0xfffffff0u);
        expect_refused(write_bytes("a", &file), "ends inside record 2");
        set_u32(&file, 264, 36);
        set_u32(&file, 4 + 4, 4);
        expect_refused(write_bytes("a", &file), "POS  of its GADGET-2 snapshot has 36 bytes instead of the 48 (or 96)");
        set_u32(&file, 4 + 4, 0xffffffffu);
        expect_refused(write_bytes("a", &file), "instead of the 51539607540 (or 103079215080)");
        set_u32(&file, 4 + 4, 0);
        expect_refused(write_bytes("a", &file), "holds no bodies");
        set_u32(&file, 4 + 4, 3);
        file.size -= 8 + 12;
        expect_refused(write_bytes("a", &file), "without the record MASS, though its header leaves the mass");
        file.size -= 8 + 12;
        file.size -= 8 + 36;
        expect_refused(write_bytes("a", &file), "without the record VEL ; it is truncated");
        s.labelled = true;
        make_gadget(&file, &s);
        memcpy(file.at + 20 + 256 + 4 + 4, "what", 4);
        expect_refused(write_bytes("a", &file), "without the record POS ");
        set_u32(&file, 20 + 256 + 4, 9);
        expect_refused(write_bytes("a", &file), "has no label before record 2");
    }
}

/* A mark that was not turned round with the rest. */
TEST(swapped_mark)
{
    make_gadget(&file, &specs[0]);
    file.big = true;
    set_u32(&file, 264, 60);
    expect_refused(write_bytes("a", &file), "ends inside record 2");
    file.big = false;
    set_u32(&file, 264, 60);
    file.big = true;
    set_u32(&file, 264 + 4 + 60, 60);
    expect_refused(write_bytes("a", &file), "has 60 bytes by the mark before it and 1006632960 by the one after");
}

TEST(refused_snapshots)
{
    gadget_spec s = {.counts = {0, 3, 0, 0, 0, 0}, .files = 4};

    make_gadget(&file, &s);
    expect_refused(write_bytes("a", &file), "is one of 4 files of a GADGET snapshot");
    s.files = 1;
    s.redshift = 9;
    make_gadget(&file, &s);
    expect_refused(write_bytes("a", &file), "cosmological (comoving) run, redshift 9, time (scale factor) 1.5");
    s.redshift = NAN;
    make_gadget(&file, &s);
    expect_refused(write_bytes("a", &file), "cosmological (comoving)");
    s.redshift = 0;
    s.masses[1] = -2;
    make_gadget(&file, &s);
    expect_refused(write_bytes("a", &file), "body 1 of 3: its mass is negative (-2)");
    s.masses[1] = NAN;
    make_gadget(&file, &s);
    expect_refused(write_bytes("a", &file), "body 1 of 3: mass is ");
    s.masses[1] = 0;
    make_gadget(&file, &s);
    set_f32(&file, 264 + 4 + 16, NAN);
    expect_refused(write_bytes("a", &file), "body 2 of 3: y is ");
}

/* What the writer gives is a file as made by hand: little-endian, no labels, type 1, masses of their own. */
IO_TEST(written_gadget)
{
    static const gadget_spec s = {.counts = {0, 4, 0, 0, 0, 0}, .files = 1};
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(4);
    HELD unsigned char *data = NULL;
    size_t size;
    size_t ids = 264 + 2 * (8 + 48) + 4;

    make_gadget(&file, &s);
    set_f64(&file, 4 + 152, 1); /* Hubble's constant */
    for (uint32_t i = 0; i < 4; i++)
        set_u32(&file, ids + 4 * i, i + 1);
    assert_true(penta_io_bodies_write(in_directory("w.g2"), &b, &err));
    data = read_file(in_directory("w.g2"), &size);
    assert_int_equal(size, file.size);
    assert_memory_equal(data, file.at, size);
}

IN_DIRECTORY;
