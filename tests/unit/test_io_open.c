/* Opening: formats told by their first bytes, files that are no images, threads, and published files. */

#include "io_files.h"

#include <pthread.h>

IO_TEST(files_that_are_not_there)
{
    penta_io_reader *reader = (penta_io_reader *)&reader;

    expect_error(in_directory("none.png"), "no such file");
    expect_error(test_directory, "is a directory");
    expect_error(write_file("empty.png", "", 0), "the file is empty (0 bytes)");
    expect_error("/dev/null", "is not a regular file");
    assert_int_equal(mkfifo(in_directory("pipe.png"), 0600), 0);
    expect_error(in_directory("pipe.png"), "is not a regular file");
    expect_error(in_directory("empty.png/a.png"), "cannot be opened: Not a directory");
    assert_false(penta_io_reader_open("", &reader, &err));
    assert_null(reader);
    assert_non_null(strstr(err.text, "empty"));
    if (geteuid() != 0) {
        assert_int_equal(chmod(write_file("closed.png", "x", 1), 0), 0);
        expect_error(in_directory("closed.png"), "permission denied");
    }
}

TEST(unknown_formats)
{
    expect_error(write_file("a.png", "G", 1), "unknown format (its first bytes are 47)");
    expect_error(write_file("a.png", "hello there", 11), "unknown format (its first bytes are 68 65 6c 6c)");
    expect_error(write_file("a.png", "GIF89a", 6), "GIF");
    expect_error(write_file("a.tif", "\xff\xd8\xff\xe0", 4), "JPEG");
    expect_error(write_file("a.fits", "SIMPLE  =  T", 12), "is a FITS file");
    expect_error(write_file("a.npz", "PK\3\4", 4), "is a ZIP archive (or NPZ)");
    expect_error(write_file("a.mat", "MATLAB 5.0", 10), "is a MATLAB file");
    expect_error(write_file("P", "P", 1), "unknown format");
}

/* A name on the file may lie, and a strange one must not break the error line. */
/* What can be read is what the table of formats has, in messages as well. */
TEST(formats_by_name)
{
    static const char *const ends[] = {"a.png",  "a.FITS", "a.fts", "a.tiff", "a.gif", "a.jpg",
                                       "a.JPEG", "a.pgm",  "a.npy", "a.nef",  "a.CR3"};
    static const char *const others[] = {"png", ".png", "a", "a.jpg2", "fits.gz", "a.png.gz", "a.png/b", ""};
    char known[256], few[6];

    penta_io_image_formats(known, sizeof known);
    assert_memory_equal(known, "PNG, ", 5);
    assert_non_null(strstr(known, "PGM/PPM"));
    expect_error(write_file("a", "what", 4), known);
    penta_io_image_formats(few, sizeof few);
    assert_string_equal(few, "PNG, ");
    for (size_t i = 0; i < COUNT(ends); i++)
        assert_true(penta_io_image_has_name(ends[i]));
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(penta_io_image_has_name(others[i]));
}

IO_TEST(names_do_not_matter)
{
    penta_io_image image;

    expect_pixels(write_file("image.png", "P5 1 1 255\nx", 12), 1, 1, PENTA_U8, "x");
    assert_false(read_page(write_file("two\nlines\x1b[1m.png", "?", 1), 0, &image, &err));
    assert_non_null(strstr(err.text, "two?lines?[1m.png: unknown format"));
}

IO_TEST(reading_twice_and_beyond)
{
    penta_io_reader *reader = NULL;
    penta_io_image image;

    assert_true(penta_io_reader_open(write_file("a.pgm", "P5 1 1 255\nx", 12), &reader, &err));
    assert_int_equal(penta_io_reader_pages(reader), 1);
    for (int i = 0; i < 3; i++) {
        assert_true(penta_io_reader_read(reader, 0, &image, &err));
        assert_int_equal(*(uint8_t *)image.data, 'x');
        penta_io_image_free(&image);
        assert_false(penta_io_reader_read(reader, 1, &image, &err));
        assert_null(image.data);
        assert_non_null(strstr(err.text, "has 1 page, but page 2 was asked for"));
    }
    penta_io_reader_close(reader);
    penta_io_reader_close(NULL);
    penta_io_image_free(&image);
}

/* A file that shrinks between open and read is an error, not a fault. */
IO_TEST(file_that_shrinks)
{
    const char *path = write_file("shrink.pgm", "P5 2 2 255\nabcd", 15);
    HELD_BY(penta_io_reader_held) penta_io_reader *reader = NULL;
    penta_io_image image;

    assert_true(penta_io_reader_open(path, &reader, &err));
    assert_int_equal(truncate(path, 13), 0);
    assert_false(penta_io_reader_read(reader, 0, &image, &err));
    assert_non_null(strstr(err.text, "the file shrank"));
}

/* ---- threads ---- */

typedef struct {
    char good[512], bad[512];
    unsigned char pixel;
    bool ok;
} reading;

/* Reads a good and a damaged file over and over; each error must speak of this thread's file. */
static void *read_repeatedly(void *argument)
{
    reading *r = argument;

    r->ok = true;
    for (int i = 0; i < 200 && r->ok; i++) {
        penta_io_image image = {0};
        penta_io_error err = {""};
        penta_io_reader *reader = NULL;

        r->ok = penta_io_reader_open(r->good, &reader, &err) && penta_io_reader_read(reader, 0, &image, &err) &&
                *(unsigned char *)image.data == r->pixel;
        penta_io_image_free(&image);
        penta_io_reader_close(reader);
        reader = NULL;
        if (penta_io_reader_open(r->bad, &reader, &err) && penta_io_reader_read(reader, 0, &image, &err))
            r->ok = false;
        penta_io_reader_close(reader);
        r->ok = r->ok && strncmp(err.text, r->bad, strlen(r->bad)) == 0 && !strstr(err.text, "no reason");
    }
    return NULL;
}

static void prepare(reading *r, size_t index)
{
    unsigned char pixels[64];
    unsigned char *data;
    size_t size;
    char name[32];
    const char *path;

    r->pixel = (unsigned char)(index * 20 + 1);
    memset(pixels, r->pixel, sizeof pixels);
    snprintf(name, sizeof name, "thread%zu", index);
    path = write_png(name, 8, 8, &(png_spec){.color = PNG_COLOR_TYPE_GRAY, .depth = 8}, pixels);
#ifdef PENTA_HAVE_TIFF
    if (index % 2 == 0) {
        tiff_spec s = {.width = 8, .height = 8, .bits = 8, .compression = COMPRESSION_ADOBE_DEFLATE};

        path = write_tiff(name, "w", &s, pixels);
    }
#endif
    snprintf(r->good, sizeof r->good, "%s", path);
    data = read_file(path, &size);
    data[data[0] == 'I' ? 12 : size - 14] ^= 0x55; /* the compressed pixels; the checksum of them */
    snprintf(name, sizeof name, "broken%zu", index);
    snprintf(r->bad, sizeof r->bad, "%s", write_file(name, data, size));
    free(data);
}

TEST(threads)
{
    enum { THREADS = 6 };
    reading readings[THREADS];
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        prepare(&readings[i], i);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_repeatedly, &readings[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; i++)
        assert_true(readings[i].ok);
}

/* ---- published files, described in the data directory's SOURCES.md ---- */

typedef struct {
    const char *name;
    size_t pages, width, height;
    penta_type type;
    unsigned least, most; /* over all pages */
    bool tiff;
} published;

static const published files[] = {
    {"autocorrelation/hexSIM1.png", 1, 507, 507, PENTA_U8, 0, 255, false},
    {"autocorrelation/lamSIM1.png", 1, 296, 296, PENTA_U8, 0, 255, false},
    {"autocorrelation/p4a5s20_10x_z080_xy0_188.png", 1, 948, 1012, PENTA_U8, 0, 255, false},
    {"autocorrelation/p4a5s20_10x_z080_xy0_247.png", 1, 948, 1012, PENTA_U8, 0, 255, false},
    {"cardiac/ModelStackPropagation_vm.tif", 150, 50, 100, PENTA_U16, 0, 100, true},
    {"cardiac/ModelStackPropagation_ca.tif", 150, 50, 100, PENTA_U16, 99, 200, true},
    {"cardiac/ModelStackPropagationNoise_vm.tif", 170, 50, 100, PENTA_U16, 0, 65535, true},
    {"cardiac/01-350_Ca_frame.tif", 1, 512, 620, PENTA_U16, 84, 1120, true}, /* big-endian */
};

static void check_published(const char *directory, const published *file)
{
    char path[1024];
    penta_io_reader *reader = NULL;
    unsigned least = UINT32_MAX;
    unsigned most = 0;
    penta_io_error err = {""};

    snprintf(path, sizeof path, "%s/%s", directory, file->name);
    EXPECT_IO(penta_io_reader_open(path, &reader, &err), err);
    assert_int_equal(penta_io_reader_pages(reader), file->pages);
    for (size_t page = 0; page < file->pages; page++) {
        HELD_BY(penta_io_image_free) penta_io_image image;

        EXPECT_IO(penta_io_reader_read(reader, page, &image, &err), err);
        assert_int_equal(image.width, file->width);
        assert_int_equal(image.height, file->height);
        assert_int_equal(image.type, file->type);
        for (size_t i = 0; i < image.width * image.height; i++) {
            unsigned v = image.type == PENTA_U8 ? ((uint8_t *)image.data)[i] : ((uint16_t *)image.data)[i];

            least = v < least ? v : least;
            most = v > most ? v : most;
        }
    }
    penta_io_reader_close(reader);
    assert_int_equal(least, file->least);
    assert_int_equal(most, file->most);
}

TEST(published_files)
{
    const char *directory = getenv("PENTACL_TEST_DATA");

    if (!directory || !*directory) {
        leave_out_test("PENTACL_TEST_DATA names no directory with autocorrelation/ and cardiac/");
    }
    for (size_t i = 0; i < COUNT(files); i++) {
#ifndef PENTA_HAVE_TIFF
        if (files[i].tiff)
            continue;
#endif
        check_published(directory, &files[i]);
    }
}

IN_DIRECTORY;
