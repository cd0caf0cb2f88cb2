/* Colour that is kept: red, green and blue of every pixel, whatever the format stores besides or instead. */

#include "io_files.h"

enum { W = 7, H = 5, N = W * H };

static unsigned sample(size_t pixel, size_t channel, unsigned most)
{
    return (unsigned)(pixel * 7919 + channel * 104729 + pixel * channel * 31) % (most + 1);
}

/* Page 0 read twice by one reader: as luminance, then with its colour kept, which must be `expected`. */
static void expect_colour(const char *path, size_t width, size_t height, size_t channels, penta_type type,
                          const void *expected)
{
    HELD_BY(penta_io_reader_held) penta_io_reader *reader = NULL;
    HELD_BY(penta_io_image_free) penta_io_image grey, image;
    penta_io_error err = {""};

    if (!penta_io_reader_open(path, &reader, &err) || !penta_io_reader_read(reader, 0, &grey, &err))
        fail_msg("cannot be read: %s", err.text);
    assert_true(grey.channels <= 1);
    penta_io_reader_keep_colour(reader);
    if (!penta_io_reader_read(reader, 0, &image, &err))
        fail_msg("cannot be read: %s", err.text);
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    assert_int_equal(image.type, type);
    assert_int_equal(image.channels <= 1 ? 1 : image.channels, channels);
    assert_memory_equal(image.data, expected, width * height * channels * penta_type_size(type));
}

/* ---- PNG ---- */

static void check_png(int color, size_t samples, int depth, bool interlaced)
{
    png_spec spec = {.color = color, .depth = depth, .interlaced = interlaced};
    unsigned char rows[N * 8];
    uint16_t wide[N * 3];
    uint8_t narrow[N * 3];
    size_t keep = samples >= 3 ? 3 : 1;

    for (size_t i = 0; i < N * samples; i++) {
        unsigned v = sample(i / samples, i % samples, depth == 16 ? 65535 : 255);

        if (depth == 16) {
            rows[2 * i] = (unsigned char)(v >> 8);
            rows[2 * i + 1] = (unsigned char)v;
        } else {
            rows[i] = (unsigned char)v;
        }
        if (i % samples < keep) {
            wide[i / samples * keep + i % samples] = (uint16_t)v;
            narrow[i / samples * keep + i % samples] = (uint8_t)v;
        }
    }
    expect_colour(write_png("colour.png", W, H, &spec, rows), W, H, keep, depth == 16 ? PENTA_U16 : PENTA_U8,
                  depth == 16 ? (void *)wide : (void *)narrow);
}

TEST(png)
{
    for (int depth = 8; depth <= 16; depth += 8)
        for (int interlaced = 0; interlaced < 2; interlaced++) {
            check_png(PNG_COLOR_TYPE_RGB, 3, depth, interlaced);
            check_png(PNG_COLOR_TYPE_RGB_ALPHA, 4, depth, interlaced);
            check_png(PNG_COLOR_TYPE_GRAY, 1, depth, interlaced);
            check_png(PNG_COLOR_TYPE_GRAY_ALPHA, 2, depth, interlaced);
        }
}

TEST(png_palette)
{
    static const png_color palette[4] = {{10, 20, 30}, {200, 100, 0}, {7, 7, 7}, {255, 0, 255}};
    png_spec spec = {.color = PNG_COLOR_TYPE_PALETTE, .depth = 2, .palette = palette, .colors = 4};
    const unsigned char rows[2] = {0x1b << 0, 0xe4}; /* 0 1 2 3; 3 2 1 0 */
    uint8_t expected[8 * 3];

    for (size_t i = 0; i < 8; i++) {
        const png_color *c = &palette[i < 4 ? i : 7 - i];

        expected[3 * i] = c->red;
        expected[3 * i + 1] = c->green;
        expected[3 * i + 2] = c->blue;
    }
    expect_colour(write_png("palette.png", 4, 2, &spec, rows), 4, 2, 3, PENTA_U8, expected);
}

/* ---- PPM ---- */

TEST(pnm)
{
    static const unsigned char raw[] = "P6 2 1 255\nabcxyz";
    static const unsigned char wide[] = "P6 1 1 1023\n\1\2\3\4\2\1";
    static const char plain[] = "P3 1 2 9 1 2 3 4 5 6";
    static const uint16_t wide_values[] = {0x102, 0x304, 0x201};
    static const uint8_t plain_values[] = {1, 2, 3, 4, 5, 6};

    expect_colour(write_file("raw.ppm", raw, sizeof raw - 1), 2, 1, 3, PENTA_U8, "abcxyz");
    expect_colour(write_file("wide.ppm", wide, sizeof wide - 1), 1, 1, 3, PENTA_U16, wide_values);
    expect_colour(write_file("plain.ppm", plain, sizeof plain - 1), 1, 2, 3, PENTA_U8, plain_values);
    expect_colour(write_file("grey.pgm", "P5 2 1 255\nab", 13), 2, 1, 1, PENTA_U8, "ab");
}

/* ---- TIFF ---- */

#ifdef PENTA_HAVE_TIFF

/* Samples of one pixel after another, or plane after plane; all that a file keeps besides colour is 99. */
static size_t fill(unsigned char *data, const tiff_spec *s, penta_type type, unsigned char *expected)
{
    size_t size = penta_type_size(type), samples = s->samples;

    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < samples; c++) {
            unsigned v = sample(i, c, 255);
            size_t at = s->planar == PLANARCONFIG_SEPARATE ? c * N + i : i * samples + c;
            const uint8_t narrow = (uint8_t)v;
            const uint16_t wide = (uint16_t)(v * 257);
            const float real = (float)v / 3;
            const double exact = v / 7.0;
            const void *const numbers[] = {&narrow, &wide, &real, &exact};
            const void *number = numbers[size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];

            memcpy(data + at * size, number, size);
            if (c < 3)
                memcpy(expected + (3 * i + c) * size, number, size);
        }
    return size;
}

static void check_tiff(penta_type type, uint16_t samples, uint16_t planar, uint32_t tile)
{
    tiff_spec spec = {.width = W,
                      .height = H,
                      .bits = (uint16_t)(8 * penta_type_size(type)),
                      .samples = samples,
                      .planar = planar,
                      .photometric = PHOTOMETRIC_RGB + 1,
                      .rows_per_strip = 2,
                      .tile = tile};
    unsigned char data[N * 4 * 8], expected[N * 3 * 8];

    if (type == PENTA_F32 || type == PENTA_F64)
        spec.format = SAMPLEFORMAT_IEEEFP;
    fill(data, &spec, type, expected);
    expect_colour(write_tiff("colour.tif", "w", &spec, data), W, H, 3, type, expected);
}

TEST(tiff)
{
    static const penta_type types[] = {PENTA_U8, PENTA_U16, PENTA_F32, PENTA_F64};

    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (uint16_t samples = 3; samples <= 4; samples++)
            for (uint32_t tile = 0; tile <= 16; tile += 16) {
                check_tiff(types[t], samples, PLANARCONFIG_CONTIG, tile);
                check_tiff(types[t], samples, PLANARCONFIG_SEPARATE, tile);
            }
}

/* Rows from the bottom, pixels from the right: a pixel's three channels must not be turned round with them. */
TEST(tiff_orientation)
{
    tiff_spec spec = {.width = 2,
                      .height = 2,
                      .bits = 8,
                      .samples = 3,
                      .photometric = PHOTOMETRIC_RGB + 1,
                      .orientation = ORIENTATION_BOTRIGHT};

    expect_colour(write_tiff("turned.tif", "w", &spec, "abcdefghijkl"), 2, 2, 3, PENTA_U8, "jklghidefabc");
}

TEST(tiff_palette)
{
    uint16_t palette[3 * 16];
    const unsigned char row[2] = {0x1e, 0x05};
    static const uint8_t index[4] = {1, 14, 0, 5};
    uint8_t expected[4 * 3];
    tiff_spec spec = {.width = 4, .height = 1, .bits = 4, .photometric = PHOTOMETRIC_PALETTE + 1, .palette = palette};

    for (unsigned i = 0; i < 16; i++)
        for (unsigned c = 0; c < 3; c++)
            palette[16 * c + i] = (uint16_t)(257 * sample(i, c, 255));
    for (size_t i = 0; i < 12; i++)
        expected[i] = (uint8_t)sample(index[i / 3], i % 3, 255);
    expect_colour(write_tiff("palette.tif", "w", &spec, row), 4, 1, 3, PENTA_U8, expected);
}

#endif

IN_DIRECTORY;
