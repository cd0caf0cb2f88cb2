/*
 * Pictures. What a picture shows is tested on its script, which a stand-in for gnuplot that copies its input to its
 * output makes into the picture; that gnuplot draws it, on real ones, skipped where gnuplot is not installed.
 */
#define _POSIX_C_SOURCE 200809L

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plot/autocorr_plot.h"
#include "plot/style.h"

static char root[256], pictures[300], stand_ins[300];
static char *usual_path;

/* ---- files ---- */

/* Removes what is in the directory and returns how many entries that was. */
static size_t empty_directory(const char *path)
{
    DIR *dir = opendir(path);
    size_t count = 0;

    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char name[1024];

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        assert_int_equal(remove(name), 0);
        count++;
    }
    if (dir)
        closedir(dir);
    return count;
}

static const char *in_pictures(const char *name)
{
    static char paths[8][600];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof *paths, "%s/%s", pictures, name);
    return path;
}

/* The whole file with a NUL behind it, to be freed; NULL if there is none. */
static char *contents(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long length;

    *size = 0;
    if (!f)
        return NULL;
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    length = ftell(f);
    rewind(f);
    text = malloc((size_t)length + 1);
    assert_non_null(text);
    *size = fread(text, 1, (size_t)length, f);
    text[*size] = '\0';
    fclose(f);
    return text;
}

static void expect_text(const char *path, const char *expected, bool present)
{
    size_t size;
    char *text = contents(path, &size);

    assert_non_null(text);
    if ((strstr(text, expected) != NULL) != present)
        fail_msg("%s should %scontain \"%s\":\n%.3000s", path, present ? "" : "not ", expected, text);
    free(text);
}

/* ---- gnuplot and what stands in for it ---- */

static void use_gnuplot(const char *script)
{
    char name[400];
    FILE *f;

    snprintf(name, sizeof name, "%s/gnuplot", stand_ins);
    f = fopen(name, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\nPATH=/bin:/usr/bin\n%s\n", script);
    fclose(f);
    assert_int_equal(chmod(name, 0755), 0);
    assert_int_equal(setenv("PATH", stand_ins, 1), 0);
}

/* The picture becomes its script. */
static void use_copier(void)
{
    use_gnuplot("exec cat");
}

static void need_gnuplot(void)
{
    char name[1024];
    size_t length;

    for (const char *s = usual_path; s && *s; s += length + (s[length] == ':')) {
        length = strcspn(s, ":");
        snprintf(name, sizeof name, "%.*s/gnuplot", (int)length, s);
        if (access(name, X_OK) == 0)
            return;
    }
    skip();
}

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(setenv("PATH", usual_path, 1), 0);
    return 0;
}

static int tear_down(void **state)
{
    set_up(state);
    empty_directory(pictures);
    return 0;
}

static int make_directories(void **state)
{
    const char *base = getenv("TMPDIR"), *path = getenv("PATH");

    (void)state;
    usual_path = strdup(path ? path : "");
    snprintf(root, sizeof root, "%s/penta-plot-XXXXXX", base && *base ? base : "/tmp");
    if (!usual_path || !mkdtemp(root))
        return -1;
    snprintf(pictures, sizeof pictures, "%s/pictures", root);
    snprintf(stand_ins, sizeof stand_ins, "%s/bin", root);
    return mkdir(pictures, 0777) == 0 && mkdir(stand_ins, 0777) == 0 ? 0 : -1;
}

static int remove_directories(void **state)
{
    (void)state;
    empty_directory(pictures);
    empty_directory(stand_ins);
    free(usual_path);
    return rmdir(pictures) == 0 && rmdir(stand_ins) == 0 && rmdir(root) == 0 ? 0 : -1;
}

/* ---- expectations ---- */

#define expect_drawn(call)                                                                                             \
    do {                                                                                                               \
        io_error err = {""};                                                                                           \
        plot_status status_ = (call);                                                                                  \
        if (status_ != PLOT_OK)                                                                                        \
            fail_msg("%s gave %d: %s", #call, (int)status_, err.text);                                                 \
    } while (0)

/* BASE.png and BASE.svg are what they should be, and nothing else is there. Removes them. */
static void expect_pictures(const char *base, const char *label)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    char name[700];
    size_t size;
    char *text;

    snprintf(name, sizeof name, "%s.png", base);
    text = contents(name, &size);
    assert_non_null(text);
    assert_true(size > 1000);
    assert_memory_equal(text, signature, 8);
    assert_memory_equal(text + size - 8, "IEND", 4);
    free(text);
    snprintf(name, sizeof name, "%s.svg", base);
    text = contents(name, &size);
    assert_non_null(text);
    assert_memory_equal(text, "<?xml", 5);
    assert_non_null(strstr(text, "</svg>"));
    free(text);
    expect_text(name, label, true);
    assert_int_equal(empty_directory(pictures), 2);
}

static void expect_failure(plot_status status, const io_error *err, plot_status expected, const char *text)
{
    assert_int_equal(status, expected);
    if (!strstr(err->text, text) || strchr(err->text, '\n'))
        fail_msg("the error '%s' should be one line and say '%s'", err->text, text);
    assert_int_equal(empty_directory(pictures), 0);
}

/* ---- data ---- */

enum { R = 100, BINS = R + 1 };

/* floor + (1 - floor) cos(2 pi r / r_max) / (1 + r / r_max): trough at about r_max / 2, peak at about r_max. */
static plot_c1d_frame make_frame(penta_autocorr_bin bins[BINS], double time, double r_max, double floor)
{
    plot_c1d_frame frame = {time, BINS, bins, {PENTA_PEAK_OK, r_max, NAN, 0, r_max / 2, 0}};

    for (int i = 0; i < BINS; i++) {
        double x = i / r_max;

        bins[i] =
            (penta_autocorr_bin){i > 0 ? 6 * i : 1, i, floor + (1 - floor) * cos(6.283185307 * x) / (1 + x), 0.01};
    }
    frame.peak.c_min = bins[r_max / 2 < R ? (int)(r_max / 2) : R].c;
    frame.peak.c_max = bins[r_max < R ? (int)r_max : R].c;
    return frame;
}

static plot_c1d_frame without_peak(plot_c1d_frame frame, enum penta_peak_status status)
{
    frame.peak = (penta_peak){status, NAN, NAN, NAN, NAN, NAN};
    return frame;
}

static double *make_c2d(size_t r, double value)
{
    size_t side = 2 * r + 1;
    double *c2d = malloc(side * side * sizeof *c2d);

    assert_non_null(c2d);
    for (size_t i = 0; i < side * side; i++)
        c2d[i] = value * (1 + 0.001 * (double)(i % side));
    return c2d;
}

static const penta_growth_fit fits[PENTA_GROWTH_MODELS] = {
    {PENTA_GROWTH_PROPORTIONAL, true, 1, {0.71, NAN, NAN}, {0.021, NAN, NAN}, 90.5, 40},
    {PENTA_GROWTH_LINEAR, true, 2, {12.1, 0.53, NAN}, {0.3, 0.024, NAN}, 10.5, 4},
    {PENTA_GROWTH_POWER, true, 3, {4, -7.25, 0.5}, {0.5, 0.3, 0.05}, 30.5, 7},
};

enum { POINTS = 20 };

typedef struct {
    double t[POINTS], r[POINTS], r_se[POINTS];
    bool outlier[POINTS];
} growth_data;

static plot_growth_points make_points(growth_data *d)
{
    for (int i = 0; i < POINTS; i++) {
        d->t[i] = i;
        d->r[i] = 12.1 + 0.53 * i + 0.1 * (i % 3);
        d->r_se[i] = 0.2;
        d->outlier[i] = false;
    }
    return (plot_growth_points){POINTS, d->t, d->r, d->r_se, d->outlier, true};
}

/* ---- strings and numbers in a script ---- */

/* What `put` adds to a script. */
static char *script_of(void (*put)(gnuplot *, const void *), const void *data)
{
    const char *base = in_pictures("script");
    char name[700], *text, *body;
    io_error err = {""};
    gnuplot *plot;
    size_t size;

    use_copier();
    assert_true(gnuplot_open(&plot, &err));
    put(plot, data);
    assert_int_equal(gnuplot_write(plot, base, 640, 480, &err), PLOT_OK);
    gnuplot_close(plot);
    snprintf(name, sizeof name, "%s.svg", base);
    text = contents(name, &size);
    assert_non_null(text);
    body = strstr(text, "'#ffffff'\n");
    assert_non_null(body);
    body += strlen("'#ffffff'\n");
    memmove(text, body, strlen(body) + 1);
    return text;
}

typedef struct {
    const char *text;
    size_t columns;
    const char *expected;
} string_case;

static void put_string_case(gnuplot *plot, const void *data)
{
    const string_case *c = data;

    gnuplot_put_string(plot, c->text, c->columns);
}

static void test_strings(void **state)
{
    static const string_case cases[] = {
        {"", 9, "''"},
        {"plain", 5, "'plain'"},
        {"it's", 9, "'it''s'"},
        {"\"`date`\\ @x {#}%d", 99, "'\"`date`\\ @x {#}%d'"},
        {"a\nb\tc\x7f", 9, "'a?b?c?'"},
        {"été αβ €", 99, "'été αβ €'"},
        {"\xff\xc3(\xc0\x80\xe2\x82", 99, "'\?\?(\?\?\?\?'"},
        {"\xed\xa0\x80\xf4\x90\x80\x80\xc2\x85\xef\xbf\xbf", 99, "'\?\?\?\?\?\?\?\?\?\?\?\?'"},
        {"\xf0\x9f\x94\xac", 99, "'\xf0\x9f\x94\xac'"},
        {"&#0;&amp;", 99, "'& #0;&amp;'"},
        {"0123456789", 10, "'0123456789'"},
        {"0123456789", 9, "'…23456789'"},
        {"0'23é5678'", 4, "'…78'''"},
        {"日本語", 4, "'…語'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *script = script_of(put_string_case, &cases[i]);

        assert_string_equal(script, cases[i].expected);
        free(script);
    }
}

typedef struct {
    double value, standard_error;
    bool enclosed;
    const char *expected;
} measured_case;

static void put_measured_case(gnuplot *plot, const void *data)
{
    const measured_case *c = data;

    plot_put_measured(plot, c->value, c->standard_error, c->enclosed);
}

static void test_measured(void **state)
{
    static const measured_case cases[] = {
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

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *script = script_of(put_measured_case, &cases[i]);

        assert_string_equal(script, cases[i].expected);
        free(script);
    }
}

/* A locale with a decimal comma, or NULL. */
static const char *comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "nl_NL.UTF-8"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]) && localeconv()->decimal_point[0] == ',')
            return names[i];
    setlocale(LC_ALL, "C");
    return NULL;
}

static void test_numbers_ignore_the_locale(void **state)
{
    static const measured_case c = {45.312, 0.42, false, "45.3 ± 0.4"};
    char number[16], *script;

    (void)state;
    if (!comma_locale())
        skip();
    script = script_of(put_measured_case, &c);
    snprintf(number, sizeof number, "%.1f", 0.5); /* the thread's locale is as it was */
    setlocale(LC_ALL, "C");
    assert_string_equal(number, "0,5");
    assert_string_equal(script, c.expected);
    free(script);
}

/* ---- C1D ---- */

static void test_c1d_one_frame(void **state)
{
    penta_autocorr_bin bins[BINS];
    plot_c1d_frame frame = make_frame(bins, 0, 45.31, 0);

    (void)state;
    need_gnuplot();
    frame.peak.r_max_se = 0.42;
    expect_drawn(plot_c1d(in_pictures("one"), "frame_12.png", false, 1, &frame, &err));
    expect_text(in_pictures("one.svg"), "= 45.3 ± 0.4 px", true);
    expect_text(in_pictures("one.svg"), "trough 22.7 px", true);
    expect_text(in_pictures("one.svg"), "r (px)", true);
    expect_pictures(in_pictures("one"), "frame_12.png");
}

/* The axes close in on a structure that C(0) dwarfs, and then there is an inset. */
static void test_c1d_closes_in(void **state)
{
    penta_autocorr_bin bins[BINS];
    plot_c1d_frame frame = make_frame(bins, 0, 30, 0);

    (void)state;
    use_copier();
    expect_drawn(plot_c1d(in_pictures("wide"), NULL, false, 1, &frame, &err));
    expect_text(in_pictures("wide.svg"), "set bmargin", false);
    frame = make_frame(bins, 0, 30, 0);
    for (int i = 5; i < BINS; i++)
        bins[i].c *= 0.05;
    frame.peak.c_min *= 0.05;
    frame.peak.c_max *= 0.05;
    expect_drawn(plot_c1d(in_pictures("close"), NULL, false, 1, &frame, &err));
    expect_text(in_pictures("close.svg"), "set bmargin", true);
    set_up(NULL);
    need_gnuplot();
    empty_directory(pictures);
    expect_drawn(plot_c1d(in_pictures("close"), NULL, false, 1, &frame, &err));
    expect_pictures(in_pictures("close"), "= 30.0 px");
}

static void test_c1d_says_why_there_is_no_peak(void **state)
{
    static const char *const reasons[] = {"no R_{max}'", "does not rise again", "still rising", "uniform image"};
    penta_autocorr_bin bins[BINS];
    plot_c1d_frame frame = make_frame(bins, 0, 300, 0);

    (void)state;
    use_copier();
    for (int status = PENTA_PEAK_OK; status <= PENTA_PEAK_FLAT; status++) {
        frame = without_peak(frame, (enum penta_peak_status)status);
        expect_drawn(plot_c1d(in_pictures("none"), NULL, false, 1, &frame, &err));
        expect_text(in_pictures("none.svg"), reasons[status], true);
        expect_text(in_pictures("none.svg"), "nohead", false);
    }
}

static void test_c1d_constant_and_gaps(void **state)
{
    penta_autocorr_bin bins[BINS];
    plot_c1d_frame frame = make_frame(bins, 0, 30, 0);

    (void)state;
    need_gnuplot();
    bins[40].c = NAN;
    bins[41].c = INFINITY;
    bins[50].sd = NAN;
    bins[60].mean_r = NAN;
    for (int i = 80; i < BINS; i++)
        bins[i].c = NAN;
    expect_drawn(plot_c1d(in_pictures("gaps"), "gaps", false, 1, &frame, &err));
    expect_pictures(in_pictures("gaps"), "= 30.0 px");
    for (int i = 0; i < BINS; i++)
        bins[i] = (penta_autocorr_bin){1, i, 1, 0};
    frame = without_peak(frame, PENTA_PEAK_FLAT);
    for (frame.bins = 1; frame.bins <= BINS; frame.bins += 50) {
        expect_drawn(plot_c1d(in_pictures("constant"), "constant", false, 1, &frame, &err));
        expect_pictures(in_pictures("constant"), "uniform image");
    }
}

static void test_c1d_series(void **state)
{
    static penta_autocorr_bin bins[1000][BINS];
    static plot_c1d_frame frames[1000];

    (void)state;
    need_gnuplot();
    for (int i = 0; i < 1000; i++)
        frames[i] = make_frame(bins[i], 0.5 * i, 12 + 0.03 * i, 0.6);
    expect_drawn(plot_c1d(in_pictures("three"), "three frames", true, 3, frames, &err));
    expect_text(in_pictures("three.svg"), "curves drawn", false);
    expect_text(in_pictures("three.svg"), "R_max found", false);
    expect_pictures(in_pictures("three"), "time (s)");
    frames[7] = without_peak(frames[7], PENTA_PEAK_NO_TROUGH);
    expect_drawn(plot_c1d(in_pictures("many"), "many frames", true, 1000, frames, &err));
    expect_text(in_pictures("many.svg"), "many frames", true);
    expect_pictures(in_pictures("many"), "24 of 1000 curves drawn, R_max found in 999 of 1000 frames");
    expect_drawn(plot_c1d(in_pictures("frames"), NULL, false, 40, frames, &err));
    expect_pictures(in_pictures("frames"), ">frame<");
    for (int i = 0; i < 40; i++)
        frames[i] = without_peak(frames[i], PENTA_PEAK_NO_TROUGH);
    expect_drawn(plot_c1d(in_pictures("no_peaks"), NULL, true, 40, frames, &err));
    expect_pictures(in_pictures("no_peaks"), "R_max found in 0 of 40 frames");
}

/* Drawn are the first, the last, and frames evenly between; times that cannot be told apart give way to indices. */
static void test_c1d_series_colours(void **state)
{
    static penta_autocorr_bin bins[50][BINS];
    static plot_c1d_frame frames[50];

    (void)state;
    use_copier();
    for (int i = 0; i < 50; i++)
        frames[i] = make_frame(bins[i], 1700000000.25 + i, 12 + 0.03 * i, 0.6);
    expect_drawn(plot_c1d(in_pictures("times"), NULL, true, 50, frames, &err));
    expect_text(in_pictures("times.svg"), "0 1 1700000000.25 0.01\n", true);
    expect_text(in_pictures("times.svg"), "0 1 1700000049.25 0.01\n", true);
    expect_text(in_pictures("times.svg"), "0 1 1700000001.25 0.01\n", false);
    expect_text(in_pictures("times.svg"), "set cbrange [1700000000.25:1700000049.25]", true);
    frames[3].time = NAN;
    expect_drawn(plot_c1d(in_pictures("times"), NULL, true, 50, frames, &err));
    expect_text(in_pictures("times.svg"), "set cbrange [0:49]", true);
    expect_text(in_pictures("times.svg"), "time (s)", false);
}

/* ---- C2D ---- */

static void test_c2d_panels(void **state)
{
    plot_c2d_panel panels[2] = {{"first_{frame}", 40, make_c2d(40, 0.5), {PENTA_PEAK_OK, 20, 0.3, 0.5, 11, 0.4}},
                                {"last frame", 40, make_c2d(40, 0.6), {PENTA_PEAK_NO_TROUGH, NAN, NAN, NAN, NAN, NAN}}};

    (void)state;
    need_gnuplot();
    expect_drawn(plot_c2d(in_pictures("one"), "a title", 1, panels, &err));
    expect_text(in_pictures("one.svg"), "a title", true);
    expect_text(in_pictures("one.svg"), "= 20.0 ± 0.3 px", true);
    expect_pictures(in_pictures("one"), "first_{frame}");
    expect_drawn(plot_c2d(in_pictures("two"), NULL, 2, panels, &err));
    expect_text(in_pictures("two.svg"), "first_{frame}", true);
    expect_text(in_pictures("two.svg"), "X (px)", true);
    expect_pictures(in_pictures("two"), "last frame");
    free((void *)panels[0].c2d);
    free((void *)panels[1].c2d);
}

/* Of 601 px a side blocks of 3 x 3 about the origin: 199 of them, out to 298.5 px. */
static void test_c2d_block_means(void **state)
{
    double *c2d = make_c2d(300, 0);
    plot_c2d_panel panel = {NULL, 300, c2d, {PENTA_PEAK_NO_TROUGH, NAN, NAN, NAN, NAN, NAN}};

    (void)state;
    use_copier();
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            c2d[(300 + y) * 601 + 300 + x] = 4.5 + x + y * 2;
    c2d[300 * 601 + 300] = NAN; /* so the eight others count: their mean is 4.5 too */
    c2d[2 * 601 + 2] = 90;      /* corner of the first block, which starts 298 px out */
    c2d[0] = 1e9;               /* in the margin */
    expect_drawn(plot_c2d(in_pictures("blocks"), NULL, 1, &panel, &err));
    expect_text(in_pictures("blocks.svg"), " 0 4.5 0 ", true);
    expect_text(in_pictures("blocks.svg"), "$map0 << END\n10 0 0 ", true);
    expect_text(in_pictures("blocks.svg"), "set xrange [-298.5:298.5]\nset yrange [298.5:-298.5]", true);
    expect_text(in_pictures("blocks.svg"), "($1-99)*3", true);
    free(c2d);
}

/* The spike at the origin has no say in the colours. */
static void test_c2d_colours(void **state)
{
    double *c2d = make_c2d(30, 0);
    plot_c2d_panel panel = {NULL, 30, c2d, {PENTA_PEAK_OK, 16, NAN, 0.3, 10, 0.1}};

    (void)state;
    use_copier();
    for (int i = 0; i < 61 * 61; i++) {
        double r = hypot(i % 61 - 30, i / 61 - 30);

        c2d[i] = r < 7 ? 1 - 0.1 * r : r < 13 ? 0.1 : 0.3;
    }
    expect_drawn(plot_c2d(in_pictures("spike"), NULL, 1, &panel, &err));
    expect_text(in_pictures("spike.svg"), "set cbrange [0.1:0.3]", true);
    expect_text(in_pictures("spike.svg"), "off scale", true);
    expect_text(in_pictures("spike.svg"), "circle at 0, 0 size 16 ", true);
    free(c2d);
}

static void test_c2d_extremes(void **state)
{
    double *c2d = make_c2d(3, 1);
    plot_c2d_panel panels[3] = {{"x", 3, c2d, {PENTA_PEAK_FLAT, NAN, NAN, NAN, NAN, NAN}}};
    io_error error = {""};

    (void)state;
    need_gnuplot();
    for (int i = 0; i < 49; i++)
        c2d[i] = i < 7 ? NAN : 1;
    expect_drawn(plot_c2d(in_pictures("constant"), NULL, 1, panels, &err));
    expect_pictures(in_pictures("constant"), "Y (px)");
    panels[0].max_offset = 0;
    c2d[0] = 1;
    expect_drawn(plot_c2d(in_pictures("r0"), NULL, 1, panels, &err));
    expect_pictures(in_pictures("r0"), "a single offset");
    expect_drawn(plot_c2d(in_pictures("none"), "none", 0, NULL, &err));
    expect_pictures(in_pictures("none"), "no finite value");
    expect_failure(plot_c2d(in_pictures("three"), NULL, 3, panels, &error), &error, PLOT_FAILED, "two panels");
    free(c2d);
}

/* ---- growth ---- */

static void test_growth(void **state)
{
    growth_data d;
    plot_growth_points points = make_points(&d);
    const char *svg = in_pictures("growth.svg");

    (void)state;
    need_gnuplot();
    d.r[4] = 15.9;
    d.r[9] = 5000;
    d.outlier[4] = d.outlier[9] = true;
    d.r[11] = NAN;
    expect_drawn(plot_growth(in_pictures("growth"), "growth of a sample", &points, fits, &err));
    expect_text(svg, "R = (12.1 ± 0.3) + (0.53 ± 0.02) t, best by AICc", true);
    expect_text(svg, "R = (0.71 ± 0.02) t, ΔAICc = 80", true);
    expect_text(svg, "(t + (7.2 ± 0.3))", true);
    expect_text(svg, "0.50 ± 0.05", true);
    expect_text(svg, "2 outliers (1 off the plot)", true);
    expect_text(svg, "17 frames", true);
    expect_text(svg, "time (s)", true);
    expect_pictures(in_pictures("growth"), "growth of a sample");
}

static void test_growth_of_few_points(void **state)
{
    growth_data d;
    plot_growth_points points = make_points(&d);
    penta_growth_fit few[PENTA_GROWTH_MODELS];

    (void)state;
    need_gnuplot();
    memcpy(few, fits, sizeof few);
    for (int m = 0; m < PENTA_GROWTH_MODELS; m++)
        few[m].aicc = few[m].standard_error[0] = few[m].standard_error[1] = NAN;
    few[2].ok = false;
    points.r_se = NULL;
    points.outlier = NULL;
    points.seconds = false;
    points.n = 2;
    expect_drawn(plot_growth(in_pictures("two"), NULL, &points, few, &err));
    expect_text(in_pictures("two.svg"), "AICc", false);
    expect_text(in_pictures("two.svg"), ">frame<", true);
    expect_pictures(in_pictures("two"), "R = 12.1 + 0.530 t");
    few[0].ok = few[1].ok = false;
    points.n = 1;
    expect_drawn(plot_growth(in_pictures("one"), NULL, &points, few, &err));
    expect_pictures(in_pictures("one"), "1 frame");
    d.r[0] = NAN;
    expect_drawn(plot_growth(in_pictures("none"), NULL, &points, few, &err));
    expect_pictures(in_pictures("none"), "no frame has an");
}

/* Every point an outlier, and an exact fit, whose AICc is minus infinity. */
static void test_growth_oddities(void **state)
{
    growth_data d;
    plot_growth_points points = make_points(&d);
    penta_growth_fit odd[PENTA_GROWTH_MODELS];

    (void)state;
    need_gnuplot();
    memcpy(odd, fits, sizeof odd);
    odd[1].aicc = -INFINITY;
    for (int i = 0; i < POINTS; i++)
        d.outlier[i] = true;
    expect_drawn(plot_growth(in_pictures("odd"), NULL, &points, odd, &err));
    expect_text(in_pictures("odd.svg"), "20 outliers<", true);
    expect_text(in_pictures("odd.svg"), "ΔAICc", false);
    expect_pictures(in_pictures("odd"), "t, best by AICc");
}

/* ---- values and names that might do harm ---- */

static void test_nothing_finite(void **state)
{
    penta_autocorr_bin bins[BINS];
    plot_c1d_frame frames[2] = {make_frame(bins, NAN, 30, 0), make_frame(bins, NAN, 30, 0)};
    double *c2d = make_c2d(20, NAN);
    plot_c2d_panel panel = {"nothing", 20, c2d, {PENTA_PEAK_FLAT, NAN, NAN, NAN, NAN, NAN}};

    (void)state;
    need_gnuplot();
    for (int i = 0; i < BINS; i++)
        bins[i] = (penta_autocorr_bin){0, i, NAN, NAN};
    for (size_t n = 0; n <= 2; n++) {
        expect_drawn(plot_c1d(in_pictures("nan"), NULL, true, n, frames, &err));
        expect_pictures(in_pictures("nan"), "no finite value");
    }
    expect_drawn(plot_c2d(in_pictures("nan"), NULL, 1, &panel, &err));
    expect_pictures(in_pictures("nan"), "no finite value");
    free(c2d);
}

static void test_names_and_titles(void **state)
{
    static const char *const names[] = {
        "a 'quoted' \"name\"", "back\\slash\\n", "new\nline", "$(touch x) `touch y`; !touch z", "été 日本 \xff", "-o",
        "%d @HOME {^_",        "<b>&#0;&amp;]]>"};
    penta_autocorr_bin bins[BINS];
    plot_c1d_frame frame = make_frame(bins, 0, 30, 0);
    double *c2d = make_c2d(3, 1);

    (void)state;
    need_gnuplot();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        plot_c2d_panel panel = {names[i], 3, c2d, {PENTA_PEAK_FLAT, NAN, NAN, NAN, NAN, NAN}};

        expect_drawn(plot_c1d(in_pictures(names[i]), names[i], false, 1, &frame, &err));
        expect_pictures(in_pictures(names[i]), "= 30.0 px");
        expect_drawn(plot_c2d(in_pictures(names[i]), names[i], 1, &panel, &err));
        expect_pictures(in_pictures(names[i]), "no R");
    }
    expect_drawn(plot_c1d(in_pictures("t"), "<b> 'it' &#0; `touch x`\n\xff", false, 1, &frame, &err));
    expect_pictures(in_pictures("t"), "&lt;b> 'it' &amp; #0; `touch x`\?\?");
    free(c2d);
}

/* ---- failures ---- */

static plot_status draw(const char *base, io_error *err)
{
    growth_data d;
    plot_growth_points points = make_points(&d);

    return plot_growth(base, NULL, &points, fits, err);
}

static void test_no_gnuplot(void **state)
{
    io_error err = {""};
    char empty[] = "";

    (void)state;
    assert_int_equal(setenv("PATH", "/nonexistent:/nonexistent/too", 1), 0);
    expect_failure(draw(in_pictures("a"), &err), &err, PLOT_NO_GNUPLOT, "plots need gnuplot");
    assert_int_equal(setenv("PATH", empty, 1), 0);
    expect_failure(draw(in_pictures("a"), &err), &err, PLOT_NO_GNUPLOT, "plots need gnuplot");
    use_gnuplot("exit 127");
    expect_failure(draw(in_pictures("a"), &err), &err, PLOT_NO_GNUPLOT, "plots need gnuplot");
}

static void test_gnuplot_fails(void **state)
{
    static const struct {
        const char *script, *expected;
    } cases[] = {
        {"cat; exit 3", "gnuplot failed: no message"},
        {"echo >&2; echo '\"/dev/stdin\" line 7: undefined variable: x' >&2; echo WARNING >&2; exit 1",
         "gnuplot failed: line 7: undefined variable: x"},
        {"echo '\"/dev/stdin\" line 1: warning: of little use' >&2; echo '\"/dev/stdin\" line 2: error' >&2; exit 1",
         "gnuplot failed: line 2: error"},
        {"echo first >&2; echo '  last ' >&2; exit 1", "gnuplot failed: last"},
        {"kill -9 $$", "stopped by signal 9"},
        {"exit 0", "drew nothing: no message"},
        {"exec <&-; exec >&-; exit 1", "gnuplot failed"},
        {"case $(readlink /proc/$$/fd/1) in *.svg*) exit 1;; *) cat;; esac", "a.svg: gnuplot failed"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        io_error err = {""};

        if (strstr(cases[i].script, "/proc") && access("/proc/self/fd/1", F_OK) != 0)
            continue;
        use_gnuplot(cases[i].script);
        expect_failure(draw(in_pictures("a"), &err), &err, PLOT_FAILED, cases[i].expected);
    }
}

/* An error of the real one is found and told, and earlier pictures stay. */
static void test_bad_script(void **state)
{
    FILE *before = fopen(in_pictures("a.png"), "w");
    io_error err = {""};
    gnuplot *plot;

    (void)state;
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
    expect_text(in_pictures("a.png"), "before", true);
    assert_int_equal(empty_directory(pictures), 1);
}

static void test_unwritable(void **state)
{
    io_error err = {""};

    (void)state;
    use_copier();
    expect_failure(draw(in_pictures("no/such/directory/a"), &err), &err, PLOT_FAILED, "no/such/directory/a.png");
    assert_int_equal(mkdir(in_pictures("a.svg"), 0777), 0);
    assert_int_equal(draw(in_pictures("a"), &err), PLOT_FAILED);
    assert_non_null(strstr(err.text, "a.svg"));
    assert_int_equal(empty_directory(pictures), 1);
    if (geteuid() != 0) {
        assert_int_equal(chmod(pictures, 0555), 0);
        assert_int_equal(draw(in_pictures("a"), &err), PLOT_FAILED);
        assert_int_equal(chmod(pictures, 0777), 0);
        assert_int_equal(empty_directory(pictures), 0);
    }
}

/* The second picture cannot be put in place: the first goes again. */
static void test_late_failure(void **state)
{
    io_error err = {""};
    char script[800];

    (void)state;
    snprintf(script, sizeof script, "mkdir -p '%s'; exec cat", in_pictures("a.svg"));
    use_gnuplot(script);
    assert_int_equal(draw(in_pictures("a"), &err), PLOT_FAILED);
    assert_non_null(strstr(err.text, "a.svg"));
    assert_int_equal(empty_directory(pictures), 1);
}

/* With standard input closed the script's own file may come to be descriptor 0. */
static void test_closed_standard_input(void **state)
{
    int kept = dup(0);
    io_error err = {""};
    plot_status status;

    (void)state;
    use_copier();
    close(0);
    status = draw(in_pictures("a"), &err);
    close(0);
    if (kept >= 0) {
        assert_int_equal(dup2(kept, 0), 0);
        close(kept);
    }
    assert_int_equal(status, PLOT_OK);
    expect_text(in_pictures("a.png"), "set terminal pngcairo", true);
    expect_text(in_pictures("a.svg"), "set terminal svg", true);
    assert_int_equal(empty_directory(pictures), 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_strings),
        TEST(test_measured),
        TEST(test_numbers_ignore_the_locale),
        TEST(test_c1d_one_frame),
        TEST(test_c1d_closes_in),
        TEST(test_c1d_says_why_there_is_no_peak),
        TEST(test_c1d_constant_and_gaps),
        TEST(test_c1d_series),
        TEST(test_c1d_series_colours),
        TEST(test_c2d_panels),
        TEST(test_c2d_block_means),
        TEST(test_c2d_colours),
        TEST(test_c2d_extremes),
        TEST(test_growth),
        TEST(test_growth_of_few_points),
        TEST(test_growth_oddities),
        TEST(test_nothing_finite),
        TEST(test_names_and_titles),
        TEST(test_no_gnuplot),
        TEST(test_gnuplot_fails),
        TEST(test_bad_script),
        TEST(test_unwritable),
        TEST(test_late_failure),
        TEST(test_closed_standard_input),
    };

    return cmocka_run_group_tests_name("plot", tests, make_directories, remove_directories);
}
