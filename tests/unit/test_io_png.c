/* PNG: every colour type and depth, interlaced or not, what is ignored, what is refused, and writing. */

#include "io_files.h"

enum { W = 11, H = 9 }; /* odd, and all seven passes of an interlaced image have pixels */

/* Sample c of pixel (x, y), below 2^depth. */
static unsigned sample(unsigned x, unsigned y, unsigned c, int depth)
{
    return (x * 7919u + y * 104729u + c * 65537u + x * y * 31u) & ((1u << depth) - 1);
}

static uint32_t grey_of(uint32_t r, uint32_t g, uint32_t b)
{
    return (uint32_t)(0.299 * r + 0.587 * g + 0.114 * b + 0.5 + 1e-9);
}

/* Packs samples as PNG has them. */
static void pack(unsigned char *rows, size_t row_bytes, int depth, unsigned channels)
{
    memset(rows, 0, row_bytes * H);
    for (unsigned y = 0; y < H; y++)
        for (size_t i = 0; i < (size_t)W * channels; i++) {
            unsigned v = sample((unsigned)(i / channels), y, (unsigned)(i % channels), depth);
            unsigned char *row = rows + y * row_bytes;

            if (depth == 16) {
                row[2 * i] = (unsigned char)(v >> 8);
                row[2 * i + 1] = (unsigned char)v;
            } else {
                row[i * (size_t)depth / 8] |= (unsigned char)(v << (8 - depth - (int)(i * (size_t)depth % 8)));
            }
        }
}

static void check_variant(int color, int depth, unsigned channels, bool interlaced, bool transparency)
{
    png_spec spec = {.color = color, .depth = depth, .interlaced = interlaced, .transparency = transparency};
    unsigned char rows[H * W * 8];
    uint8_t grey8[H * W];
    uint16_t grey16[H * W];
    const char *path;

    pack(rows, (W * channels * (unsigned)depth + 7) / 8, depth, channels);
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++) {
            uint32_t v = sample(x, y, 0, depth);

            if (color & PNG_COLOR_MASK_COLOR)
                v = grey_of(v, sample(x, y, 1, depth), sample(x, y, 2, depth));
            grey16[y * W + x] = (uint16_t)v;
            grey8[y * W + x] = (uint8_t)(depth < 8 ? v * 255 / ((1u << depth) - 1) : v);
        }
    path = write_png("variant.png", W, H, &spec, rows);
    expect_pixels(path, W, H, depth == 16 ? PENTA_U16 : PENTA_U8, depth == 16 ? (void *)grey16 : (void *)grey8);
}

TEST(grey_and_colour)
{
    static const struct {
        int color, depth;
        unsigned channels;
    } variants[] = {
        {PNG_COLOR_TYPE_GRAY, 1, 1},        {PNG_COLOR_TYPE_GRAY, 2, 1},      {PNG_COLOR_TYPE_GRAY, 4, 1},
        {PNG_COLOR_TYPE_GRAY, 8, 1},        {PNG_COLOR_TYPE_GRAY, 16, 1},     {PNG_COLOR_TYPE_GRAY_ALPHA, 8, 2},
        {PNG_COLOR_TYPE_GRAY_ALPHA, 16, 2}, {PNG_COLOR_TYPE_RGB, 8, 3},       {PNG_COLOR_TYPE_RGB, 16, 3},
        {PNG_COLOR_TYPE_RGB_ALPHA, 8, 4},   {PNG_COLOR_TYPE_RGB_ALPHA, 16, 4}};

    for (size_t i = 0; i < COUNT(variants); i++)
        for (int k = 0; k < 4; k++) {
            bool transparency = k >= 2 && !(variants[i].color & PNG_COLOR_MASK_ALPHA);

            check_variant(variants[i].color, variants[i].depth, variants[i].channels, k & 1, transparency);
        }
}

/* R = G = B must come out as exactly that grey, at every value. */
TEST(grey_in_rgb_is_exact)
{
    png_spec rgb16 = {.color = PNG_COLOR_TYPE_RGB, .depth = 16};
    png_spec rgb8 = {.color = PNG_COLOR_TYPE_RGB, .depth = 8};
    HELD unsigned char *rows = malloc(65536 * 6);
    HELD uint16_t *grey16 = malloc(65536 * sizeof *grey16);
    uint8_t grey8[256];

    assert_true(rows && grey16);
    for (unsigned v = 0; v < 65536; v++) {
        grey16[v] = (uint16_t)v;
        for (int c = 0; c < 3; c++) {
            rows[6 * v + 2 * c] = (unsigned char)(v >> 8);
            rows[6 * v + 2 * c + 1] = (unsigned char)v;
        }
    }
    expect_pixels(write_png("exact16.png", 256, 256, &rgb16, rows), 256, 256, PENTA_U16, grey16);
    for (unsigned v = 0; v < 256; v++) {
        grey8[v] = (uint8_t)v;
        memset(rows + 3 * v, (int)v, 3);
    }
    expect_pixels(write_png("exact8.png", 16, 16, &rgb8, rows), 16, 16, PENTA_U8, grey8);
}

/* BT.601, rounded to nearest: 76.245, 149.685, 29.07, and 0.299 + 0.587 * 2 = 1.473, 0.299 * 5 = 1.495. */
TEST(luminance_rounds_to_nearest)
{
    png_spec spec = {.color = PNG_COLOR_TYPE_RGB, .depth = 8};
    const unsigned char rows[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 1, 2, 0, 5, 0, 0, 0, 0, 5};
    const uint8_t grey[] = {76, 150, 29, 1, 1, 1};

    expect_pixels(write_png("round.png", 6, 1, &spec, rows), 6, 1, PENTA_U8, grey);
}

static void check_palette(int depth, bool interlaced, bool colour, bool transparency)
{
    png_color palette[256];
    int n = 1 << depth;
    png_spec spec = {.color = PNG_COLOR_TYPE_PALETTE,
                     .depth = depth,
                     .interlaced = interlaced,
                     .palette = palette,
                     .colors = n,
                     .transparency = transparency};
    unsigned char rows[H * W];
    uint8_t grey[H * W];

    for (int i = 0; i < n; i++) {
        uint8_t v = (uint8_t)(255 - i * 3);

        palette[i] = colour ? (png_color){v, (uint8_t)(i * 5), (uint8_t)(i * 11)} : (png_color){v, v, v};
    }
    pack(rows, (W * (unsigned)depth + 7) / 8, depth, 1);
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++) {
            png_color c = palette[sample(x, y, 0, depth)];

            grey[y * W + x] = (uint8_t)grey_of(c.red, c.green, c.blue);
        }
    expect_pixels(write_png("palette.png", W, H, &spec, rows), W, H, PENTA_U8, grey);
}

TEST(palettes)
{
    for (int depth = 1; depth <= 8; depth *= 2)
        for (int k = 0; k < 8; k++)
            check_palette(depth, k & 1, k & 2, k & 4);
}

TEST(palette_index_out_of_range)
{
    const png_color palette[3] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
    png_spec spec = {.color = PNG_COLOR_TYPE_PALETTE, .depth = 8, .palette = palette, .colors = 3};
    const unsigned char rows[] = {0, 1, 2, 0, 3, 1};

    expect_error(write_png("index.png", 3, 2, &spec, rows),
                 "row 2, column 2 has palette index 3, but the palette has 3 colours");
}

TEST(gamma_is_ignored)
{
    png_spec spec = {.color = PNG_COLOR_TYPE_GRAY, .depth = 8, .gamma = 0.2};
    const unsigned char rows[] = {0, 50, 100, 255};

    expect_pixels(write_png("gamma.png", 4, 1, &spec, rows), 4, 1, PENTA_U8, rows);
}

/* ---- damage ---- */

/* A grey image of 8 bits; the file's bytes, to be freed. */
static unsigned char *grey_file(bool interlaced, size_t *size)
{
    png_spec spec = {.color = PNG_COLOR_TYPE_GRAY, .depth = 8, .interlaced = interlaced};
    unsigned char rows[H * W];

    pack(rows, W, 8, 1);
    return read_file(write_png("whole.png", W, H, &spec, rows), size);
}

static void check_every_truncation(bool interlaced)
{
    size_t size;
    HELD unsigned char *data = grey_file(interlaced, &size);

    for (size_t n = 0; n < size; n++)
        expect_error(write_file("cut.png", data, n), n == 0      ? "empty (0 bytes)"
                                                     : n < 4     ? "unknown format"
                                                     : n < 8 + 4 ? "damaged PNG in the header"
                                                                 : "truncated");
    expect_error(write_file("cut.png", data, size - 12), "at row 9 of 9"); /* only the end chunk is missing */
}

TEST(a_truncated_file_is_an_error)
{
    check_every_truncation(false);
    check_every_truncation(true);
}

TEST(damaged_data)
{
    size_t size;
    HELD unsigned char *data = grey_file(false, &size);

    data[size - 14] ^= 1; /* in the checksum of the image data's chunk */
    expect_error(write_file("bad.png", data, size), "CRC error");
    data[size - 14] ^= 1;
    data[5] = 'x';
    expect_error(write_file("bad.png", data, size), "damaged PNG in the header");
}

static uint32_t crc_of(const unsigned char *data, size_t size)
{
    uint32_t crc = 0xffffffffu;

    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static void put_be32(unsigned char *to, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(v >> (24 - 8 * i));
}

TEST(impossible_sizes)
{
    static const struct {
        uint32_t width, height;
        const char *what;
    } cases[] = {{0x7fffffff, 0x7fffffff, "claims an image of 4611686014132420609 bytes, more than a file of"},
                 {100000, 100000, "more than a file of"},
                 {0, 5, "damaged PNG in the header"},
                 {0xffffffff, 5, "damaged PNG in the header"},
                 {12, 9, "damaged PNG at row"}};
    size_t size;
    HELD unsigned char *data = grey_file(false, &size);

    for (size_t i = 0; i < COUNT(cases); i++) {
        put_be32(data + 16, cases[i].width);
        put_be32(data + 20, cases[i].height);
        put_be32(data + 29, crc_of(data + 12, 17));
        expect_error(write_file("size.png", data, size), cases[i].what);
    }
    put_be32(data + 16, 100000); /* 5 * 10^9 bytes: not too many for the file, but for us */
    put_be32(data + 20, 50000);
    put_be32(data + 29, crc_of(data + 12, 17));
    write_file("size.png", data, size);
    stretch_file(in_directory("size.png"), 6000000);
    expect_error(in_directory("size.png"), "over the limit of 4294967296 for compressed files");
}

TEST(bytes_after_the_end_do_not_matter)
{
    png_spec spec = {.color = PNG_COLOR_TYPE_GRAY, .depth = 8};
    const unsigned char rows[] = {1, 2, 3, 4};
    size_t size;
    unsigned char *data = read_file(write_png("whole.png", 2, 2, &spec, rows), &size);
    unsigned char longer[1024] = {0};

    assert_true(size < sizeof longer);
    memcpy(longer, data, size);
    free(data);
    expect_pixels(write_file("longer.png", longer, sizeof longer), 2, 2, PENTA_U8, rows);
}

/* ---- writing ---- */

IO_TEST(written_images_read_back)
{
    uint8_t u8[H * W];
    uint16_t u16[H * W];
    const char *path = in_directory("out.png");

    for (unsigned i = 0; i < H * W; i++) {
        u8[i] = (uint8_t)(i * 37);
        u16[i] = (uint16_t)(i * 40503u);
    }
    assert_true(penta_io_png_write(path, &(penta_io_image){W, H, PENTA_U8, u8, 1}, &err));
    expect_pixels(path, W, H, PENTA_U8, u8);
    assert_true(penta_io_png_write(path, &(penta_io_image){W, H, PENTA_U16, u16, 1}, &err));
    expect_pixels(path, W, H, PENTA_U16, u16);
}

static void expect_write_error(const char *path, const penta_io_image *image, const char *what)
{
    penta_io_error err = {""};

    assert_false(penta_io_png_write(path, image, &err));
    expect_line(&err, path, what);
}

/* An animation of three frames: only the first is read, which is said. */
IO_TEST(animation)
{
    static const unsigned char moving[] = {
        0x89, 'P', 'N',  'G',  13,   10,   26, 10, 0, 0, 0,   13,  'I', 'H', 'D', 'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0,
        0,    0,   0x3a, 0x7e, 0x9b, 0x55, 0,  0,  0, 8, 'a', 'c', 'T', 'L', 0,   0,   0, 3, 0, 0, 0, 0, 0, 0, 0, 0,
    };
    const char *path = write_file("moving.png", moving, sizeof moving);
    HELD_BY(penta_io_reader_held) penta_io_reader *reader = NULL;

    assert_true(penta_io_reader_open(path, &reader, &err));
    assert_int_equal(penta_io_reader_pages(reader), 1);
    expect_text(penta_io_reader_doubt(reader), "the first of its 3 frames is read");
}

TEST(write_errors)
{
    float f32[1] = {0};
    uint8_t u8[1] = {0};
    const penta_io_image good = {1, 1, PENTA_U8, u8, 1};

    expect_write_error(in_directory("f.png"), &(penta_io_image){1, 1, PENTA_F32, f32, 1}, "not f32");
    expect_write_error(in_directory("f.png"), &(penta_io_image){0, 1, PENTA_U8, u8, 1}, "empty image");
    expect_write_error(in_directory("f.png"), &(penta_io_image){1, 0, PENTA_U8, u8, 1}, "empty image");
    expect_write_error(in_directory("f.png"), &(penta_io_image){(size_t)1 << 31, 1, PENTA_U8, u8, 1}, "too many");
    expect_write_error(in_directory("no/f.png"), &good, "directory does not exist");
    if (access("/dev/full", W_OK) == 0)
        expect_write_error("/dev/full", &good, "No space left");
    assert_int_not_equal(access(in_directory("f.png"), F_OK), 0);
}

IN_DIRECTORY;
