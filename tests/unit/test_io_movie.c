/* Movies in NPY and without a header, and files that are no movies. */

#include "movie_files.h"

#include <pentacl/io/array.h>

static const char *const npy_kinds[] = {"u1", "u2", "i2", "u4", "i4", "f4", "f8"};

/* An NPY file of any header; spare: bytes by which the array comes behind a multiple of 64. */
static const char *npy_file(const char *descr, bool fortran, const char *shape, size_t spare, const void *data,
                            size_t size)
{
    static unsigned char file[1 << 16];
    char *text = (char *)file + 10;
    size_t header = 128 - 10 + spare;
    int n = snprintf(text, header, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr,
                     fortran ? "True" : "False", shape);

    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (unsigned char)header;
    file[9] = 0;
    memset(text + n, ' ', header - (size_t)n);
    text[header - 1] = '\n';
    memcpy(text + header, data, size);
    return write_file("a.npy", file, 10 + header + size);
}

TEST(npy)
{
    static unsigned char data[ELEMENTS * 8];
    char shape[64];

    snprintf(shape, sizeof shape, "%d, %d, %d", FRAMES, ROWS, COLS);
    for (size_t t = 0; t < COUNT(cube_types); t++)
        for (int big = 0; big < 2; big++)
            for (int fortran = 0; fortran < 2; fortran++)
                for (size_t spare = 0; spare < 2; spare++) { /* 1: numbers that lie where they cannot be used */
                    size_t size = fill_cube(cube_types[t], fortran ? "crb" : "brc", big, data);
                    char descr[8];

                    snprintf(descr, sizeof descr, "%c%s", t == 0 ? '|' : big ? '>' : '<', npy_kinds[t]);
                    expect_movie(npy_file(descr, fortran, shape, spare, data, size), NULL, cube_types[t], "NPY");
                }
}

/* More frames than are turned at a time, in odd numbers. */
TEST(long_fortran)
{
    enum { N = 77, H = 3, W = 2 };
    static uint16_t data[N * H * W];
    HELD_BY(penta_io_movie_close) penta_io_movie m;

    for (size_t i = 0; i < N * H * W; i++)
        data[i] = (uint16_t)i;
    m = open_movie(npy_file("<u2", true, "77, 3, 2", 0, data, sizeof data), NULL);
    assert_int_equal(m.frames, N);
    for (size_t f = 0; f < N; f++)
        for (size_t i = 0; i < H * W; i++)
            assert_int_equal(((const uint16_t *)m.data[f])[i], f + N * (i / W + H * (i % W)));
}

TEST(npy_refused)
{
    static const unsigned char zeros[256];

    expect_movie_refused(npy_file("<u2", false, "2, 3, 4", 0, zeros, 47), NULL, "asks for 2 frames of 4 x 3 pixels");
    expect_movie_refused(npy_file("<u2", true, "2, 3, 4", 0, zeros, 47), NULL, "only 47 bytes follow");
    expect_movie_refused(npy_file("<u2", false, "2, 3, 4", 0, zeros, 49), NULL, "1 bytes follow the array");
    expect_movie_refused(npy_file("<u2", false, "0, 3, 4", 0, zeros, 0), NULL, "is empty (0 frames of 4 x 3)");
    expect_movie_refused(npy_file("<u2", false, "4, 0, 4", 0, zeros, 0), NULL, "is empty");
    expect_movie_refused(npy_file("<u2", false, "3, 4", 0, zeros, 24), NULL, "a movie has 3 (frames, height, width)");
    expect_movie_refused(npy_file("<c8", false, "2, 3, 4", 0, zeros, 192), NULL, "complex");
    expect_movie_refused(npy_file("|i1", false, "2, 3, 4", 0, zeros, 24), NULL, "'|i1' are not supported");
    expect_movie_refused(npy_file("<i8", false, "2, 3, 4", 0, zeros, 192), NULL, "'<i8' are not supported");
    expect_movie_refused(npy_file("|b1", false, "2, 3, 4", 0, zeros, 24), NULL, "'|b1' are not supported");
    expect_movie_refused(npy_file("<u2", false, "4294967296, 4294967296, 4", 0, zeros, 24), NULL, "truncated");
    expect_movie_refused(npy_file("<u2", false, "2, 3, 4", 0, zeros, 48), &(penta_io_movie_hints){.variable = "Y"},
                         "only MATLAB files have variables");
}

/* ---- raw ---- */

TEST(raw)
{
    static unsigned char data[ELEMENTS * 8];

    for (size_t t = 0; t < COUNT(cube_types); t++)
        for (int big = 0; big < 2; big++)
            for (int counted = 0; counted < 2; counted++) {
                size_t size = fill_cube(cube_types[t], "brc", big, data);
                char text[64];

                snprintf(text, sizeof text, counted ? "%dx%dx%d:%s%s" : "%dx%d%.0d:%s%s", COLS, ROWS,
                         counted ? FRAMES : 0, penta_type_name(cube_types[t]), big ? "be" : "le");
                expect_movie(write_file("a.raw", data, size), &(penta_io_movie_hints){.raw = text}, cube_types[t],
                             "raw");
            }
    fill_cube(PENTA_U8, "brc", false, data);
    expect_movie(write_file("a.raw", data, ELEMENTS), &(penta_io_movie_hints){.raw = "6x7x5:u8"}, PENTA_U8, "raw");
}

TEST(raw_refused)
{
    static const char *const texts[] = {"",           "6",         "6x7",      "6x7:",      "x7x5:u8",
                                        "6x7x:u8",    "6x0x5:u8",  "0x7x5:u8", "6x7x0:u8",  "6x7x5:i8",
                                        "6x7x5:u16",  "6x7x5:f32", "6x7x5:u9", "6x7x5:u8 ", "6x7x5:u16lee",
                                        "6x7x5x1:u8", "-6x7:u8",   "6x7x5,u8", "6 x7:u8",   "2147483648x1:u8"};
    const char *path = write_file("a.raw", "123456", 6);
    penta_io_error err;

    for (size_t i = 0; i < COUNT(texts); i++) {
        penta_io_movie movie;

        assert_false(penta_io_movie_check_raw(texts[i], &err));
        assert_non_null(strstr(err.text, "does not say what raw numbers are"));
        assert_false(penta_io_movie_open(path, &(penta_io_movie_hints){.raw = texts[i]}, &movie, &err));
    }
    assert_true(penta_io_movie_check_raw("100x100x1024:u16le", &err));
    expect_movie_refused(path, &(penta_io_movie_hints){.raw = "2x2:u8"}, "no whole number of frames of 4 bytes");
    expect_movie_refused(path, &(penta_io_movie_hints){.raw = "2x4:u8"}, "no whole number of frames of 8 bytes");
    expect_movie_refused(path, &(penta_io_movie_hints){.raw = "3x1x3:u8"}, "has 6 bytes, not the 3 x 3 of");
    expect_movie_refused(path, &(penta_io_movie_hints){.raw = "3x1x1:u8"}, "has 6 bytes, not the 1 x 3 of");
    expect_movie_refused(path, &(penta_io_movie_hints){.raw = "2147483647x2147483647x2147483647:f64le"}, "has 6 bytes");
    expect_movie_refused(path, &(penta_io_movie_hints){.raw = "3x1:u8", .variable = "Y"}, "no variables");
}

/* ---- reading that ends early ---- */

typedef struct {
    const char *path; /* cut short when pieces are read */
    int asked, stop;  /* how often; the time that says no */
} watch;

static bool look(void *user, const penta_io_movie *m)
{
    watch *w = user;

    assert_true(m->width == 4 && m->height == 3 && m->frames == 2 && m->type == PENTA_U16);
    assert_true((m->data == NULL) == (w->asked == 0));
    if (w->path && w->asked > 0)
        assert_int_equal(truncate(w->path, 150), 0);
    return ++w->asked != w->stop;
}

static void expect_end(bool fortran, watch w, const char *what)
{
    static const unsigned char data[48];
    const char *path = npy_file("<u2", fortran, "2, 3, 4", 0, data, sizeof data);

    w.path = w.path ? path : NULL;
    expect_movie_refused(path, &(penta_io_movie_hints){.goes_on = look, .user = &w}, what);
    assert_true(w.stop == 0 || w.asked >= w.stop);
}

TEST(ends)
{
    for (int fortran = 0; fortran < 2; fortran++) {
        expect_end(fortran, (watch){.stop = 1}, "reading was stopped");
        expect_end(fortran, (watch){.stop = 2}, "reading was stopped");
        expect_end(fortran, (watch){.path = ""}, "the file shrank");
    }
}

/* Larger than memory: 6 GB that take no room on the disk, of which two frames have a number. */
TEST(beyond_4_gb)
{
    enum { N = 6000, SIDE = 1000 };
    const char *path = write_file("large.raw", "", 0);
    penta_io_movie m;
    FILE *f;

    if (sizeof(size_t) < 8)
        return;
    stretch_file(path, (long long)N * SIDE * SIDE);
    f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseeko(f, (off_t)(N - 1) * SIDE * SIDE + 7, SEEK_SET), 0);
    assert_int_equal(putc(9, f), 9);
    assert_int_equal(fclose(f), 0);
    m = open_movie(path, &(penta_io_movie_hints){.raw = "1000x1000:u8"});
    assert_int_equal(m.frames, N);
    assert_int_equal(((const uint8_t *)m.data[N - 1])[7], 9);
    assert_int_equal(((const uint8_t *)m.data[N / 2])[7], 0);
    penta_io_movie_close(&m);
    unlink(path);
}

/* ---- unsupported_formats ---- */

TEST(no_movies)
{
    expect_movie_refused(in_directory("missing.tif"), NULL, "no such file");
    expect_movie_refused(test_directory, NULL, "is a directory");
    expect_movie_refused(write_file("empty.tif", "", 0), NULL, "empty");
    expect_movie_refused(write_file("one.tif", "I", 1), NULL, "is no movie that can be read");
    expect_movie_refused(write_file("text.tif", "some text that is no movie", 26), NULL, "(`raw`)");
    expect_movie_refused(write_file("a.mat", "MATLAB 7.3 MAT-file", 19), NULL, "");
}

IN_DIRECTORY;
