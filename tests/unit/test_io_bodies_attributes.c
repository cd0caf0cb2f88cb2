/* Ids, families, softening, time and units: through every format to every other and back, and what is not believed. */

#include "body_files.h"

#ifdef PENTA_HAVE_HDF5
#include <hdf5.h>
#define LAST 7
#else
#define LAST 6
#endif

static const char *const names[] = {"a.npy", "a.csv", "a.tab", "a.mpv", "a.tipsy", "a.gadget", "a.hdf5"};

enum { N = 11 };

/* One of each family but 6, and others; in no order. */
static const uint8_t families[N] = {4, 1, 0, 5, 4, 2, 3, 0, 1, 4, 1};
static const uint64_t ids[N] = {18446744073709551614u, 3, 99, 9007199254740993u, 7, 1, 2, 4294967296u, 12, 5, 0};

static void give_ids(penta_io_bodies *b)
{
    b->id = malloc(b->n * sizeof *b->id);
    assert_non_null(b->id);
    for (size_t i = 0; i < b->n; i++)
        b->id[i] = i < N ? ids[i] : 1000 + 3 * i;
}

static void give_families(penta_io_bodies *b)
{
    b->family = malloc(b->n);
    assert_non_null(b->family);
    for (size_t i = 0; i < b->n; i++)
        b->family[i] = families[i % N];
}

static void give_softening(penta_io_bodies *b)
{
    b->softening = malloc(b->n * sizeof *b->softening);
    assert_non_null(b->softening);
    for (size_t i = 0; i < b->n; i++)
        b->softening[i] = i == 4 ? 0 : 0.0625 * (double)(i + 1);
}

static penta_io_bodies make_full(size_t n)
{
    penta_io_bodies b = make_bodies(n);

    give_ids(&b);
    give_families(&b);
    give_softening(&b);
    b.has_time = true;
    b.units = (penta_io_units){3.0856775814913673e21, 1.98841e43, 1e5};
    return b;
}

static void expect_written(const char *path, const penta_io_bodies *b)
{
    penta_io_error err = {""};

    EXPECT_IO(penta_io_bodies_write(path, b, &err), err);
}

/* The row of `b` with this id. */
static size_t find_id(const penta_io_bodies *b, uint64_t id)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->id[i] == id)
            return i;
    fail_msg("there is no id %llu", (unsigned long long)id);
    return 0;
}

/* The same bodies with the same attributes, in whatever order. */
static void expect_same(const char *path, const penta_io_bodies *b, const penta_io_bodies *wanted)
{
    assert_int_equal(b->n, wanted->n);
    assert_string_equal(b->note, "");
    assert_non_null(b->id);
    assert_non_null(b->family);
    assert_non_null(b->softening);
    for (size_t i = 0; i < b->n; i++) {
        size_t k = find_id(b, wanted->id[i]);

        if (memcmp(b->rows + 7 * k, wanted->rows + 7 * i, 7 * sizeof *b->rows) != 0 ||
            b->family[k] != wanted->family[i] || b->softening[k] != wanted->softening[i])
            fail_msg("%s: body %zu is not as it was", path, i);
    }
    assert_true(b->time == 1.5 && b->has_time);
    assert_true(b->units.length == 3.0856775814913673e21 && b->units.mass == 1.98841e43 && b->units.velocity == 1e5);
}

TEST(every_format_to_every_other_and_back)
{
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_full(N);

    for (size_t i = 0; i < LAST; i++)
        for (size_t k = 0; k < LAST; k++) {
            HELD_BY(penta_io_bodies_free) penta_io_bodies once, twice, thrice;

            expect_written(in_directory(names[i]), &b);
            once = read_bodies(in_directory(names[i]));
            expect_same(names[i], &once, &b);
            expect_written(in_directory(names[k]), &once);
            twice = read_bodies(in_directory(names[k]));
            expect_same(names[k], &twice, &b);
            expect_written(in_directory(names[i]), &twice);
            thrice = read_bodies(in_directory(names[i]));
            expect_same(names[i], &thrice, &b);
        }
}

/* More than a buffer of anything. */
TEST(many)
{
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_full(3000);

    for (size_t i = 0; i < LAST; i++) {
        HELD_BY(penta_io_bodies_free) penta_io_bodies back;

        expect_written(in_directory(names[i]), &b);
        back = read_bodies(in_directory(names[i]));
        expect_same(names[i], &back, &b);
    }
}

/* Each alone, and every pair: none needs another. */
TEST(some_of_them)
{
    for (unsigned which = 0; which < 32; which++)
        for (size_t i = 0; i < LAST; i++) {
            HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(N), back;
            const bool sorted = strstr(names[i], ".tipsy") || strstr(names[i], ".gadget") || strstr(names[i], ".hdf5");
            const bool numbered = strstr(names[i], ".gadget") || strstr(names[i], ".hdf5");

            if (which & 1)
                give_ids(&b);
            if (which & 2)
                give_families(&b);
            if (which & 4)
                give_softening(&b);
            b.has_time = which & 8;
            b.time = b.has_time ? 1.5 : 0;
            if (which & 16)
                b.units = (penta_io_units){1, 2, 3};
            expect_written(in_directory(names[i]), &b);
            back = read_bodies(in_directory(names[i]));
            assert_true(!back.id == !((which & 1) || numbered || (sorted && (which & 2))));
            assert_true(!back.family == !b.family && !back.softening == !b.softening);
            assert_true(back.has_time == b.has_time && back.time == b.time);
            assert_true(back.units.length == b.units.length && back.units.velocity == b.units.velocity);
            for (size_t k = 0; k < N; k++) { /* without ids of their own, bodies get their row, from 1 */
                size_t at = !back.id ? k : find_id(&back, b.id ? b.id[k] : k + 1);

                assert_memory_equal(back.rows + 7 * at, b.rows + 7 * k, 7 * sizeof *b.rows);
                assert_true(!b.family || back.family[at] == b.family[k]);
                assert_true(!b.softening || back.softening[at] == b.softening[k]);
            }
        }
}

/* ---- the file beside ---- */

static void expect_content(const char *path, const char *text)
{
    size_t size;
    HELD char *found = (char *)read_file(path, &size);

    assert_string_equal(found, text);
}

TEST(the_file_beside)
{
    penta_io_bodies b = make_full(2);

    b.id[1] = 18446744073709551615u;
    b.softening[1] = 0.1;
    expect_written(in_directory("s.npy"), &b);
    expect_content(in_directory("s.npy.attributes.csv"), "id,family,softening\n# time = 1.5\n"
                                                         "# unit_length_cm = 3.0856775814913673e+21\n"
                                                         "# unit_mass_g = 1.98841e+43\n"
                                                         "# unit_velocity_cm_per_s = 100000\n"
                                                         "18446744073709551614,4,0.0625\n"
                                                         "18446744073709551615,1,0.1\n");
    expect_written(in_directory("s.csv"), &b);
    assert_int_not_equal(access(in_directory("s.csv.attributes.csv"), F_OK), 0);
    penta_io_bodies_free(&b);
    b = make_bodies(2); /* plain ones take the file away */
    expect_written(in_directory("s.npy"), &b);
    assert_int_not_equal(access(in_directory("s.npy.attributes.csv"), F_OK), 0);
    expect_made(in_directory("s.npy"), 2, 0);
    penta_io_bodies_free(&b);
}

/* A plain table has no more than its seven columns. */
TEST(plain_csv)
{
    double rows[7] = {1, 2, 3, 4, 5, 6, 7};
    const penta_io_bodies b = {.n = 1, .rows = rows};

    expect_written(in_directory("plain.csv"), &b);
    expect_content(in_directory("plain.csv"), "mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n");
}

static void expect_beside(const char *text, const char *what)
{
    penta_io_bodies b = make_bodies(2), back;
    char side[4096];

    expect_written(in_directory("m.npy"), &b);
    snprintf(side, sizeof side, "%s", write_file("m.npy.attributes.csv", text, strlen(text)));
    back = read_bodies(in_directory("m.npy"));
    if (*what ? !strstr(back.note, what) : *back.note)
        fail_msg("the note '%s' should say '%s'", back.note, what);
    assert_memory_equal(back.rows, b.rows, 14 * sizeof *b.rows);
    penta_io_bodies_free(&back);
    unlink(side);
    penta_io_bodies_free(&b);
}

static void refuse_beside(const char *text, const char *what)
{
    penta_io_bodies b = make_bodies(2), back;
    penta_io_error err = {""};

    expect_written(in_directory("m.npy"), &b);
    write_file("m.npy.attributes.csv", text, strlen(text));
    assert_false(penta_io_bodies_read(in_directory("m.npy"), &back, &err));
    assert_null(back.rows);
    assert_null(back.id);
    if (!strstr(err.text, "m.npy") || !strstr(err.text, what) || strchr(err.text, '\n'))
        fail_msg("the error '%s' should say '%s'", err.text, what);
    unlink(in_directory("m.npy.attributes.csv"));
    penta_io_bodies_free(&b);
}

TEST(what_lies_beside_is_checked)
{
    refuse_beside("id\n1\n", "is of other bodies: it has 1 rows");
    refuse_beside("id\n1\n2\n3\n", "has 2 bodies; remove it");
    refuse_beside("id,family\n1\n2,3\n", "line 2 has 1 field");
    refuse_beside("", "empty");
    refuse_beside("# time = nan\n", "its time is nan");
    expect_beside("# time = 3\n", "");
    expect_beside("id,family\n4,0\n7,5\n", "");
    expect_beside("id\n1.5\n2\n", "its ids, such as '1.5'");
    expect_beside("id\n-1\n2\n", "its ids, such as '-1'");
    expect_beside("id\n18446744073709551616\n2\n", "its ids, such as '18446744073709551616'");
    expect_beside("id\n5\n5\n", "its ids are all 5");
    expect_beside("family\n1\n8\n", "its families, such as '8'");
    expect_beside("softening\n0.1\n-0.1\n", "the softening of body 2 is -0.1");
    expect_beside("softening\n0.1\nnan\n", "the softening of body 2 is nan");
    expect_beside("softening\n0.1\n1e30\n", "the softening of body 2 is 1e+30");
    expect_beside("softening\n1e-40\n0\n", "the softening of body 1 is 1e-40");
    expect_beside("# unit_length_cm = 1\n# unit_mass_g = 1\n", "its units (1 cm, 1 g, 0 cm/s)");
}

/* ---- formats, byte by byte ---- */

static float big_float(const unsigned char *at)
{
    uint32_t bits = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Gas, dark, stars: 48, 36, 44 bytes; their eps at 36, 28, 36. */
TEST(tipsy_records)
{
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(3);
    HELD unsigned char *file = NULL;
    size_t size;

    b.family = malloc(3);
    memcpy(b.family, (const uint8_t[]){4, 1, 0}, 3);
    give_softening(&b);
    expect_written(in_directory("r.tipsy"), &b);
    file = read_file(in_directory("r.tipsy"), &size);
    assert_int_equal(size, 32 + 48 + 36 + 44);
    assert_int_equal(file[19], 1);
    assert_int_equal(file[23], 1);
    assert_int_equal(file[27], 1);
    assert_true(big_float(file + 32) == 0.375F && big_float(file + 32 + 36) == 0.1875F);
    assert_true(big_float(file + 80) == 0.25F && big_float(file + 80 + 28) == 0.125F);
    assert_true(big_float(file + 116) == 0.125F && big_float(file + 116 + 36) == 0.0625F);
}

/* Ids of 4 and of 8 bytes, types by their counts, as other programs write them. */
TEST(gadget_ids)
{
    const gadget_spec s = {.counts = {1, 2, 0, 0, 1, 0}, .files = 1, .labelled = true};
    static bytes file;

    for (int wide = 0; wide < 2; wide++) {
        penta_io_bodies b;

        file = (bytes){0};
        add_gadget_header(&file, &s);
        add_gadget_numbers(&file, &s, "POS ", 1, 3);
        add_gadget_numbers(&file, &s, "VEL ", 4, 3);
        add_gadget_numbers(&file, &s, "MASS", 0, 1);
        begin_record(&file, &s, "ID  ", wide ? 32 : 16); /* behind the masses */
        for (uint32_t i = 0; i < 4; i++) {
            add_u32(&file, 10 - i);
            if (wide)
                add_u32(&file, i == 2);
        }
        add_u32(&file, wide ? 32 : 16);
        b = read_bodies(write_bytes("ids.g2", &file));
        assert_non_null(b.id);
        for (size_t i = 0; i < 4; i++)
            assert_true(b.id[i] == 10 - i + (wide && i == 2 ? 4294967296u : 0));
        assert_memory_equal(b.family, ((const uint8_t[]){0, 1, 1, 4}), 4);
        assert_true(b.has_time && b.time == 1.5);
        penta_io_bodies_free(&b);
        file.size -= 9; /* cut inside the ids: the bodies are whole */
        b = read_bodies(write_bytes("ids.g2", &file));
        assert_null(b.id);
        assert_non_null(strstr(b.note, "cut short behind its masses"));
        penta_io_bodies_free(&b);
    }
}

TEST(nbabel_ids)
{
    static const char *const none[] = {"-1 1 2 3 4 5 6 7\n-1 1 3 3 4 5 6 7\n", "1 1 2 3 4 5 6 7\n2 1 3 3 4 5 6 7\n",
                                       "0 1 2 3 4 5 6 7\n1 1 3 3 4 5 6 7\n"};
    static const char odd[] = "1.5 1 2 3 4 5 6 7\n-7 1 3 3 4 5 6 7\n";
    static const char some[] = "2 1 2 3 4 5 6 7\n18446744073709551615 1 3 3 4 5 6 7\n";
    penta_io_bodies b;

    for (size_t i = 0; i < COUNT(none); i++) {
        b = read_bodies(write_file("n.tab", none[i], strlen(none[i])));
        assert_null(b.id);
        assert_string_equal(b.note, "");
        penta_io_bodies_free(&b);
    }
    b = read_bodies(write_file("n.tab", some, strlen(some)));
    assert_true(b.id[0] == 2 && b.id[1] == UINT64_MAX);
    penta_io_bodies_free(&b);
    b = read_bodies(write_file("n.tab", odd, strlen(odd)));
    assert_null(b.id);
    assert_non_null(strstr(b.note, "its ids are not all whole numbers"));
    penta_io_bodies_free(&b);
}

IO_TEST(family_that_gadget_has_not)
{
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(2);

    b.family = calloc(2, 1);
    b.family[1] = 6;
    assert_false(penta_io_bodies_write(in_directory("six.g2"), &b, &err));
    assert_non_null(strstr(err.text, "are of family 6, and GADGET-2 has types 0 to 5; write .hdf5"));
    b.family[1] = 8;
    assert_false(penta_io_bodies_write(in_directory("six.npy"), &b, &err));
    assert_non_null(strstr(err.text, "its family is 8"));
}

/* Integers in place of softening, as in many files; NaN. */
TEST(garbage_in_tipsy)
{
    static bytes file;
    penta_io_bodies b;

    make_tipsy(&file, false, 0, 3, 0);
    b = read_bodies(write_bytes("g.tipsy", &file));
    assert_null(b.softening);
    assert_non_null(strstr(b.note, "the softening of body 1 is"));
    penta_io_bodies_free(&b);
    for (size_t i = 0; i < 3; i++)
        set_u32(&file, 32 + 36 * i + 28, 200000000 + (uint32_t)i); /* 9e-32 as a float */
    b = read_bodies(write_bytes("g.tipsy", &file));
    assert_null(b.softening);
    assert_non_null(strstr(b.note, "the softening of body 1 is 9.08"));
    penta_io_bodies_free(&b);
    for (size_t i = 0; i < 3; i++)
        set_f32(&file, 32 + 36 * i + 28, 0.25);
    b = read_bodies(write_bytes("g.tipsy", &file));
    assert_true(b.softening[0] == 0.25 && b.softening[2] == 0.25);
    assert_string_equal(b.note, "");
    penta_io_bodies_free(&b);
}

/* 2500 of dark matter, 17500 stars; eps of all dark bodies is 0x3ee15e10, of the last star what it is in the file. */
TEST(galaxy)
{
    const char *directory = getenv("PENTACL_TEST_DATA");
    char path[4096];
    penta_io_bodies b, back;

    if (!directory || !*directory)
        leave_out_test("PENTACL_TEST_DATA names no directory with nbody/");
    snprintf(path, sizeof path, "%s/nbody/galaxy_20K.bin", directory);
    b = read_bodies(path);
    assert_string_equal(b.note, "");
    for (size_t i = 0; i < b.n; i++)
        assert_int_equal(b.family[i], i < 2500 ? 1 : 4);
    assert_true(fabs(b.softening[0] - 0.44017076) < 1e-8 && fabs(b.softening[2500] - 0.17132822) < 1e-8);
    assert_false(b.has_time);
    for (size_t i = 0; i < LAST; i++) {
        expect_written(in_directory(names[i]), &b);
        back = read_bodies(in_directory(names[i]));
        assert_memory_equal(back.rows, b.rows, 7 * b.n * sizeof *b.rows);
        assert_memory_equal(back.family, b.family, b.n);
        assert_memory_equal(back.softening, b.softening, b.n * sizeof *b.softening);
        penta_io_bodies_free(&back);
    }
    penta_io_bodies_free(&b);
}

/* ---- HDF5, looked at with its library alone ---- */

#ifdef PENTA_HAVE_HDF5

static double attribute(hid_t file, const char *group, const char *name, size_t at)
{
    hid_t a = H5Aopen_by_name(file, group, name, H5P_DEFAULT, H5P_DEFAULT);
    double values[8] = {0};

    if (a < 0 || H5Aread(a, H5T_NATIVE_DOUBLE, values) < 0)
        fail_msg("%s/%s cannot be read", group, name);
    H5Aclose(a);
    return values[at];
}

static void read_set(hid_t file, const char *name, hid_t type, void *to)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);

    assert_true(set >= 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0);
    H5Dclose(set);
}

TEST(hdf5_attributes)
{
    static const int counts[6] = {2, 3, 1, 1, 3, 1};
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_full(N);
    uint64_t found[3];
    double numbers[9];
    hid_t file;

    expect_written(in_directory("u.hdf5"), &b);
    file = H5Fopen(in_directory("u.hdf5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    for (size_t k = 0; k < 6; k++) {
        assert_true(attribute(file, "Header", "NumPart_ThisFile", k) == counts[k]);
        assert_true(attribute(file, "Header", "NumPart_Total", k) == counts[k]);
        assert_true(attribute(file, "Header", "MassTable", k) == 0);
    }
    assert_true(attribute(file, "Header", "Time", 0) == 1.5 && attribute(file, "Header", "Redshift", 0) == 0);
    assert_true(attribute(file, "Header", "BoxSize", 0) == 0 && attribute(file, "Header", "HubbleParam", 0) == 1);
    assert_true(attribute(file, "Header", "Omega0", 0) == 0 && attribute(file, "Header", "OmegaLambda", 0) == 0);
    expect_near(attribute(file, "Header", "Time_GYR", 0), 1.4666883325, 1e-9); /* 1.5 kpc/(km/s), Julian years */
    assert_true(attribute(file, "Units", "UnitLength_in_cm", 0) == 3.0856775814913673e21);
    assert_true(attribute(file, "Units", "UnitMass_in_g", 0) == 1.98841e43);
    assert_true(attribute(file, "Units", "UnitVelocity_in_cm_per_s", 0) == 1e5);
    read_set(file, "PartType4/ParticleIDs", H5T_NATIVE_UINT64, found);
    assert_true(found[0] == 18446744073709551614u && found[1] == 7 && found[2] == 5);
    read_set(file, "PartType1/ParticleIDs", H5T_NATIVE_UINT64, found);
    assert_true(found[0] == 3 && found[1] == 12 && found[2] == 0);
    read_set(file, "PartType4/Softening", H5T_NATIVE_DOUBLE, numbers);
    assert_true(numbers[0] == 0.0625 && numbers[1] == 0 && numbers[2] == 0.625);
    read_set(file, "PartType4/Masses", H5T_NATIVE_DOUBLE, numbers);
    assert_true(numbers[0] == 0.125 && numbers[1] == 0.625 && numbers[2] == 1.25);
    read_set(file, "PartType4/Velocities", H5T_NATIVE_DOUBLE, numbers);
    assert_true(numbers[3] == -41 && numbers[4] == 51 && numbers[8] == -62.25);
    H5Fclose(file);
}

/* G in cm^3/g/s^2 is 6.6743e-8: 1 in the units that the file has where nobody knows any, and nobody reads them. */
TEST(units_of_g_1)
{
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(2), back;
    double length, mass, velocity;
    hid_t file;

    expect_written(in_directory("g.hdf5"), &b);
    file = H5Fopen(in_directory("g.hdf5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    length = attribute(file, "Units", "UnitLength_in_cm", 0);
    mass = attribute(file, "Units", "UnitMass_in_g", 0);
    velocity = attribute(file, "Units", "UnitVelocity_in_cm_per_s", 0);
    H5Fclose(file);
    expect_near(6.6743e-8 * mass / (length * velocity * velocity), 1, 1e-14);
    back = read_bodies(in_directory("g.hdf5"));
    assert_true(back.units.length == 0 && back.units.mass == 0 && back.units.velocity == 0);
}

static void put_number(hid_t group, const char *name, double value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(group, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);

    assert_true(a >= 0 && H5Awrite(a, H5T_NATIVE_DOUBLE, &value) >= 0);
    H5Aclose(a);
    H5Sclose(space);
}

/* GADGET-4's softening: one value for each type of particles; and its flag of comoving runs. */
IO_TEST(hdf5_parameters)
{
    penta_io_bodies b = make_bodies(2), back;
    hid_t file, group;

    expect_written(in_directory("p.hdf5"), &b);
    file = H5Fopen(in_directory("p.hdf5"), H5F_ACC_RDWR, H5P_DEFAULT);
    group = H5Gcreate2(file, "Parameters", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_number(group, "SofteningClassOfPartType1", 2);
    put_number(group, "SofteningComovingClass2", 0.25);
    put_number(group, "SofteningMaxPhysClass2", 0.125);
    put_number(group, "ComovingIntegrationOn", 0);
    back = read_bodies(in_directory("p.hdf5"));
    assert_true(back.softening && back.softening[0] == 0.125 && back.softening[1] == 0.125);
    penta_io_bodies_free(&back);
    H5Adelete(group, "ComovingIntegrationOn");
    put_number(group, "ComovingIntegrationOn", 1);
    H5Gclose(group);
    H5Fclose(file);
    assert_false(penta_io_bodies_read(in_directory("p.hdf5"), &back, &err));
    assert_non_null(strstr(err.text, "cosmological (comoving) run, redshift 0"));
    penta_io_bodies_free(&b);
}

/* Units where SWIFT and GADGET-4 have them; ids and softening that one type lacks. */
TEST(hdf5_of_others)
{
    penta_io_bodies b = make_full(N), back;
    hid_t file, group;

    expect_written(in_directory("o.hdf5"), &b);
    file = H5Fopen(in_directory("o.hdf5"), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, "Units", H5P_DEFAULT);
    group = H5Gcreate2(file, "Units", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_number(group, "Unit length in cgs (U_L)", 8);
    put_number(group, "Unit mass in cgs (U_M)", 3);
    put_number(group, "Unit time in cgs (U_t)", 2);
    H5Gclose(group);
    H5Ldelete(file, "PartType3/Softening", H5P_DEFAULT);
    H5Fclose(file);
    back = read_bodies(in_directory("o.hdf5"));
    assert_true(back.units.length == 8 && back.units.mass == 3 && back.units.velocity == 4);
    assert_non_null(back.id);
    assert_null(back.softening);
    assert_non_null(strstr(back.note, "its softening is not a number for each particle"));
    penta_io_bodies_free(&back);
    file = H5Fopen(in_directory("o.hdf5"), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, "Units", H5P_DEFAULT);
    group = H5Gcreate2(file, "Parameters", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_number(group, "UnitLength_in_cm", 5);
    put_number(group, "UnitMass_in_g", 6);
    put_number(group, "UnitVelocity_in_cm_per_s", 7);
    H5Gclose(group);
    H5Ldelete(file, "PartType0/ParticleIDs", H5P_DEFAULT);
    H5Fclose(file);
    back = read_bodies(in_directory("o.hdf5"));
    assert_true(back.units.length == 5 && back.units.mass == 6 && back.units.velocity == 7);
    assert_null(back.id);
    assert_non_null(strstr(back.note, "its ParticleIDs are not a whole number for each particle"));
    penta_io_bodies_free(&back);
    penta_io_bodies_free(&b);
}

#endif

IN_DIRECTORY;
