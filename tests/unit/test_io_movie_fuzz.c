/*
 * Movies of every format with every byte changed in four ways, and cut everywhere. Each must give a movie or an error
 * line; no fault (the sanitizers' business) and no allocation beyond a few times the file. MATLAB files are read as
 * cubes, and test_io_cube_fuzz changes them.
 */

#include "support/memory.h"
#include "movie_files.h"

#include "io/npy_format.h"

enum { INFLATION = 32768 }; /* of the codecs of TIFF, at most */

#define SLACK_BYTES ((uint64_t)16 << 20)

static int start(void **state)
{
    limit_memory(1);
    return make_test_directory(state);
}

static volatile unsigned char sum; /* that all numbers are read */

static void read_one(const char *path, uint64_t file_bytes)
{
    penta_io_movie m;
    penta_io_error err = {""};

    largest_allocation = 0;
    if (penta_io_movie_open(path, NULL, &m, &err)) {
        size_t bytes = m.height * m.width * penta_type_size(m.type);

        for (size_t f = 0; f < m.frames; f++)
            for (size_t i = 0; i < bytes; i++)
                sum ^= ((const unsigned char *)m.data[f])[i];
    } else {
        assert_null(m.data);
        expect_line(&err, path, ": ");
        if (strstr(err.text, "out of memory"))
            fail_msg("'%s' is not much of an error", err.text);
    }
    penta_io_movie_close(&m);
    if (largest_allocation > INFLATION * file_bytes + SLACK_BYTES)
        fail_msg("%llu bytes were allocated for a file of %llu", (unsigned long long)largest_allocation,
                 (unsigned long long)file_bytes);
}

static void torture(const char *path)
{
    static const unsigned char changes[] = {0xff, 0x01, 0x80, 0x20};
    size_t size;
    HELD unsigned char *data = read_file(path, &size);

    read_one(path, size);
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < COUNT(changes); k++) {
            data[i] ^= changes[k];
            read_one(write_file("changed", data, size), size);
            data[i] ^= changes[k];
        }
    for (size_t n = 1; n < size; n++)
        read_one(write_file("changed", data, n), n);
}

IO_TEST(npy)
{
    static const uint16_t data[24] = {1, 2, 3};

    assert_true(penta_io_npy_write(in_directory("a.npy"), PENTA_U16, 3, (size_t[]){2, 3, 4}, data, &err));
    torture(in_directory("a.npy"));
}

#ifdef PENTA_HAVE_TIFF

TEST(tiff)
{
    static const tiff_spec specs[] = {
        {.width = 3, .height = 4, .bits = 16, .description = "ImageJ=1.5\nimages=2\nfps=7\n"},
        {.width = 3, .height = 4, .bits = 16, .rows_per_strip = 3},
        {.width = 3, .height = 4, .bits = 32, .format = SAMPLEFORMAT_IEEEFP, .compression = COMPRESSION_LZW},
        {.width = 3, .height = 4, .bits = 8, .compression = COMPRESSION_ADOBE_DEFLATE, .tile = 16}};
    static const char *const modes[] = {"wl", "wb8"};
    static const unsigned char pixels[256] = {5, 6, 7};

    for (size_t i = 0; i < COUNT(specs); i++)
        for (size_t k = 0; k < COUNT(modes); k++) {
            const char *path = in_directory("a.tif");
            TIFF *tif = TIFFOpen(path, modes[k]);

            assert_non_null(tif);
            add_tiff_page(tif, &specs[i], pixels);
            add_tiff_page(tif, &specs[i], pixels);
            TIFFClose(tif);
            torture(path);
        }
}

#endif

RUN(EVERYWHERE, NULL, start, remove_test_directory);
