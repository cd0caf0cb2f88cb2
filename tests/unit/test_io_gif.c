/* GIF: palettes, interlaced rows, animations as viewers show them, and damage. */

#include "io_files.h"

#ifdef PENTA_HAVE_GIF

#include <gif_lib.h>

enum { W = 13, H = 11, N = W * H };

/* ---- writing ---- */

static void fill_map(ColorMapObject *map, unsigned seed)
{
    for (int i = 0; i < map->ColorCount; i++)
        map->Colors[i] = (GifColorType){(GifByteType)(i * 3 + (int)seed), (GifByteType)(i * 7), (GifByteType)(255 - i)};
}

typedef struct {
    int left, top, width, height;
    bool interlaced;
    unsigned seed; /* of its own palette; 0: the file's */
    int disposal, transparent;
    const GifPixelType *pixels;
} gif_image;

static void put_image(GifFileType *gif, const gif_image *g)
{
    static const int first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
    GraphicsControlBlock control = {.DisposalMode = g->disposal, .TransparentColor = g->transparent};
    ColorMapObject *map = g->seed ? GifMakeMapObject(64, NULL) : NULL;
    GifByteType block[4];

    if (map)
        fill_map(map, g->seed);
    assert_int_equal(EGifGCBToExtension(&control, block), 4);
    assert_int_equal(EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, 4, block), GIF_OK);
    GifFreeMapObject(gif->Image.ColorMap); /* giflib forgets the palette of the image before */
    gif->Image.ColorMap = NULL;
    assert_int_equal(EGifPutImageDesc(gif, g->left, g->top, g->width, g->height, g->interlaced, map), GIF_OK);
    for (int pass = 0; pass < (g->interlaced ? 4 : 1); pass++)
        for (int y = g->interlaced ? first[pass] : 0; y < g->height; y += g->interlaced ? step[pass] : 1) {
            GifPixelType row[W];

            memcpy(row, g->pixels + y * g->width, (size_t)g->width);
            assert_int_equal(EGifPutLine(gif, row, g->width), GIF_OK);
        }
    GifFreeMapObject(map);
}

static const char *write_gif(const char *name, size_t n, const gif_image *images)
{
    const char *path = in_directory(name);
    int code;
    GifFileType *gif = EGifOpenFileName(path, false, &code);
    ColorMapObject *map = GifMakeMapObject(64, NULL);

    assert_non_null(gif);
    fill_map(map, 0);
    EGifSetGifVersion(gif, true);
    assert_int_equal(EGifPutScreenDesc(gif, W, H, 6, 0, map), GIF_OK);
    for (size_t i = 0; i < n; i++)
        put_image(gif, &images[i]);
    assert_int_equal(EGifCloseFile(gif, &code), GIF_OK);
    GifFreeMapObject(map);
    return path;
}

static void fill_pixels(GifPixelType *pixels, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        pixels[i] = (GifPixelType)((i * 37 + i * i * seed + seed) % 64);
}

/* ---- what they should give ---- */

static void look_up(const GifPixelType *pixel, unsigned seed, uint8_t rgb[3])
{
    rgb[0] = (uint8_t)(*pixel * 3 + seed);
    rgb[1] = (uint8_t)(*pixel * 7);
    rgb[2] = (uint8_t)(255 - *pixel);
}

/* The image drawn over what is there. */
static void draw(uint8_t *rgb, const gif_image *g)
{
    for (int y = 0; y < g->height; y++)
        for (int x = 0; x < g->width; x++)
            if (g->pixels[y * g->width + x] != g->transparent)
                look_up(&g->pixels[y * g->width + x], g->seed, rgb + 3 * ((g->top + y) * W + g->left + x));
}

static void expect_page(penta_io_reader *reader, size_t page, const uint8_t *rgb)
{
    HELD_BY(penta_io_image_free) penta_io_image image;
    penta_io_error err = {""};

    if (!penta_io_reader_read(reader, page, &image, &err))
        fail_msg("page %zu cannot be read: %s", page, err.text);
    assert_int_equal(image.width, W);
    assert_int_equal(image.height, H);
    assert_int_equal(image.type, PENTA_U8);
    assert_int_equal(image.channels, 3);
    assert_memory_equal(image.data, rgb, 3 * N);
}

static penta_io_reader *open_colour(const char *path, size_t pages)
{
    penta_io_reader *reader = NULL;
    penta_io_error err = {""};

    if (!penta_io_reader_open(path, &reader, &err))
        fail_msg("cannot be opened: %s", err.text);
    assert_int_equal(penta_io_reader_pages(reader), pages);
    penta_io_reader_keep_colour(reader);
    return reader;
}

static void check_single(bool interlaced, unsigned seed)
{
    GifPixelType pixels[N];
    gif_image g = {
        .width = W, .height = H, .interlaced = interlaced, .seed = seed, .transparent = -1, .pixels = pixels};
    uint8_t rgb[3 * N], grey[N];
    const char *path;
    HELD_BY(penta_io_reader_held) penta_io_reader *reader = NULL;

    fill_pixels(pixels, N, 5);
    draw(rgb, &g);
    for (size_t i = 0; i < N; i++)
        grey[i] = (uint8_t)(0.299 * rgb[3 * i] + 0.587 * rgb[3 * i + 1] + 0.114 * rgb[3 * i + 2] + 0.5 + 1e-9);
    path = write_gif("single.gif", 1, &g);
    expect_pixels(path, W, H, PENTA_U8, grey);
    reader = open_colour(path, 1);
    expect_page(reader, 0, rgb);
}

TEST(one_image)
{
    check_single(false, 0);
    check_single(true, 0);
    check_single(false, 9);
    check_single(true, 9);
}

/* A whole image; a part with holes that stays; one that gives way to nothing; one that gives way to what was there; and
 * one more part. Pages are read forwards, and then backwards. */
TEST(animation)
{
    GifPixelType pixels[5][N];
    const gif_image images[] = {
        {.width = W, .height = H, .transparent = -1, .disposal = DISPOSE_DO_NOT, .pixels = pixels[0]},
        {2, 3, 6, 5, true, 4, DISPOSE_DO_NOT, 7, pixels[1]},
        {5, 1, 8, 4, false, 0, DISPOSE_BACKGROUND, 3, pixels[2]},
        {0, 6, 9, 5, false, 11, DISPOSE_PREVIOUS, -1, pixels[3]},
        {12, 10, 1, 1, false, 0, DISPOSAL_UNSPECIFIED, -1, pixels[4]},
    };
    uint8_t canvas[3 * N] = {0}, kept[3 * N], page[5][3 * N];
    HELD_BY(penta_io_reader_held) penta_io_reader *reader = NULL;

    for (size_t i = 0; i < 5; i++) {
        const gif_image *g = &images[i];

        fill_pixels(pixels[i], N, (unsigned)i + 2);
        memcpy(kept, canvas, sizeof kept);
        draw(canvas, g);
        memcpy(page[i], canvas, sizeof canvas);
        if (g->disposal == DISPOSE_PREVIOUS)
            memcpy(canvas, kept, sizeof kept);
        for (int y = 0; g->disposal == DISPOSE_BACKGROUND && y < g->height; y++)
            memset(canvas + 3 * ((g->top + y) * W + g->left), 0, 3 * (size_t)g->width);
    }
    reader = open_colour(write_gif("animation.gif", 5, images), 5);
    for (size_t i = 0; i < 5; i++)
        expect_page(reader, i, page[i]);
    for (size_t i = 5; i-- > 0;)
        expect_page(reader, i, page[i]);
    expect_page(reader, 3, page[3]);
    expect_page(reader, 3, page[3]);
}

IO_TEST(damage)
{
    GifPixelType pixels[N];
    gif_image g = {.width = W, .height = H, .transparent = -1, .pixels = pixels};
    const gif_image beyond = {.left = 1, .width = W, .height = H, .transparent = -1, .pixels = pixels};
    unsigned char *bytes;
    size_t size;
    penta_io_image image;

    fill_pixels(pixels, N, 5);
    bytes = read_file(write_gif("whole.gif", 1, &g), &size);
    for (size_t keep = 6; keep < size; keep++) { /* a file that was cut is no image, but for its very last byte */
        const char *path = write_file("cut.gif", bytes, keep);

        expect_error(path, "cut.gif: ");
    }
    for (size_t i = 0; i < size; i++) { /* an error or an image, no crash */
        bytes[i] ^= 0xff;
        if (read_page(write_file("fuzz.gif", bytes, size), 0, &image, &err))
            penta_io_image_free(&image);
        bytes[i] ^= 0xff;
    }
    memcpy(bytes + 6, "\xff\xff\xff\xff", 4); /* a canvas of 4 gigapixels in a file of some hundred bytes */
    expect_error(write_file("huge.gif", bytes, size), "more than a file of");
    free(bytes);
    expect_error(write_gif("beyond.gif", 1, &beyond), "reaches beyond the canvas of 13 x 11");
    expect_error(write_gif("none.gif", 0, NULL), "no image in this GIF");
}

#else

TEST(what_is_missing_is_said)
{
    expect_error(write_file("a.gif", "GIF89a", 6), "install libgif-dev");
}

#endif

IN_DIRECTORY;
