/* One description of a figure, drawn by all back ends. */
#include "support/test.h"

#include <png.h>
#include <stdio.h>
#include "figures/animation.h"
#include "figures/gnuplot.h"
#include "support/files.h"
#include "support/plots.h"

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
    figure_add_label(f, p, (figure_label){.text = "plain_{<b>}", .plain = true, .x = 0.02, .y = 0.5});
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

static uint8_t *decode(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    uint8_t *rgb;

    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    assert_int_equal(image.width, WIDTH);
    assert_int_equal(image.height, HEIGHT);
    rgb = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(rgb);
    assert_true(png_image_finish_read(&image, NULL, rgb, 0, NULL));
    return rgb;
}

static uint32_t pixel(const uint8_t *rgb, size_t x, size_t y)
{
    const uint8_t *at = rgb + 3 * (y * WIDTH + x);

    return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

TEST_WITH_PICTURES(png)
{
    penta_io_error err = {""};
    figure f;
    uint8_t *rgb;

    describe(&f);
    if (!figure_png(&f, in_pictures("all.png"), &err))
        fail_msg("%s", err.text);
    figure_close(&f);
    rgb = decode(in_pictures("all.png"));
    assert_int_equal(pixel(rgb, 230, 300), FIGURE_BLUE);       /* (5, 20) */
    assert_int_equal(pixel(rgb, 230, 307), 0xcce3f0);          /* in the band below it */
    assert_int_equal(pixel(rgb, 170, 210), FIGURE_VERMILLION); /* (3, 50) */
    assert_int_equal(pixel(rgb, 485, 65), 0x440154);           /* the first pixel of the map */
    assert_int_equal(pixel(rgb, 715, 295), FIGURE_UNKNOWN);    /* its corner */
    assert_true(pixel(rgb, 748, 62) > 0xf8e000);               /* the top of the colour bar */
    assert_int_equal(pixel(rgb, 520, 318), FIGURE_INK);        /* the scale bar, 100 px */
    assert_int_equal(pixel(rgb, 582, 318), 0xffffff);
    for (size_t y = 361; y < HEIGHT; y++) /* the steep line is cut off at the axes */
        for (size_t x = 0; x < WIDTH; x++)
            if (pixel(rgb, x, y) == FIGURE_GREEN)
                fail_msg("the line goes on to (%zu, %zu)", x, y);
    free(rgb);
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
    expect_in_file(path, ">C<tspan dy=\"4.2\" font-size=\"10.4\">1D</tspan>", true);
    expect_in_file(path, ">time (s)</text>", true);
    expect_in_file(path, ">1 mm</text>", true);
    expect_in_file(path, "stroke-dasharray", true);
    expect_in_file(path, "<circle cx=\"170.0\" cy=\"210.0\" r=\"5.0\" fill=\"#d55e00\"/>", true);
    expect_in_file(path, "data:image/png;base64,", true);
    expect_in_file(path, "nan", false);
}

/* ---- gnuplot ---- */

TEST_WITH_PICTURES(gnuplot)
{
    static const char *const parts[] = {
        "set multiplot title 'Everything' noenhanced",
        "set title 'a plain_{title}' noenhanced",
        "with filledcurves",
        "title 'R_{max}'",
        "nohead lw 1",
        "pt 2 ",
        "matrix using (0+$1*1):(0+$2*1):3 with image",
        "set yrange [23.5:-0.5]",
        "set cbrange [0:48]",
        "set logscale y\nset format y '10^{%T}'",
        "'plain_{<b>}' noenhanced at graph 0.02",
        "rectangle from screen",
    };
    figure f;

    describe(&f);
    use_copier();
    expect_drawn(figure_gnuplot(&f, in_pictures("all"), &err));
    for (size_t i = 0; i < COUNT(parts); i++)
        expect_in_file(in_pictures("all.svg"), parts[i], true);
    empty_pictures();
    use_usual_path(NULL);
    need_gnuplot();
    expect_drawn(figure_gnuplot(&f, in_pictures("all"), &err));
    figure_close(&f);
    expect_pictures(in_pictures("all"), "plain_{&lt;b>}");
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
    uint8_t *rgb;
    size_t ink = 0;

    assert_non_null(out);
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
    rgb = decode(path);
    assert_int_equal(pixel(rgb, 485, 65), 0x440154); /* the first pixel of the map */
    assert_true((pixel(rgb, 715, 295) & 0xff) > 0xc8 && pixel(rgb, 715, 295) < 0xe0e0e0); /* its corner is grey */
    assert_int_equal(pixel(rgb, 748, 62) >> 16 > 0xf0, true); /* the top of the colour bar */
    assert_true((pixel(rgb, 520, 318) & 0xff) < 0x30);        /* the scale bar */
    assert_int_equal(pixel(rgb, 890, 400), 0xffffff);
    for (size_t y = 10; y < 30; y++)
        for (size_t x = 16; x < 130; x++)
            ink += pixel(rgb, x, y) < 0x808080;
    assert_in_range(ink, 100, 1000); /* the title */
    free(rgb);
}

/* ---- what they have in common ---- */

TEST_WITH_PICTURES(nothing_to_draw)
{
    penta_io_error error = {""};
    figure f, none = {0};

    figure_open(&f, 300, 200);
    figure_add_nothing(&f, figure_add_panel(&f, (figure_panel){.box = {NAN, NAN, NAN, NAN}}), "nothing here");
    use_copier();
    expect_drawn(figure_gnuplot(&f, in_pictures("none"), &err));
    expect_in_file(in_pictures("none.svg"), "nothing here", true);
    expect_in_file(in_pictures("none.svg"), "plot NaN", true);
    assert_true(figure_png(&f, in_pictures("none.png"), &error));
    empty_pictures();
    f.failed = true; /* as when memory ran out on the way */
    expect_failure(figure_gnuplot(&f, in_pictures("none"), &error), &error, PLOT_FAILED, "out of memory");
    assert_false(figure_png(&f, in_pictures("none.png"), &error));
    assert_false(figure_svg(&f, "none", stderr));
    assert_int_equal(empty_pictures(), 0);
    figure_close(&f);
    figure_close(&none);
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

RUN(EVERYWHERE, NULL, make_picture_directories, remove_picture_directories);
