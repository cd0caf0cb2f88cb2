/*
 * Cubes of our own formats and of matio's with every byte changed in four ways. Each must give a cube or an error line;
 * no fault (the sanitizers' business) and no allocation beyond a few times the file. Cut files are in the tests of the
 * formats; other damage to GDAL's formats would test GDAL.
 */

#include "support/memory.h"
#include "cube_files.h"

#ifdef PENTA_HAVE_MATIO
#include <matio.h>
#endif

enum { INFLATION = 1032 * 8 }; /* of deflate; doubles stored as bytes */

#define SLACK_BYTES ((uint64_t)16 << 20)

static int start(void **state)
{
    limit_memory(1);
    return make_test_directory(state);
}

static void read_one(const char *path, const penta_io_cube_hints *hints, uint64_t file_bytes)
{
    penta_io_cube *cube = NULL;
    penta_io_error err = {""};

    largest_allocation = 0;
    if (penta_io_cube_open(path, hints, &cube, &err)) {
        const penta_io_cube_info *a = penta_io_cube_about(cube);
        size_t row = a->bands * a->cols * penta_type_size(a->type);
        HELD unsigned char *data = malloc(row);

        assert_non_null(data);
        for (size_t y = 0; y < a->rows; y++)
            EXPECT_IO(penta_io_cube_read(cube, y, 1, data, &err), err);
        penta_io_cube_close(cube);
    } else {
        assert_null(cube);
        expect_line(&err, path, ": ");
        if (strstr(err.text, "out of memory"))
            fail_msg("'%s' is not much of an error", err.text);
    }
    if (largest_allocation > INFLATION * file_bytes + SLACK_BYTES)
        fail_msg("%llu bytes were allocated for a file of %llu", (unsigned long long)largest_allocation,
                 (unsigned long long)file_bytes);
}

static void torture(const char *path, const penta_io_cube_hints *hints)
{
    static const unsigned char changes[] = {0xff, 0x01, 0x80, 0x20};
    size_t size;
    HELD unsigned char *data = read_file(path, &size);

    read_one(path, hints, size);
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < COUNT(changes); k++) {
            data[i] ^= changes[k];
            read_one(write_file("changed", data, size), hints, size);
            data[i] ^= changes[k];
        }
}

IO_TEST(npy)
{
    const penta_io_cube_info about = {.bands = 2, .rows = 3, .cols = 2, .type = PENTA_U16};
    static const uint16_t data[12] = {1, 2, 3};
    penta_io_cube_writer *writer;

    assert_true(penta_io_cube_create(in_directory("a.npy"), PENTA_IO_CUBE_NPY, &about, NULL, &writer, &err));
    assert_true(penta_io_cube_write(writer, 0, 3, data, 6, &err));
    assert_true(penta_io_cube_finish(writer, &err));
    torture(in_directory("a.npy"), NULL);
}

#ifdef PENTA_HAVE_MATIO

static void add_variable(mat_t *mat, matvar_t *var, enum matio_compression how)
{
    assert_non_null(var);
    assert_int_equal(Mat_VarWrite(mat, var, how), 0);
    Mat_VarFree(var);
}

/* Two cubes. Not among structures and cells: for those matio (as of 1.5.23) allocates whatever they ask for. */
static const char *mat_file(enum matio_compression how)
{
    static double numbers[24] = {1, 2, 3, -7};
    const char *path = in_directory("a.mat");
    mat_t *mat = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
    size_t flat[2] = {4, 6};
    size_t deep[3] = {2, 3, 4};

    assert_non_null(mat);
    add_variable(mat, Mat_VarCreate("Y", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, flat, numbers, 0), how);
    add_variable(mat, Mat_VarCreate("Z", MAT_C_SINGLE, MAT_T_SINGLE, 3, deep, numbers, 0), how);
    Mat_Close(mat);
    return path;
}

TEST(matlab)
{
    static const penta_io_cube_hints hints[] = {{.rows = 2, .cols = 3, .variable = "Y"}, {.rows = 0}};

    for (size_t k = 0; k < COUNT(hints); k++) {
        torture(mat_file(MAT_COMPRESSION_NONE), &hints[k]);
        torture(mat_file(MAT_COMPRESSION_ZLIB), &hints[k]);
    }
}

#endif

RUN(EVERYWHERE, NULL, start, remove_test_directory);
