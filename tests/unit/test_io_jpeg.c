/* JPEG: grey and colour, baseline and progressive, what EXIF data say, files that must be refused, and damage. */

#include "write_files.h"

#ifdef PENTA_HAVE_JPEG

#include <jpeglib.h>

enum { W = 41, H = 27, N = W * H };

/* ---- writing ---- */

typedef struct {
    int components; /* 1, 3, or 4: CMYK */
    int quality;    /* 0: 95 */
    bool progressive, subsampled;
    const void *marker; /* APP1 */
    unsigned marker_size;
} jpeg_spec;

static const char *write_jpeg(const char *name, const jpeg_spec *s, unsigned width, unsigned height,
                              const unsigned char *pixels)
{
    const char *path = in_directory(name);
    FILE *f = fopen(path, "wb");
    struct jpeg_error_mgr errors;
    struct jpeg_compress_struct jpeg = {.err = jpeg_std_error(&errors)};

    assert_non_null(f);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, f);
    jpeg.image_width = width;
    jpeg.image_height = height;
    jpeg.input_components = s->components;
    jpeg.in_color_space = s->components == 1 ? JCS_GRAYSCALE : s->components == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, s->quality ? s->quality : 95, TRUE);
    if (!s->subsampled)
        jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = 1;
    if (s->progressive)
        jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    if (s->marker)
        jpeg_write_marker(&jpeg, JPEG_APP0 + 1, s->marker, s->marker_size);
    while (jpeg.next_scanline < height) {
        JSAMPROW row = (JSAMPROW)pixels + (size_t)jpeg.next_scanline * width * (unsigned)s->components;

        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    assert_int_equal(fclose(f), 0);
    return path;
}

/* Smooth, so that losses are small; the colours differ. */
static void fill_smooth(unsigned char *pixels, size_t components)
{
    for (size_t y = 0; y < H; y++)
        for (size_t x = 0; x < W; x++)
            for (size_t c = 0; c < components; c++)
                pixels[(y * W + x) * components + c] = (unsigned char)(20 + 3 * x + 2 * y + 17 * c);
}

static int furthest(const unsigned char *a, const unsigned char *b, size_t n)
{
    int most = 0;

    for (size_t i = 0; i < n; i++)
        if (abs(a[i] - b[i]) > most)
            most = abs(a[i] - b[i]);
    return most;
}

/* ---- reading ---- */

TEST(grey)
{
    unsigned char pixels[N];

    fill_smooth(pixels, 1);
    for (int progressive = 0; progressive < 2; progressive++) {
        HELD_BY(penta_io_image_free)
        penta_io_image image = expect_image(
            write_jpeg("grey.jpg", &(jpeg_spec){.components = 1, .progressive = progressive}, W, H, pixels), W, H,
            PENTA_U8);

        assert_int_equal(image.channels, 1);
        assert_in_range(furthest(image.data, pixels, N), 0, 3);
    }
}

/* Kept colour is near what was written, and grey is exactly the luminance of that colour. */
IO_TEST(colour)
{
    unsigned char pixels[3 * N];

    fill_smooth(pixels, 3);
    for (int subsampled = 0; subsampled < 2; subsampled++) {
        jpeg_spec s = {.components = 3, .progressive = !subsampled, .subsampled = subsampled};
        const char *path = write_jpeg("colour.jpg", &s, W, H, pixels);
        HELD_BY(penta_io_image_free) penta_io_image grey = expect_image(path, W, H, PENTA_U8), colour;
        HELD_BY(penta_io_reader_held) penta_io_reader *reader = NULL;

        assert_true(penta_io_reader_open(path, &reader, &err));
        penta_io_reader_keep_colour(reader);
        assert_true(penta_io_reader_read(reader, 0, &colour, &err));
        assert_int_equal(colour.channels, 3);
        assert_in_range(furthest(colour.data, pixels, sizeof pixels), 0, 6);
        for (size_t i = 0; i < N; i++) {
            const uint8_t *c = (const uint8_t *)colour.data + 3 * i;

            assert_int_equal(((const uint8_t *)grey.data)[i], (299 * c[0] + 587 * c[1] + 114 * c[2] + 500) / 1000);
        }
    }
}

static void expect_doubt(const char *path, bool turned)
{
    HELD_BY(penta_io_reader_held) penta_io_reader *reader = NULL;
    penta_io_error err = {""};
    const char *doubt;

    assert_true(penta_io_reader_open(path, &reader, &err));
    doubt = penta_io_reader_doubt(reader);
    assert_non_null(doubt);
    assert_non_null(strstr(doubt, "JPEG is lossy"));
    assert_int_equal(strstr(doubt, "the rotation that EXIF data ask for is not applied") != NULL, turned);
}

/* The image stays as it is stored, and that is said. */
TEST(exif_orientation)
{
    static const unsigned char little[] = "Exif\0\0II*\0\10\0\0\0\2\0\17\1\2\0\1\0\0\0a\0\0\0\22\1\3\0\1\0\0\0\6\0\0\0";
    static const unsigned char big[] = "Exif\0\0MM\0*\0\0\0\10\0\1\1\22\0\3\0\0\0\1\0\3\0\0";
    static const unsigned char upright[] = "Exif\0\0MM\0*\0\0\0\10\0\1\1\22\0\3\0\0\0\1\0\1\0\0";
    unsigned char pixels[N];
    jpeg_spec s = {.components = 1};

    fill_smooth(pixels, 1);
    expect_doubt(write_jpeg("plain.jpg", &s, W, H, pixels), false);
    for (unsigned cut = 0; cut < sizeof little; cut++) { /* cut data say nothing, and are not read beyond */
        s.marker = little;
        s.marker_size = cut;
        expect_doubt(write_jpeg("turned.jpg", &s, W, H, pixels), cut >= sizeof little - 1);
    }
    penta_io_image image = expect_image(in_directory("turned.jpg"), W, H, PENTA_U8);
    assert_in_range(furthest(image.data, pixels, N), 0, 3);
    penta_io_image_free(&image);
    s.marker = big;
    s.marker_size = sizeof big - 1;
    expect_doubt(write_jpeg("turned.jpg", &s, W, H, pixels), true);
    s.marker = upright;
    expect_doubt(write_jpeg("turned.jpg", &s, W, H, pixels), false);
}

/* ---- refusals ---- */

TEST(cmyk)
{
    unsigned char pixels[4 * N];

    fill_smooth(pixels, 4);
    expect_error(write_jpeg("print.jpg", &(jpeg_spec){.components = 4}, W, H, pixels),
                 "is a JPEG of 4 colours (CMYK, as for printing); convert it");
}

static unsigned char *find_frame(unsigned char *data, size_t size)
{
    for (size_t i = 0; i + 1 < size; i++)
        if (data[i] == 0xff && (data[i + 1] == 0xc0 || data[i + 1] == 0xc2))
            return data + i;
    fail();
    return NULL;
}

/* 4 gigapixels claimed by a file of some hundred bytes are refused before anything is allocated. */
IO_TEST(sizes_beyond_the_file)
{
    unsigned char pixels[N];
    penta_io_reader *reader = NULL;
    HELD unsigned char *data = NULL;
    size_t size;

    fill_smooth(pixels, 1);
    data = read_file(write_jpeg("grey.jpg", &(jpeg_spec){.components = 1, .progressive = true}, W, H, pixels), &size);
    memcpy(find_frame(data, size) + 5, "\xff\xdc\xff\xdc", 4);
    assert_false(penta_io_reader_open(write_file("huge.jpg", data, size), &reader, &err));
    expect_line(&err, in_directory("huge.jpg"), "claims an image of 4290250000 bytes, more than a file of");
}

/* A progressive file whose last scan is repeated: each pass over the image costs a few bytes. */
TEST(endless_scans)
{
    unsigned char pixels[N];
    HELD unsigned char *data = NULL, *many = NULL;
    size_t size, last = 0, scan, at;

    memset(pixels, 77, sizeof pixels);
    data = read_file(write_jpeg("grey.jpg", &(jpeg_spec){.components = 1, .progressive = true}, W, H, pixels), &size);
    for (size_t i = 0; i + 1 < size; i++)
        if (data[i] == 0xff && data[i + 1] == 0xda)
            last = i;
    scan = size - 2 - last;
    assert_in_range(scan, 1, size);
    many = malloc(size + 600 * scan);
    assert_non_null(many);
    memcpy(many, data, last);
    for (at = last; at < last + 600 * scan; at += scan)
        memcpy(many + at, data + last, scan);
    memcpy(many + at, "\xff\xd9", 2);
    expect_error(write_file("scans.jpg", many, at + 2), "near byte");
}

TEST(damage)
{
    unsigned char pixels[3 * N], *data;
    size_t size;

    fill_smooth(pixels, 3);
    for (int progressive = 0; progressive < 2; progressive++) {
        data = read_file(
            write_jpeg("whole.jpg", &(jpeg_spec){.components = 3, .progressive = progressive}, W, H, pixels), &size);
        for (size_t keep = 3; keep < size; keep++)
            expect_error(write_file("cut.jpg", data, keep), "damaged or unusual JPEG");
        expect_error(write_file("cut.jpg", data, size - 2), "ends too early: it is truncated");
        free(data);
    }
}

/* ---- writing ---- */

static void expect_close(const penta_io_image *image, int most)
{
    const char *path = in_directory("written.jpg");
    size_t channels = image->channels == 3 ? 3 : 1;
    HELD_BY(penta_io_reader_held) penta_io_reader *reader = NULL;
    HELD_BY(penta_io_image_free) penta_io_image back;
    penta_io_error err = {""};

    expect_written(path, image, NULL);
    assert_true(penta_io_reader_open(path, &reader, &err));
    penta_io_reader_keep_colour(reader);
    assert_true(penta_io_reader_read(reader, 0, &back, &err));
    assert_int_equal(back.width, image->width);
    assert_int_equal(back.height, image->height);
    assert_int_equal(back.channels, channels);
    assert_in_range(furthest(back.data, image->data, image->width * image->height * channels), 0, most);
}

IO_TEST(writing)
{
    unsigned char pixels[3 * N];
    penta_io_image image = {.width = W, .height = H, .type = PENTA_U8, .data = pixels};
    HELD_BY(penta_io_image_free)
    penta_io_image deep = random_image(3, 2, PENTA_U16), wide = {.width = 65501, .height = 1, .type = PENTA_U8};

    fill_smooth(pixels, 1);
    expect_close(&image, 3);
    fill_smooth(pixels, 3);
    image.channels = 3;
    expect_close(&image, 6);
    assert_true(penta_io_image_can_write("a.JPG", PENTA_U8, &err) &&
                penta_io_image_can_write("a.jpeg", PENTA_U8, &err));
    expect_not_written(in_directory("deep.jpg"), &deep, NULL, "a JPEG holds u8, not u16; scale the image");
    wide.data = calloc(65501, 1);
    expect_not_written(in_directory("wide.jpg"), &wide, NULL, "65501 x 1 pixels are too many for a JPEG; write PNG");
    assert_int_equal(access(in_directory("wide.jpg"), F_OK), -1);
}

#else

IO_TEST(what_is_missing_is_said)
{
    expect_error(write_file("a.jpg", "\xff\xd8\xff\xe0", 4),
                 "is a JPEG file; this build has no JPEG support: install libjpeg-dev");
    assert_false(penta_io_image_can_write("a.jpg", PENTA_U8, &err));
}

#endif

IN_DIRECTORY;
