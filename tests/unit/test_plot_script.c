/* Texts and numbers in the script of a picture, which a gnuplot that copies its input makes into the picture. */
#include "support/test.h"

#include <locale.h>
#include <stdio.h>
#include "figures/gnuplot.h"
#include "support/files.h"
#include "support/locale.h"
#include "support/pictures.h"

/* What `put` adds to a script. */
static char *script_of(void (*put)(gnuplot *, const void *), const void *data)
{
    const char *base = in_pictures("script");
    char name[700], *text, *body;
    penta_io_error err = {""};
    gnuplot *plot;
    size_t size;

    use_copier();
    assert_true(gnuplot_open(&plot, &err));
    put(plot, data);
    assert_int_equal(gnuplot_write(plot, base, 640, 480, &err), PLOT_OK);
    gnuplot_close(plot);
    snprintf(name, sizeof name, "%s.svg", base);
    text = file_contents(name, &size);
    assert_non_null(text);
    body = strstr(text, "'#ffffff'\n");
    assert_non_null(body);
    body += strlen("'#ffffff'\n");
    memmove(text, body, strlen(body) + 1);
    text[strlen(text) - strlen("</svg>\n")] = '\0';
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

TEST_WITH_PICTURES(strings)
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

TEST_WITH_PICTURES(measured)
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

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        figure f;

        figure_open(&f, 1, 1);
        assert_string_equal(figure_measured(&f, cases[i].value, cases[i].standard_error, cases[i].enclosed),
                            cases[i].expected);
        figure_close(&f);
    }
}

static void put_half(gnuplot *plot, const void *data)
{
    gnuplot_put(plot, "%.1f", *(const double *)data);
}

TEST_WITH_PICTURES(numbers_ignore_the_locale)
{
    const double half = 0.5;
    char number[16], text[32], *script;
    figure f;

    set_comma_locale();
    script = script_of(put_half, &half);
    figure_open(&f, 1, 1);
    snprintf(text, sizeof text, "%s", figure_measured(&f, 45.312, 0.42, false));
    figure_close(&f);
    snprintf(number, sizeof number, "%.1f", 0.5); /* the thread's locale is as it was */
    setlocale(LC_ALL, "C");
    assert_string_equal(number, "0,5");
    assert_string_equal(script, "0.5");
    assert_string_equal(text, "45.3 ± 0.4");
    free(script);
}

RUN(EVERYWHERE, NULL, make_picture_directories, remove_picture_directories);
