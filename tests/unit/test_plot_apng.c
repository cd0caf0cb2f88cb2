/* PNG in memory and animated PNG: chunks, their CRCs and order, and the pixels inside, by a reader of our own. */
#include "support/test.h"

#include <png.h>
#include <zlib.h>

#include "figures/apng.h"
#include "support/files.h"

enum { WIDTH = 5, HEIGHT = 3, FRAMES = 4 };

static size_t u32(const uint8_t *at)
{
    return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
}

/* Rows of a byte a pixel with the filter `none`. */
static void expect_rows(const uint8_t *packed, size_t size, unsigned first)
{
    uint8_t plain[HEIGHT * (WIDTH + 1)];
    uLongf n = sizeof plain;

    assert_int_equal(uncompress(plain, &n, packed, size), Z_OK);
    assert_int_equal(n, sizeof plain);
    for (size_t y = 0; y < HEIGHT; y++) {
        assert_int_equal(plain[y * (WIDTH + 1)], 0);
        for (size_t x = 0; x < WIDTH; x++)
            assert_int_equal(plain[y * (WIDTH + 1) + 1 + x], first + y * WIDTH + x);
    }
}

/* What follows what, with the counts of chunks; sequence numbers go up by one. */
typedef struct {
    char order[256];
    size_t sequence, frames;
} reading;

static void read_chunk(reading *r, const char *name, const uint8_t *data, size_t size)
{
    strncat(r->order, name, 4);
    if (memcmp(name, "IHDR", 4) == 0) {
        assert_int_equal(u32(data), WIDTH);
        assert_int_equal(u32(data + 4), HEIGHT);
        assert_int_equal(data[8], 8);
        assert_int_equal(data[9], 3);
    } else if (memcmp(name, "acTL", 4) == 0) {
        assert_int_equal(u32(data), FRAMES);
        assert_int_equal(u32(data + 4), 0);
    } else if (memcmp(name, "fcTL", 4) == 0) {
        assert_int_equal(size, 26);
        assert_int_equal(u32(data), r->sequence++);
        assert_int_equal(u32(data + 4), WIDTH);
        assert_int_equal(u32(data + 8), HEIGHT);
        assert_int_equal(data[20] << 8 | data[21], 40);
        assert_int_equal(data[22] << 8 | data[23], 1000);
    } else if (memcmp(name, "IDAT", 4) == 0) {
        expect_rows(data, size, (unsigned)(10 * r->frames++));
    } else if (memcmp(name, "fdAT", 4) == 0) {
        assert_int_equal(u32(data), r->sequence++);
        expect_rows(data + 4, size - 4, (unsigned)(10 * r->frames++));
    }
}

TEST(animations_have_their_chunks)
{
    static const char order[] = "IHDRacTLPLTEfcTLIDATfcTLfdATfcTLfdATfcTLfdATIEND";
    uint8_t palette[768], pixels[WIDTH * HEIGHT], file[8192];
    FILE *out = tmpfile();
    reading r = {{0}, 0, 0};
    apng movie;
    uint8_t *packed;
    size_t size;

    assert_non_null(out);
    for (int i = 0; i < 768; i++)
        palette[i] = (uint8_t)(i * 7);
    movie = apng_begin(out, WIDTH, HEIGHT, palette, FRAMES, 40);
    for (unsigned k = 0; k < FRAMES; k++) {
        for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
            pixels[i] = (uint8_t)(10 * k + i);
        packed = apng_pack(WIDTH, HEIGHT, pixels, &size);
        assert_non_null(packed);
        apng_add(&movie, packed, size);
        free(packed);
    }
    apng_end(&movie);
    rewind(out);
    size = fread(file, 1, sizeof file, out);
    fclose(out);
    assert_memory_equal(file, "\x89PNG\r\n\x1a\n", 8);
    for (size_t at = 8; at < size;) {
        size_t n = u32(file + at);

        assert_true(at + 12 + n <= size);
        assert_int_equal(u32(file + at + 8 + n), crc32(0, file + at + 4, (uInt)n + 4));
        read_chunk(&r, (const char *)file + at + 4, file + at + 8, n);
        at += 12 + n;
    }
    assert_string_equal(r.order, order);
    assert_int_equal(r.frames, FRAMES);
}

TEST(libpng_reads_colours_back)
{
    enum { W = 37, H = 11 };
    uint8_t rgb[3 * W * H], back[3 * W * H];
    png_image image = {.version = PNG_IMAGE_VERSION};
    size_t size = 0;
    HELD uint8_t *bytes = NULL;

    for (size_t i = 0; i < sizeof rgb; i++)
        rgb[i] = (uint8_t)(i * i / 3);
    bytes = png_bytes(W, H, rgb, &size);
    assert_non_null(bytes);
    assert_true(png_image_begin_read_from_memory(&image, bytes, size));
    assert_int_equal(image.width, W);
    assert_int_equal(image.height, H);
    image.format = PNG_FORMAT_RGB;
    assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
    assert_memory_equal(back, rgb, sizeof rgb);
}
