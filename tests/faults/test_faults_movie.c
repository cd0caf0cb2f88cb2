/* Movies without memory: whichever allocation fails, one line says so and nothing is left. */

#include "unit/movie_files.h"

#include "faults.h"

/* Opens the movie with ever later allocations failing, until none does. */
static void starve(const char *path, const penta_io_movie_hints *hints)
{
    size_t before = faults_live(), nth = 0;
    bool starved;

    do {
        penta_io_movie m;
        penta_io_error err = {""};
        bool ok;

        faults_arm(FAULT_MEMORY, ++nth, false);
        ok = penta_io_movie_open(path, hints, &m, &err);
        starved = faults_struck() != NULL;
        faults_disarm();
        if (!ok) {
            assert_true(starved);
            expect_line(&err, path, "");
            assert_null(m.data);
        } else
            expect_frames(&m);
        penta_io_movie_close(&m);
        if (faults_live() != before)
            fail_msg("allocation %zu failed: %zu of %s are left", nth, faults_live() - before, faults_live_text());
    } while (starved);
    assert_true(nth > 4);
}

static const char *npy_file(bool fortran, bool big)
{
    static unsigned char file[128 + ELEMENTS * 2];
    char *text = (char *)file + 10;
    int n = snprintf(text, 118, "{'descr': '%cu2', 'fortran_order': %s, 'shape': (%d, %d, %d), }", big ? '>' : '<',
                     fortran ? "True" : "False", FRAMES, ROWS, COLS);

    memcpy(file, "\x93NUMPY\x01\x00\x76\x00", 10);
    memset(text + n, ' ', 118 - (size_t)n);
    text[117] = '\n';
    fill_cube(PENTA_U16, fortran ? "crb" : "brc", big, file + 128);
    return write_file("a.npy", file, sizeof file);
}

TEST(npy)
{
    for (int k = 0; k < 4; k++)
        starve(npy_file(k & 1, k & 2), NULL);
}

TEST(raw)
{
    static unsigned char data[ELEMENTS * 8];
    size_t size = fill_cube(PENTA_F32, "brc", true, data);

    starve(write_file("a.raw", data, size), &(penta_io_movie_hints){.raw = "6x7:f32be"});
}

#ifdef PENTA_HAVE_TIFF

TEST(tiff)
{
    static unsigned char data[ELEMENTS * 8];
    const char *path = in_directory("a.tif");

    for (int k = 0; k < 3; k++) {
        tiff_spec s = {.width = COLS, .height = ROWS, .bits = 16};
        TIFF *tif = TIFFOpen(path, "w");
        size_t page_bytes = fill_cube(PENTA_U16, "brc", host_is_big(), data) / FRAMES;

        s.compression = k > 0 ? COMPRESSION_LZW : 0;
        s.tile = k > 1 ? 16 : 0;
        assert_non_null(tif);
        for (size_t i = 0; i < FRAMES; i++)
            add_tiff_page(tif, &s, data + i * page_bytes);
        TIFFClose(tif);
        starve(path, NULL);
    }
}

#endif

#ifdef PENTA_HAVE_MATIO

#include <matio.h>

TEST(matlab)
{
    static unsigned char data[ELEMENTS * 8];
    size_t dims[3] = {ROWS, COLS, FRAMES};
    const char *path = in_directory("a.mat");
    mat_t *mat = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
    matvar_t *var;

    fill_cube(PENTA_U16, "bcr", host_is_big(), data);
    var = Mat_VarCreate("m", MAT_C_UINT16, MAT_T_UINT16, 3, dims, data, 0);
    assert_int_equal(Mat_VarWrite(mat, var, MAT_COMPRESSION_ZLIB), 0);
    Mat_VarFree(var);
    Mat_Close(mat);
    starve(path, NULL);
}

#endif

IN_DIRECTORY;
