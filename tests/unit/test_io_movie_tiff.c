/* Movies in TIFF and BigTIFF: every type, byte order and layout, ImageJ's, and what is refused. */
#define _FILE_OFFSET_BITS 64

#include "movie_files.h"

#ifndef PENTA_HAVE_TIFF

TEST(without_libtiff)
{
    expect_movie_refused(write_file("a.tif", "II*\0\10\0\0\0", 8), NULL, "install libtiff-dev");
}

IN_DIRECTORY;

#else

static const char *const modes[] = {"wl", "wb", "wl8", "wb8"};

static tiff_spec spec_of(penta_type type)
{
    return (tiff_spec){.width = COLS,
                       .height = ROWS,
                       .bits = (uint16_t)(8 * penta_type_size(type)),
                       .format = type == PENTA_F32 || type == PENTA_F64   ? SAMPLEFORMAT_IEEEFP
                                 : type == PENTA_I16 || type == PENTA_I32 ? SAMPLEFORMAT_INT
                                                                          : SAMPLEFORMAT_UINT};
}

/* Pages of the numbers of cube_files.h. specs: one for all, or `pages` of them. */
static const char *write_pages(const char *name, const char *mode, const tiff_spec *specs, size_t kinds, size_t pages,
                               penta_type type)
{
    static unsigned char data[ELEMENTS * 8];
    const char *path = in_directory(name);
    TIFF *tif = TIFFOpen(path, mode);
    size_t page_bytes = fill_cube(type, "brc", host_is_big(), data) / FRAMES;

    assert_non_null(tif);
    for (size_t i = 0; i < pages; i++)
        add_tiff_page(tif, &specs[i % kinds], data + i % FRAMES * page_bytes);
    TIFFClose(tif);
    return path;
}

TEST(types_orders_layouts)
{
    static const tiff_spec layouts[] = {{.rows_per_strip = 0},
                                        {.rows_per_strip = 1},
                                        {.rows_per_strip = 3},
                                        {.tile = 16},
                                        {.compression = COMPRESSION_LZW},
                                        {.compression = COMPRESSION_ADOBE_DEFLATE, .rows_per_strip = 2},
                                        {.compression = COMPRESSION_PACKBITS},
                                        {.compression = COMPRESSION_LZW, .tile = 16}};

    for (size_t t = 0; t < COUNT(cube_types); t++)
        for (size_t k = 0; k < COUNT(layouts); k++)
            for (size_t i = 0; i < COUNT(modes); i++) {
                tiff_spec s = spec_of(cube_types[t]);

                s.rows_per_strip = layouts[k].rows_per_strip;
                s.tile = layouts[k].tile;
                s.compression = layouts[k].compression;
                expect_movie(write_pages("a.tif", modes[i], &s, 1, FRAMES, cube_types[t]), NULL, cube_types[t],
                             strchr(modes[i], '8') ? "BigTIFF" : "TIFF");
            }
}

/* Some pages as they lie in the file, some not. */
TEST(mixed_layouts)
{
    tiff_spec s[FRAMES];

    for (size_t i = 0; i < FRAMES; i++)
        s[i] = spec_of(PENTA_U16);
    s[1].compression = COMPRESSION_LZW;
    s[3].tile = 16;
    expect_movie(write_pages("a.tif", "w", s, FRAMES, FRAMES, PENTA_U16), NULL, PENTA_U16, "TIFF");
}

TEST(orientations)
{
    static const uint8_t pixels[6] = {1, 2, 3, 4, 5, 6};
    static const uint8_t expected[4][6] = {
        {1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1}, {4, 5, 6, 1, 2, 3}};

    for (uint16_t o = 1; o <= 8; o++) {
        tiff_spec s = {.width = 3, .height = 2, .bits = 8, .orientation = o};
        const char *path = write_tiff("o.tif", "w", &s, pixels);
        HELD_BY(penta_io_movie_close) penta_io_movie m;

        if (o > 4) {
            expect_movie_refused(path, NULL, "lies on its side");
            continue;
        }
        m = open_movie(path, NULL);
        assert_int_equal(m.frames, 1); /* which the command refuses */
        assert_memory_equal(m.data[0], expected[o - 1], 6);
    }
}

/* ---- ImageJ ---- */

static void expect_rate(const char *description, double rate)
{
    tiff_spec s = spec_of(PENTA_U16);
    HELD_BY(penta_io_movie_close) penta_io_movie m;

    s.description = description;
    m = open_movie(write_pages("rate.tif", "w", &s, 1, FRAMES, PENTA_U16), NULL);
    expect_near(m.rate, rate, 1e-9 * rate);
}

TEST(rates)
{
    expect_rate("ImageJ=1.53t\nimages=5\nframes=5\nfinterval=0.002\n", 500);
    expect_rate("ImageJ=1.53t\nfps=7.0\nfinterval=0.001\n", 1000);
    expect_rate("ImageJ=1.53t\nimages=5\nfps=250\nloop=false\n", 250);
    expect_rate("ImageJ=1.53t\nfinterval=4\ntunit=ms\n", 250);
    expect_rate("ImageJ=1.53t\nfinterval=4\ntunit=sec\n", 0.25);
    expect_rate("ImageJ=1.53t\nfinterval=0\n", 0);
    expect_rate("ImageJ=1.53t\nfinterval=nan\nfps=-1\n", 0);
    expect_rate("{\"shape\": [5, 7, 6]}", 0);
    expect_rate("\nfinterval=0.002\n", 0);
}

/* A page with a note, and what lies behind it. */
static const char *hidden_frames(const char *note, const char *mode, penta_type type, bool big, size_t frames)
{
    static unsigned char file[1 << 16], data[ELEMENTS * 8];
    size_t bytes = fill_cube(type, "brc", big, data) / FRAMES;
    tiff_spec s = spec_of(type);
    HELD unsigned char *written = NULL;
    uint64_t *offset = NULL;
    size_t size, at;
    TIFF *tif;

    s.description = note;
    tif = TIFFOpen(write_pages("note.tif", mode, &s, 1, 1, type), "r");
    assert_non_null(tif);
    assert_int_equal(TIFFGetField(tif, TIFFTAG_STRIPOFFSETS, &offset), 1);
    at = (size_t)offset[0];
    TIFFClose(tif);
    written = read_file(in_directory("note.tif"), &size);
    /* libtiff put the directory behind the pixels: the other frames go behind it, and a copy of the first before them
     * would be in its place; so everything moves to the end, and the strip's offset with it */
    memcpy(file, written, size);
    memcpy(file + size + size % 2, data, frames * bytes);
    for (size_t i = 8; i + 4 <= size; i++) { /* the entry StripOffsets (273) with the value `at` */
        bool entry = big ? file[i] == 1 && file[i + 1] == 17 : file[i] == 17 && file[i + 1] == 1;
        size_t value = i + (strchr(mode, '8') ? 12 : 8), now = size + size % 2;

        if (!entry || file[value + (big ? 3 : 0)] != at)
            continue;
        for (size_t k = 0; k < 4; k++)
            file[value + k] = (unsigned char)(now >> 8 * (big ? 3 - k : k));
    }
    return write_file("hidden.tif", file, size + size % 2 + frames * bytes);
}

TEST(hidden_frames)
{
    static const char note[] = "ImageJ=1.53t\nimages=5\nslices=5\nfinterval=0.5\n";
    HELD_BY(penta_io_movie_close) penta_io_movie m;

    for (size_t t = 0; t < COUNT(cube_types); t++)
        for (int big = 0; big < 2; big++)
            expect_movie(hidden_frames(note, big ? "wb" : "wl", cube_types[t], big, FRAMES), NULL, cube_types[t],
                         "TIFF");
    expect_movie_refused(hidden_frames(note, "wl", PENTA_U16, false, 4), NULL, "has 5 frames, but it ends after 4");
    m = open_movie(hidden_frames(note, "wl", PENTA_U16, false, 1), NULL); /* taken out of a movie with its note */
    assert_int_equal(m.frames, 1);
    expect_near(m.rate, 2, 1e-12);
}

TEST(axes)
{
    tiff_spec s = spec_of(PENTA_U8);

    s.description = "ImageJ=1.53t\nimages=6\nchannels=2\nframes=3\n";
    expect_movie_refused(write_pages("axes.tif", "w", &s, 1, 6, PENTA_U8), NULL, "2 channels, 1 slices, 3 frames");
    s.description = "ImageJ=1.11a\nimages=6\nchannels=6\nhyperstack=true\n";
    expect_movie_refused(write_pages("axes.tif", "w", &s, 1, 6, PENTA_U8), NULL, "6 channels, 1 slices, 1 frames");
    s.description =
        "<?xml version=\"1.0\"?><OME><Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XYZCT\" "
        "Type=\"uint8\" SizeX=\"9\" SizeY=\"7\" SizeZ=\"1\" SizeC=\"2\" SizeT=\"3\"></Pixels></Image></OME>";
    expect_movie_refused(write_pages("axes.tif", "w", &s, 1, 6, PENTA_U8), NULL, "2 channels, 1 slices, 3 frames");
    s.description = "{\"shape\": [3, 2, 7, 9], \"axes\": \"TCYX\"}"; /* of tifffile */
    expect_movie_refused(write_pages("axes.tif", "w", &s, 1, 6, PENTA_U8), NULL, "more than three axes");
    s.description = "{\"shape\": [5, 1, 7, 9]}";
    expect_movie(write_pages("axes.tif", "w", &s, 1, FRAMES, PENTA_U8), NULL, PENTA_U8, "TIFF");
    s.description = "<OME><Pixels SizeZ=\"1\" SizeC=\"1\" SizeT=\"5\"/></OME>";
    expect_movie(write_pages("axes.tif", "w", &s, 1, FRAMES, PENTA_U8), NULL, PENTA_U8, "TIFF");
    s.description = "ImageJ=1.53t\nimages=5\nslices=5\n"; /* as people's movies often have it */
    expect_movie(write_pages("axes.tif", "w", &s, 1, FRAMES, PENTA_U8), NULL, PENTA_U8, "TIFF");
}

/* ---- beyond 4 GB ---- */

static void put_number(FILE *f, uint64_t value, size_t size)
{
    for (size_t k = 0; k < size; k++)
        assert_true(putc((int)(value >> 8 * k & 255), f) != EOF);
}

/* A directory of BigTIFF at `at`: a page of SIDE x SIDE bytes from `pixels` on. */
static void put_directory(FILE *f, uint64_t at, uint32_t side, uint64_t pixels, uint64_t next)
{
    const uint64_t entries[][3] = {{256, 4, side}, {257, 4, side}, {258, 3, 8},
                                   {259, 3, 1},    {262, 3, 1},    {273, 16, pixels},
                                   {277, 3, 1},    {278, 4, side}, {279, 16, (uint64_t)side * side}};

    assert_int_equal(fseeko(f, (off_t)at, SEEK_SET), 0);
    put_number(f, COUNT(entries), 8);
    for (size_t i = 0; i < COUNT(entries); i++) {
        put_number(f, entries[i][0], 2);
        put_number(f, entries[i][1], 2);
        put_number(f, 1, 8);
        put_number(f, entries[i][2], 8);
    }
    put_number(f, next, 8);
}

/* 6 GB that take no room on the disk. */
TEST(bigtiff_beyond_4_gb)
{
    enum { PAGES = 6, SIDE = 32768, PAGE_BYTES = SIDE * SIDE, FIRST = 4096 };
    const char *path = write_file("big.tif", "II+\0\10\0\0\0", 8);
    FILE *f = fopen(path, "r+b");
    penta_io_movie m;

    if (sizeof(size_t) < 8) {
        fclose(f);
        return;
    }
    assert_non_null(f);
    assert_int_equal(fseeko(f, 8, SEEK_SET), 0);
    put_number(f, FIRST, 8);
    for (uint64_t i = 0; i < PAGES; i++) {
        uint64_t at = FIRST + i * (PAGE_BYTES + 256), next = at + PAGE_BYTES + 256;

        put_directory(f, at, SIDE, at + 256, i + 1 < PAGES ? next : 0);
        assert_int_equal(fseeko(f, (off_t)(next - 1), SEEK_SET), 0);
        put_number(f, i + 1, 1);
    }
    assert_int_equal(fclose(f), 0);
    m = open_movie(path, NULL);
    assert_string_equal(m.format, "BigTIFF");
    assert_int_equal(m.frames, PAGES);
    for (size_t i = 0; i < PAGES; i++)
        assert_int_equal(((const uint8_t *)m.data[i])[PAGE_BYTES - 1], i + 1);
    penta_io_movie_close(&m);
    unlink(path);
}

/* ImageJ's way: one page, the frames behind it. */
TEST(hidden_frames_beyond_4_gb)
{
    enum { N = 5000, SIDE = 1000 };
    tiff_spec s = {.width = SIDE, .height = SIDE, .bits = 8, .description = "ImageJ=1.53t\nimages=5000\nframes=5000\n"};
    const char *path = in_directory("stack.tif");
    TIFF *tif = TIFFOpen(path, "wl");
    unsigned char row[SIDE] = {0};
    uint64_t *offset = NULL;
    uint64_t at;
    penta_io_movie m;
    FILE *f;

    assert_non_null(tif);
    set_tiff_tags(tif, &s);
    TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, SIDE);
    for (uint32_t y = 0; y < SIDE; y++)
        assert_int_equal(TIFFWriteScanline(tif, row, y, 0), 1);
    TIFFClose(tif);
    tif = TIFFOpen(path, "r");
    assert_int_equal(TIFFGetField(tif, TIFFTAG_STRIPOFFSETS, &offset), 1);
    at = offset[0];
    TIFFClose(tif);
    stretch_file(path, (long long)(at + (uint64_t)N * SIDE * SIDE));
    f = fopen(path, "r+b");
    assert_int_equal(fseeko(f, (off_t)(at + (uint64_t)N * SIDE * SIDE - 1), SEEK_SET), 0);
    put_number(f, 77, 1);
    assert_int_equal(fclose(f), 0);
    m = open_movie(path, NULL);
    assert_int_equal(m.frames, N);
    assert_int_equal(((const uint8_t *)m.data[N - 1])[SIDE * SIDE - 1], 77);
    penta_io_movie_close(&m);
    unlink(path);
}

/* ---- what is refused ---- */

TEST(pages_that_differ)
{
    for (int what = 0; what < 3; what++) {
        tiff_spec s[FRAMES];

        for (size_t i = 0; i < FRAMES; i++)
            s[i] = spec_of(PENTA_U16);
        s[2].height -= what == 0;
        s[2].format = what == 1 ? SAMPLEFORMAT_INT : s[2].format;
        s[2].width -= what == 2;
        expect_movie_refused(write_pages("a.tif", "w", s, FRAMES, FRAMES, PENTA_U16), NULL,
                             what == 0   ? "page 3 of 5: has 6 x 6 pixels of u16, unlike the first page with 6 x 7 of"
                             : what == 1 ? "page 3 of 5: has 6 x 7 pixels of i16, unlike"
                                         : "page 3 of 5: has 5 x 7 pixels of u16, unlike");
    }
}

TEST(pixels_refused)
{
    static unsigned char data[4096];
    static const uint16_t palette[3 << 8];
    static const struct {
        tiff_spec s;
        const char *what;
    } cases[] = {{{.bits = 8, .samples = 3, .photometric = PHOTOMETRIC_RGB + 1}, "has 3 numbers a pixel (colour"},
                 {{.bits = 8, .samples = 2}, "has 2 numbers a pixel"},
                 {{.bits = 8, .photometric = PHOTOMETRIC_PALETTE + 1, .palette = palette}, "in colours of a palette"},
                 {{.bits = 8, .photometric = PHOTOMETRIC_MINISWHITE + 1}, "grey with 0 as white"},
                 {{.bits = 8, .format = SAMPLEFORMAT_INT}, "signed integers of 8 bits"},
                 {{.bits = 1}, "unsigned integers of 1 bits"},
                 {{.bits = 4}, "unsigned integers of 4 bits"},
                 {{.bits = 12}, "unsigned integers of 12 bits"},
                 {{.bits = 64}, "unsigned integers of 64 bits"},
                 {{.bits = 16, .format = SAMPLEFORMAT_IEEEFP}, "floating-point numbers of 16 bits"},
                 {{.bits = 32, .format = SAMPLEFORMAT_COMPLEXINT}, "complex numbers"}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        tiff_spec s[2] = {spec_of(PENTA_U8), cases[i].s};
        const char *path = in_directory("a.tif");
        TIFF *tif = TIFFOpen(path, "w");

        s[1].width = COLS;
        s[1].height = ROWS;
        for (size_t k = 0; k < 2; k++)
            add_tiff_page(tif, &s[k], data);
        TIFFClose(tif);
        expect_movie_refused(path, NULL, cases[i].what);
        expect_movie_refused(path, NULL, "page 2 of 2: ");
    }
}

TEST(cut)
{
    static const uint16_t compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW};
    tiff_spec s = spec_of(PENTA_U16);

    for (size_t k = 0; k < COUNT(compressions); k++) {
        HELD unsigned char *file = NULL;
        size_t size;

        s.compression = compressions[k];
        file = read_file(write_pages("a.tif", "w", &s, 1, FRAMES, PENTA_U16), &size);
        for (size_t n = 4; n < size; n++)
            expect_movie_refused(write_file("cut.tif", file, n), NULL, ": ");
    }
}

/* The numbers of the last page end behind the file's end. */
TEST(pixels_beyond_the_end)
{
    const char *path = write_file("far.tif", "II+\0\10\0\0\0", 8);
    FILE *f = fopen(path, "r+b");

    assert_non_null(f);
    assert_int_equal(fseeko(f, 8, SEEK_SET), 0);
    put_number(f, 16, 8);
    put_directory(f, 16, 10, 300, 400);
    put_directory(f, 400, 10, 590, 0);
    put_number(f, 0, 8);
    assert_int_equal(fclose(f), 0);
    stretch_file(path, 689);
    expect_movie_refused(path, NULL, "page 2 of 2: its pixels end at byte 690, but the file has only 689");
    stretch_file(path, 690);
    penta_io_movie_close(&(penta_io_movie[]){open_movie(path, NULL)}[0]);
}

static int write_without_warnings(void **state)
{
    TIFFSetWarningHandler(NULL);
    return make_test_directory(state);
}

RUN(EVERYWHERE, NULL, write_without_warnings, remove_test_directory);

#endif
