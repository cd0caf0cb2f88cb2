/* One description of a figure, drawn by all pens; its texts, ranges and ticks. */
#include "support/test.h"

#include <locale.h>
#include "figures/animation.h"
#include "support/locale.h"
#include "support/pictures.h"

enum { WIDTH = 900, HEIGHT = 420, SIDE = 24 };

/* Axes at (80, 60) .. (380, 360) of 0 .. 10 and 0 .. 100: 30 px and 3 px a unit. */
static figure_panel *add_axes(figure *f)
{
    return figure_add_panel(f, (figure_panel){.box = {80, 60, 380, 360},
                                              .title = "a plain_{title}",
                                              .x = {.label = "time (s)", .range = {0, 10}, .ticks = true},
                                              .y = {.range = {0, 100}, .ticks = true},
                                              .grid = true,
                                              .legend = FIGURE_LEGEND_INSIDE});
}

static void add_line(figure *f, figure_panel *p, figure_mark style, double x0, double y0, double x1, double y1)
{
    figure_mark *mark = figure_add_mark(f, p, style);

    figure_add_point(f, mark, (figure_point){x0, y0, 5, x0});
    figure_add_point(f, mark, (figure_point){x1, y1, 5, x1});
}

/* A map with a slope, isolines, arrows, a scale bar, and a corner without values. */
static void add_map(figure *f)
{
    float *values = figure_memory(f, SIDE * SIDE * sizeof *values);
    figure_panel *p = figure_add_panel(f, (figure_panel){.box = {480, 60, 720, 300},
                                                         .x.range = {-0.5, SIDE - 0.5},
                                                         .y = {.range = {-0.5, SIDE - 0.5}, .downwards = true},
                                                         .frame = FIGURE_FRAME_WHOLE,
                                                         .scale = 10,
                                                         .scale_label = "1 mm",
                                                         .image = {SIDE, SIDE, 0, 0, 1, values, NULL}});

    assert_non_null(values);
    for (int i = 0; i < SIDE * SIDE; i++)
        values[i] = i % SIDE > 19 && i / SIDE > 19 ? NAN : (float)(i % SIDE + i / SIDE);
    f->colours = (figure_range){0, 2 * SIDE};
    f->bar = (figure_box){740, NAN, 756, NAN};
    f->bar_label = "ms";
    figure_add_isolines(f, p, 10, 1.2);
    figure_add_arrow(f, figure_add_mark(f, p, (figure_mark){.kind = FIGURE_SEGMENTS, .colour = 0xffffff, .width = 1}),
                     12, 12, 3, 1);
}

static void describe(figure *f)
{
    figure_panel *p;

    figure_open(f, WIDTH, HEIGHT);
    f->title = "Everything";
    p = add_axes(f);
    add_line(f, p, (figure_mark){.kind = FIGURE_BAND, .colour = 0xcce3f0}, 0, 20, 10, 20);
    add_line(f, p, (figure_mark){.kind = FIGURE_LINE, .colour = FIGURE_BLUE, .width = 2, .label = "R_{max}"}, 0, 20, 10,
             20);
    add_line(f, p, (figure_mark){.kind = FIGURE_LINE, .colour = FIGURE_GREEN, .width = 1.5, .dashed = true}, 0, -200,
             10, 300);
    add_line(f, p, (figure_mark){.kind = FIGURE_BARS, .colour = FIGURE_INK, .width = 1}, 3, 50, 6, 50);
    add_line(f, p, (figure_mark){.kind = FIGURE_DISCS, .colour = FIGURE_VERMILLION, .radius = 5, .label = "10^{-3}"}, 3,
             50, 6, 50);
    add_line(f, p, (figure_mark){.kind = FIGURE_RINGS, .colour = FIGURE_GREY, .radius = 5}, 2, 80, 50, 80);
    add_line(f, p, (figure_mark){.kind = FIGURE_CROSSES, .colour = FIGURE_GREY, .radius = 5}, 3, 80, 4, 80);
    add_line(f, p, (figure_mark){.kind = FIGURE_DISCS, .valued = true, .radius = 4}, 1, 70, 9, 70);
    figure_add_label(f, p, (figure_label){.text = "plain_{<b>}", .plain = true, .x = 0.02, .y = 0.3});
    figure_add_label(f, p, (figure_label){.text = "C_{1D}", .on_axes = true, .x = 8, .y = 50, .align = 0.5});
    add_map(f);
    p = figure_add_panel(f, (figure_panel){.box = {250, 190, 370, 250},
                                           .x = {.range = {0, 1}, .ticks = true},
                                           .y = {.range = {1, 1e6}, .ticks = true, .logarithmic = true},
                                           .frame = FIGURE_FRAME_WHOLE,
                                           .inset = true});
    add_line(f, p, (figure_mark){.kind = FIGURE_LINE, .colour = FIGURE_INK, .width = 1}, 0, 1, 1, 1e6);
    assert_false(f->failed);
}

/* ---- PNG ---- */

TEST_WITH_PICTURES(png)
{
    penta_io_error err = {""};
    figure f;
    picture p;

    describe(&f);
    EXPECT_IO(figure_png(&f, in_pictures("all.png"), &err), err);
    figure_close(&f);
    p = decode_picture(in_pictures("all.png"));
    assert_int_equal(pixel(&p, 230, 300), FIGURE_BLUE);       /* (5, 20) */
    assert_int_equal(pixel(&p, 230, 307), 0xcce3f0);          /* in the band below it */
    assert_int_equal(pixel(&p, 170, 210), FIGURE_VERMILLION); /* (3, 50) */
    assert_int_equal(pixel(&p, 485, 65), 0x440154);           /* the first pixel of the map */
    assert_int_equal(pixel(&p, 715, 295), FIGURE_UNKNOWN);    /* its corner */
    assert_true(pixel(&p, 748, 62) > 0xf8e000);               /* the top of the colour bar */
    assert_int_equal(pixel(&p, 520, 318), FIGURE_INK);        /* the scale bar, 100 px */
    assert_int_equal(pixel(&p, 582, 318), 0xffffff);
    assert_int_equal(ink(&p, 180, 392, 197, HEIGHT), 0); /* the steep line is cut off at the axes */
    free(p.rgb);
}

/* ---- SVG ---- */

TEST_WITH_PICTURES(svg)
{
    const char *path = in_pictures("all.svg");
    FILE *out = fopen(path, "w");
    figure f;

    assert_non_null(out);
    describe(&f);
    assert_true(figure_svg(&f, "a <name>", out));
    figure_close(&f);
    fclose(out);
    expect_in_file(path, "<title>a &#60;name&#62;</title>", true);
    expect_in_file(path, ">a plain_{title}</text>", true);
    expect_in_file(path, ">plain_{&#60;b&#62;}</text>", true);
    expect_in_file(path, ">C<tspan dy=\"4.5\" font-size=\"11.3\">1D</tspan>", true);
    expect_in_file(path, ">time (s)</text>", true);
    expect_in_file(path, ">1 mm</text>", true);
    expect_in_file(path, "stroke-dasharray", true);
    expect_in_file(path, "<circle cx=\"170.0\" cy=\"210.0\" r=\"5.0\" fill=\"#d55e00\"/>", true);
    expect_in_file(path, "data:image/png;base64,", true);
    expect_in_file(path, "nan", false);
}

/* ---- animated PNG ---- */

/* The first frame is what viewers without APNG show; the map is drawn in colours of the palette. */
TEST_WITH_PICTURES(animation)
{
    const char *path = in_pictures("all.png");
    FILE *out = fopen(path, "wb");
    apng animation;
    uint8_t *packed;
    size_t size;
    figure f;
    picture p;

    describe(&f);
    animation = figure_animation_begin(out, WIDTH, HEIGHT, 2, 40);
    f.failed = true;
    assert_null(figure_animation_draw(WIDTH, HEIGHT, &f, &size));
    f.failed = false;
    packed = figure_animation_draw(WIDTH, HEIGHT, &f, &size);
    assert_non_null(packed);
    for (int i = 0; i < 2; i++)
        apng_add(&animation, packed, size);
    apng_end(&animation);
    free(packed);
    figure_close(&f);
    fclose(out);
    p = decode_picture(path);
    assert_int_equal(pixel(&p, 485, 65), 0x440154);                                     /* the first pixel of the map */
    assert_true((pixel(&p, 715, 295) & 0xff) > 0xc8 && pixel(&p, 715, 295) < 0xe0e0e0); /* its corner is grey */
    assert_int_equal(pixel(&p, 748, 62) >> 16 > 0xf0, true);                            /* the top of the colour bar */
    assert_true((pixel(&p, 520, 318) & 0xff) < 0x30);                                   /* the scale bar */
    assert_int_equal(pixel(&p, 890, 400), 0xffffff);
    assert_in_range(ink(&p, 16, 10, 130, 34), 300, 1500); /* the title */
    free(p.rgb);
}

/* ---- what they have in common ---- */

TEST_WITH_PICTURES(nothing_to_draw)
{
    penta_io_error error = {""};
    HELD_BY(figure_close) figure f, none = {0};

    figure_open(&f, 300, 200);
    figure_add_nothing(&f, figure_add_panel(&f, (figure_panel){.box = {NAN, NAN, NAN, NAN}}), "nothing here");
    expect_drawn(figure_files(&f, in_pictures("none"), &err));
    expect_pictures(in_pictures("none"), "nothing here");
    f.failed = true; /* as when memory ran out on the way */
    assert_false(figure_files(&f, in_pictures("none"), &error));
    expect_text(error.text, "out of memory");
    assert_false(figure_png(&f, in_pictures("none.png"), &error));
    assert_false(figure_svg(&f, "none", stderr));
    assert_int_equal(empty_pictures(), 0);
}

TEST_WITH_PICTURES(ranges)
{
    float values[300];
    figure_range range = figure_range_none();

    assert_true(figure_range_is_none(range));
    figure_range_add(&range, NAN);
    assert_true(figure_range_is_none(range));
    figure_range_add(&range, 3);
    range = figure_range_pad(range, 0.1, 0.1);
    assert_true(range.lo < 3 && range.hi > 3);
    for (int i = 0; i < 300; i++)
        values[i] = i % 3 == 0 ? NAN : (float)(300 - i);
    range = figure_range_within(values, 300, 1); /* 200 numbers, 1 2 4 5 .. 299: one is left out at either end */
    expect_near(range.lo, 2, 0);
    expect_near(range.hi, 298, 0);
    assert_true(figure_range_is_none(figure_range_within(values, 0, 1)));
    expect_near(figure_share((figure_range){2, 2}, 7), 0.5, 0);
}

/* ---- texts, ticks, colours ---- */

TEST(measured)
{
    static const struct {
        double value, standard_error;
        bool enclosed;
        const char *expected;
    } cases[] = {
        {45.312, 0.42, false, "45.3 ± 0.4"},
        {45.312, 0.14, false, "45.31 ± 0.14"},
        {45.312, 0.096, false, "45.31 ± 0.10"},
        {45.312, 120, true, "(45 ± 120)"},
        {-45.312, 3, true, "(-45 ± 3)"},
        {0, 0.05, false, "0.00 ± 0.05"},
        {45.312, NAN, true, "45.3"},
        {45.312, 0, false, "45.3"},
        {-0.05312, NAN, true, "(-0.0531)"},
        {-0.05312, NAN, false, "-0.0531"},
        {0, NAN, true, "0.00"},
        {4.5312e-7, 3e-9, false, "(4.53 ± 0.03)×10^{-7}"},
        {4.5312e-7, INFINITY, true, "(4.53)×10^{-7}"},
        {123456, 2000, false, "(1.23 ± 0.02)×10^{5}"},
        {NAN, 1, true, "NaN"},
        {INFINITY, NAN, false, "NaN"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HELD_BY(figure_close) figure f;

        figure_open(&f, 1, 1);
        assert_string_equal(figure_measured(&f, cases[i].value, cases[i].standard_error, cases[i].enclosed),
                            cases[i].expected);
    }
}

TEST(numbers_ignore_the_locale)
{
    char number[16], text[32];
    figure f;

    set_comma_locale();
    figure_open(&f, 1, 1);
    snprintf(text, sizeof text, "%s", figure_measured(&f, 45.312, 0.42, false));
    figure_close(&f);
    snprintf(number, sizeof number, "%.1f", 0.5); /* the thread's locale is as it was */
    setlocale(LC_ALL, "C");
    assert_string_equal(number, "0,5");
    assert_string_equal(text, "45.3 ± 0.4");
}

/* Every letter of ASCII is as wide as it is said to be, and text ends where it is aligned. */
TEST_WITH_PICTURES(letters_take_their_width)
{
    figure f;
    picture p;

    for (char letter[2] = "!"; *letter <= '~'; ++*letter) {
        double width = figure_text_width(60, true, letter);

        figure_open(&f, 200, 120);
        figure_add_label(
            &f, figure_add_panel(&f, (figure_panel){.box = {0, 0, 200, 120}, .frame = FIGURE_FRAME_NONE}),
            (figure_label){.text = letter, .plain = true, .x = 0.95, .y = 0.5, .align = 1, .size = 60.0 / 11});
        expect_drawn(figure_png(&f, in_pictures("a.png"), &err));
        figure_close(&f);
        p = decode_picture(in_pictures("a.png"));
        assert_true(ink(&p, 0, 0, 196, 120) > 50);
        assert_int_equal(ink(&p, 0, 0, (size_t)(184 - width), 120), 0); /* a j begins before its place */
        assert_int_equal(ink(&p, 196, 0, 200, 120), 0);
        free(p.rgb);
    }
}

/* Of a long name the end is written. */
TEST_WITH_PICTURES(long_titles_lose_their_beginning)
{
    figure f;

    figure_open(&f, 300, 200);
    figure_add_panel(&f, (figure_panel){.box = {NAN, NAN, NAN, NAN},
                                        .title = "/a/long/way/to/a/folder/of/été/frames/frame-0001.png"});
    expect_drawn(figure_files(&f, in_pictures("a"), &err));
    figure_close(&f);
    expect_in_file(in_pictures("a.svg"), "/long", false);
    expect_in_file(in_pictures("a.svg"), ">…", true);
    expect_pictures(in_pictures("a"), "frame-0001.png<");
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
        expect_near(figure_nice_step(rows[i].span, rows[i].most), rows[i].step, 1e-12 * rows[i].step);
    figure_put_tick(text, sizeof text, 3 * 0.1, 0.1);
    assert_string_equal(text, "0.3");
    figure_put_tick(text, sizeof text, -1e-17, 0.25);
    assert_string_equal(text, "0.0");
    figure_put_tick(text, sizeof text, 1500, 500);
    assert_string_equal(text, "1500");
    figure_put_tick(text, sizeof text, 2e6, 5e5);
    assert_string_equal(text, "2e+06");
    figure_put_tick(text, sizeof text, 1700000045, 5);
    assert_string_equal(text, "1700000045");
}

TEST(colours_go_from_dark_to_light)
{
    double before = 0;

    assert_int_equal(figure_viridis(0), 0x440154);
    assert_int_equal(figure_viridis(1), 0xfde725);
    assert_int_equal(figure_viridis(-3), 0x440154);
    assert_int_equal(figure_viridis(7), 0xfde725);
    for (int i = 0; i <= 100; i++) { /* luminance rises all the way */
        uint32_t c = figure_viridis(i / 100.0);
        double light = 0.2126 * pow((double)(c >> 16) / 255, 2.2) + 0.7152 * pow((double)(c >> 8 & 255) / 255, 2.2) +
                       0.0722 * pow((double)(c & 255) / 255, 2.2);

        assert_true(light > before);
        before = light;
    }
}

RUN_WITH_PICTURES;
