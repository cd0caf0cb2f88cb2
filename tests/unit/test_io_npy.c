/* NPY: every type and byte order, both index orders, the header's grammar, every error, and writing. */

#include "io_files.h"

#include "io/npy_format.h"

/* A file of the given version with this dictionary and these data. */
static const char *npy_file(int version, const char *dictionary, const void *data, size_t size)
{
    unsigned char file[2048] = "\x93NUMPY";
    size_t length = strlen(dictionary);
    size_t n = 8;

    file[6] = (unsigned char)version;
    file[n++] = (unsigned char)length;
    file[n++] = (unsigned char)(length >> 8);
    if (version > 1)
        n += 2;
    assert_true(n + length + size <= sizeof file);
    memcpy(file + n, dictionary, length);
    if (size > 0)
        memcpy(file + n + length, data, size);
    return write_file("a.npy", file, n + length + size);
}

#define HEADER(descr, order, shape) "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }   \n"

/* Turns the elements round when this machine's byte order is not `order`. */
static void to_order(char order, void *data, size_t count, size_t size)
{
    const uint16_t one = 1;
    unsigned char *bytes = data;

    if ((*(const unsigned char *)&one == 1) == (order == '<'))
        return;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < size / 2; k++) {
            unsigned char kept = bytes[i * size + k];

            bytes[i * size + k] = bytes[i * size + size - 1 - k];
            bytes[i * size + size - 1 - k] = kept;
        }
}

TEST(types_and_byte_orders)
{
    static const struct {
        const char *descr;
        penta_type type;
    } cases[] = {{"|u1", PENTA_U8},  {"<u1", PENTA_U8},  {"<u2", PENTA_U16}, {">u2", PENTA_U16},
                 {"<f4", PENTA_F32}, {">f4", PENTA_F32}, {"<f8", PENTA_F64}, {">f8", PENTA_F64}};
    uint8_t u8[6] = {0, 1, 2, 254, 255, 7};
    uint16_t u16[6] = {0, 1, 256, 65534, 65535, 0x1234};
    float f32[6] = {0, -1.5f, 1e30f, NAN, INFINITY, 1e-40f};
    double f64[6] = {0, -1.5, 1e300, NAN, -INFINITY, 5e-324};
    const void *values[] = {[PENTA_U8] = u8, [PENTA_U16] = u16, [PENTA_F32] = f32, [PENTA_F64] = f64};

    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t size = penta_type_size(cases[i].type);
        unsigned char data[48];
        char header[128];

        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (2, 3), }\n", cases[i].descr);
        memcpy(data, values[cases[i].type], 6 * size);
        to_order(cases[i].descr[0] == '>' ? '>' : '<', data, 6, size);
        for (int version = 1; version <= 3; version++)
            expect_pixels(npy_file(version, header, data, 6 * size), 3, 2, cases[i].type, values[cases[i].type]);
    }
    expect_pixels(npy_file(1, HEADER("|b1", "False", "(2, 2)"), "\0\1\377\0", 4), 2, 2, PENTA_U8,
                  (const uint8_t[]){0, 1, 1, 0});
}

/* Types that images do not have become wider ones: every extreme is kept. */
TEST(widened_types)
{
    static const struct {
        const char *descr;
        unsigned char data[3 * 4]; /* little-endian */
        double value[3];
    } cases[] = {
        {"i1", {0x80, 0xff, 0x7f}, {-128, -1, 127}},
        {"<i2", {0, 0x80, 0xff, 0xff, 0xff, 0x7f}, {-32768, -1, 32767}},
        {"<f2", {0xff, 0x7b, 1, 0x80, 0x00, 0xfc}, {65504, -5.9604644775390625e-8, -INFINITY}},
        {"<i4", {0, 0, 0, 0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, {-2147483648.0, -1, 2147483647}},
        {"<u4", {0xff, 0xff, 0xff, 0xff, 1, 0, 0, 1, 0, 0, 0, 0x80}, {4294967295.0, 16777217, 2147483648.0}}};

    for (size_t i = 0; i < COUNT(cases); i++)
        for (int kind = 0; kind < 3; kind++) { /* little-endian, big-endian, by columns */
            char header[128], order = i == 0 ? '|' : kind == 1 ? '>' : '<';
            size_t size = (size_t)(cases[i].descr[strlen(cases[i].descr) - 1] - '0');
            const char *name = cases[i].descr + (i > 0);
            unsigned char data[12];
            penta_io_image image;

            snprintf(header, sizeof header, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (1, 3), }\n", order, name,
                     kind == 2 ? "True" : "False");
            for (size_t k = 0; k < 3 * size; k++)
                data[k] = cases[i].data[kind == 1 ? k / size * size + size - 1 - k % size : k];
            image = expect_image(npy_file(1, header, data, 3 * size), 3, 1, size == 4 ? PENTA_F64 : PENTA_F32);
            for (size_t k = 0; k < 3; k++)
                assert_true(penta_io_image_value(&image, k) == cases[i].value[k]);
            penta_io_image_free(&image);
        }
    expect_pixels(npy_file(1, HEADER("<f2", "False", "(1, 2)"), "\0\x7e\0\x3c", 4), 2, 1, PENTA_F32,
                  (const uint32_t[]){0x7fc00000, 0x3f800000});
    expect_pixels(npy_file(1, HEADER("<i2", "False", "(1, 1, 3)"), "\xff\xff\xff\xff\xff\xff", 6), 1, 1, PENTA_F32,
                  (const float[]){-1}); /* colour */
}

TEST(fortran_order)
{
    uint16_t columns[] = {1, 4, 2, 5, 3, 6}; /* column by column of 1 2 3 / 4 5 6 */
    const char *path;

    to_order('>', columns, 6, 2);
    path = npy_file(1, HEADER(">u2", "True", "(2, 3)"), columns, sizeof columns);
    expect_pixels(path, 3, 2, PENTA_U16, (const uint16_t[]){1, 2, 3, 4, 5, 6});
    expect_error(npy_file(1, HEADER("|u1", "True", "(1, 2, 3)"), "123456", 6), "stack in Fortran order");
}

IO_TEST(stack)
{
    const char *path = npy_file(1, HEADER("|u1", "False", "(3, 1, 2)"), "abcdef", 6);
    HELD_BY(penta_io_reader_held) penta_io_reader *reader = NULL;
    penta_io_image image;

    assert_true(penta_io_reader_open(path, &reader, &err));
    assert_int_equal(penta_io_reader_pages(reader), 3);
    for (size_t page = 3; page-- > 0;) {
        assert_true(penta_io_reader_read(reader, page, &image, &err));
        assert_int_equal(image.width, 2);
        assert_int_equal(image.height, 1);
        assert_memory_equal(image.data, &"abcdef"[2 * page], 2);
        penta_io_image_free(&image);
    }
}

/* One page of a file with these axes; colour: 3 channels are kept. */
static bool read_axes(const char *path, enum penta_io_axes axes, bool colour, penta_io_image *image)
{
    HELD_BY(penta_io_reader_held) penta_io_reader *reader = NULL;
    penta_io_error err = {""};
    bool ok = penta_io_reader_open_axes(path, axes, &reader, &err);

    *image = (penta_io_image){0};
    if (ok && colour)
        penta_io_reader_keep_colour(reader);
    ok = ok && penta_io_reader_read(reader, 0, image, &err);
    if (ok)
        assert_true(axes == PENTA_IO_AXES_AUTO || !penta_io_reader_doubt(reader));
    return ok;
}

/* height x width x 3 or 4: luminance by hand, in every type; the channels as they are; the other byte order. */
TEST(colour)
{
    uint8_t rgba[8] = {10, 20, 30, 99, 200, 100, 50, 1};
    uint16_t wide[6] = {1000, 2000, 3000, 65535, 65535, 65535};
    float real[6] = {0.5F, -1.5F, 2, 0.1F, 0.1F, 0.1F};
    double nan[6] = {1, (double)NAN, 2, 0.3, 0.3, 0.3};
    const char *path = npy_file(1, HEADER("|u1", "False", "(1, 2, 4)"), rgba, sizeof rgba);
    penta_io_image image;

    assert_true(read_axes(path, PENTA_IO_AXES_AUTO, false, &image));
    assert_int_equal(image.width, 2);
    assert_int_equal(image.height, 1);
    assert_memory_equal(image.data, ((uint8_t[]){18, 124}), 2); /* 18.15 and 124.2 */
    penta_io_image_free(&image);
    assert_true(read_axes(path, PENTA_IO_AXES_YXC, true, &image));
    assert_int_equal(image.channels, 3);
    assert_memory_equal(image.data, ((uint8_t[]){10, 20, 30, 200, 100, 50}), 6);
    penta_io_image_free(&image);
    assert_true(read_axes(path, PENTA_IO_AXES_NYX, false, &image));
    assert_int_equal(image.width, 4);
    assert_int_equal(image.height, 2);
    penta_io_image_free(&image);
    assert_false(read_axes(path, PENTA_IO_AXES_YX, false, &image));
    to_order('>', wide, 6, 2);
    assert_true(read_axes(npy_file(1, HEADER(">u2", "False", "(2, 1, 3)"), wide, sizeof wide), PENTA_IO_AXES_AUTO,
                          false, &image));
    assert_memory_equal(image.data, ((uint16_t[]){1815, 65535}), 4);
    penta_io_image_free(&image);
    assert_true(read_axes(npy_file(1, HEADER("<f4", "False", "(1, 2, 3)"), real, sizeof real), PENTA_IO_AXES_YXC, false,
                          &image));
    assert_true(fabs(penta_io_image_value(&image, 0) - (0.299 * 0.5 - 0.587 * 1.5 + 0.114 * 2)) < 1e-7);
    assert_true(((float *)image.data)[1] == 0.1F); /* grey stays that grey */
    penta_io_image_free(&image);
    assert_true(
        read_axes(npy_file(1, HEADER("<f8", "False", "(1, 2, 3)"), nan, sizeof nan), PENTA_IO_AXES_YXC, false, &image));
    assert_true(isnan(penta_io_image_value(&image, 0)) && penta_io_image_value(&image, 1) == 0.3);
    penta_io_image_free(&image);
    assert_true(read_axes(npy_file(1, HEADER("|u1", "False", "(2, 4, 1)"), rgba, sizeof rgba), PENTA_IO_AXES_YXC, false,
                          &image));
    assert_int_equal(image.width, 4);
    assert_memory_equal(image.data, rgba, 8);
    penta_io_image_free(&image);
}

TEST(header_grammar)
{
    static const char *const good[] = {
        "{\"shape\":(1,2),\"descr\":\"|u1\",\"fortran_order\":False}",
        " { 'fortran_order' : False , 'shape' : ( 1L , 2L ) , 'descr' : '|u1' , } \n",
        "{'descr':'|u1','fortran_order':True,'shape':(1,2,)}",
    };
    static const char *const bad[] = {
        "",
        "{}",
        "{'descr': '|u1', 'fortran_order': False}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)} x",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2), 'more': 1}",
        "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)}",
        "{'descr': '|u1', 'fortran_order': 0, 'shape': (1, 2)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': [1, 2]}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-1, 2)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999, 2)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,2)}",
        "{'descr': '|u1' 'fortran_order': False, 'shape': (1, 2)}",
        "{'descr': '|u1\", 'fortran_order': False, 'shape': (1, 2)}",
    };

    for (size_t i = 0; i < COUNT(good); i++)
        expect_pixels(npy_file(1, good[i], "ab", 2), 2, 1, PENTA_U8, "ab");
    for (size_t i = 0; i < COUNT(bad); i++)
        expect_error(npy_file(1, bad[i], "ab", 2), "header cannot be understood at its character");
}

TEST(refused_types)
{
    static const char *const types[] = {"<i8", "<u8", "|i2", "<f1", "<c8", "|S1", "|u2", "=u2", "=i2", "u1", "<i", ""};

    for (size_t i = 0; i < COUNT(types); i++) {
        char header[128];

        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (1, 1), }\n", types[i]);
        expect_error(npy_file(1, header, "12345678", 8), "(u1 b1 i1 u2 i2 u4 i4 f2 f4 f8 are)");
    }
    expect_error(npy_file(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 1), }", "1234", 4),
                 "arrays of records");
}

TEST(refused_shapes)
{
    expect_error(npy_file(1, HEADER("|u1", "False", "()"), "1", 1), "has 0 dimensions");
    expect_error(npy_file(1, HEADER("|u1", "False", "(1,)"), "1", 1), "has 1 dimension;");
    expect_error(npy_file(1, HEADER("|u1", "False", "(1, 1, 1, 1)"), "1", 1), "has 4 dimensions");
    expect_error(npy_file(1, HEADER("|u1", "False", "(0, 5)"), "", 0), "the array is empty");
    expect_error(npy_file(1, HEADER("|u1", "False", "(0, 5, 5)"), "", 0), "the array is empty");
    expect_error(npy_file(1, HEADER("<f8", "False", "(4294967296, 4294967296)"), "12345678", 8), "only 8 bytes follow");
    expect_error(npy_file(1, HEADER("<f8", "False", "(2305843009213693952, 1)"), "12345678", 8), "only 8 bytes follow");
    expect_error(npy_file(1, HEADER("|u1", "False", "(2, 2)"), "123", 3), "only 3 bytes follow");
    expect_error(npy_file(1, HEADER("|u1", "False", "(2, 2)"), "12345", 5), "1 bytes follow the array");
}

TEST(damaged_files)
{
    static const char header[] = HEADER("<u2", "False", "(2, 2)");
    size_t size;
    unsigned char *data = read_file(npy_file(1, header, "12345678", 8), &size);

    for (size_t n = 0; n < size; n++)
        expect_error(write_file("cut.npy", data, n), n == 0  ? "empty (0 bytes)"
                                                     : n < 6 ? "unknown format"
                                                     : n < 10 + strlen(header)
                                                         ? "ends inside its NPY header"
                                                         : "bytes follow it; the file is truncated");
    data[10 + 5] = 0; /* a zero ends no header */
    expect_error(write_file("zero.npy", data, size), "cannot be understood");
    free(data);
    expect_error(npy_file(4, header, "12345678", 8), "version 4.0 is not supported");
    stretch_file(write_file("long.npy", "\x93NUMPY\2\0\0\0\40\0", 12), 3 << 20);
    expect_error(in_directory("long.npy"), "2097152 bytes, over the limit of 1048576");
    expect_error(write_file("long.npy", "\x93NUMPY\2\0\377\377\377\377{}", 14), "ends inside its NPY header");
}

/* ---- writing ---- */

IO_TEST(written_arrays_read_back)
{
    uint8_t u8[6] = {0, 1, 2, 254, 255, 7};
    uint16_t u16[6] = {0, 1, 256, 65534, 65535, 0x1234};
    float f32[6] = {0, -1.5f, 1e30f, NAN, INFINITY, 1e-40f};
    double f64[6] = {0, -1.5, 1e300, NAN, -INFINITY, 5e-324};
    const void *values[] = {[PENTA_U8] = u8, [PENTA_U16] = u16, [PENTA_F32] = f32, [PENTA_F64] = f64};
    const char *path = in_directory("out.npy");
    const size_t shape[] = {2, 3};

    for (int type = PENTA_U8; type <= PENTA_F64; type++) {
        assert_true(penta_io_npy_write(path, (penta_type)type, 2, shape, values[type], &err));
        expect_pixels(path, 3, 2, (penta_type)type, values[type]);
    }
}

/* The exact bytes that NumPy writes. */
static void expect_bytes(penta_type type, size_t ndim, const size_t *shape, const void *data, const char *dictionary,
                         const void *tail, size_t tail_bytes)
{
    const char *path = in_directory("bytes.npy");
    penta_io_error err = {""};
    HELD unsigned char *file = NULL;
    size_t size;
    size_t header;

    assert_true(penta_io_npy_write(path, type, ndim, shape, data, &err));
    file = read_file(path, &size);
    assert_memory_equal(file, "\x93NUMPY\1\0", 8);
    header = 10 + file[8] + 256u * file[9];
    assert_int_equal(header % 64, 0);
    assert_int_equal(size, header + tail_bytes);
    assert_memory_equal(file + 10, dictionary, strlen(dictionary));
    for (size_t i = 10 + strlen(dictionary); i < header - 1; i++)
        assert_int_equal(file[i], ' ');
    assert_int_equal(file[header - 1], '\n');
    if (tail_bytes > 0)
        assert_memory_equal(file + header, tail, tail_bytes);
}

#define MOST "18446744073709551615"

TEST(written_bytes)
{
    const int64_t i64[] = {1, -2};
    const int32_t i32[] = {258};
    const double f64[] = {1.5};
    const size_t most = (size_t)UINT64_MAX;

    expect_bytes(PENTA_I64, 1, (const size_t[]){2}, i64, "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }",
                 "\1\0\0\0\0\0\0\0\376\377\377\377\377\377\377\377", 16);
    expect_bytes(PENTA_I32, 3, (const size_t[]){1, 1, 1}, i32,
                 "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1, 1), }", "\2\1\0\0", 4);
    expect_bytes(PENTA_F64, 0, NULL, f64, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
                 "\0\0\0\0\0\0\370\77", 8);
    expect_bytes(PENTA_U8, 8, (const size_t[]){most, most, most, most, most, most, most, 0}, NULL,
                 "{'descr': '|u1', 'fortran_order': False, 'shape': (" MOST ", " MOST ", " MOST ", " MOST ", " MOST
                 ", " MOST ", " MOST ", 0), }",
                 "", 0);
}

IO_TEST(write_errors)
{
    const size_t shape[9] = {SIZE_MAX / 4, 3, 1, 1, 1, 1, 1, 1, 1};

    assert_false(penta_io_npy_write(in_directory("e.npy"), PENTA_F64, 9, shape, NULL, &err));
    assert_non_null(strstr(err.text, "9 dimensions"));
    assert_false(penta_io_npy_write(in_directory("e.npy"), (penta_type)77, 1, shape, NULL, &err));
    assert_false(penta_io_npy_write(in_directory("e.npy"), PENTA_F64, 2, shape, NULL, &err));
    assert_non_null(strstr(err.text, "too large"));
    assert_int_not_equal(access(in_directory("e.npy"), F_OK), 0);
    assert_false(penta_io_npy_write(in_directory("no/e.npy"), PENTA_U8, 1, (const size_t[]){1}, "a", &err));
    assert_non_null(strstr(err.text, "directory does not exist"));
}

IN_DIRECTORY;
