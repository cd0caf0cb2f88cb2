/* Bodies in every format: what is written is read back, names and contents that are none, bad numbers, published files.
 */
#define _XOPEN_SOURCE 700 /* M_PI */

#include <dirent.h>

#include "body_files.h"

#include <pentacl/io/array.h>

#ifdef PENTA_HAVE_HDF5
#define LAST 11
#else
#define LAST 9
#endif

static const char *const names[] = {"b.npy", "b.csv",    "b.tab", "b.txt",  "b.mpv", "b.tipsy",
                                    "b.bin", "b.gadget", "b.g2",  "b.hdf5", "b.h5"};

static bool is_float(const char *name)
{
    return strstr(name, ".tipsy") || strstr(name, ".bin") || strstr(name, ".g");
}

static bool keeps_time(const char *name)
{
    return is_float(name) || strstr(name, ".mpv") || strstr(name, ".h") || strstr(name, ".csv");
}

static void expect_written(const char *path, const penta_io_bodies *b)
{
    penta_io_error err = {""};

    EXPECT_IO(penta_io_bodies_write(path, b, &err), err);
}

static void expect_not_written(const char *path, const penta_io_bodies *b, const char *what)
{
    penta_io_error err = {""};

    if (penta_io_bodies_write(path, b, &err))
        fail_msg("%s was written, but should fail with '%s'", path, what);
    if (strncmp(err.text, path, strlen(path)) != 0 || !strstr(err.text, what) || strchr(err.text, '\n'))
        fail_msg("the error '%s' should name the file and say '%s'", err.text, what);
}

/* ---- round trips ---- */

TEST(written_bodies_read_back)
{
    static const size_t sizes[] = {1, 2, 3000}; /* 3000: more than a buffer */

    for (size_t s = 0; s < COUNT(sizes); s++)
        for (size_t i = 0; i < LAST; i++) {
            HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(sizes[s]);
            const char *path = in_directory(names[i]);

            expect_written(path, &b);
            expect_made(path, b.n, keeps_time(names[i]) ? 1.5 : 0);
        }
}

/* Numbers that need all their digits, and the odd ones. */
TEST(every_bit_is_kept)
{
    double rows[4 * 7] = {0.1,
                          1.0 / 3,
                          -2.0 / 3,
                          5e-324,
                          2.2250738585072014e-308,
                          1.7976931348623157e308,
                          -0.0,
                          0,
                          1e-300,
                          -1e300,
                          1e22,
                          1e23,
                          123456789.123456789,
                          9007199254740993.0,
                          1e-45,
                          0.3,
                          0.7,
                          1e-5,
                          -1e-5,
                          1e15,
                          1e16,
                          M_PI,
                          M_E,
                          -M_PI,
                          -M_E,
                          -M_LN2,
                          M_SQRT2,
                          -M_SQRT2};
    penta_io_bodies b = {.n = 4, .rows = rows, .time = 0.1};

    for (size_t i = 0; i < LAST; i++) {
        if (is_float(names[i]))
            continue;
        expect_written(in_directory(names[i]), &b);
        expect_bodies(in_directory(names[i]), 4, rows, keeps_time(names[i]) ? 0.1 : 0);
    }
}

TEST(float_formats_round_to_nearest)
{
    double rows[7] = {0.1, 1.0 / 3, -2.0 / 3, 1e-30, 16777217, 3.4e38, -0.0};
    double rounded[7];
    penta_io_bodies b = {.n = 1, .rows = rows, .time = 0.1};

    for (size_t k = 0; k < 7; k++)
        rounded[k] = (float)rows[k];
    for (size_t i = 0; i < LAST; i++) {
        if (!is_float(names[i]))
            continue;
        expect_written(in_directory(names[i]), &b);
        expect_bodies(in_directory(names[i]), 1, rounded, 0.1); /* the time is a float64 */
    }
}

TEST(what_is_lost_is_said)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *loss = penta_io_bodies_loss(names[i]);

        if (is_float(names[i]))
            assert_non_null(strstr(loss, "float32"));
        else if (keeps_time(names[i]))
            assert_null(loss);
        else
            assert_string_equal(loss, "a time that no file gave");
    }
    assert_null(penta_io_bodies_loss("b.png"));
}

/* ---- names ---- */

IO_TEST(names)
{
    static const char *const bad[] = {"b", "b.png", "npy", ".npy", "dir.npy/b", "b.npy.gz", "b.", ""};
    penta_io_bodies b = make_bodies(1);

    for (size_t i = 0; i < LAST; i++)
        assert_true(penta_io_bodies_can_write(names[i], &err));
    assert_true(penta_io_bodies_can_write("dir.x/B.NPY", &err));
    assert_string_equal(err.text, "");
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(penta_io_bodies_can_write(bad[i], &err));
        assert_non_null(strstr(err.text, "does not say in which format"));
        expect_not_written(
            bad[i], &b,
            "end it in .npy, .hdf5 or .h5 (GADGET's HDF5), .tipsy or .bin (tipsy), .gadget or .g2 (GADGET-2), "
            ".csv, .tab or .txt (NBabel), .mpv");
    }
#ifndef PENTA_HAVE_HDF5
    expect_not_written(in_directory("b.h5"), &b, "install libhdf5-dev");
    expect_refused(write_file("b.h5", "\x89HDF\r\n\x1a\n", 8), "install libhdf5-dev");
#endif
    penta_io_bodies_free(&b);
    penta_io_bodies_free(&b);
}

/* The format of a file is not told by its name. */
TEST(contents_decide)
{
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(3);

    for (size_t i = 0; i < LAST; i++) {
        const char *path = in_directory(names[i]);
        const char *other = in_directory("other.dat");

        expect_written(path, &b);
        assert_int_equal(rename(path, other), 0);
        expect_made(other, 3, keeps_time(names[i]) ? 1.5 : 0);
    }
}

/* ---- bad numbers ---- */

TEST(bad_bodies_are_not_written)
{
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(5);
    const char *path;

    for (size_t i = 0; i < LAST; i++) {
        penta_io_bodies none = {.rows = b.rows};

        path = in_directory(names[i]);
        unlink(path);
        expect_not_written(path, &none, "no bodies to write");
        b.rows[2 * 7 + 5] = NAN;
        expect_not_written(path, &b, "body 3 of 5: vy is nan");
        b.rows[2 * 7 + 5] = -INFINITY;
        expect_not_written(path, &b, "body 3 of 5: vy is -inf");
        b.rows[2 * 7 + 5] = 1;
        b.rows[4 * 7] = -0.5;
        expect_not_written(path, &b, "body 5 of 5: its mass is negative (-0.5)");
        b.rows[4 * 7] = 0;
        b.time = NAN;
        expect_not_written(path, &b, "its time is nan");
        b.time = 0;
        b.rows[7 + 1] = 1e39;
        if (is_float(names[i]))
            expect_not_written(path, &b, "body 2 of 5: x is 1e+39, beyond the float32");
        b.rows[7 + 1] = 0;
        b.rows[7] = 1e-60;
        if (is_float(names[i]))
            expect_not_written(path, &b, "body 2 of 5: mass is 1e-60, beyond the float32");
        b.rows[7] = 1;
        assert_int_not_equal(access(path, F_OK), 0);
    }
}

TEST(masses_of_zero_are_fine)
{
    double rows[14] = {0, 1, 2, 3, 4, 5, 6, 1, -1, -2, -3, -4, -5, -6};
    penta_io_bodies b = {.n = 2, .rows = rows};

    for (size_t i = 0; i < LAST; i++) {
        expect_written(in_directory(names[i]), &b);
        expect_bodies(in_directory(names[i]), 2, rows, 0);
    }
}

/* ---- where it cannot be written ---- */

TEST(full_disk)
{
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(2000);
    char name[256];

    if (access("/dev/full", W_OK) != 0)
        leave_out_test("there is no /dev/full");
    for (size_t i = 0; i < LAST; i++) {
        snprintf(name, sizeof name, "%s", in_directory(names[i]));
        unlink(name);
        assert_int_equal(symlink("/dev/full", name), 0);
        expect_not_written(name, &b, "No space left");
        unlink(name);
        expect_not_written(in_directory("none/b.csv"), &b, "directory does not exist");
    }
}

/* A writer's file appears only when it is whole, and nothing else appears beside it. */
TEST(only_the_file_is_made)
{
    HELD_BY(penta_io_bodies_free) penta_io_bodies b = make_bodies(10);
    const char *dir = in_directory("alone");
    size_t files = 0;
    struct dirent *entry;
    DIR *d;

    assert_int_equal(mkdir(dir, 0777), 0);
    assert_int_equal(chdir(dir), 0);
    for (size_t i = 0; i < LAST; i++)
        expect_written(names[i], &b);
    d = opendir(".");
    assert_non_null(d);
    while ((entry = readdir(d)))
        files += entry->d_name[0] != '.';
    closedir(d);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(files, LAST);
}

/* ---- NPY ---- */

static const char *npy_file(const char *descr, const char *order, const char *shape, const bytes *data)
{
    static bytes file;
    char header[128];
    int length =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape);

    file = (bytes){0};
    add_bytes(&file, "\x93NUMPY\1\0", 8);
    add_bytes(&file, (const unsigned char[]){(unsigned char)length, 0}, 2);
    add_bytes(&file, header, (size_t)length);
    add_bytes(&file, data->at, data->size);
    return write_bytes("a.npy", &file);
}

TEST(npy_orders_and_types)
{
    static const char *const descr[] = {"<f4", ">f4", "<f8", ">f8"};
    static bytes data;

    for (size_t i = 0; i < COUNT(descr); i++)
        for (int fortran = 0; fortran < 2; fortran++) {
            data = (bytes){.big = descr[i][0] == '>'};
            for (size_t n = 0; n < 21; n++) {
                double value = fortran ? body_value(n % 3, n / 3) : body_value(n / 7, n % 7);

                descr[i][2] == '4' ? add_f32(&data, value) : add_f64(&data, value);
            }
            expect_made(npy_file(descr[i], fortran ? "True" : "False", "(3, 7)", &data), 3, 0);
        }
}

TEST(npy_refused)
{
    static bytes data;

    for (size_t i = 0; i < 56; i++)
        add_f64(&data, 1);
    expect_refused(npy_file("<f8", "False", "(7, 8)", &data), "7 x 8 f64; bodies are n x 7");
    expect_refused(npy_file("<f8", "False", "(56,)", &data), "bodies are an array of n x 7");
    expect_refused(npy_file("<f8", "False", "(0, 7)", &(bytes){0}), "the array is empty");
    expect_refused(npy_file("<f8", "False", "(2, 4, 7)", &data), "stack of 2 arrays");
    expect_refused(npy_file("<u2", "False", "(32, 7)", &data), "32 x 7 u16");
    expect_refused(npy_file("<f8", "False", "(9, 7)", &data), "only 448 bytes follow it");
    expect_refused(npy_file("<f8", "False", "(999999999999, 7)", &data), "only 448 bytes follow it");
    set_f64(&data, 8 * (7 * 7 + 3), NAN);
    expect_refused(npy_file("<f8", "False", "(8, 7)", &data), "body 8 of 8: z is nan");
    set_f64(&data, 8 * (7 * 7 + 3), 0);
    set_f64(&data, 8 * (7 * 3), -2);
    expect_refused(npy_file("<f8", "False", "(8, 7)", &data), "body 4 of 8: its mass is negative (-2)");
}

/* ---- files that are none ---- */

TEST(what_is_no_file_of_bodies)
{
    expect_refused(in_directory("nothing"), "no such file");
    expect_refused(test_directory, "is a directory");
    expect_refused(write_file("x", "", 0), "empty (0 bytes)");
    expect_refused(write_file("x", "\x1f\x8b\x08\0\0\0", 6), "unknown format (its first bytes are 1f 8b 08 00 00 00)");
    expect_refused(write_file("x", "\x89PNG\r\n\x1a\n", 8), "tipsy, GADGET-2, CSV, NBabel");
    expect_refused(write_file("x",
                              "\xff\xfe"
                              "1\0 \0",
                              6),
                   "UTF-16");
    expect_refused(write_file("x", "\0", 1), "unknown format (its first bytes are 00)");
}

/* ---- published files ---- */

typedef struct {
    const char *name;
    size_t n;
    double mass, tolerance;
    double first[7], last[7];
} published;

static const published files[] = {
    {"nbabel_input16",
     16,
     1,
     0,
     {0.0625, 0.214835865608654947, -0.120469325327368135, -0.2661811268232539, 0.757849421156586822,
      0.157644506165220161, -0.0715602005208729741},
     {0}},
    {"nbabel_input64", 64, 1, 0, {0}, {0}},
    {"nbabel_input256",
     256,
     1,
     0,
     {0.00390625, 1.76151032191638013, -1.35113833105027936, 0.9207071873505982, -0.16193492553033631,
      0.0440284476068437958, -0.278651904257709637},
     {0}},
    {"figure8.mpv",
     3,
     3,
     0,
     {1, -0.97000436, 0.24308753, 0, -0.4662036850, -0.4323657300, 0},
     {1, 0, 0, 0, 0.93240737, 0.86473146, 0}},
    {"pyth.mpv", 3, 12, 0, {3, 1, 3, 0, 0, 0, 0}, {5, 1, -1, 0, 0, 0, 0}},
    {"iau25.data",
     25,
     1,
     1e-15,
     {0.04, -0.1435339019209158e+1, -0.1196080394997535e+1, -0.1040917038416441e+1, 0, 0, 0},
     {0.04, 0.3721617599346991, 1.8110433032708357, 1.6758620285777291, 0, 0, 0}},
    /* The first record of the galaxy, in hexadecimal: 35eb2e3d d096f13e 1852e03d 2007663f 1cc4c03f b7c84ebe 6696583e */
    {"galaxy_20K.bin",
     20000,
     106.762 + 24.155,
     1e-3,
     {0x1.5dd66ap-5, 0x1.e32dap-2, 0x1.c0a43p-4, 0x1.cc0e4p-1, 0x1.818838p0, -0x1.9d916ep-3, 0x1.b12cccp-3},
     {0}},
};

static void expect_row(const published *file, const double *row, const double *expected)
{
    for (size_t k = 0; k < 7 && expected[0] > 0; k++)
        if (fabs(row[k] - expected[k]) > 1e-15 * fabs(expected[k]))
            fail_msg("%s: column %zu is %.17g instead of %.17g", file->name, k, row[k], expected[k]);
}

static void check_published(const char *directory, const published *file)
{
    char path[4096];
    double mass = 0;
    HELD_BY(penta_io_bodies_free) penta_io_bodies b;

    snprintf(path, sizeof path, "%s/nbody/%s", directory, file->name);
    b = read_bodies(path);
    assert_int_equal(b.n, file->n);
    assert_true(b.time == 0);
    for (size_t i = 0; i < b.n; i++)
        mass += b.rows[7 * i];
    if (fabs(mass - file->mass) > file->tolerance)
        fail_msg("%s: the mass is %.17g instead of %.17g", file->name, mass, file->mass);
    expect_row(file, b.rows, file->first);
    expect_row(file, b.rows + 7 * (b.n - 1), file->last);
}

/* 2500 bodies of dark matter, then 17500 stars, all within 273 of the origin. */
static void check_galaxy(const char *directory)
{
    char path[4096];
    double dark = 0;
    double stars = 0;
    double most = 0;
    HELD_BY(penta_io_bodies_free) penta_io_bodies b;

    snprintf(path, sizeof path, "%s/nbody/galaxy_20K.bin", directory);
    b = read_bodies(path);
    for (size_t i = 0; i < b.n; i++) {
        *(i < 2500 ? &dark : &stars) += b.rows[7 * i];
        for (size_t k = 1; k < 4; k++)
            most = fmax(most, fabs(b.rows[7 * i + k]));
    }
    assert_true(fabs(dark - 106.762) < 1e-3);
    assert_true(fabs(stars - 24.155) < 1e-3);
    assert_true(most > 250 && most < 273);
}

TEST(published_files)
{
    const char *directory = getenv("PENTACL_TEST_DATA");
    char path[4096];

    if (!directory || !*directory) {
        leave_out_test("PENTACL_TEST_DATA names no directory with nbody/");
    }
    for (size_t i = 0; i < COUNT(files); i++)
        check_published(directory, &files[i]);
    check_galaxy(directory);
    snprintf(path, sizeof path, "%s/nbody/3body.tab", directory);
    expect_refused(path, "line 12 has 6 fields");
    snprintf(path, sizeof path, "%s/nbody/iau25-tr.tab", directory);
    expect_refused(path, "line 5: the number of bodies is 0");
}

IN_DIRECTORY;
