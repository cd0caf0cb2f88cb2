/* Pictures of C2D: on real gnuplots, skipped where there is none, and by their scripts. */
#include "support/test.h"

#include "support/autocorr_plots.h"

TEST_WITH_PICTURES(c2d_panels)
{
    autocorr_c2d_panel panels[2] = {
        {"first_{frame}", 40, make_c2d(40, 0.5), {PENTA_PEAK_OK, 0, 20, 0.3, 0.5, 11, 0.4}, NULL},
        {"last frame", 40, make_c2d(40, 0.6), {PENTA_PEAK_NO_TROUGH, 0, NAN, NAN, NAN, NAN, NAN}, NULL}};

    need_gnuplot();
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
        const char *text, *point;
    } cases[] = {
        {{PENTA_DISPLACEMENT_OK, 10.172, -7.39, 0.6, 1, 7, NAN, NAN},
         "displacement (10.17, -7.39) px'",
         "\n10.172 -7.39\n"},
        {{PENTA_DISPLACEMENT_AMBIGUOUS, 3, 4, 0.6, 0.1, 7, NAN, NAN},
         "displacement (3.00, 4.00) px, ambiguous",
         "\n3 4\n"},
        {{PENTA_DISPLACEMENT_AT_EDGE, 20, 4, 0.6, 0.1, 7, NAN, NAN}, "displacement (20, 4) px or beyond", "\n20 4\n"},
        {{PENTA_DISPLACEMENT_NO_MATCH, 3, 4, 0.1, 0.1, 3, NAN, NAN}, "no displacement: nothing matches", NULL},
        {{PENTA_DISPLACEMENT_FLAT, NAN, NAN, NAN, NAN, NAN, NAN, NAN}, "no displacement: an image is uniform", NULL}};
    double *c2d = make_c2d(20, 0.5);

    use_copier();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        autocorr_c2d_panel panel = {
            "frame", 20, c2d, {PENTA_PEAK_NO_TROUGH, 0, NAN, NAN, NAN, NAN, NAN}, &cases[i].shift};

        expect_drawn(autocorr_plot_c2d(in_pictures("shift"), NULL, 1, &panel, &err));
        expect_in_file(in_pictures("shift.svg"), cases[i].text, true);
        expect_in_file(in_pictures("shift.svg"), "R_{max}", false);
        if (cases[i].point)
            expect_in_file(in_pictures("shift.svg"), cases[i].point, true);
        else
            expect_in_file(in_pictures("shift.svg"), "\n3 4\n", false);
    }
    free(c2d);
}

/* Of 601 px a side blocks of 3 x 3 about the origin: 199 of them, out to 298.5 px. */
TEST_WITH_PICTURES(c2d_block_means)
{
    double *c2d = make_c2d(300, 0);
    autocorr_c2d_panel panel = {NULL, 300, c2d, {PENTA_PEAK_NO_TROUGH, 0, NAN, NAN, NAN, NAN, NAN}, NULL};

    use_copier();
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            c2d[(300 + y) * 601 + 300 + x] = 4.5 + x + y * 2;
    c2d[300 * 601 + 300] = NAN; /* so the eight others count: their mean is 4.5 too */
    c2d[2 * 601 + 2] = 90;      /* corner of the first block, which starts 298 px out */
    c2d[0] = 1e9;               /* in the margin */
    expect_drawn(autocorr_plot_c2d(in_pictures("blocks"), NULL, 1, &panel, &err));
    expect_in_file(in_pictures("blocks.svg"), " 0 4.5 0 ", true);
    expect_in_file(in_pictures("blocks.svg"), "$map0 << END\n10 0 0 ", true);
    expect_in_file(in_pictures("blocks.svg"), "set xrange [-298.5:298.5]\n", true);
    expect_in_file(in_pictures("blocks.svg"), "set yrange [298.5:-298.5]\n", true);
    expect_in_file(in_pictures("blocks.svg"), "(-297+$1*3):(-297+$2*3)", true);
    free(c2d);
}

/* The spike at the origin has no say in the colours. */
TEST_WITH_PICTURES(c2d_colours)
{
    double *c2d = make_c2d(30, 0);
    autocorr_c2d_panel panel = {NULL, 30, c2d, {PENTA_PEAK_OK, 0, 16, NAN, 0.3, 10, 0.1}, NULL};

    use_copier();
    for (int i = 0; i < 61 * 61; i++) {
        double r = hypot(i % 61 - 30, i / 61 - 30);

        c2d[i] = r < 7 ? 1 - 0.1 * r : r < 13 ? 0.125 : 0.25;
    }
    expect_drawn(autocorr_plot_c2d(in_pictures("spike"), NULL, 1, &panel, &err));
    expect_in_file(in_pictures("spike.svg"), "set cbrange [0.125:0.25]", true);
    expect_in_file(in_pictures("spike.svg"), "off scale", true);
    expect_in_file(in_pictures("spike.svg"), "\n16 0\n", true);
    free(c2d);
}

TEST_WITH_PICTURES(c2d_extremes)
{
    double *c2d = make_c2d(3, 1);
    autocorr_c2d_panel panels[3] = {{"x", 3, c2d, {PENTA_PEAK_FLAT, 0, NAN, NAN, NAN, NAN, NAN}, NULL}};
    penta_io_error error = {""};

    need_gnuplot();
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
    expect_failure(autocorr_plot_c2d(in_pictures("three"), NULL, 3, panels, &error), &error, PLOT_FAILED, "two panels");
    free(c2d);
}

RUN(EVERYWHERE, NULL, make_picture_directories, remove_picture_directories);
