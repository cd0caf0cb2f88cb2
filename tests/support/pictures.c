#include <png.h>
#include <stdio.h>
#include <unistd.h>

#include "support/files.h"
#include "support/pictures.h"

static char pictures[256];

/* ---- the directory ---- */

int make_picture_directory(void **state)
{
    (void)state;
    return make_scratch_directory("plot", pictures, sizeof pictures) ? 0 : -1;
}

int remove_picture_directory(void **state)
{
    (void)state;
    empty_pictures();
    return rmdir(pictures);
}

int leave_pictures(void **state)
{
    (void)state;
    empty_pictures();
    return 0;
}

size_t empty_pictures(void)
{
    return empty_directory(pictures);
}

const char *in_pictures(const char *name)
{
    static char paths[8][600];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof *paths, "%s/%s", pictures, name);
    return path;
}

/* ---- PNG ---- */

picture decode_picture(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    picture p;

    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    p = (picture){image.width, image.height, malloc(PNG_IMAGE_SIZE(image))};
    assert_non_null(p.rgb);
    assert_true(png_image_finish_read(&image, NULL, p.rgb, 0, NULL));
    return p;
}

uint32_t pixel(const picture *p, size_t x, size_t y)
{
    const uint8_t *at = p->rgb + 3 * (y * p->width + x);

    assert_true(x < p->width && y < p->height);
    return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

size_t ink(const picture *p, size_t left, size_t top, size_t right, size_t bottom)
{
    size_t sum = 0;

    for (size_t y = top; y < bottom; y++)
        for (size_t x = left; x < right; x++)
            sum += pixel(p, x, y) != 0xffffff;
    return sum;
}

/* ---- SVG ---- */

size_t count_in_file(const char *path, const char *text)
{
    size_t size, count = 0;
    char *whole = file_contents(path, &size);

    assert_non_null(whole);
    for (const char *at = whole; (at = strstr(at, text)) != NULL; at += strlen(text))
        count++;
    free(whole);
    return count;
}

void expect_in_file(const char *path, const char *text, bool present)
{
    if ((count_in_file(path, text) > 0) != present)
        fail_msg("%s should %scontain \"%s\"", path, present ? "" : "not ", text);
}

typedef struct {
    figure_box box;
    char words[300];
} words_at;

static words_at read_text(const char *at)
{
    words_at t;
    double x, y, font, width, from, high;
    char anchor[8];

    assert_int_equal(
        sscanf(at, "<text x=\"%lf\" y=\"%lf\" font-size=\"%lf\" text-anchor=\"%7[a-z]", &x, &y, &font, anchor), 4);
    if (sscanf(strchr(at, '>') + 1, "%299[^<]", t.words) != 1) /* up to a subscript */
        t.words[0] = '\0';
    high = 0.729 * font;
    width = 0.9 * figure_text_width(high, true, t.words); /* some are written as &#39; */
    from = anchor[0] == 's' ? 0 : anchor[0] == 'm' ? width / 2 : width;
    t.box = (figure_box){x - from, y - high, x - from + width, y};
    if (strncmp(strchr(at, '>') - 2, ")\"", 2) == 0) /* turned */
        t.box = (figure_box){x - high, y - width + from, x, y + from};
    return t;
}

static void expect_layout(const char *svg)
{
    static words_at texts[200];
    size_t size, n = 0;
    char *whole = file_contents(svg, &size);
    double width, height;

    assert_int_equal(sscanf(strstr(whole, " width="), " width=\"%lf\" height=\"%lf\"", &width, &height), 2);
    for (const char *at = whole; (at = strstr(at, "<text ")) != NULL && n < COUNT(texts); at++) {
        const figure_box b = (texts[n] = read_text(at)).box;

        if (b.left < 0 || b.top < 0 || b.right > width || b.bottom > height)
            fail_msg("%s: \"%s\" lies outside", svg, texts[n].words);
        for (size_t i = 0; i < n; i++)
            if (fmin(b.right, texts[i].box.right) > fmax(b.left, texts[i].box.left) &&
                fmin(b.bottom, texts[i].box.bottom) > fmax(b.top, texts[i].box.top))
                fail_msg("%s: \"%s\" lies over \"%s\"", svg, texts[n].words, texts[i].words);
        n++;
    }
    free(whole);
}

void expect_pictures(const char *base, const char *label)
{
    char png[700], svg[700];
    picture p;

    snprintf(png, sizeof png, "%s.png", base);
    snprintf(svg, sizeof svg, "%s.svg", base);
    p = decode_picture(png);
    assert_true(ink(&p, 0, 0, p.width, p.height) > 1000);
    free(p.rgb);
    expect_in_file(svg, "<?xml", true);
    expect_in_file(svg, "</svg>", true);
    expect_in_file(svg, label, true);
    expect_layout(svg);
    assert_int_equal(empty_pictures(), 2);
}
