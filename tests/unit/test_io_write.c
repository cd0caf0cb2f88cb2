/* Writing images: every format and type bit for bit, and failures that leave nothing. */

#include <signal.h>
#include <sys/resource.h>

#include "write_files.h"

static bool can_write(const char *name, penta_type type)
{
    penta_io_error err = {""};

    return penta_io_image_can_write(name, type, &err);
}

/* ---- formats ---- */

TEST(round_trips)
{
    static const char *const names[] = {"a.png", "a.fits", "a.tif", "a.npy"};
    static const size_t sizes[][2] = {{1, 1},  {1, 9},   {9, 1},    {2, 2},    {33, 17},
                                      {5, 64}, {360, 8}, {4097, 3}, {300, 431}};
    size_t done = 0;

    for (size_t n = 0; n < COUNT(names); n++)
        for (size_t t = 0; t < COUNT(types); t++)
            for (size_t s = 0; s < COUNT(sizes) && can_write(names[n], types[t]); s++, done++) {
                HELD_BY(penta_io_image_free) penta_io_image image = random_image(sizes[s][0], sizes[s][1], types[t]);
                size_t bytes = image.width * image.height * penta_type_size(image.type);
                HELD void *before = malloc(bytes);

                assert_non_null(before);
                memcpy(before, image.data, bytes);
                expect_written(in_directory(names[n]), &image, NULL);
                assert_memory_equal(image.data, before, bytes);
                expect_pixels(in_directory(names[n]), image.width, image.height, image.type, before);
            }
    assert_true(done >= COUNT(sizes) * (2 + 4)); /* PNG and NPY are in every build */
}

IO_TEST(suffixes)
{
    static const struct {
        const char *name, *magic;
    } known[] = {{"a.PNG", "\x89PNG"},   {"b.x.Npy", "\x93NUMPY"}, {"c.FITS", "SIMPLE  ="}, {"d.fit", "SIMPLE  ="},
                 {"e.Fts", "SIMPLE  ="}, {"f.TIFF", "II"},         {"g.tif", "II"}};
    static const char *const unknown[] = {"a.jp2", "png", "dir.png/a", ".png", "a.png.", "a.fits.bz2", "a.png[1]", ""};
    HELD_BY(penta_io_image_free) penta_io_image image = random_image(3, 2, PENTA_U8);

    assert_int_equal(mkdir(in_directory("dir.png"), 0777), 0);
    for (size_t i = 0; i < COUNT(known); i++) {
        size_t size;
        HELD unsigned char *data = NULL;

        if (!can_write(known[i].name, PENTA_U8))
            continue;
        expect_written(in_directory(known[i].name), &image, NULL);
        data = read_file(in_directory(known[i].name), &size);
        assert_memory_equal(data, known[i].magic, strlen(known[i].magic));
    }
    for (size_t i = 0; i < COUNT(unknown); i++) {
        assert_false(penta_io_image_can_write(unknown[i], PENTA_U8, &err));
        expect_not_written(in_directory(unknown[i]), &image, NULL,
                           "the name does not say in which format to write the image; end it in .png (u8, u16), .fits, "
                           ".fit, .fts, .fits.gz, .fit.gz, .fts.gz, .tif, .tiff, .jpg (u8), .jpeg (u8) or .npy");
    }
}

IO_TEST(types)
{
    assert_true(can_write("a.png", PENTA_U8) && can_write("a.png", PENTA_U16));
    assert_false(can_write("a.png", PENTA_F32) || can_write("a.png", PENTA_F64));
    for (size_t t = 0; t < COUNT(types); t++)
        assert_true(can_write("a.npy", types[t]));
    assert_false(can_write("a.npy", PENTA_I64) || can_write("a.npy", PENTA_I32));
    assert_false(penta_io_image_can_write("a.png", PENTA_F32, &err));
    assert_string_equal(err.text,
                        "a.png: a PNG holds u8 or u16, not f32; scale the image or write .fits, .tif or .npy");
#ifdef PENTA_HAVE_TIFF
    assert_true(can_write("a.tif", PENTA_U8) && can_write("a.TIFF", PENTA_F64));
#else
    assert_false(penta_io_image_can_write("a.tif", PENTA_U8, &err));
    assert_string_equal(err.text,
                        "a.tif: this build cannot write TIFF: install libtiff-dev and rebuild, or write .npy");
#endif
#ifdef PENTA_HAVE_FITS
    assert_true(can_write("a.fits", PENTA_U16) && can_write("a.fts", PENTA_F32) && can_write("a.FIT", PENTA_F64));
#else
    assert_false(penta_io_image_can_write("a.fits", PENTA_U8, &err));
    assert_string_equal(err.text,
                        "a.fits: this build cannot write FITS: install libcfitsio-dev and rebuild, or write .npy");
#endif
}

/* ---- failures ---- */

static const char *const writable[] = {"a.png", "a.npy", "a.fits", "a.tif"};

TEST(failures_leave_nothing)
{
    HELD_BY(penta_io_image_free) penta_io_image image = random_image(3, 2, PENTA_U16);
    penta_io_image empty = {.width = 0, .height = 2, .type = PENTA_U8, .data = image.data};
    char folder[512], path[600];

    snprintf(folder, sizeof folder, "%s", in_directory("failures"));
    assert_int_equal(mkdir(folder, 0777), 0);
    for (size_t i = 0; i < COUNT(writable); i++) {
        if (!can_write(writable[i], PENTA_U16))
            continue;
        snprintf(path, sizeof path, "%s/none/%s", folder, writable[i]);
        expect_not_written(path, &image, NULL, "its directory does not exist");
        snprintf(path, sizeof path, "%s/%s", folder, writable[i]);
        expect_not_written(path, &empty, NULL, "an empty image (0 x 2 pixels) cannot be written");
        assert_int_equal(entries_in(folder), 0);
    }
    assert_int_equal(chmod(folder, 0555), 0);
    for (size_t i = 0; i < COUNT(writable) && geteuid() != 0; i++) {
        if (!can_write(writable[i], PENTA_U16))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, writable[i]);
        expect_not_written(path, &image, NULL, "Permission denied; choose another place");
    }
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(entries_in(folder), 0);
}

TEST(full_device)
{
    HELD_BY(penta_io_image_free) penta_io_image image = random_image(300, 200, PENTA_U16);

    if (access("/dev/full", W_OK) != 0)
        leave_out_test("there is no /dev/full");
    for (size_t i = 0; i < COUNT(writable); i++) {
        char name[32];

        snprintf(name, sizeof name, "full-%s", writable[i]);
        if (!can_write(name, PENTA_U16))
            continue;
        assert_int_equal(symlink("/dev/full", in_directory(name)), 0);
        expect_not_written(in_directory(name), &image, NULL, "cannot be written: ");
    }
}

/* The disk fills up in the middle: the old file stays, the temporary goes. */
TEST(disk_that_fills_up)
{
    HELD_BY(penta_io_image_free) penta_io_image image = random_image(300, 200, PENTA_U16);
    struct rlimit before, limit;
    char folder[512], path[600];

    snprintf(folder, sizeof folder, "%s", in_directory("limit"));
    assert_int_equal(mkdir(folder, 0777), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){.rlim_cur = 20000, .rlim_max = before.rlim_max};
    for (size_t i = 0; i < COUNT(writable); i++) {
        char name[64];
        size_t size;
        unsigned char *data;

        if (!can_write(writable[i], PENTA_U16))
            continue;
        snprintf(name, sizeof name, "limit/%s", writable[i]);
        snprintf(path, sizeof path, "%s", write_file(name, "old", 3));
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        expect_not_written(path, &image, NULL, "cannot be written: File too large");
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        data = read_file(path, &size);
        assert_string_equal((char *)data, "old");
        free(data);
        assert_int_equal(entries_in(folder), 1);
        assert_int_equal(unlink(path), 0);
    }
}

/* ---- TIFF ---- */

#ifdef PENTA_HAVE_TIFF

TEST(tiff_needs_to_seek)
{
    HELD_BY(penta_io_image_free) penta_io_image image = random_image(3, 2, PENTA_U8);
    int reader;

    assert_int_equal(mkfifo(in_directory("pipe.tif"), 0600), 0);
    reader = open(in_directory("pipe.tif"), O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    expect_not_written(in_directory("pipe.tif"), &image, NULL, "a TIFF cannot be written to a pipe; name a file");
    close(reader);
}

TEST(tiff_tags)
{
    for (size_t t = 0; t < COUNT(types); t++) {
        HELD_BY(penta_io_image_free) penta_io_image image = random_image(700, 900, types[t]);
        uint16_t bits = 0, format = 0, compression = 0, predictor = 0;
        uint32_t rows = 0;
        TIFF *tif;

        expect_written(in_directory("tags.tif"), &image, NULL);
        tif = TIFFOpen(in_directory("tags.tif"), "r");
        assert_non_null(tif);
        assert_true(TIFFGetField(tif, TIFFTAG_BITSPERSAMPLE, &bits) &&
                    TIFFGetField(tif, TIFFTAG_SAMPLEFORMAT, &format));
        assert_true(TIFFGetField(tif, TIFFTAG_COMPRESSION, &compression));
        assert_true(TIFFGetField(tif, TIFFTAG_ROWSPERSTRIP, &rows));
        assert_int_equal(bits, 8 * penta_type_size(types[t]));
        assert_int_equal(format, t < 2 ? SAMPLEFORMAT_UINT : SAMPLEFORMAT_IEEEFP);
        assert_true(rows < 900);
        if (TIFFIsCODECConfigured(COMPRESSION_ADOBE_DEFLATE)) {
            assert_int_equal(compression, COMPRESSION_ADOBE_DEFLATE);
            assert_true(TIFFGetField(tif, TIFFTAG_PREDICTOR, &predictor));
            assert_int_equal(predictor, t < 2 ? 2 : 3);
        }
        assert_int_equal(TIFFNumberOfDirectories(tif), 1);
        TIFFClose(tif);
    }
}

#endif

IN_DIRECTORY;
