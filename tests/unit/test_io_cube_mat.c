/* Cubes in MATLAB files: written byte by byte, in either byte order, and by matio, compressed. */

#include "cube_files.h"

#ifdef PENTA_HAVE_MATIO

#include "matio_files.h"

/* ---- files as MATLAB writes them: uncompressed ---- */

enum { MI_INT8 = 1, MI_UINT8, MI_INT16, MI_UINT16, MI_INT32, MI_UINT32, MI_SINGLE, MI_DOUBLE = 9, MI_MATRIX = 14 };

typedef struct {
    int class;  /* of the array: mxDOUBLE_CLASS 6 ... */
    int stored; /* MI_... of its numbers */
    const char *name;
    uint32_t dims[4], rank;
    bool complex;
} mat_spec;

static const struct {
    penta_type type;
    int class, stored;
} mat_types[] = {{PENTA_F64, 6, MI_DOUBLE}, {PENTA_F32, 7, MI_SINGLE},  {PENTA_U8, 9, MI_UINT8},
                 {PENTA_I16, 10, MI_INT16}, {PENTA_U16, 11, MI_UINT16}, {PENTA_I32, 12, MI_INT32},
                 {PENTA_U32, 13, MI_UINT32}};

typedef struct {
    unsigned char at[1 << 16];
    size_t size;
    bool big;
} mat_bytes;

static void add(mat_bytes *m, const void *data, size_t size)
{
    assert_true(m->size + size + 8 <= sizeof m->at);
    memcpy(m->at + m->size, data, size);
    m->size += size;
}

static void set_u32(mat_bytes *m, size_t at, uint32_t value)
{
    for (size_t k = 0; k < 4; k++)
        m->at[at + k] = (unsigned char)(value >> 8 * (m->big ? 3 - k : k));
}

static void add_u32(mat_bytes *m, uint32_t value)
{
    add(m, "\0\0\0\0", 4);
    set_u32(m, m->size - 4, value);
}

static void pad(mat_bytes *m)
{
    while (m->size % 8 != 0)
        add(m, "", 1);
}

static void begin_mat(mat_bytes *m, bool big)
{
    char text[124];

    *m = (mat_bytes){.big = big};
    memset(text, ' ', sizeof text);
    memcpy(text, "MATLAB 5.0 MAT-file", 19);
    memset(text + 116, 0, 8);
    add(m, text, sizeof text);
    add(m, big ? "\1\0MI" : "\0\1IM", 4);
}

/* data: numbers as they are stored, in the file's byte order. */
static void add_array(mat_bytes *m, const mat_spec *s, const void *data, size_t bytes)
{
    size_t start = m->size;

    add_u32(m, MI_MATRIX);
    add_u32(m, 0);
    add_u32(m, MI_UINT32);
    add_u32(m, 8);
    add_u32(m, (uint32_t)s->class | (s->complex ? 0x800 : 0));
    add_u32(m, 0);
    add_u32(m, MI_INT32);
    add_u32(m, 4 * s->rank);
    for (uint32_t k = 0; k < s->rank; k++)
        add_u32(m, s->dims[k]);
    pad(m);
    add_u32(m, MI_INT8);
    add_u32(m, (uint32_t)strlen(s->name));
    add(m, s->name, strlen(s->name));
    pad(m);
    for (int part = 0; part <= s->complex; part++) {
        add_u32(m, (uint32_t)s->stored);
        add_u32(m, (uint32_t)bytes);
        add(m, data, bytes);
        pad(m);
    }
    set_u32(m, start + 4, (uint32_t)(m->size - start - 8));
}

static const char *finish_mat(const mat_bytes *m)
{
    return write_file("a.mat", m->at, m->size);
}

static const char *one_array(bool big, const mat_spec *s, const void *data, size_t bytes)
{
    static mat_bytes m;

    begin_mat(&m, big);
    add_array(&m, s, data, bytes);
    return finish_mat(&m);
}

static const penta_io_cube_hints shape = {.rows = ROWS, .cols = COLS};

static mat_spec flat_spec(size_t t)
{
    return (mat_spec){mat_types[t].class, mat_types[t].stored, "Y", {BANDS, ROWS * COLS}, 2, false};
}

static mat_spec deep_spec(size_t t)
{
    return (mat_spec){mat_types[t].class, mat_types[t].stored, "cube", {ROWS, COLS, BANDS}, 3, false};
}

TEST(all_types_and_orders)
{
    static unsigned char data[ELEMENTS * 8];

    for (size_t t = 0; t < COUNT(mat_types); t++)
        for (int big = 0; big < 2; big++) {
            penta_type type = mat_types[t].type;
            mat_spec flat = flat_spec(t);
            mat_spec deep = deep_spec(t);

            expect_cube(one_array(big, &flat, data, fill_cube(type, "crb", big, data)), &shape, type, PENTA_BIP);
            expect_cube(one_array(big, &deep, data, fill_cube(type, "bcr", big, data)), NULL, type, PENTA_BSQ);
            expect_cube(in_directory("a.mat"), &shape, type, PENTA_BSQ);
        }
}

/* MATLAB stores doubles in the smallest type that holds them all, and as that they are read; signed bytes excepted. */
IO_TEST(doubles_stored_as_integers)
{
    static unsigned char data[ELEMENTS * 8];
    const mat_spec bytes = {6, MI_INT8, "Y", {3, 2}, 2, false};
    double rows[6];
    HELD_BY(penta_io_cube_held) penta_io_cube *cube = NULL;

    for (size_t t = 0; t < COUNT(mat_types); t++)
        for (int big = 0; big < 2; big++) {
            penta_type type = mat_types[t].type;
            mat_spec s = flat_spec(t);

            if (type == PENTA_F32) /* MATLAB does not do that */
                continue;
            s.class = 6;
            expect_cube(one_array(big, &s, data, fill_cube(type, "crb", big, data)), &shape, type, PENTA_BIP);
        }
    cube = open_cube(one_array(true, &bytes, "\1\2\3\4\5\377", 6), &(penta_io_cube_hints){.rows = 2, .cols = 1});
    assert_int_equal(penta_io_cube_about(cube)->type, PENTA_F64);
    assert_true(penta_io_cube_read(cube, 0, 2, rows, &err));
    assert_memory_equal(rows, ((const double[]){1, 2, 3, 4, 5, -1}), sizeof rows);
}

/* ---- compressed files, by matio ---- */

TEST(compressed)
{
    static unsigned char data[ELEMENTS * 8];

    for (size_t t = 0; t < COUNT(cube_types); t++) {
        penta_type type = cube_types[t];
        matio_spec s = {"Y", matio_class[type], matio_stored[type], 2, {BANDS, ROWS * COLS}, 0, data};

        fill_cube(type, "crb", host_is_big(), data);
        expect_cube(matio_file(&s, 1, MAT_COMPRESSION_ZLIB), &shape, type, PENTA_BIP);
        s = (matio_spec){"Y", matio_class[type], matio_stored[type], 3, {ROWS, COLS, BANDS}, 0, data};
        fill_cube(type, "bcr", host_is_big(), data);
        expect_cube(matio_file(&s, 1, MAT_COMPRESSION_ZLIB), NULL, type, PENTA_BSQ);
    }
}

/* ---- which array ---- */

static const double numbers[24] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};

static void expect_first(const char *path, const penta_io_cube_hints *hints, size_t bands, size_t rows, size_t cols)
{
    HELD_BY(penta_io_cube_held) penta_io_cube *cube = open_cube(path, hints);
    const penta_io_cube_info *a = penta_io_cube_about(cube);

    assert_string_equal(a->format, "MATLAB 5");
    assert_int_equal(a->bands, bands);
    assert_int_equal(a->rows, rows);
    assert_int_equal(a->cols, cols);
}

TEST(choice)
{
    const matio_spec specs[] = {
        {"nRow", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, {1, 1}, 0, numbers},
        {"text", MAT_C_CHAR, MAT_T_UTF8, 2, {1, 4}, 0, "abcd"},
        {"Y", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, {4, 6}, 0, numbers},
        {"Z", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, {2, 3, 4}, 0, numbers},
        {"W", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, {4, 3, 2}, 0, numbers},
    };
    const char *path = matio_file(specs, 3, MAT_COMPRESSION_ZLIB);

    expect_first(path, &(penta_io_cube_hints){.rows = 2, .cols = 3}, 4, 2, 3);
    expect_first(path, &(penta_io_cube_hints){.variable = "Y", .rows = 3, .cols = 2}, 4, 3, 2);
    expect_cube_refused(path, NULL,
                        "none of its arrays is rows x cols x bands; it has nRow (1 x 1 double), text (1 x "
                        "4 char), Y (4 x 6 double): give the rows and columns of bands x pixels (`shape` "
                        "ROWSxCOLS)");
    expect_cube_refused(path, &(penta_io_cube_hints){.rows = 2, .cols = 2},
                        "or bands x pixels of this shape; it has nRow");
    expect_cube_refused(path, &(penta_io_cube_hints){.variable = "Y"},
                        "Y (4 x 6 double) is bands x pixels; say how many");
    expect_cube_refused(path, &(penta_io_cube_hints){.variable = "Y", .rows = 4, .cols = 6},
                        "has 6 pixels, not the 4 x 6 of the shape");
    expect_cube_refused(path, &(penta_io_cube_hints){.variable = "Y", .rows = SIZE_MAX, .cols = 2},
                        "has 6 pixels, not");
    expect_cube_refused(path, &(penta_io_cube_hints){.variable = "y"},
                        "has no array y; it has nRow (1 x 1 double), text");
    expect_cube_refused(path, &(penta_io_cube_hints){.variable = "text"}, "text (1 x 4 char) cannot be a cube");
    path = matio_file(specs, 4, MAT_COMPRESSION_NONE);
    expect_first(path, NULL, 4, 2, 3);
    expect_cube_refused(path, &(penta_io_cube_hints){.rows = 2, .cols = 3},
                        "2 arrays can be the cube: Y (4 x 6 double), Z");
    expect_cube_refused(path, &(penta_io_cube_hints){.variable = "Z", .rows = 3, .cols = 2},
                        "disagrees with the shape 3 x 2");
    path = matio_file(specs, 5, MAT_COMPRESSION_ZLIB);
    expect_cube_refused(path, NULL, "2 arrays can be the cube: Z (2 x 3 x 4 double), W (4 x 3 x 2 double); name one");
    expect_first(path, &(penta_io_cube_hints){.variable = "W"}, 2, 4, 3);
}

/* A list of arrays that does not fit into a line. */
TEST(many_arrays)
{
    matio_spec specs[40];
    char names[40][64];

    for (size_t i = 0; i < COUNT(specs); i++) {
        snprintf(names[i], sizeof names[i], "a_rather_long_name_of_a_variable_that_repeats_itself_%zu", i);
        specs[i] = (matio_spec){names[i], MAT_C_DOUBLE, MAT_T_DOUBLE, 2, {1, 2}, 0, numbers};
    }
    expect_cube_refused(matio_file(specs, COUNT(specs), MAT_COMPRESSION_NONE), NULL, ", ...: give the");
}

TEST(refused_arrays)
{
    static const mat_complex_split_t parts = {(void *)numbers, (void *)numbers};
    static const matio_spec specs[] = {
        {"c", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, {2, 2, 2}, MAT_F_COMPLEX, &parts},
        {"l", MAT_C_CHAR, MAT_T_UINT8, 3, {2, 2, 2}, 0, numbers},
        {"i", MAT_C_CHAR, MAT_T_UINT8, 3, {2, 2, 2}, 0, numbers},
        {"s", MAT_C_STRUCT, MAT_T_STRUCT, 2, {1, 1}, 0, NULL},
        {"k", MAT_C_CELL, MAT_T_CELL, 2, {0, 0}, 0, NULL},
        {"four", MAT_C_DOUBLE, MAT_T_DOUBLE, 4, {2, 2, 2, 2}, 0, numbers},
        {"none", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, {2, 0, 2}, 0, numbers},
    };
    static const char *const what[] = {
        "c (2 x 2 x 2 complex double) is complex; save real(x) or abs(x)",
        "l (2 x 2 x 2 char) cannot be a cube; save an array of double",
        "i (2 x 2 x 2 char) cannot be a cube",
        "s (1 x 1 struct) cannot be a cube",
        "k (0 x 0 cell) cannot be a cube",
        "four (2 x 2 x 2 x 2 double) has 4 dimensions",
        "the cube is empty (2 bands of 2 rows x 0 columns)",
    };

    for (size_t i = 0; i < COUNT(specs); i++)
        expect_cube_refused(matio_file(&specs[i], 1, MAT_COMPRESSION_NONE),
                            &(penta_io_cube_hints){.variable = specs[i].name}, what[i]);
    for (size_t i = 0; i < COUNT(specs); i++) /* the only array needs no name */
        expect_cube_refused(matio_file(&specs[i], 1, MAT_COMPRESSION_NONE), NULL, what[i]);
}

/* Of several arrays the one that has the dimensions of a cube says why it is none. */
TEST(the_likely_one)
{
    static const mat_complex_split_t parts = {(void *)numbers, (void *)numbers};
    const matio_spec x = {"x", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, {1, 2}, 0, numbers};
    const matio_spec deep = {"c", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, {2, 2, 2}, MAT_F_COMPLEX, &parts};
    const matio_spec flat = {"f", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, {2, 4}, MAT_F_COMPLEX, &parts};
    const penta_io_cube_hints square = {.rows = 2, .cols = 2};

    expect_cube_refused(matio_file((matio_spec[]){x, deep}, 2, MAT_COMPRESSION_NONE), NULL,
                        "c (2 x 2 x 2 complex double) is complex; save real(x) or abs(x)");
    expect_cube_refused(matio_file((matio_spec[]){x, flat}, 2, MAT_COMPRESSION_NONE), &square,
                        "f (2 x 4 complex double) is complex; save real(x) or abs(x)");
    expect_cube_refused(matio_file((matio_spec[]){x, flat}, 2, MAT_COMPRESSION_NONE), NULL,
                        "none of its arrays is rows x cols x bands; it has x (1 x 2 double), f (2 x 4 complex double)");
}

TEST(sparse)
{
    static double values[2] = {5, 7};
    static mat_uint32_t rows[2] = {0, 1};
    static mat_uint32_t columns[3] = {0, 1, 2};
    static const mat_sparse_t sparse = {
        .nzmax = 2, .ir = rows, .nir = 2, .jc = columns, .njc = 3, .ndata = 2, .data = values};
    const matio_spec s = {"m", MAT_C_SPARSE, MAT_T_DOUBLE, 2, {2, 2}, 0, &sparse};

    expect_cube_refused(matio_file(&s, 1, MAT_COMPRESSION_NONE), &(penta_io_cube_hints){.variable = "m"},
                        "m (2 x 2 sparse) cannot be a cube; save full(x)");
}

#ifdef PENTA_HAVE_HDF5

/* Version 7.3 gives the same cubes. */
TEST(version_73)
{
    static unsigned char data[ELEMENTS * 8];
    const matio_spec two[] = {{"Y", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, {4, 6}, 0, numbers},
                              {"Z", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, {2, 3, 4}, 0, numbers}};
    penta_io_cube *cube;

    for (size_t t = 0; t < COUNT(cube_types); t++)
        for (int packed = 0; packed < 2; packed++) {
            penta_type type = cube_types[t];
            matio_spec s = {"Y", matio_class[type], matio_stored[type], 2, {BANDS, ROWS * COLS}, 0, data};

            fill_cube(type, "crb", host_is_big(), data);
            expect_cube(matio_file_of(MAT_FT_MAT73, &s, 1, packed ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE),
                        &shape, type, PENTA_BIP);
            s = (matio_spec){"Y", matio_class[type], matio_stored[type], 3, {ROWS, COLS, BANDS}, 0, data};
            fill_cube(type, "bcr", host_is_big(), data);
            expect_cube(matio_file_of(MAT_FT_MAT73, &s, 1, packed ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE), NULL,
                        type, PENTA_BSQ);
        }
    cube = open_cube(matio_file_of(MAT_FT_MAT73, two, 2, MAT_COMPRESSION_NONE), NULL);
    assert_string_equal(penta_io_cube_about(cube)->format, "MATLAB 7.3");
    assert_int_equal(penta_io_cube_about(cube)->bands, 4);
    penta_io_cube_close(cube);
    expect_cube_refused(in_directory("b.mat"), &(penta_io_cube_hints){.variable = "no"},
                        "has no array no; it has Y (4 x 6");
}

/* Cut anywhere, version 7.3 is refused, by a line about this file. */
TEST(cut_version_73)
{
    static unsigned char data[ELEMENTS * 8];
    const matio_spec s = {"Y", MAT_C_UINT16, MAT_T_UINT16, 3, {ROWS, COLS, BANDS}, 0, data};
    size_t size;
    HELD unsigned char *file = read_file(matio_file_of(MAT_FT_MAT73, &s, 1, MAT_COMPRESSION_ZLIB), &size);

    for (size_t n = 10; n < size; n += 37)
        expect_cube_refused(write_file("cut.mat", file, n), NULL, ": ");
}

#endif

TEST(other_versions)
{
    static mat_bytes m;
    char head[512] = "MATLAB 7.3 MAT-file, Platform: GLNXA64, HDF5 schema 1.00 .";

#ifdef PENTA_HAVE_HDF5
    expect_cube_refused(write_file("v73.mat", head, sizeof head), NULL, "is HDF5 that cannot be opened");
#else
    expect_cube_refused(write_file("v73.mat", head, sizeof head), NULL, "install libhdf5-dev and rebuild");
#endif
    begin_mat(&m, false);
    expect_cube_refused(finish_mat(&m), NULL, "holds no arrays");
    m.at[126] = 'X';
    expect_cube_refused(finish_mat(&m), NULL, "does not say the byte order");
}

/* ---- damaged files ---- */

static void cut_everywhere(const char *path, const char *what)
{
    size_t size;
    HELD unsigned char *data = read_file(path, &size);

    for (size_t n = 10; n < size; n++)
        expect_cube_refused(write_file("cut.mat", data, n), &shape,
                            n < 128    ? "ends inside its MATLAB header"
                            : n == 128 ? "holds no arrays"
                                       : what);
}

TEST(cut_files)
{
    static unsigned char data[ELEMENTS * 8];
    mat_spec flat = flat_spec(0);
    matio_spec s = {"Y", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, {ROWS, COLS, BANDS}, 0, data};

    fill_cube(PENTA_F64, "bcr", host_is_big(), data);
    cut_everywhere(one_array(false, &flat, data, sizeof data), "ends inside the array at byte 128");
    cut_everywhere(matio_file(&s, 1, MAT_COMPRESSION_ZLIB), "ends inside the array at byte 128");
}

/* Sizes that agree with the file but not with one another, and sizes far beyond it. */
TEST(contradictions)
{
    static unsigned char data[ELEMENTS * 8];
    mat_spec s = flat_spec(0);

    s.dims[0] = BANDS + 1;
    expect_cube_refused(one_array(false, &s, data, sizeof data), &shape,
                        "the array at byte 128 lacks some of its numbers");
    s = deep_spec(2);
    s.dims[2] = BANDS - 1;
    expect_cube_refused(one_array(true, &s, data, ELEMENTS), NULL, "lacks some of its numbers");
    s.dims[0] = s.dims[1] = s.dims[2] = 1u << 30;
    expect_cube_refused(one_array(true, &s, data, ELEMENTS), NULL, "");
    s.dims[0] = 1u << 20, s.dims[1] = 1u << 10, s.dims[2] = 2;
    expect_cube_refused(one_array(false, &s, data, ELEMENTS), NULL, "more than 416 bytes of file can hold");
    s = flat_spec(1);
    s.stored = 77;
    expect_cube_refused(one_array(false, &s, data, ELEMENTS * 4), &shape, "");
}

/* ---- arrays that claim parts which they do not have ---- */

/* An element: type, bytes, data padded to eight. Returns the place after it. */
static unsigned char *put_part(unsigned char *at, uint32_t type, uint32_t claimed, const void *data, size_t size)
{
    memcpy(at, &type, 4);
    memcpy(at + 4, &claimed, 4);
    memset(at + 8, 0, (size + 7) / 8 * 8);
    memcpy(at + 8, data, size);
    return at + 8 + (size + 7) / 8 * 8;
}

/* A file of this host's byte order with one array: flags of this class, dims, a name, and what follows. */
static const char *array_of(uint32_t class, const int32_t *dims, uint32_t dims_bytes, uint32_t name_bytes,
                            const void *rest, size_t rest_size)
{
    static unsigned char file[1024];
    const uint32_t flags[2] = {class, 0};
    const uint16_t order = 'M' << 8 | 'I';
    unsigned char *at = file + 136;

    memset(file, 0, sizeof file);
    memcpy(file, "MATLAB 5.0 MAT-file", 19);
    memcpy(file + 126, &order, 2);
    at = put_part(at, 6, 8, flags, 8);
    at = put_part(at, 5, dims_bytes, dims, 8);
    at = put_part(at, 1, name_bytes, "x", 1);
    memcpy(at, rest, rest_size);
    at += rest_size;
    put_part(file + 128, 14, (uint32_t)(at - file - 136), file + 136, 0);
    return write_file("parts.mat", file, (size_t)(at - file));
}

/* Headers of two hundred bytes that asked matio for gigabytes. limit_memory is on, so that an attempt fails. */
TEST(parts_that_are_not_there)
{
    static const int32_t huge[2] = {16384, 16384}, one[2] = {1, 1};
    unsigned char fields[64] = {0}, *end;
    const uint32_t length = 1, small = 4 << 16 | 5;
    const char *what = "claims more parts than it holds";

    memcpy(fields, &small, 4);
    memcpy(fields + 4, &length, 4);
    end = put_part(fields + 8, 1, 0x7ffffff0, "abcdefgh", 8);
    expect_cube_refused(array_of(1, huge, 8, 1, "", 0), NULL, what);                         /* cells */
    expect_cube_refused(array_of(16, huge, 8, 1, "", 0), NULL, what);                        /* functions */
    expect_cube_refused(array_of(6, one, 0x7ffffff0, 1, "", 0), NULL, what);                 /* dimensions */
    expect_cube_refused(array_of(6, one, 8, 0x7ffffff0, "", 0), NULL, what);                 /* name */
    expect_cube_refused(array_of(2, one, 8, 1, fields, (size_t)(end - fields)), NULL, what); /* fields */
    put_part(fields + 8, 1, 8, "abcdefgh", 8);
    expect_cube_refused(array_of(2, huge, 8, 1, fields, (size_t)(end - fields)), NULL, what); /* structures */
    expect_cube_refused(array_of(3, huge, 8, 1, fields, (size_t)(end - fields)), NULL, what); /* objects */
    expect_cube_refused(array_of(2, one, 8, 1, fields, (size_t)(end - fields)), NULL, what);  /* no fields follow */
}

/* Compression has a checksum: a changed byte is noticed, or changes nothing. */
IO_TEST(changed_bytes)
{
    static unsigned char data[ELEMENTS * 8];
    const matio_spec s = {"Y", MAT_C_INT32, MAT_T_INT32, 3, {ROWS, COLS, BANDS}, 0, data};
    size_t size;
    size_t refused = 0;
    HELD unsigned char *file = NULL;

    fill_cube(PENTA_I32, "bcr", host_is_big(), data);
    file = read_file(matio_file(&s, 1, MAT_COMPRESSION_ZLIB), &size);
    for (size_t i = 128; i < size; i++) {
        const char *path;
        penta_io_cube *cube;

        file[i] ^= 0x11;
        path = write_file("changed.mat", file, size);
        file[i] ^= 0x11;
        if (penta_io_cube_open(path, NULL, &cube, &err)) {
            expect_rows(cube, &selections[0], 0, ROWS);
            penta_io_cube_close(cube);
        } else {
            expect_line(&err, path, ": ");
            refused++;
        }
    }
    assert_true(refused >= size - 128 - 2);
}

TEST(nothing_is_printed)
{
    static unsigned char data[ELEMENTS * 8];
    mat_spec s = flat_spec(1);

    s.stored = 77;
    one_array(false, &s, data, ELEMENTS * 4);
    expect_cube_refused_silently(in_directory("a.mat"), &shape);
}

#else

TEST(what_to_install)
{
    expect_cube_refused(write_file("a.mat", "MATLAB 5.0 MAT-file", 19), NULL,
                        "install libmatio-dev and rebuild with PENTACL_WITH_MATIO=ON");
}

#endif

IN_DIRECTORY;
