/* Pictures of C2D. */
#include "support/test.h"

#include "support/autocorr_plots.h"

TEST_WITH_PICTURES(c2d_panels)
{
    autocorr_c2d_panel panels[2] = {
        {"first_{frame}", 40, make_c2d(40, 0.5), {PENTA_PEAK_OK, 0, 20, 0.3, 0.5, 11, 0.4}, NULL},
        {"last frame", 40, make_c2d(40, 0.6), {PENTA_PEAK_NO_TROUGH, 0, NAN, NAN, NAN, NAN, NAN}, NULL}};

    expect_drawn(autocorr_plot_c2d(in_pictures("one"), "a title", 1, panels, &err));
    expect_in_file(in_pictures("one.svg"), "a title", true);
    expect_in_file(in_pictures("one.svg"), "= 20.0 ± 0.3 px", true);
    expect_pictures(in_pictures("one"), "first_{frame}");
    expect_drawn(autocorr_plot_c2d(in_pictures("two"), NULL, 2, panels, &err));
    expect_in_file(in_pictures("two.svg"), "first_{frame}", true);
    expect_in_file(in_pictures("two.svg"), "X (px)", true);
    expect_pictures(in_pictures("two"), "last frame");
    free((void *)panels[0].c2d);
    free((void *)panels[1].c2d);
}

/* Of two images: a cross where one lies in the other, or why there is none, and no word of R_max. The spike is what is
 * looked for. */
TEST_WITH_PICTURES(c2d_displacement)
{
    static const struct {
        penta_displacement shift;
        const char *text;
        bool cross;
    } cases[] = {
        {{PENTA_DISPLACEMENT_OK, 10.172, -7.39, 0.6, 1, 7, NAN, NAN}, "displacement (10.17, -7.39) px<", true},
        {{PENTA_DISPLACEMENT_AMBIGUOUS, 3, 4, 0.6, 0.1, 7, NAN, NAN}, "displacement (3.00, 4.00) px, ambiguous", true},
        {{PENTA_DISPLACEMENT_AT_EDGE, 20, 4, 0.6, 0.1, 7, NAN, NAN}, "displacement (20, 4) px or beyond", true},
        {{PENTA_DISPLACEMENT_NO_MATCH, 3, 4, 0.1, 0.1, 3, NAN, NAN}, "no displacement: nothing matches", false},
        {{PENTA_DISPLACEMENT_FLAT, NAN, NAN, NAN, NAN, NAN, NAN, NAN}, "no displacement: an image is uniform", false}};
    HELD double *c2d = make_c2d(20, 0.5);
    char corner[40];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        autocorr_c2d_panel panel = {
            "frame", 20, c2d, {PENTA_PEAK_NO_TROUGH, 0, NAN, NAN, NAN, NAN, NAN}, &cases[i].shift};

        expect_drawn(autocorr_plot_c2d(in_pictures("shift"), NULL, 1, &panel, &err));
        expect_in_file(in_pictures("shift.svg"), cases[i].text, true);
        expect_in_file(in_pictures("shift.svg"), "max", false);
        snprintf(corner, sizeof corner, "M%.1f %.1fL", 104 + 511 * (cases[i].shift.dx + 20.5) / 41 - 8,
                 112 + 511 * (cases[i].shift.dy + 20.5) / 41 - 8);
        expect_in_file(in_pictures("shift.svg"), corner, cases[i].cross);
    }
}

static void expect_colour(const picture *p, size_t x, size_t y, double share)
{
    uint32_t found = pixel(p, x, y), wanted = figure_viridis(share);

    for (int shift = 0; shift <= 16; shift += 8)
        expect_near(found >> shift & 0xff, wanted >> shift & 0xff, 6);
}

/* Of 601 px a side blocks of 3 x 3 about the origin: 199 of them, out to 298.5 px, 2.57 px wide from (104, 112) on. The
 * colours are those of 1.006 .. 1.594. */
TEST_WITH_PICTURES(c2d_block_means)
{
    HELD double *c2d = make_c2d(300, 1);
    autocorr_c2d_panel panel = {NULL, 300, c2d, {PENTA_PEAK_NO_TROUGH, 0, NAN, NAN, NAN, NAN, NAN}, NULL};
    picture p;

    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            c2d[(300 + y) * 601 + 300 + x] = 1.45 + 0.01 * x + 0.02 * y;
    c2d[300 * 601 + 300] = NAN; /* the eight others count: their mean is 1.45, too */
    c2d[2 * 601 + 2] = 90;      /* corner of the first block, which starts 298 px out */
    c2d[0] = 1e9;               /* in the margin */
    expect_drawn(autocorr_plot_c2d(in_pictures("blocks"), NULL, 1, &panel, &err));
    p = decode_picture(in_pictures("blocks.png"));
    expect_colour(&p, 105, 113, 1);
    expect_colour(&p, 108, 113, 0);
    expect_colour(&p, 359, 367, (1.45 - 1.006) / 0.588);
    expect_colour(&p, 359, 371, (1.3 - 1.006) / 0.588);
    free(p.rgb);
}

/* The spike at the origin has no say in the colours. */
TEST_WITH_PICTURES(c2d_colours)
{
    HELD double *c2d = make_c2d(30, 0);
    autocorr_c2d_panel panel = {NULL, 30, c2d, {PENTA_PEAK_OK, 0, 16, NAN, 0.3, 10, 0.1}, NULL};

    for (int i = 0; i < 61 * 61; i++) {
        double r = hypot(i % 61 - 30, i / 61 - 30);

        c2d[i] = r < 7 ? 1 - 0.1 * r : r < 13 ? 0.125 : 0.25;
    }
    expect_drawn(autocorr_plot_c2d(in_pictures("spike"), NULL, 1, &panel, &err));
    expect_in_file(in_pictures("spike.svg"), ">0.14<", true);
    expect_in_file(in_pictures("spike.svg"), ">0.24<", true);
    expect_in_file(in_pictures("spike.svg"), ">0.26<", false);
    expect_in_file(in_pictures("spike.svg"), "off scale", true);
    expect_in_file(in_pictures("spike.svg"), "M493.5 367.5L", true);
}

TEST_WITH_PICTURES(c2d_extremes)
{
    HELD double *c2d = make_c2d(3, 1);
    autocorr_c2d_panel panels[3] = {{"x", 3, c2d, {PENTA_PEAK_FLAT, 0, NAN, NAN, NAN, NAN, NAN}, NULL}};
    penta_io_error error = {""};

    for (int i = 0; i < 49; i++)
        c2d[i] = i < 7 ? NAN : 1;
    expect_drawn(autocorr_plot_c2d(in_pictures("constant"), NULL, 1, panels, &err));
    expect_pictures(in_pictures("constant"), "Y (px)");
    panels[0].max_offset = 0;
    c2d[0] = 1;
    expect_drawn(autocorr_plot_c2d(in_pictures("r0"), NULL, 1, panels, &err));
    expect_pictures(in_pictures("r0"), "a single offset");
    expect_drawn(autocorr_plot_c2d(in_pictures("none"), "none", 0, NULL, &err));
    expect_pictures(in_pictures("none"), "no finite value");
    assert_false(autocorr_plot_c2d(in_pictures("three"), NULL, 3, panels, &error));
    expect_text(error.text, "two panels");
}

RUN_WITH_PICTURES;
