/* Pictures of C1D. */
#include "support/test.h"

#include "support/autocorr_plots.h"

TEST_WITH_PICTURES(c1d_one_frame)
{
    penta_autocorr_bin bins[BINS];
    autocorr_c1d_frame frame = make_frame(bins, 0, 45.31, 0);

    frame.peak.r_max_se = 0.42;
    expect_drawn(autocorr_plot_c1d(in_pictures("one"), "frame_12.png", false, 1, &frame, &err));
    expect_in_file(in_pictures("one.svg"), "= 45.3 ± 0.4 px", true);
    expect_in_file(in_pictures("one.svg"), "trough 22.7 px", true);
    expect_in_file(in_pictures("one.svg"), "r (px)", true);
    expect_pictures(in_pictures("one"), "frame_12.png");
}

/* The axes close in on a structure that C(0) dwarfs, and then there is an inset. */
TEST_WITH_PICTURES(c1d_closes_in)
{
    static const char paper[] = "fill=\"#ffffff\"/>";
    penta_autocorr_bin bins[BINS];
    autocorr_c1d_frame frame = make_frame(bins, 0, 30, 0);

    expect_drawn(autocorr_plot_c1d(in_pictures("wide"), NULL, false, 1, &frame, &err));
    expect_in_file(in_pictures("wide.svg"), "stroke-dasharray", true); /* the line at R_max */
    assert_int_equal(count_in_file(in_pictures("wide.svg"), paper), 1);
    expect_pictures(in_pictures("wide"), "= 30.0 px");
    frame = make_frame(bins, 0, 30, 0);
    for (int i = 5; i < BINS; i++)
        bins[i].c *= 0.05;
    frame.peak.c_min *= 0.05;
    frame.peak.c_max *= 0.05;
    expect_drawn(autocorr_plot_c1d(in_pictures("close"), NULL, false, 1, &frame, &err));
    assert_int_equal(count_in_file(in_pictures("close.svg"), paper), 2); /* below the inset, too */
    expect_pictures(in_pictures("close"), "= 30.0 px");
}

TEST_WITH_PICTURES(c1d_says_why_there_is_no_peak)
{
    static const char *const reasons[] = {">no R<", "does not rise again", "still rising", "uniform image"};
    penta_autocorr_bin bins[BINS];
    autocorr_c1d_frame frame = make_frame(bins, 0, 300, 0);

    for (int status = PENTA_PEAK_OK; status <= PENTA_PEAK_FLAT; status++) {
        frame = without_peak(frame, (enum penta_peak_status)status);
        expect_drawn(autocorr_plot_c1d(in_pictures("none"), NULL, false, 1, &frame, &err));
        expect_in_file(in_pictures("none.svg"), reasons[status], true);
        expect_in_file(in_pictures("none.svg"), "stroke-dasharray", false);
        frame.cross = true;
        expect_drawn(autocorr_plot_c1d(in_pictures("none"), NULL, false, 1, &frame, &err));
        expect_in_file(in_pictures("none.svg"), "no R", false);
        frame.cross = false;
    }
}

TEST_WITH_PICTURES(c1d_constant_and_gaps)
{
    penta_autocorr_bin bins[BINS];
    autocorr_c1d_frame frame = make_frame(bins, 0, 30, 0);

    bins[40].c = NAN;
    bins[41].c = INFINITY;
    bins[50].sd = NAN;
    bins[60].mean_r = NAN;
    for (int i = 80; i < BINS; i++)
        bins[i].c = NAN;
    expect_drawn(autocorr_plot_c1d(in_pictures("gaps"), "gaps", false, 1, &frame, &err));
    expect_pictures(in_pictures("gaps"), "= 30.0 px");
    for (int i = 0; i < BINS; i++)
        bins[i] = (penta_autocorr_bin){1, i, 1, 0};
    frame = without_peak(frame, PENTA_PEAK_FLAT);
    for (frame.bins = 1; frame.bins <= BINS; frame.bins += 50) {
        expect_drawn(autocorr_plot_c1d(in_pictures("constant"), "constant", false, 1, &frame, &err));
        expect_pictures(in_pictures("constant"), "uniform image");
    }
}

TEST_WITH_PICTURES(c1d_series)
{
    static penta_autocorr_bin bins[1000][BINS];
    static autocorr_c1d_frame frames[1000];

    for (int i = 0; i < 1000; i++)
        frames[i] = make_frame(bins[i], 0.5 * i, 12 + 0.03 * i, 0.6);
    expect_drawn(autocorr_plot_c1d(in_pictures("three"), "three frames", true, 3, frames, &err));
    expect_in_file(in_pictures("three.svg"), "curves drawn", false);
    expect_in_file(in_pictures("three.svg"), "R_max found", false);
    expect_pictures(in_pictures("three"), "time (s)");
    frames[7] = without_peak(frames[7], PENTA_PEAK_NO_TROUGH);
    expect_drawn(autocorr_plot_c1d(in_pictures("many"), "many frames", true, 1000, frames, &err));
    expect_in_file(in_pictures("many.svg"), "many frames", true);
    expect_pictures(in_pictures("many"), "24 of 1000 curves drawn, R_max found in 999 of 1000 frames");
    expect_drawn(autocorr_plot_c1d(in_pictures("frames"), NULL, false, 40, frames, &err));
    expect_pictures(in_pictures("frames"), ">frame<");
    for (int i = 0; i < 40; i++)
        frames[i] = without_peak(frames[i], PENTA_PEAK_NO_TROUGH);
    expect_drawn(autocorr_plot_c1d(in_pictures("no_peaks"), NULL, true, 40, frames, &err));
    expect_pictures(in_pictures("no_peaks"), "R_max found in 0 of 40 frames");
}

/* Drawn are the first, the last, and frames evenly between; times that cannot be told apart give way to indices. */
TEST_WITH_PICTURES(c1d_series_colours)
{
    static penta_autocorr_bin bins[50][BINS];
    static autocorr_c1d_frame frames[50];

    for (int i = 0; i < 50; i++)
        frames[i] = make_frame(bins[i], 1700000000.25 + i, 12 + 0.03 * i, 0.6);
    expect_drawn(autocorr_plot_c1d(in_pictures("times"), NULL, true, 50, frames, &err));
    assert_int_equal(count_in_file(in_pictures("times.svg"), "stroke-width=\"1.2\""), 24);
    expect_in_file(in_pictures("times.svg"), "stroke=\"#440154\"", true);
    expect_in_file(in_pictures("times.svg"), "stroke=\"#fde725\"", true);
    expect_in_file(in_pictures("times.svg"), ">1700000045<", true); /* ticks of the colour bar */
    expect_pictures(in_pictures("times"), "time (s)");
    frames[3].time = NAN;
    expect_drawn(autocorr_plot_c1d(in_pictures("times"), NULL, true, 50, frames, &err));
    expect_in_file(in_pictures("times.svg"), ">45<", true);
    expect_pictures(in_pictures("times"), ">frame<");
}

RUN_WITH_PICTURES;
