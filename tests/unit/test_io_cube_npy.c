/* Cubes in NPY files, and what holds of cubes of every format: selections, bounds, unknown files. */

#include "cube_files.h"

static const char *const kinds[] = {[PENTA_U8] = "u1",  [PENTA_U16] = "u2", [PENTA_F32] = "f4", [PENTA_F64] = "f8",
                                    [PENTA_I64] = "i8", [PENTA_I32] = "i4", [PENTA_I16] = "i2", [PENTA_U32] = "u4"};

/* An NPY file with this dictionary. */
static const char *npy_file(const char *name, const char *dictionary, const void *data, size_t bytes)
{
    static unsigned char file[1 << 16];
    size_t length = strlen(dictionary);

    assert_true(10 + length + bytes <= sizeof file);
    memcpy(file, "\x93NUMPY\1\0", 8);
    file[8] = (unsigned char)length;
    file[9] = (unsigned char)(length >> 8);
    memcpy(file + 10, dictionary, length);
    if (bytes > 0)
        memcpy(file + 10 + length, data, bytes);
    return write_file(name, file, 10 + length + bytes);
}

static const char *shaped_file(const char *descr, bool fortran, const char *shape, const void *data, size_t bytes)
{
    char dictionary[256];

    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr,
             fortran ? "True" : "False", shape);
    return npy_file("a.npy", dictionary, data, bytes);
}

TEST(all_types_and_orders)
{
    static unsigned char data[ELEMENTS * 8];
    char shape[64];

    snprintf(shape, sizeof shape, "(%d, %d, %d)", BANDS, ROWS, COLS);
    for (size_t t = 0; t < COUNT(cube_types); t++)
        for (int big = 0; big < 2; big++)
            for (int fortran = 0; fortran < 2; fortran++) {
                penta_type type = cube_types[t];
                size_t bytes = fill_cube(type, fortran ? "crb" : "brc", big, data);
                char descr[8];

                snprintf(descr, sizeof descr, "%c%s", type == PENTA_U8 ? '|' : big ? '>' : '<', kinds[type]);
                expect_cube(shaped_file(descr, fortran, shape, data, bytes), NULL, type,
                            fortran ? PENTA_BIP : PENTA_BSQ);
            }
}

/* The indices may be bands, rows and columns in any order; elements are found all the same. */
TEST(axes)
{
    static const int c_layouts[] = {PENTA_BSQ, PENTA_BIL, PENTA_BIP, PENTA_BIP, PENTA_BSQ, PENTA_BSQ};
    static unsigned char data[ELEMENTS * 8];

    for (size_t k = 0; k < COUNT(orders); k++)
        for (int fortran = 0; fortran < 2; fortran++) {
            const char *memory = orders[k]; /* the slowest first */
            char axes[4] = {memory[fortran ? 2 : 0], memory[1], memory[fortran ? 0 : 2], 0};
            const penta_io_cube_hints hints = {.axes = axes};
            size_t n[128] = {['b'] = BANDS, ['r'] = ROWS, ['c'] = COLS};
            size_t bytes = fill_cube(PENTA_I32, memory, true, data);
            char shape[64];

            snprintf(shape, sizeof shape, "(%zu, %zu, %zu)", n[(int)axes[0]], n[(int)axes[1]], n[(int)axes[2]]);
            expect_cube(shaped_file(">i4", fortran, shape, data, bytes), &hints, PENTA_I32, c_layouts[k]);
        }
}

/* i8, f16 and 64-bit integers are read as wider types that hold the same numbers, or the read fails. */
IO_TEST(widened)
{
    static const struct {
        const char *descr, *bytes; /* of two elements */
        penta_type type;
        double first, second;
    } cases[] = {{"|i1", "\x80\x7f", PENTA_I16, -128, 127},
                 {"<f2", "\x00\xc1\x01\x00", PENTA_F32, -2.5, 0x1p-24},
                 {">f2", "\x7b\xff\x7c\x00", PENTA_F32, 65504, (double)INFINITY},
                 {"<i8", "\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\x20\0", PENTA_F64, -1, 0x1p53},
                 {">i8", "\xff\xe0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02", PENTA_F64, -0x1p53, 2},
                 {"<u8", "\xff\xff\xff\xff\xff\xff\x1f\0\x03\0\0\0\0\0\0\0", PENTA_F64, 0x1p53 - 1, 3},
                 {"<u8", "\x01\0\0\0\0\0\x20\0\x03\0\0\0\0\0\0\0", PENTA_F64, (double)NAN, 0},
                 {"<i8", "\xff\xff\xff\xff\xff\xff\xdf\xff\x03\0\0\0\0\0\0\0", PENTA_F64, (double)NAN, 0}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t size = (size_t)(cases[i].descr[2] - '0');
        HELD_BY(penta_io_cube_held)
        penta_io_cube *cube =
            open_cube(shaped_file(cases[i].descr, false, "(1, 1, 2)", cases[i].bytes, 2 * size), NULL);
        double room[2];

        assert_int_equal(penta_io_cube_about(cube)->type, cases[i].type);
        if (isnan(cases[i].first)) {
            assert_false(penta_io_cube_read(cube, 0, 1, room, &err));
            expect_line(&err, in_directory("a.npy"), "9007199254740993, and integers of 64 bits are read up to 2^53");
        } else {
            assert_true(penta_io_cube_read(cube, 0, 1, room, &err));
            assert_true(penta_io_cube_number(cases[i].type, room, 0) == cases[i].first);
            assert_true(penta_io_cube_number(cases[i].type, room, 1) == cases[i].second);
        }
    }
}

TEST(about)
{
    HELD_BY(penta_io_cube_held)
    penta_io_cube *cube = open_cube(shaped_file("<f4", false, "(1, 2, 1)", "12345678", 8), NULL);
    const penta_io_cube_info *a = penta_io_cube_about(cube);

    assert_string_equal(a->format, "NPY");
    assert_false(a->has_no_data);
    assert_null(a->wavelengths);
    assert_int_equal(a->rows, 2);
    penta_io_cube_close(NULL);
}

TEST(refused_arrays)
{
    static const char zeros[64];

    expect_cube_refused(shaped_file("<c8", false, "(1, 1, 1)", zeros, 8), NULL, "complex (<c8); save a.real");
    expect_cube_refused(shaped_file(">c16", false, "(1, 1, 1)", zeros, 16), NULL, "complex (>c16)");
    expect_cube_refused(shaped_file("|b1", false, "(1, 1, 1)", zeros, 1), NULL, "type '|b1' are not supported");
    expect_cube_refused(shaped_file("<i3", false, "(1, 1, 1)", zeros, 3), NULL, "save a.astype('<f8')");
    expect_cube_refused(shaped_file("", false, "(1, 1, 1)", zeros, 2), NULL, "type '' are not supported");
    expect_cube_refused(shaped_file("<f4", false, "(1, 1)", zeros, 4), NULL, "has 2 dimensions; a cube has 3");
    expect_cube_refused(shaped_file("<f4", false, "(1, 1, 1, 1)", zeros, 4), NULL, "has 4 dimensions");
    expect_cube_refused(shaped_file("<f4", false, "(1,)", zeros, 4), NULL, "has 1 dimension;");
    expect_cube_refused(shaped_file("<f4", false, "(0, 2, 2)", zeros, 0), NULL, "empty (0 bands of 2 rows x 2");
    expect_cube_refused(shaped_file("<f4", false, "(2, 0, 2)", zeros, 0), NULL, "empty (2 bands of 0 rows x 2");
    expect_cube_refused(shaped_file("<f4", false, "(2, 2, 0)", zeros, 0), NULL, "the cube is empty");
    expect_cube_refused(shaped_file("<f4", false, "(2, 2, 2)", zeros, 31), NULL, "only 31 bytes follow it");
    expect_cube_refused(shaped_file("<f4", true, "(2, 2, 2)", zeros, 31), NULL, "only 31 bytes follow it");
    expect_cube_refused(shaped_file("<f4", false, "(2, 2, 2)", zeros, 33), NULL, "1 bytes follow the array");
    expect_cube_refused(shaped_file("<f8", false, "(4294967296, 4294967296, 4294967296)", zeros, 8), NULL,
                        "only 8 bytes follow it");
    expect_cube_refused(shaped_file("<f8", false, "(2305843009213693952, 1, 1)", zeros, 8), NULL,
                        "only 8 bytes follow it");
    expect_cube_refused(shaped_file("<f8", false, "(0, 9223372036854775807, 2)", zeros, 8), NULL, "empty (0 bands");
    expect_cube_refused(npy_file("a.npy", "{'descr': 5}\n", zeros, 8), NULL, "cannot be understood");
}

TEST(cut_files)
{
    const char *path = shaped_file("<u2", false, "(2, 2, 2)", "0123456789abcdef", 16);
    size_t size;
    HELD unsigned char *data = read_file(path, &size);

    for (size_t n = 0; n < size; n++)
        expect_cube_refused(write_file("cut.npy", data, n), NULL,
                            n == 0  ? "empty (0 bytes)"
                            : n < 6 ? ""
                                    : "truncated");
}

static long long file_size(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

/* A file that shrinks after it was opened. */
IO_TEST(shrinking_file)
{
    const char *path = shaped_file("<u2", false, "(2, 2, 2)", "0123456789abcdef", 16);
    HELD_BY(penta_io_cube_held) penta_io_cube *cube = open_cube(path, NULL);
    uint16_t rows[8];

    stretch_file(path, file_size(path) - 2); /* row 1 of band 1 */
    assert_true(penta_io_cube_read(cube, 0, 1, rows, &err));
    assert_false(penta_io_cube_read(cube, 0, 2, rows, &err));
    expect_line(&err, path, "rows 0 to 1 (from 0) cannot be read; the file shrank");
}

static void expect_selection_refused(penta_io_cube *cube, const char *path, const selection *s, const char *what)
{
    penta_io_error err = {""};

    assert_false(penta_io_cube_select(cube, s->n ? s->bands : NULL, s->n, s->x, s->y, s->width, s->height, &err));
    expect_line(&err, path, what);
}

IO_TEST(refused_selections)
{
    static unsigned char data[ELEMENTS * 8];
    char shape[64];
    const char *path;
    HELD_BY(penta_io_cube_held) penta_io_cube *cube = NULL;
    uint8_t rows[ELEMENTS];

    snprintf(shape, sizeof shape, "(%d, %d, %d)", BANDS, ROWS, COLS);
    path = shaped_file("|u1", false, shape, data, fill_cube(PENTA_U8, "brc", false, data));
    cube = open_cube(path, NULL);
    select_part(cube, &(selection){.bands = {2, 3}, .n = 2, .x = 1, .y = 2, .width = 2, .height = 3});
    expect_selection_refused(cube, path, &(selection){.bands = {1, BANDS}, .n = 2}, "has no band 5 (they are 0 to 4)");
    expect_selection_refused(cube, path, &(selection){.bands = {SIZE_MAX}, .n = 1}, "has no band");
    expect_selection_refused(cube, path, &(selection){.x = 1, .width = COLS, .height = 1}, "leaves the cube");
    expect_selection_refused(cube, path, &(selection){.y = ROWS, .width = 1, .height = 1}, "leaves the cube");
    expect_selection_refused(cube, path, &(selection){.x = 1, .width = SIZE_MAX, .height = 1}, "leaves the cube");
    expect_selection_refused(cube, path, &(selection){.y = 1, .width = 1, .height = SIZE_MAX}, "leaves the cube");
    expect_selection_refused(cube, path, &(selection){.width = 1}, "1 x 0 pixels holds none");
    expect_selection_refused(cube, path, &(selection){.height = 1}, "0 x 1 pixels holds none");
    /* what was selected before stays */
    expect_rows(cube, &(selection){.bands = {2, 3}, .n = 2, .x = 1, .y = 2, .width = 2, .height = 3}, 0, 3);
    assert_true(penta_io_cube_read(cube, 3, 0, rows, &err));
    assert_false(penta_io_cube_read(cube, 2, 2, rows, &err));
    expect_line(&err, path, "2 rows from 2 on were asked for, but there are 3");
    assert_false(penta_io_cube_read(cube, 4, 0, rows, &err));
    assert_false(penta_io_cube_read(cube, 1, SIZE_MAX, rows, &err));
}

TEST(unusable_files)
{
    expect_cube_refused(in_directory("nothing"), NULL, "no such file");
    expect_cube_refused(test_directory, NULL, "is a directory");
    expect_cube_refused(write_file("empty", "", 0), NULL, "empty (0 bytes)");
    expect_cube_refused(shaped_file("<f4", false, "(1, 1, 1)", "1234", 4), &(penta_io_cube_hints){.variable = "Y"},
                        "is no MATLAB file");
    expect_cube_refused(shaped_file("<f4", false, "(1, 1, 1)", "1234", 4), &(penta_io_cube_hints){.rows = 1, .cols = 1},
                        "is no MATLAB file");
#ifndef PENTA_HAVE_GDAL
    expect_cube_refused(write_file("text", "some text", 9), NULL, "install libgdal-dev");
#else
    expect_cube_refused(write_file("text", "some text", 9), NULL, "unknown format, or damaged");
#endif
}

IN_DIRECTORY;
