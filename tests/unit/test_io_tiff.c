/* TIFF: byte orders, layouts, compressions, sample types and colours, stacks. */

#include "io_files.h"

#ifndef PENTA_HAVE_TIFF

TEST(left_out)
{
    leave_out_test("this build has no TIFF; test_io_tiff_refused tests what is said");
}

#else

enum { W = 21, H = 18 }; /* not a multiple of the tile, and more than one of it both ways */

static const char *const modes[] = {"wl", "wb", "wl8", "wb8"};

/* The packed image of a specification, and what reading it must give. */
typedef struct {
    _Alignas(8) unsigned char packed[W * H * 4 * 8];
    _Alignas(8) unsigned char grey[W * H * 8];
    penta_type type;
} picture;

static unsigned number(unsigned x, unsigned y, unsigned c)
{
    return x * 7919u + y * 104729u + c * 65537u + x * y * 31u;
}

/* Sample c of pixel (x, y) as a real number. */
static double sample(const tiff_spec *s, unsigned x, unsigned y, unsigned c)
{
    unsigned n = number(x, y, c);

    if (s->format == SAMPLEFORMAT_IEEEFP)
        return (double)(n % 1024) / 8 - 50;
    n &= s->bits < 32 ? (1u << s->bits) - 1 : UINT32_MAX;
    if (s->format == SAMPLEFORMAT_INT)
        return (double)n - (double)(UINT64_C(1) << (s->bits - 1));
    return n;
}

static void put_sample(const tiff_spec *s, unsigned char *row, size_t index, double v)
{
    if (s->format == SAMPLEFORMAT_INT || (s->format != SAMPLEFORMAT_IEEEFP && s->bits == 32)) {
        int64_t i = (int64_t)v;
        uint32_t low = (uint32_t)i; /* two's complement */
        uint16_t half = (uint16_t)i;

        memcpy(row + s->bits / 8 * index, s->bits == 32 ? (const void *)&low : &half, s->bits / 8u);
    } else if (s->bits == 64) {
        memcpy(row + 8 * index, &v, 8);
    } else if (s->bits == 32) {
        float f = (float)v;

        memcpy(row + 4 * index, &f, 4);
    } else if (s->bits == 16) {
        uint16_t u = (uint16_t)v;

        memcpy(row + 2 * index, &u, 2);
    } else { /* packed from the high bits on */
        size_t bit = index * s->bits;

        for (unsigned k = 0; k < s->bits; k++, bit++)
            row[bit / 8] = (unsigned char)(row[bit / 8] | ((unsigned)v >> (s->bits - 1 - k) & 1) << (7 - bit % 8));
    }
}

static double grey_value(const tiff_spec *s, unsigned x, unsigned y)
{
    double v = sample(s, x, y, 0);
    double most = s->bits < 32 ? (1u << s->bits) - 1 : 0;

    if (s->photometric == PHOTOMETRIC_RGB + 1) {
        v = (299 * v + 587 * sample(s, x, y, 1) + 114 * sample(s, x, y, 2)) / 1000;
        return s->format >= SAMPLEFORMAT_INT ? v : (double)(unsigned)(v + 0.5 + 1e-9);
    }
    if (s->photometric == PHOTOMETRIC_MINISWHITE + 1 && s->format != SAMPLEFORMAT_IEEEFP)
        v = most - v;
    return s->bits < 8 ? v * 255 / most : v;
}

static void paint(const tiff_spec *s, picture *p)
{
    unsigned samples = s->samples ? s->samples : 1;
    bool separate = s->planar == PLANARCONFIG_SEPARATE;
    size_t row_bytes = ((size_t)W * (separate ? 1 : samples) * s->bits + 7) / 8;

    bool wide = s->format == SAMPLEFORMAT_INT || (s->format != SAMPLEFORMAT_IEEEFP && s->bits == 32);

    *p = (picture){.type = s->bits == 64 || (wide && s->bits == 32) ? PENTA_F64
                           : s->bits == 32 || wide                  ? PENTA_F32
                           : s->bits > 8                            ? PENTA_U16
                                                                    : PENTA_U8};
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++) {
            tiff_spec out = {.bits = (uint16_t)(8 * penta_type_size(p->type)),
                             .format = p->type == PENTA_F32 || p->type == PENTA_F64 ? SAMPLEFORMAT_IEEEFP : 0};

            put_sample(&out, p->grey, (size_t)y * W + x, grey_value(s, x, y));
            for (unsigned c = 0; c < samples; c++)
                put_sample(s, p->packed + row_bytes * (y + (separate ? (size_t)H * c : 0)),
                           separate ? x : (size_t)x * samples + c, sample(s, x, y, c));
        }
}

/* Writes and reads the picture in every byte order, layout and compression. */
static void check_everywhere(tiff_spec s)
{
    static const uint16_t compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                            COMPRESSION_PACKBITS};
    picture p;

    s.width = W;
    s.height = H;
    paint(&s, &p);
    for (size_t mode = 0; mode < COUNT(modes); mode++)
        for (size_t compression = 0; compression < COUNT(compressions); compression++)
            for (int layout = 0; layout < 4; layout++) {
                if (layout == 3 && s.bits % 8 != 0)
                    continue;
                s.compression = compressions[compression];
                s.rows_per_strip = layout == 1 ? 5 : 0;
                s.tile = layout == 2 ? 32 : layout == 3 ? 16 : 0;
                expect_pixels(write_tiff("a.tif", modes[mode], &s, p.packed), W, H, p.type, p.grey);
            }
}

TEST(grey)
{
    static const uint16_t bits[] = {1, 2, 4, 8, 10, 12, 14, 16};

    for (size_t i = 0; i < COUNT(bits); i++) {
        check_everywhere((tiff_spec){.bits = bits[i]});
        check_everywhere((tiff_spec){.bits = bits[i], .photometric = PHOTOMETRIC_MINISWHITE + 1});
    }
    check_everywhere((tiff_spec){.bits = 8, .samples = 2});
    check_everywhere((tiff_spec){.bits = 16, .samples = 2, .planar = PLANARCONFIG_SEPARATE});
    check_everywhere((tiff_spec){.bits = 12, .samples = 3, .photometric = PHOTOMETRIC_RGB + 1});
}

/* Bits of each byte the other way round. */
TEST(fill_order)
{
    static const uint16_t bits[] = {1, 8, 10, 12, 14, 16};

    for (size_t i = 0; i < COUNT(bits); i++)
        check_everywhere((tiff_spec){.bits = bits[i], .fill_order = FILLORDER_LSB2MSB});
}

TEST(other_numbers)
{
    for (uint16_t bits = 8; bits <= 32; bits = (uint16_t)(2 * bits))
        check_everywhere((tiff_spec){.bits = bits, .format = SAMPLEFORMAT_INT});
    check_everywhere((tiff_spec){.bits = 32});
    check_everywhere((tiff_spec){.bits = 16,
                                 .format = SAMPLEFORMAT_INT,
                                 .samples = 3,
                                 .photometric = PHOTOMETRIC_RGB + 1,
                                 .planar = PLANARCONFIG_SEPARATE});
    expect_pixels(write_tiff("half.tif", "wb",
                             &(tiff_spec){.width = 3, .height = 1, .bits = 16, .format = SAMPLEFORMAT_IEEEFP},
                             (const uint16_t[]){0x3c00, 0xc500, 0x7bff}),
                  3, 1, PENTA_F32, (const float[]){1, -5, 65504});
}

TEST(floating_point)
{
    for (uint16_t bits = 32; bits <= 64; bits = (uint16_t)(2 * bits)) {
        check_everywhere((tiff_spec){.bits = bits, .format = SAMPLEFORMAT_IEEEFP});
        check_everywhere(
            (tiff_spec){.bits = bits, .format = SAMPLEFORMAT_IEEEFP, .photometric = PHOTOMETRIC_MINISWHITE + 1});
        check_everywhere(
            (tiff_spec){.bits = bits, .format = SAMPLEFORMAT_IEEEFP, .samples = 3, .photometric = PHOTOMETRIC_RGB + 1});
    }
}

TEST(colour)
{
    for (uint16_t bits = 8; bits <= 16; bits = (uint16_t)(2 * bits))
        for (uint16_t samples = 3; samples <= 4; samples++)
            for (uint16_t planar = PLANARCONFIG_CONTIG; planar <= PLANARCONFIG_SEPARATE; planar++)
                check_everywhere((tiff_spec){
                    .bits = bits, .samples = samples, .planar = planar, .photometric = PHOTOMETRIC_RGB + 1});
}

/* 0.1 + 0.587... would not give 0.1 back. */
TEST(grey_in_floating_rgb_is_exact)
{
    const double values[] = {0.1, 1.0 / 3, 1e308, -5e-324};
    double rgb[12];
    tiff_spec s = {.width = 4,
                   .height = 1,
                   .bits = 64,
                   .samples = 3,
                   .format = SAMPLEFORMAT_IEEEFP,
                   .photometric = PHOTOMETRIC_RGB + 1};

    for (size_t i = 0; i < 12; i++)
        rgb[i] = values[i / 3];
    expect_pixels(write_tiff("exact.tif", "w", &s, rgb), 4, 1, PENTA_F64, values);
}

TEST(palettes)
{
    static const uint16_t bits[] = {1, 2, 4, 8};
    uint16_t palette[3 * 256] = {0};
    picture p;

    for (size_t i = 0; i < COUNT(bits); i++)
        for (int old = 0; old < 2; old++) {
            unsigned n = 1u << bits[i];
            tiff_spec s = {
                .width = W, .height = H, .bits = bits[i], .photometric = PHOTOMETRIC_PALETTE + 1, .palette = palette};

            for (unsigned k = 0; k < 3 * n; k++) /* 0..255, or the same times 257 as it should be */
                palette[k] = (uint16_t)((k * 91 + 200) % 256 * (old ? 1 : 257));
            paint(&s, &p);
            for (unsigned k = 0; k < W * H; k++) {
                unsigned v = (unsigned)sample(&s, k % W, k / W, 0);
                unsigned sum = 299 * palette[v] + 587 * palette[n + v] + 114 * palette[2 * n + v];

                p.grey[k] = (uint8_t)(sum / (old ? 1000.0 : 257000.0) + 0.5);
            }
            expect_pixels(write_tiff("palette.tif", "w", &s, p.packed), W, H, PENTA_U8, p.grey);
        }
}

TEST(sixteen_bit_palette)
{
    HELD uint16_t *palette = calloc(3 * 65536, sizeof *palette);
    const uint16_t indexes[] = {0, 1, 65535, 300};
    tiff_spec s = {.width = 4, .height = 1, .bits = 16, .photometric = PHOTOMETRIC_PALETTE + 1, .palette = palette};

    assert_non_null(palette);
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < 65536; i++)
            palette[c * 65536 + i] = (uint16_t)(65535 - i);
    expect_pixels(write_tiff("palette16.tif", "w", &s, indexes), 4, 1, PENTA_U16,
                  (const uint16_t[]){65535, 65534, 0, 65235});
}

TEST(orientations)
{
    static const uint8_t expected[4][6] = {
        {1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1}, {4, 5, 6, 1, 2, 3}};
    tiff_spec s = {.width = 3, .height = 2, .bits = 8};

    for (uint16_t i = 0; i < 4; i++) {
        s.orientation = (uint16_t)(i + 1);
        expect_pixels(write_tiff("turn.tif", "w", &s, "\1\2\3\4\5\6"), 3, 2, PENTA_U8, expected[i]);
    }
    s.orientation = ORIENTATION_RIGHTTOP;
    expect_error(write_tiff("turn.tif", "w", &s, "\1\2\3\4\5\6"), "orientation 6 (turned sideways) is not supported");
}

/* ---- other codecs, where this libtiff has them ---- */

TEST(more_compressions)
{
    static const uint16_t codecs[] = {COMPRESSION_ZSTD, COMPRESSION_LZMA, COMPRESSION_LERC, COMPRESSION_DEFLATE};
    TIFFErrorHandler printing = TIFFSetWarningHandler(NULL); /* the writer calls the old Deflate code old */
    tiff_spec s = {.width = W, .height = H, .bits = 16};
    picture p;

    paint(&s, &p);
    for (size_t i = 0; i < COUNT(codecs); i++) {
        s.compression = codecs[i];
        if (TIFFIsCODECConfigured(s.compression))
            expect_pixels(write_tiff("codec.tif", "w", &s, p.packed), W, H, PENTA_U16, p.grey);
    }
    TIFFSetWarningHandler(printing);
    s = (tiff_spec){.width = W, .height = H, .bits = 1, .compression = COMPRESSION_CCITTFAX4};
    paint(&s, &p);
    if (TIFFIsCODECConfigured(s.compression))
        expect_pixels(write_tiff("codec.tif", "w", &s, p.packed), W, H, PENTA_U8, p.grey);
}

static const char *write_jpeg_tiff(const char *name, const unsigned char *rgb)
{
    const char *path = in_directory(name);
    TIFF *tif = TIFFOpen(path, "w");
    tiff_spec s = {.width = 64,
                   .height = 64,
                   .bits = 8,
                   .samples = 3,
                   .photometric = PHOTOMETRIC_YCBCR + 1,
                   .compression = COMPRESSION_JPEG};

    assert_non_null(tif);
    set_tiff_tags(tif, &s);
    TIFFSetField(tif, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    for (uint32_t y = 0; y < 64; y++)
        assert_int_equal(TIFFWriteScanline(tif, (void *)(uintptr_t)(rgb + (size_t)y * 64 * 3), y, 0), 1);
    TIFFClose(tif);
    return path;
}

/* libjpeg fills what is missing with grey and only warns. */
TEST(jpeg)
{
    HELD unsigned char *rgb = malloc(64 * 64 * 3);
    HELD unsigned char *data = NULL;
    size_t size;
    const char *path;
    penta_io_image image;

    if (!TIFFIsCODECConfigured(COMPRESSION_JPEG))
        leave_out_test("this libtiff has no JPEG");
    assert_non_null(rgb);
    for (size_t i = 0; i < 64 * 64 * 3; i++)
        rgb[i] = (unsigned char)(i % 3 == 0 ? 200 : i % 3 == 1 ? 100 : (i / 192) * 3);
    path = write_jpeg_tiff("jpeg.tif", rgb);
    image = expect_image(path, 64, 64, PENTA_U8);
    for (unsigned i = 0; i < 64 * 64; i++) {
        int wanted = (int)((299 * 200 + 587 * 100 + 114 * (i / 64 * 3) + 500) / 1000);

        assert_in_range(((uint8_t *)image.data)[i] + 8 - wanted, 0, 16);
    }
    penta_io_image_free(&image);
    data = read_file(path, &size);
    for (size_t i = 8; i + 2 < size; i++) /* the end-of-image mark comes after a third of the entropy-coded data */
        if (data[i] == 0xff && data[i + 1] == 0xda) {
            data[i + 40] = 0xff;
            data[i + 41] = 0xd9;
        }
    expect_error(write_file("cut_jpeg.tif", data, size), "cannot be decoded");
}

/* ---- stacks ---- */

IO_TEST(stack)
{
    enum { PAGES = 300 };
    tiff_spec s = {.width = 3, .height = 2, .bits = 16};
    penta_io_reader *reader = NULL;
    penta_io_image image;

    for (size_t mode = 0; mode < COUNT(modes); mode++) {
        const char *path = in_directory("stack.tif");
        TIFF *tif = TIFFOpen(path, modes[mode]);

        assert_non_null(tif);
        for (uint16_t page = 0; page < PAGES; page++) {
            const uint16_t pixels[6] = {page, (uint16_t)(page * 2), 3, 4, 5, 6};

            s.width = page % 2 ? 2 : 3; /* pages may differ */
            add_tiff_page(tif, &s, pixels);
        }
        TIFFClose(tif);
        assert_true(penta_io_reader_open(path, &reader, &err));
        assert_int_equal(penta_io_reader_pages(reader), PAGES);
        for (size_t i = 0; i < 2 * PAGES; i++) {
            size_t page = i < PAGES ? i : i * 7 % PAGES; /* in order, then not */

            assert_true(penta_io_reader_read(reader, page, &image, &err));
            assert_int_equal(image.width, page % 2 ? 2 : 3);
            assert_int_equal(((uint16_t *)image.data)[0], page);
            assert_int_equal(((uint16_t *)image.data)[1], page * 2);
            penta_io_image_free(&image);
        }
        assert_false(penta_io_reader_read(reader, PAGES, &image, &err));
        assert_non_null(strstr(err.text, "has 300 pages, but page 301"));
        penta_io_reader_close(reader);
    }
}

/* A hundred thousand pages: more than libtiff used to count, and hopeless if a page cost as much as its number. */
IO_TEST(long_stack)
{
    enum { PAGES = 100000, ENTRIES = 9, PAGE_BYTES = 2 + ENTRIES * 12 + 4 + 2 };
    static const unsigned char tags[ENTRIES][3] = {{0, 4, 1},  {1, 4, 1},  {2, 3, 8},  {3, 3, 1}, {6, 3, 1},
                                                   {17, 4, 0}, {21, 3, 1}, {22, 4, 1}, {23, 4, 1}};
    unsigned char *file = calloc(1, 8 + (size_t)PAGES * PAGE_BYTES);
    const char *path;
    HELD_BY(penta_io_reader_held) penta_io_reader *reader = NULL;
    penta_io_image image;

    assert_non_null(file);
    memcpy(file, "II*\0\10\0\0\0", 8);
    for (size_t page = 0; page < PAGES; page++) {
        size_t at = 8 + page * PAGE_BYTES;
        unsigned char *ifd = file + at;
        size_t pixel = at + PAGE_BYTES - 2;
        size_t next = page + 1 < PAGES ? at + PAGE_BYTES : 0;

        ifd[0] = ENTRIES;
        for (size_t i = 0; i < ENTRIES; i++) {
            unsigned char *entry = ifd + 2 + 12 * i;
            size_t value = tags[i][0] == 17 ? pixel : tags[i][2];

            entry[0] = tags[i][0]; /* 256 + */
            entry[1] = 1;
            entry[2] = tags[i][1];
            entry[4] = 1;
            for (int k = 0; k < 4; k++) {
                entry[8 + k] = (unsigned char)(value >> 8 * k);
                ifd[PAGE_BYTES - 6 + k] = (unsigned char)(next >> 8 * k);
            }
        }
        ifd[PAGE_BYTES - 2] = (unsigned char)(page * 31);
    }
    path = write_file("long.tif", file, 8 + (size_t)PAGES * PAGE_BYTES);
    free(file);
    assert_true(penta_io_reader_open(path, &reader, &err));
    assert_int_equal(penta_io_reader_pages(reader), PAGES);
    for (size_t page = 0; page < PAGES; page++) {
        EXPECT_IO(penta_io_reader_read(reader, page, &image, &err), err);
        assert_int_equal(((uint8_t *)image.data)[0], (uint8_t)(page * 31));
        penta_io_image_free(&image);
    }
}

TEST(hidden_frames_of_imagej)
{
    tiff_spec s = {.width = 4, .height = 4, .bits = 8, .description = "ImageJ=1.53t\nimages=3\nframes=3\n"};
    unsigned char pixels[16] = {7};
    unsigned char longer[4096] = {0};
    size_t size;
    const char *path = write_tiff("imagej.tif", "w", &s, pixels);
    unsigned char *data = read_file(path, &size);

    memcpy(longer, data, size);
    free(data);
    expect_error(write_file("hidden.tif", longer, sizeof longer), "ImageJ put 3 frames behind one TIFF page");
    s.description = "ImageJ=1.53t\nimages=3000\n"; /* one frame taken out of a movie, its note left in */
    expect_pixels(write_tiff("single.tif", "w", &s, pixels), 4, 4, PENTA_U8, pixels);
}

#endif

IN_DIRECTORY;
