/* Camera raw: small DNGs whose mosaics are known, levels linear up to 65535, what is refused. */

#include "io_files.h"

enum { W = 64, H = 48, WHITE = 4095, BLACK = 95, BRIGHT = 3900 };

/* ---- a DNG without compression ---- */

typedef struct {
    unsigned char bytes[W * H * 2 + 1024];
    size_t size;
} dng;

static void put_16(dng *d, unsigned v)
{
    d->bytes[d->size++] = (unsigned char)v;
    d->bytes[d->size++] = (unsigned char)(v >> 8);
}

static void put_32(dng *d, uint32_t v)
{
    put_16(d, v & 0xffff);
    put_16(d, v >> 16);
}

/* type 1: bytes, up to 4 of them in `value`; 3: u16; 4: u32; others: at the offset `value`. */
static void put_tag(dng *d, unsigned tag, unsigned type, uint32_t count, uint32_t value)
{
    put_16(d, tag);
    put_16(d, type);
    put_32(d, count);
    put_32(d, value);
}

enum { TAGS = 20, DATA_AT = 8 + 2 + 12 * TAGS + 4, MODEL_AT = DATA_AT, MATRIX_AT = DATA_AT + 16, PIXELS_AT = 512 };

/* value: of the sensor at (x, y); R G / G B. */
static void make_dng(dng *d, unsigned flip, unsigned (*value)(unsigned x, unsigned y))
{
    memset(d, 0, sizeof *d);
    memcpy(d->bytes, "II*\0", 4);
    d->size = 4;
    put_32(d, 8);
    put_16(d, TAGS);
    put_tag(d, 254, 4, 1, 0);             /* the image itself */
    put_tag(d, 256, 4, 1, W);             /* width */
    put_tag(d, 257, 4, 1, H);             /* height */
    put_tag(d, 258, 3, 1, 16);            /* bits */
    put_tag(d, 259, 3, 1, 1);             /* no compression */
    put_tag(d, 262, 3, 1, 32803);         /* colour filter array */
    put_tag(d, 271, 2, 5, MODEL_AT);      /* make */
    put_tag(d, 272, 2, 5, MODEL_AT);      /* model */
    put_tag(d, 273, 4, 1, PIXELS_AT);     /* strip */
    put_tag(d, 274, 3, 1, flip);          /* orientation */
    put_tag(d, 277, 3, 1, 1);             /* samples */
    put_tag(d, 278, 4, 1, H);             /* rows in the strip */
    put_tag(d, 279, 4, 1, W * H * 2);     /* bytes of it */
    put_tag(d, 33421, 3, 2, 2 << 16 | 2); /* pattern of 2 x 2 */
    put_tag(d, 33422, 1, 4, 0x02010100);  /* R G G B */
    put_tag(d, 50706, 1, 4, 0x00000401);  /* DNG 1.4 */
    put_tag(d, 50708, 2, 5, MODEL_AT);    /* camera */
    put_tag(d, 50714, 4, 1, BLACK);
    put_tag(d, 50717, 4, 1, WHITE);
    put_tag(d, 50721, 10, 9, MATRIX_AT); /* XYZ to camera */
    put_32(d, 0);
    memcpy(d->bytes + MODEL_AT, "TEST", 5);
    d->size = MATRIX_AT;
    for (int i = 0; i < 9; i++) {
        put_32(d, i % 4 == 0);
        put_32(d, 1);
    }
    d->size = PIXELS_AT;
    for (unsigned y = 0; y < H; y++)
        for (unsigned x = 0; x < W; x++)
            put_16(d, value(x, y));
}

static const unsigned level[3] = {1000, 2000, 3000};

static unsigned plain(unsigned x, unsigned y)
{
    return level[x % 2 + y % 2];
}

#ifdef PENTA_HAVE_RAW

/* ---- levels ---- */

static unsigned scaled(unsigned v)
{
    return (unsigned)((double)(v - BLACK) * 65535 / (WHITE - BLACK));
}

static penta_io_image read_raw(const char *path, bool colour)
{
    penta_io_reader *reader = NULL;
    penta_io_image image;
    penta_io_error err = {""};

    if (!penta_io_reader_open(path, &reader, &err))
        fail_msg("cannot be opened: %s", err.text);
    assert_int_equal(penta_io_reader_pages(reader), 1);
    if (colour)
        penta_io_reader_keep_colour(reader);
    if (!penta_io_reader_read(reader, 0, &image, &err))
        fail_msg("cannot be read: %s", err.text);
    penta_io_reader_close(reader);
    assert_int_equal(image.width, W);
    assert_int_equal(image.height, H);
    assert_int_equal(image.type, PENTA_U16);
    return image;
}

static void expect_level(const penta_io_image *image, size_t i, double wanted)
{
    if (fabs(penta_io_image_value(image, i) - wanted) > 2)
        fail_msg("number %zu is %g instead of %g", i, penta_io_image_value(image, i), wanted);
}

/* No white balance, no gamma, and white is where the sensor saturates, not the brightest pixel. */
TEST(levels)
{
    dng d;
    penta_io_image image;
    double r = scaled(level[0]), g = scaled(level[1]), b = scaled(level[2]);

    make_dng(&d, 1, plain);
    image = read_raw(write_file("plain.dng", d.bytes, d.size), true);
    assert_int_equal(image.channels, 3);
    for (size_t i = 0; i < (size_t)W * H; i++) {
        expect_level(&image, 3 * i, r);
        expect_level(&image, 3 * i + 1, g);
        expect_level(&image, 3 * i + 2, b);
    }
    penta_io_image_free(&image);
    image = read_raw(write_file("PLAIN.DNG", d.bytes, d.size), false);
    assert_true(image.channels <= 1);
    for (size_t i = 0; i < (size_t)W * H; i++)
        expect_level(&image, i, 0.299 * r + 0.587 * g + 0.114 * b);
    penta_io_image_free(&image);
}

static unsigned brighter(unsigned x, unsigned y)
{
    return x == 40 && y == 30 ? BRIGHT : plain(x, y);
}

/* One bright pixel must not change the others: frames of a series would have scales of their own. */
TEST(a_bright_pixel_scales_nothing)
{
    dng d;
    HELD_BY(penta_io_image_free) penta_io_image a, b;

    make_dng(&d, 1, plain);
    a = read_raw(write_file("a.dng", d.bytes, d.size), true);
    make_dng(&d, 1, brighter);
    b = read_raw(write_file("b.dng", d.bytes, d.size), true);
    for (size_t i = 0; i < 3 * (size_t)W * 20; i++)
        assert_true(fabs(penta_io_image_value(&a, i) - penta_io_image_value(&b, i)) < 0.5);
    expect_level(&b, 3 * (30 * (size_t)W + 40), scaled(BRIGHT));
}

static unsigned slope(unsigned x, unsigned y)
{
    return BLACK + 20 * x + 30 * y;
}

/* A plane comes out as that plane, also where colours are made from neighbours, and is not turned as it was held. */
static void check_slope(unsigned flip)
{
    dng d;
    HELD_BY(penta_io_image_free) penta_io_image image;

    make_dng(&d, flip, slope);
    image = read_raw(write_file("slope.dng", d.bytes, d.size), true);
    for (unsigned y = 2; y < H - 2; y++)
        for (unsigned x = 2; x < W - 2; x++)
            for (unsigned c = 0; c < 3; c++)
                expect_level(&image, 3 * ((size_t)y * W + x) + c, scaled(slope(x, y)));
}

TEST(places)
{
    check_slope(1);
    check_slope(3);
    check_slope(6);
}

/* ---- what is no raw image ---- */

IO_TEST(damage)
{
    dng d;
    penta_io_image image;

    make_dng(&d, 1, plain);
    expect_error(write_file("short.dng", d.bytes, 1500), "truncated or damaged");
    expect_error(write_file("header.dng", d.bytes, 40), "header.dng: ");
    expect_error(write_file("none.nef", "II*\0\10\0\0\0\0\0\0\0\0\0", 14), "raw file cannot be opened");
    expect_error(write_file("none.raf", "FUJIFILMCCD-RAW 0201", 20), "raw file cannot be opened");
    for (size_t i = 0; i < 400; i++) { /* any byte of the header may be wrong: an error or an image, no crash */
        d.bytes[i] ^= 0x55;
        if (read_page(write_file("fuzz.dng", d.bytes, d.size), 0, &image, &err))
            penta_io_image_free(&image);
        d.bytes[i] ^= 0x55;
    }
}

/* The same bytes are a TIFF under another name. */
TEST(the_name_decides)
{
    dng d;

    make_dng(&d, 1, plain);
    expect_error(write_file("plain.tif", d.bytes, d.size), "colour space 32803");
}

#else

TEST(what_is_missing_is_said)
{
    dng d;

    make_dng(&d, 1, plain);
    expect_error(write_file("plain.dng", d.bytes, d.size), "install libraw-dev");
    expect_error(write_file("none.raf", "FUJIFILMCCD-RAW 0201", 20), "install libraw-dev");
}

#endif

IN_DIRECTORY;
