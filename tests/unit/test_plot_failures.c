/* Pictures of values and names that might do harm, and what is said and left when drawing fails. */
#define _POSIX_C_SOURCE 200809L
#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/autocorr_plots.h"

/* ---- values and names that might do harm ---- */

TEST_WITH_PICTURES(nothing_finite)
{
    penta_autocorr_bin bins[BINS];
    autocorr_c1d_frame frames[2] = {make_frame(bins, NAN, 30, 0), make_frame(bins, NAN, 30, 0)};
    double *c2d = make_c2d(20, NAN);
    autocorr_c2d_panel panel = {"nothing", 20, c2d, {PENTA_PEAK_FLAT, 0, NAN, NAN, NAN, NAN, NAN}, NULL};

    need_gnuplot();
    for (int i = 0; i < BINS; i++)
        bins[i] = (penta_autocorr_bin){0, i, NAN, NAN};
    for (size_t n = 0; n <= 2; n++) {
        expect_drawn(autocorr_plot_c1d(in_pictures("nan"), NULL, true, n, frames, &err));
        expect_pictures(in_pictures("nan"), "no finite value");
    }
    expect_drawn(autocorr_plot_c2d(in_pictures("nan"), NULL, 1, &panel, &err));
    expect_pictures(in_pictures("nan"), "no finite value");
    free(c2d);
}

TEST_WITH_PICTURES(names_and_titles)
{
    static const char *const names[] = {
        "a 'quoted' \"name\"", "back\\slash\\n", "new\nline", "$(touch x) `touch y`; !touch z", "été 日本 \xff", "-o",
        "%d @HOME {^_",        "<b>&#0;&amp;]]>"};
    penta_autocorr_bin bins[BINS];
    autocorr_c1d_frame frame = make_frame(bins, 0, 30, 0);
    double *c2d = make_c2d(3, 1);

    need_gnuplot();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        autocorr_c2d_panel panel = {names[i], 3, c2d, {PENTA_PEAK_FLAT, 0, NAN, NAN, NAN, NAN, NAN}, NULL};

        expect_drawn(autocorr_plot_c1d(in_pictures(names[i]), names[i], false, 1, &frame, &err));
        expect_pictures(in_pictures(names[i]), "= 30.0 px");
        expect_drawn(autocorr_plot_c2d(in_pictures(names[i]), names[i], 1, &panel, &err));
        expect_pictures(in_pictures(names[i]), "no R");
    }
    expect_drawn(autocorr_plot_c1d(in_pictures("t"), "<b> 'it' &#0; `touch x`\n\xff", false, 1, &frame, &err));
    expect_pictures(in_pictures("t"), "&lt;b> 'it' &amp; #0; `touch x`\?\?");
    free(c2d);
}

/* ---- failures ---- */

static plot_status draw(const char *base, penta_io_error *err)
{
    growth_data d;
    plot_growth_points points = make_points(&d);

    return plot_growth(base, NULL, &points, fits, err);
}

TEST_WITH_PICTURES(no_gnuplot)
{
    penta_io_error err = {""};
    char empty[] = "";

    assert_int_equal(setenv("PATH", "/nonexistent:/nonexistent/too", 1), 0);
    expect_failure(draw(in_pictures("a"), &err), &err, PLOT_NO_GNUPLOT, "plots need gnuplot");
    assert_int_equal(setenv("PATH", empty, 1), 0);
    expect_failure(draw(in_pictures("a"), &err), &err, PLOT_NO_GNUPLOT, "plots need gnuplot");
    use_gnuplot("exit 127");
    expect_failure(draw(in_pictures("a"), &err), &err, PLOT_NO_GNUPLOT, "plots need gnuplot");
}

TEST_WITH_PICTURES(gnuplot_fails)
{
    static const struct {
        const char *script, *expected;
    } cases[] = {
        {"draw; exit 3", "gnuplot failed: no message"},
        {"echo >&2; echo '\"/dev/stdin\" line 7: undefined variable: x' >&2; echo WARNING >&2; exit 1",
         "gnuplot failed: line 7: undefined variable: x"},
        {"echo '\"/dev/stdin\" line 1: warning: of little use' >&2; echo '\"/dev/stdin\" line 2: error' >&2; exit 1",
         "gnuplot failed: line 2: error"},
        {"echo first >&2; echo '  last ' >&2; exit 1", "gnuplot failed: last"},
        {"kill -9 $$", "stopped by signal 9"},
        {"exit 0", "drew nothing: no message"},
        {"exec <&-; exec >&-; exit 1", "gnuplot failed"},
        {"draw; case $script in *'set terminal svg'*) exit 1;; esac", "a.svg: gnuplot failed"},
        {"draw | head -c 900", "a.png: gnuplot broke off within the picture: no message"},
        {"draw | head -c -1", "a.png: gnuplot broke off"},
        {"draw >/dev/full; printf x", "a.png: gnuplot broke off within the picture: "},
        {"draw; case $script in *'set terminal svg'*) echo '<g>';; esac", "a.svg: gnuplot broke off"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        penta_io_error err = {""};

        use_gnuplot(cases[i].script);
        expect_failure(draw(in_pictures("a"), &err), &err, PLOT_FAILED, cases[i].expected);
    }
}

/* One that hangs is killed, long before it would end. */
TEST_WITH_PICTURES(gnuplot_hangs)
{
    penta_io_error err = {""};
    struct timespec begin, end;

    use_gnuplot("draw; exec sleep 600");
    assert_int_equal(setenv("PENTACL_GNUPLOT_SECONDS", "0.5", 1), 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    expect_failure(draw(in_pictures("a"), &err), &err, PLOT_TOO_SLOW,
                   "gnuplot did not end within 0.5 s and was killed");
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true(end.tv_sec - begin.tv_sec < 300);
    assert_int_equal(unsetenv("PENTACL_GNUPLOT_SECONDS"), 0);
}

/* The real one, which ends with 0 whether its files grow as they should or not. */
TEST_WITH_PICTURES(no_space)
{
    static const rlim_t limits[] = {1000, 4000}; /* bytes a file: less than the pictures have, more than the script */
    struct rlimit usual, less;
    penta_io_error err = {""};

    need_gnuplot();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR); /* gnuplot's, too: writing fails, as on a full disk */
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        plot_status status;
        gnuplot *plot;

        assert_true(gnuplot_open(&plot, &err));
        gnuplot_put(plot, "plot x\n");
        less = usual;
        less.rlim_cur = limits[i];
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
        status = gnuplot_write(plot, in_pictures("a"), 640, 480, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
        gnuplot_close(plot);
        expect_failure(status, &err, PLOT_FAILED, "a.png: gnuplot broke off within the picture: ");
    }
    assert_true(signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
}

/* Where the pictures go no byte fits. */
TEST_WITH_PICTURES(full)
{
    penta_io_error err = {""};

    if (access("/dev/full", W_OK) != 0) {
        leave_out_test("there is no /dev/full");
    }
    use_copier();
    assert_int_equal(symlink("/dev/full", in_pictures("a.svg")), 0);
    assert_int_equal(draw(in_pictures("a"), &err), PLOT_FAILED);
    if (!strstr(err.text, "a.svg: cannot be written: No space left"))
        fail_msg("the error is '%s'", err.text);
    assert_int_equal(empty_pictures(), 1);
}

/* An error of the real one is found and told, and earlier pictures stay. */
TEST_WITH_PICTURES(bad_script)
{
    FILE *before = fopen(in_pictures("a.png"), "w");
    penta_io_error err = {""};
    gnuplot *plot;

    assert_non_null(before);
    fputs("before", before);
    fclose(before);
    need_gnuplot();
    assert_true(gnuplot_open(&plot, &err));
    gnuplot_put(plot, "plot x\nplot nonsense\n");
    assert_int_equal(gnuplot_write(plot, in_pictures("a"), 640, 480, &err), PLOT_FAILED);
    gnuplot_close(plot);
    if (!strstr(err.text, "undefined variable: nonsense"))
        fail_msg("the error is '%s'", err.text);
    expect_in_file(in_pictures("a.png"), "before", true);
    assert_int_equal(empty_pictures(), 1);
}

TEST_WITH_PICTURES(unwritable)
{
    penta_io_error err = {""};

    use_copier();
    expect_failure(draw(in_pictures("no/such/directory/a"), &err), &err, PLOT_FAILED, "no/such/directory/a.png");
    assert_int_equal(mkdir(in_pictures("a.svg"), 0777), 0);
    assert_int_equal(draw(in_pictures("a"), &err), PLOT_FAILED);
    assert_non_null(strstr(err.text, "a.svg"));
    assert_int_equal(empty_pictures(), 1);
    if (geteuid() != 0) {
        assert_int_equal(chmod(picture_directory(), 0555), 0);
        assert_int_equal(draw(in_pictures("a"), &err), PLOT_FAILED);
        assert_int_equal(chmod(picture_directory(), 0777), 0);
        assert_int_equal(empty_pictures(), 0);
    }
}

/* The second picture cannot be put in place: the first goes again. */
TEST_WITH_PICTURES(late_failure)
{
    penta_io_error err = {""};
    char script[800];

    snprintf(script, sizeof script, "mkdir -p '%s'; draw", in_pictures("a.svg"));
    use_gnuplot(script);
    assert_int_equal(draw(in_pictures("a"), &err), PLOT_FAILED);
    assert_non_null(strstr(err.text, "a.svg"));
    assert_int_equal(empty_pictures(), 1);
}

/* With standard input closed the script's own file may come to be descriptor 0. */
TEST_WITH_PICTURES(closed_standard_input)
{
    int kept = dup(0);
    penta_io_error err = {""};
    plot_status status;

    use_copier();
    close(0);
    status = draw(in_pictures("a"), &err);
    close(0);
    if (kept >= 0) {
        assert_int_equal(dup2(kept, 0), 0);
        close(kept);
    }
    assert_int_equal(status, PLOT_OK);
    expect_in_file(in_pictures("a.png"), "set terminal pngcairo", true);
    expect_in_file(in_pictures("a.svg"), "set terminal svg", true);
    assert_int_equal(empty_pictures(), 2);
}

RUN(EVERYWHERE, NULL, make_picture_directories, remove_picture_directories);
