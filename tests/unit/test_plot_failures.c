/* Pictures of values and names that might do harm, and what is said and left when drawing fails. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/autocorr_plots.h"
#include "support/files.h"

TEST_WITH_PICTURES(nothing_finite)
{
    penta_autocorr_bin bins[BINS];
    autocorr_c1d_frame frames[2] = {make_frame(bins, NAN, 30, 0), make_frame(bins, NAN, 30, 0)};
    HELD double *c2d = make_c2d(20, NAN);
    autocorr_c2d_panel panel = {"nothing", 20, c2d, {PENTA_PEAK_FLAT, 0, NAN, NAN, NAN, NAN, NAN}, NULL};

    for (int i = 0; i < BINS; i++)
        bins[i] = (penta_autocorr_bin){0, i, NAN, NAN};
    for (size_t n = 0; n <= 2; n++) {
        expect_drawn(autocorr_plot_c1d(in_pictures("nan"), NULL, true, n, frames, &err));
        expect_pictures(in_pictures("nan"), "no finite value");
    }
    expect_drawn(autocorr_plot_c2d(in_pictures("nan"), NULL, 1, &panel, &err));
    expect_pictures(in_pictures("nan"), "no finite value");
}

TEST_WITH_PICTURES(names_and_titles)
{
    static const char *const names[] = {
        "a 'quoted' \"name\"", "back\\slash\\n", "new\nline", "$(touch x) `touch y`; !touch z", "été 日本 \xff", "-o",
        "%d @HOME {^_",        "<b>&#0;&amp;]]>"};
    penta_autocorr_bin bins[BINS];
    autocorr_c1d_frame frame = make_frame(bins, 0, 30, 0);
    HELD double *c2d = make_c2d(3, 1);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        autocorr_c2d_panel panel = {names[i], 3, c2d, {PENTA_PEAK_FLAT, 0, NAN, NAN, NAN, NAN, NAN}, NULL};

        expect_drawn(autocorr_plot_c1d(in_pictures(names[i]), names[i], false, 1, &frame, &err));
        expect_pictures(in_pictures(names[i]), "= 30.0 px");
        expect_drawn(autocorr_plot_c2d(in_pictures(names[i]), names[i], 1, &panel, &err));
        expect_pictures(in_pictures(names[i]), "no R");
    }
    expect_drawn(autocorr_plot_c1d(in_pictures("t"), "<b> 'it' &#0; `touch x`\n\xff", false, 1, &frame, &err));
    expect_pictures(in_pictures("t"), "&#60;b&#62; &#39;it&#39; &#38;#0; `touch x`\xef\xbf\xbd\xef\xbf\xbd");
}

static bool draw(const char *base, penta_io_error *err)
{
    growth_data d;
    plot_growth_points points = make_points(&d);

    return plot_growth(base, NULL, &points, fits, err);
}

/* Where the pictures go no byte fits, or there is no place; what was there stays. */
TEST_WITH_PICTURES(unwritable)
{
    penta_io_error err = {""};
    FILE *before = fopen(in_pictures("a.png"), "w");

    assert_non_null(before);
    fputs("before", before);
    fclose(before);
    assert_false(draw(in_pictures("no/such/directory/a"), &err));
    expect_text(err.text, "no/such/directory/a.svg");
    assert_int_equal(mkdir(in_pictures("a.svg"), 0777), 0);
    assert_false(draw(in_pictures("a"), &err));
    expect_text(err.text, "a.svg");
    expect_in_file(in_pictures("a.png"), "before", true);
    assert_int_equal(empty_pictures(), 2);
    assert_int_equal(mkdir(in_pictures("a.png"), 0777), 0);
    assert_false(draw(in_pictures("a"), &err));
    expect_text(err.text, "a.png");
    assert_int_equal(empty_pictures(), 1);
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(symlink("/dev/full", in_pictures("a.svg")), 0);
        assert_false(draw(in_pictures("a"), &err));
        expect_text(err.text, "a.svg: cannot be written: No space left");
        assert_int_equal(empty_pictures(), 1);
    }
}

/* On any machine the same library gives the same bytes. */
TEST_WITH_PICTURES(twice_the_same)
{
    size_t size[2];
    char *bytes[2];

    expect_drawn(draw(in_pictures("a"), &err));
    expect_drawn(draw(in_pictures("b"), &err));
    for (int i = 0; i < 2; i++)
        assert_non_null(bytes[i] = file_contents(in_pictures(i == 0 ? "a.png" : "b.png"), &size[i]));
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

RUN_WITH_PICTURES;
