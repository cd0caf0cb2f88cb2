/* Pictures without gnuplot: lines, letters, ticks, colours at known pixels. */
#include "support/test.h"

#include "figures/canvas.h"
#include "figures/font.h"

static uint32_t pixel(const canvas *c, size_t x, size_t y)
{
    const uint8_t *at = c->rgb + 3 * (y * c->width + x);

    return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

/* How much of the picture is not white, in pixels of black. */
static double ink(const canvas *c)
{
    double sum = 0;

    for (size_t i = 0; i < 3 * c->width * c->height; i++)
        sum += 255 - c->rgb[i];
    return sum / (3 * 255);
}

TEST(shapes_cover_their_pixels)
{
    canvas c;

    assert_true(canvas_create(20, 10, &c));
    expect_near(ink(&c), 0, 0);
    canvas_fill(&c, 2, 3, 4, 2, 0x102030);
    assert_int_equal(pixel(&c, 2, 3), 0x102030);
    assert_int_equal(pixel(&c, 5, 4), 0x102030);
    assert_int_equal(pixel(&c, 6, 4), 0xffffff);
    assert_int_equal(pixel(&c, 1, 3), 0xffffff);
    assert_int_equal(pixel(&c, 2, 5), 0xffffff);
    canvas_fill(&c, -5, -5, 100, 100, 0xffffff); /* cut at the edges */
    expect_near(ink(&c), 0, 0);
    canvas_fill(&c, 1, 1, 8, 5, 0);
    canvas_fill(&c, 2, 2, 6, 3, 0xffffff); /* a frame is left */
    expect_near(ink(&c), 2 * 8 + 2 * 3, 1e-9);
    canvas_free(&c);
    assert_false(canvas_create(0, 5, &c));
    assert_false(canvas_create(SIZE_MAX / 4, SIZE_MAX / 4, &c));
    canvas_free(&c);
}

TEST(lines_have_their_width)
{
    canvas c;

    assert_true(canvas_create(60, 60, &c));
    canvas_line(&c, 10, 20.5, 50, 20.5, 1, 0);
    assert_int_equal(pixel(&c, 30, 20), 0);
    assert_int_equal(pixel(&c, 30, 21), 0xffffff);
    canvas_fill(&c, 0, 0, 60, 60, 0xffffff);
    canvas_line(&c, 10, 12, 50, 48, 2, 0); /* slanted: as much ink as length times width, and round ends */
    expect_near(ink(&c), 2 * hypot(40, 36) + 3.1, 4);
    canvas_fill(&c, 0, 0, 60, 60, 0xffffff);
    canvas_line(&c, -1e6, 30, 1e6, 30, 1, 0);
    assert_true(ink(&c) > 50 && ink(&c) < 70);
    canvas_free(&c);
}

/* A row of pieces leaves as much ink as one line of their length, however they meet, and no darker places. */
TEST(pieces_make_one_line)
{
    canvas whole, parts;

    assert_true(canvas_create(60, 12, &whole) && canvas_create(60, 12, &parts));
    canvas_piece(&whole, 5, 6, 55, 6, 1.2, 0); /* between two rows of pixels: both are grey */
    for (int i = 0; i < 20; i++) {
        double x0 = 5 + 2.5 * i, x1 = x0 + 2.5;

        canvas_piece(&parts, i % 2 ? x0 : x1, 6, i % 2 ? x1 : x0, 6, 1.2, 0); /* to the left and to the right */
    }
    assert_true(ink(&whole) > 50);
    assert_memory_equal(whole.rgb, parts.rgb, (size_t)3 * 60 * 12);
    canvas_piece(&parts, 5, 5, 5, 5, 1.2, 0);
    canvas_free(&whole);
    canvas_free(&parts);
}

TEST(every_letter_is_another)
{
    canvas c[2];
    char text[2] = "", other[2] = "";

    assert_true(canvas_create(30, 30, &c[0]) && canvas_create(30, 30, &c[1]));
    for (char a = '!'; a <= '~'; a++) {
        text[0] = a;
        canvas_fill(&c[0], 0, 0, 30, 30, 0xffffff);
        canvas_text(&c[0], 8, 20, 12, 0, 0, text);
        if (!(ink(&c[0]) > 1))
            fail_msg("the letter %c leaves no ink", a);
        for (char b = '!'; b < a; b++) {
            if ((a == 'o' && b == '0') || (a == 'O' && b == '0')) /* a zero has no stroke through it */
                continue;
            other[0] = b;
            canvas_fill(&c[1], 0, 0, 30, 30, 0xffffff);
            canvas_text(&c[1], 8, 20, 12, 0, 0, other);
            if (memcmp(c[0].rgb, c[1].rgb, (size_t)3 * 30 * 30) == 0)
                fail_msg("the letters %c and %c look the same", a, b);
        }
    }
    canvas_free(&c[0]);
    canvas_free(&c[1]);
}

TEST(text_is_where_it_is_aligned)
{
    static const char text[] = "12.5 \xc2\xb5m";
    double width = canvas_text_width(12, text);
    canvas c;

    assert_true(canvas_create(200, 40, &c));
    canvas_text(&c, 190, 30, 12, 1, 0, text); /* ends at 190 */
    for (size_t y = 0; y < 40; y++)
        for (size_t x = 0; x < 200; x++)
            if (pixel(&c, x, y) != 0xffffff && ((double)x < 190 - width - 2 || x > 192 || y < 16 || y > 36))
                fail_msg("ink at (%zu, %zu)", x, y);
    expect_near(canvas_text_width(24, text), 2 * width, 1e-9);
    assert_true(canvas_text_width(12, "") == 0);
    canvas_text(&c, 5, 5, 8, 0, 0, "\xff\xc3\xf0\x9f"); /* no UTF-8: ends where the text ends */
    canvas_free(&c);
}

TEST(steps_are_round)
{
    static const struct {
        double span;
        int most;
        double step;
    } rows[] = {{10, 10, 1}, {10, 5, 2}, {11, 5, 5}, {0.3, 6, 0.05}, {1234, 6, 500}, {0, 5, 1}};
    char text[40];

    for (size_t i = 0; i < COUNT(rows); i++)
        expect_near(canvas_nice_step(rows[i].span, rows[i].most), rows[i].step, 1e-12 * rows[i].step);
    canvas_put_tick(text, sizeof text, 3 * 0.1, 0.1);
    assert_string_equal(text, "0.3");
    canvas_put_tick(text, sizeof text, -1e-17, 0.25);
    assert_string_equal(text, "0.0");
    canvas_put_tick(text, sizeof text, 1500, 500);
    assert_string_equal(text, "1500");
}

TEST(colours_go_from_dark_to_light)
{
    double before = 0;

    assert_int_equal(canvas_viridis(0), 0x440154);
    assert_int_equal(canvas_viridis(1), 0xfde725);
    assert_int_equal(canvas_viridis(-3), 0x440154);
    assert_int_equal(canvas_viridis(7), 0xfde725);
    for (int i = 0; i <= 100; i++) { /* luminance rises all the way */
        uint32_t c = canvas_viridis(i / 100.0);
        double light = 0.2126 * pow((double)(c >> 16) / 255, 2.2) + 0.7152 * pow((double)(c >> 8 & 255) / 255, 2.2) +
                       0.0722 * pow((double)(c & 255) / 255, 2.2);

        assert_true(light > before);
        before = light;
    }
}
