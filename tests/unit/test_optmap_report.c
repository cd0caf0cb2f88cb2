/* Pictures and the report of optmap: PNG that decode, colours at known pixels, HTML whose tags balance and whose names
 * are escaped; for one beat and many, for small and large frames, with no beat and no value. */
#include "support/test.h"

#include <ctype.h>

#include "optmap/maps.h"
#include "optmap_findings.h"
#include "support/files.h"
#include "support/pictures.h"

static size_t count_colour(const picture *p, uint32_t colour)
{
    size_t n = 0;

    for (size_t i = 0; i < p->width * p->height; i++)
        n += ((uint32_t)p->rgb[3 * i] << 16 | (uint32_t)p->rgb[3 * i + 1] << 8 | p->rgb[3 * i + 2]) == colour;
    return n;
}

/* Values in the heart are coloured, the rest is grey; the panel begins at (16, 64), each pixel is 5 px wide. */
TEST(maps_have_their_colours)
{
    enum { X = 16, Y = 64, SCALE = 5 };
    made_findings m;
    penta_findings_map map;
    figure_range range;
    penta_io_error error = {""};
    picture p;

    make_findings(&m, 64, 64, 20, 2, true);
    expect_drawn(optmap_draw_map(in_pictures("apd80.png"), &m.f, "apd80", &err));
    p = decode_picture(in_pictures("apd80.png"));
    assert_true(penta_findings_map_named(&m.found, "apd80", &map) && optmap_colours(&map, &range));
    for (size_t i = 0; i < (size_t)64 * 64; i += 37) {
        size_t x = i % 64, y = i / 64;
        double share = ((double)map.data[i] - range.lo) / (range.hi - range.lo);
        uint32_t wanted = in_heart(&m.found, i) ? figure_viridis(share) : 0xd4d4d4;

        assert_int_equal(pixel(&p, X + SCALE * x + 2, Y + SCALE * y + 2), wanted);
    }
    free(p.rgb);
    expect_drawn(optmap_draw_activation(in_pictures("activation.png"), &m.f, &err));
    p = decode_picture(in_pictures("activation.png"));
    assert_true(count_colour(&p, 0xffffff) > 5000 && count_colour(&p, 0xd4d4d4) > 10000);
    assert_int_equal(pixel(&p, X, Y), 0xd4d4d4); /* a corner is outside of the heart */
    free(p.rgb);
    assert_false(optmap_draw_map(in_pictures("no.png"), &m.f, "nonesuch", &error));
    expect_text(error.text, "nonesuch");
    drop_findings(&m);
}

/* Nothing is cut off at the sides. */
static void expect_margin(const picture *p)
{
    assert_int_equal(ink(p, 0, 0, 8, p->height), 0);
    assert_int_equal(ink(p, p->width - 8, 0, p->width, p->height), 0);
}

static void draw_all(const optmap_findings *f)
{
    static const char *const maps[] = {"apd80", "cv", "alternans", "frequency", "snr", "rise", "repolarisation"};
    picture p;

    for (size_t i = 0; i < COUNT(maps); i++) {
        expect_drawn(optmap_draw_map(in_pictures("map.png"), f, maps[i], &err));
        p = decode_picture(in_pictures("map.png"));
        assert_true(p.width <= 1800 && p.width > 200 && p.height > 100 && p.height < 2400);
        expect_margin(&p);
        free(p.rgb);
    }
    expect_drawn(optmap_draw_activation(in_pictures("map.png"), f, &err));
    p = decode_picture(in_pictures("map.png"));
    expect_margin(&p);
    free(p.rgb);
    expect_drawn(optmap_draw_traces(in_pictures("traces.png"), f, &err));
    p = decode_picture(in_pictures("traces.png"));
    if (f->found->result.valid_pixels > 0 && f->found->frames > 10)
        assert_true(count_colour(&p, 0x0072b2) > 200); /* lines of the filtered signal */
    free(p.rgb);
    expect_drawn(optmap_draw_movie(in_pictures("movie.png"), f, &err));
    p = decode_picture(in_pictures("movie.png")); /* its first frame */
    assert_true(p.width >= 150 && p.width <= 300 && p.height <= 330);
    free(p.rgb);
    assert_int_equal(entries_in(in_pictures("")), 3); /* nothing temporary is left */
}

/* ---- colours, ticks, lines ---- */

/* Times are told from the first pixel, which is not the darkest one only. */
TEST(the_first_pixel_is_zero)
{
    enum { SIDE = 40 };
    made_findings m;
    penta_findings_map map;
    float values[SIDE * SIDE], first = INFINITY, least = INFINITY;

    make_findings(&m, SIDE, SIDE, 20, 2, true);
    assert_true(penta_findings_map_named(&m.found, "activation", &map));
    for (size_t i = 0; i < SIDE * SIDE; i++)
        first = fminf(first, map.data[SIDE * SIDE + i]);
    expect_near(optmap_map_values(&map, 1, values), (double)first, 0);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        least = fminf(least, values[i]);
    expect_near((double)least, 0, 0);
    expect_drawn(optmap_draw_activation(in_pictures("activation.png"), &m.f, &err));
    drop_findings(&m);
}

/* One beat of five that is noise, and a wrong first pixel, change neither colours nor the origin. */
TEST(colours_are_robust)
{
    enum { SIDE = 20, PIXELS = SIDE * SIDE };
    made_findings m;
    penta_findings_map map;
    figure_range clean, wrong;
    float values[PIXELS], *at;
    size_t first = PIXELS;

    make_findings(&m, SIDE, SIDE, 20, 5, true);
    assert_true(penta_findings_map_named(&m.found, "activation", &map) && optmap_colours(&map, &clean));
    at = (float *)map.data;
    for (size_t p = 0; p < PIXELS; p++) {
        first = first == PIXELS && isfinite(at[p]) ? p : first;
        at[3 * PIXELS + p] += (float)(p * 7919 % 300);
    }
    at[first] -= 200;
    assert_true(optmap_colours(&map, &wrong));
    assert_true(wrong.hi < 4 * clean.hi && wrong.lo >= 0);
    assert_true(optmap_map_values(&map, 0, values) > 30); /* of 40 and more */
    drop_findings(&m);
}

/* A heart that is the same everywhere, but for rounding, has one colour. */
TEST(colours_span_what_can_be_measured)
{
    static const char *const kinds[] = {"apd80", "cv", "alternans", "frequency", "snr", "activation"};
    made_findings m;
    penta_findings_map map;
    figure_range range;

    make_findings(&m, 20, 20, 40, 1, true);
    for (size_t k = 0; k < COUNT(kinds); k++) {
        float *values;

        assert_true(penta_findings_map_named(&m.found, kinds[k], &map));
        values = (float *)map.data;
        for (size_t i = 0; i < (size_t)20 * 20 * (map.velocities ? 2 : 1); i++)
            values[i] = isfinite(values[i]) ? 60 + 1e-4f * (float)(i % 7) : NAN;
        assert_true(optmap_colours(&map, &range));
        assert_true(map.resolution > 0);
        expect_near(range.hi - range.lo, map.resolution, 0.01 * map.resolution);
        if (map.instants) {
            expect_near(range.lo, 0, 0);
            expect_near(optmap_isochrone_step(&map, range), 0.5, 1e-9); /* and no line every 0.1 ms */
        }
    }
    assert_true(penta_findings_map_named(&m.found, "frequency", &map));
    expect_near(map.resolution, 25, 1e-9); /* 40 frames at 1 kHz */
    drop_findings(&m);
}

TEST(axes_have_two_ticks)
{
    const double ends[][2] = {{-4.6, 4.9}, {-0.5, 9.2}, {0.1, 0.9}, {59.5, 60.5}, {-1e-3, 3e-3}, {3, 1e6}};

    for (size_t i = 0; i < COUNT(ends); i++) {
        double step = figure_tick_step((figure_range){ends[i][0], ends[i][1]}, 4);
        double ticks = floor(ends[i][1] / step) - ceil(ends[i][0] / step) + 1;

        assert_true(ticks >= 2 && ticks <= 16);
    }
    expect_near(figure_tick_step((figure_range){-4.6, 4.9}, 4), 2, 1e-12); /* steps of 5 have one */
    expect_near(figure_tick_step((figure_range){0, 10}, 4), 5, 1e-12);
    assert_true(figure_tick_step((figure_range){0, 0}, 4) > 0);
}

TEST(smoothing_keeps_slopes)
{
    enum { SIDE = 16 };
    float map[SIDE * SIDE], out[SIDE * SIDE];
    double before = 0, after = 0;

    for (int i = 0; i < SIDE * SIDE; i++)
        map[i] = (float)(3 * (i % SIDE) - 2 * (i / SIDE));
    map[5 * SIDE + 7] = NAN;
    figure_smooth(map, SIDE, SIDE, out);
    for (int i = 0; i < SIDE * SIDE; i++)
        if (i == 5 * SIDE + 7)
            assert_true(isnan(out[i]));
        else
            expect_near((double)out[i], (double)map[i], 1e-5);
    for (int i = 0; i < SIDE * SIDE; i++)
        map[i] = (float)((i % SIDE + i / SIDE) % 2 ? 1 : -1);
    figure_smooth(map, SIDE, SIDE, out);
    for (int i = 0; i < SIDE * SIDE; i++) {
        before += fabs((double)map[i]);
        after += fabs((double)out[i]);
    }
    assert_true(after < 0.3 * before);
}

typedef struct {
    size_t count;
    double worst;
} arrows;

static void check_arrow(void *user, double x, double y, double vx, double vy)
{
    arrows *a = user;

    a->count++;
    assert_true(x >= 0 && x < 30 && y >= 0 && y < 24);
    a->worst = fmax(a->worst, hypot(vx - 19, vy - 4));
}

TEST(arrows_go_with_the_wave)
{
    made_findings m;
    penta_findings_map map;
    arrows a = {0};
    picture with, without;

    make_findings(&m, 30, 24, 20, 2, true);
    assert_true(penta_findings_map_named(&m.found, "cv", &map));
    optmap_directions(&map, 1, 10, check_arrow, &a);
    assert_in_range(a.count, 30, 80); /* of 80 blocks; the heart is an ellipse */
    assert_true(a.worst < 1e-6);
    expect_drawn(optmap_draw_map(in_pictures("cv.png"), &m.f, "cv", &err));
    with = decode_picture(in_pictures("cv.png"));
    for (size_t i = 0; i < (size_t)2 * 30 * 24; i++) /* the first beat goes both ways: no direction */
        ((float *)m.found.velocity)[i] *= i % 30 % 2 ? 1 : -1;
    a.count = 0;
    optmap_directions(&map, 0, 10, check_arrow, &a);
    assert_int_equal(a.count, 0);
    expect_drawn(optmap_draw_map(in_pictures("cv.png"), &m.f, "cv", &err));
    without = decode_picture(in_pictures("cv.png"));
    assert_true(memcmp(with.rgb, without.rgb, 3 * with.width * with.height) != 0);
    free(with.rgb);
    free(without.rgb);
    drop_findings(&m);
}

/* Below the frame: from the darkest colour to the brightest. */
TEST(movies_have_a_colour_bar)
{
    made_findings m;
    picture p;
    size_t row, first, last;

    make_findings(&m, 64, 64, 20, 1, true);
    expect_drawn(optmap_draw_movie(in_pictures("movie.png"), &m.f, &err));
    p = decode_picture(in_pictures("movie.png"));
    row = p.height - 10;
    for (first = 0; first < p.width && pixel(&p, first, row) != 0x440154; first++)
        ;
    for (last = p.width; last > 0 && pixel(&p, last - 1, row) != 0xfde725; last--)
        ;
    assert_true(first + 80 < last);
    free(p.rgb);
    drop_findings(&m);
}

/* ---- HTML ---- */

static bool is_void(const char *name)
{
    return strcmp(name, "meta") == 0 || strcmp(name, "img") == 0 || strcmp(name, "br") == 0;
}

/* The name of the tag at `at`, after < or </. */
static void read_name(const char *at, char name[32])
{
    size_t n = 0;

    while (n < 31 && isalnum((unsigned char)at[n])) {
        name[n] = at[n];
        n++;
    }
    name[n] = 0;
}

/* Quotes of attributes close, and so do tags, in order. */
static void expect_balanced(const char *html)
{
    char open[64][32], name[32];
    size_t depth = 0;

    for (const char *at = html; (at = strchr(at, '<')); at++) {
        const char *end = at;
        bool quoted = false;

        if (at[1] == '!')
            continue;
        while (*++end && (*end != '>' || quoted))
            quoted ^= *end == '"';
        assert_int_equal(*end, '>');
        read_name(at + (at[1] == '/' ? 2 : 1), name);
        if (at[1] == '/') {
            assert_true(depth > 0);
            assert_string_equal(name, open[--depth]);
        } else if (end[-1] != '/' && !is_void(name)) {
            assert_true(depth < COUNT(open));
            memcpy(open[depth++], name, sizeof name);
        }
        at = end;
    }
    assert_int_equal(depth, 0);
}

static char *report(const optmap_findings *f)
{
    static const char *const no_numbers[] = {">nan",   ">-nan", " nan", " -nan", "\"nan",
                                             "\"-nan", ">inf",  " inf", ">-inf"};
    char *html;
    size_t size;

    expect_drawn(optmap_write_report(in_pictures("report.html"), f, &err));
    html = file_contents(in_pictures("report.html"), &size);
    assert_non_null(html);
    assert_int_equal(strlen(html), size);
    expect_balanced(html);
    assert_null(strstr(html, "://")); /* nothing from elsewhere */
    assert_null(strstr(html, "<script"));
    for (size_t i = 0; i < COUNT(no_numbers); i++)
        if (strstr(html, no_numbers[i]))
            fail_msg("not a number: %.60s", strstr(html, no_numbers[i]));
    return html;
}

TEST(the_report_says_what_was_found)
{
    made_findings m;
    char *html;

    make_findings(&m, 30, 24, 420, 2, true);
    html = report(&m.f);
    assert_null(strstr(html, "<b>"));
    expect_text(html, "a&#60;b&#62;&#38;&#34;c&#34;.tif</title>");
    expect_text(html, "Some &#60;GPU&#62; &#38; more");
    expect_text(html, "penta optmap --rate 1000 &#39;a&#60;b");
    expect_text(html, "420 frames of 30 &#215; 24 px at 1000 Hz");
    expect_text(html, "<tr><td>Device</td><td>Some &#60;GPU&#62; &#38; more</td>");
    expect_text(html, "<tr><td>APD80, ms</td>");
    expect_text(html, "<tr><td>Conduction velocity, cm/s</td><td>19.42</td>");
    expect_text(html, "<tr><td>APD80 alternans, %</td><td>6.5</td>");
    expect_text(html, "<tr><td>Dominant frequency, Hz</td><td>5</td>");
    expect_text(html, "<tr><td>2</td><td>250.2</td>"); /* the second beat */
    expect_text(html,
                "<tr><td>0</td><td>&#8722;1</td><td>10.0</td><td>29.0</td><td>20.0</td><td>1.5</td><td>3.2</td></tr>");
    expect_text(html, "<title>Paths of rotors</title>");
    expect_text(strstr(html, "Paths of rotors"), ">1 mm</text>");          /* of 3 mm */
    expect_text(html, "frequencies apart that differ by 2.38 Hz or more"); /* in 0.42 s */
    expect_text(html, "<title>Conduction velocity</title>");
    expect_text(html, "stroke-width=\"1\" d=\"M"); /* arrows */
    expect_text(html, "data:image/png;base64,iVBORw0KGgo");
    free(html);
    drop_findings(&m);
}

TEST(the_report_says_why_there_are_no_rotors)
{
    made_findings m;
    char *html;

    make_findings(&m, 12, 12, 20, 1, true);
    m.found.rotor_count = 0;
    m.found.singularity_count = 0;
    m.found.phase_pixels = 77;
    m.found.result.valid_pixels = 140;
    html = report(&m.f);
    expect_text(html, "good enough for a phase, in at least half of the frames, in 77 of 140 valid pixels.");
    free(html);
    m.found.phase_pixels = 0;
    html = report(&m.f);
    expect_text(html, "Rotors could not be looked for");
    free(html);
    drop_findings(&m);
}

TEST(the_report_has_the_settings)
{
    typedef struct {
        int count, way;
        double length;
        bool on;
        const char *text, *nothing;
    } values;
    static const penta_option rows[] = {
        PENTA_INT_OPTION(values, count, 0, 1, 0, 9, "", "how many < all"),
        PENTA_CHOICE_OPTION(values, way, 0, "there,back|return", "where"),
        PENTA_REAL_OPTION(values, length, 0, 1, 0, 9, "px", "how long"),
        {"is_on", PENTA_OPTION_FLAG, offsetof(values, on), 0, 0, 0, 1, NULL, "", "if", false},
        PENTA_TEXT_OPTION(values, text, 0, "NAME", "a name"),
        PENTA_TEXT_OPTION(values, nothing, 0, "NAME", "none"),
        PENTA_OPTIONS_END};
    values v = {.count = 7, .way = 1, .length = 2.5, .on = true, .text = "a&b"};
    const cli_table tables[] = {
        {"Some", rows, &v, (bool[]){false, true, false, false, false, false}}, {"More", rows, &v, NULL}, {0}};
    made_findings m;
    char *html;

    make_findings(&m, 8, 8, 20, 1, true);
    m.f.settings = tables;
    html = report(&m.f);
    expect_text(html, "<th colspan=\"3\">Some</th>");
    expect_text(html, "<th colspan=\"3\">More</th>");
    expect_text(html, "<tr><td><code>--count</code></td><td>7</td><td>how many &#60; all</td></tr>");
    expect_text(html, "<tr class=\"given\"><td><code>--way</code></td><td>back</td>");
    expect_text(html, "<tr><td><code>--length</code></td><td>2.5 px</td>");
    expect_text(html, "<tr><td><code>--is-on</code></td><td>yes</td>");
    expect_text(html, "<tr><td><code>--text</code></td><td>a&#38;b</td>");
    expect_text(html, "<tr><td><code>--nothing</code></td><td>&#8211;</td>");
    free(html);
    drop_findings(&m);
}

TEST(texts_that_are_no_utf8)
{
    made_findings m;
    char *html;

    make_findings(&m, 8, 8, 20, 1, true);
    m.f.movie = "caf\xe9 \xc0\x80 \xed\xa0\x80 \xe2\x82\xac\t.tif";
    m.f.command = NULL;
    html = report(&m.f);
    expect_text(html, "caf\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xe2\x82\xac"
                      "\xef\xbf\xbd.tif</title>");
    free(html);
    drop_findings(&m);
}

/* ---- all sorts of movies ---- */

static void check(size_t width, size_t height, size_t frames, size_t beats, bool known, bool sized)
{
    made_findings m;
    char *html;

    make_findings(&m, width, height, frames, beats, known);
    if (!sized) {
        m.found.pixel_size = 0;
        m.found.velocity = NULL;
    }
    empty_pictures();
    draw_all(&m.f);
    html = report(&m.f);
    if (beats == 0)
        expect_text(html, "No beat was found");
    else if (!known)
        expect_text(html, "no pixel has a value");
    free(html);
    drop_findings(&m);
    empty_pictures();
}

TEST(all_sorts_of_movies)
{
    check(20, 20, 60, 1, true, true);
    check(512, 400, 12, 1, true, true);
    check(24, 30, 300, 12, true, false);
    check(24, 30, 300, 2, false, true);
    check(24, 30, 50, 0, true, true);
    check(3, 200, 50, 1, true, true);
    check(2, 2, 2, 1, true, true);
}

/* ---- the animated picture ---- */

/* A picture that was drawn before is the one that is written, in the file and in the report, and the same as if it were
 * drawn for each. */
TEST(movies_are_drawn_once)
{
    made_findings m;
    char *film, *again, *html, *without;
    size_t size, again_size;

    make_findings(&m, 32, 24, 20, 1, true);
    html = report(&m.f);
    expect_text(html, "<figure class=\"movie\">");
    assert_true(optmap_film(&m.f, &film, &size));
    m.f.film = film;
    m.f.film_bytes = size;
    expect_drawn(optmap_draw_movie(in_pictures("movie.png"), &m.f, &err));
    again = file_contents(in_pictures("movie.png"), &again_size);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, film, size);
    free(again);
    again = report(&m.f);
    assert_string_equal(again, html);
    m.f.no_movie = true;
    without = report(&m.f);
    assert_null(strstr(without, "<figure class=\"movie\">"));
    free(without);
    free(again);
    free(html);
    free(film);
    drop_findings(&m);
}

/* ---- numbers ---- */

TEST(summaries_are_of_finite_numbers)
{
    const float values[] = {3, NAN, 1, 4, INFINITY, 2};
    const penta_findings none = {0};
    penta_findings_map map = {.name = "apd80", .width = 3, .height = 1, .count = 2, .data = values};
    penta_findings_statistics s;

    assert_int_equal(penta_findings_summarise(&none, &map, 0, 2, &s), PENTA_OK);
    assert_int_equal(s.count, 4);
    assert_int_equal(s.pixels, 2);
    assert_int_equal(s.beats, 2);
    expect_near(s.mean, 2.5, 1e-12);
    expect_near(s.median, 2.5, 1e-12);
    expect_near(s.q1, 1.75, 1e-12);
    expect_near(s.q3, 3.25, 1e-12);
    expect_near(s.sd, sqrt(5.0 / 3), 1e-12);
    expect_near(s.least, 1, 0);
    expect_near(s.largest, 4, 0);
    assert_int_equal(penta_findings_summarise(&none, &map, 1, 2, &s), PENTA_INVALID);
    assert_int_equal(s.count, 0);
    map.width = map.count = 1;
    map.data = values + 1;
    assert_int_equal(penta_findings_summarise(&none, &map, 0, 1, &s), PENTA_OK);
    assert_int_equal(s.count, 0);
    assert_true(isnan(s.median) && s.pixels == 0 && s.beats == 0);
}

/* Alternans of fewer than 25 pixels, or a tenth of the valid ones, is not stated; velocities count by their length. */
TEST(statistics_know_their_maps)
{
    made_findings m;
    penta_findings_map map;
    penta_findings_statistics s;

    make_findings(&m, 30, 24, 20, 2, true);
    assert_true(penta_findings_map_named(&m.found, "cv", &map) && map.count == 2);
    assert_int_equal(penta_findings_summarise(&m.found, &map, 0, 2, &s), PENTA_OK);
    expect_near(s.median, hypot(19, 4), 1e-5);
    assert_true(s.needed == 0 && !s.refused && s.beats == 2);
    assert_true(penta_findings_map_named(&m.found, "alternans", &map) && map.count == 1);
    assert_int_equal(penta_findings_summarise(&m.found, &map, 0, 1, &s), PENTA_OK);
    assert_true(!s.refused && s.needed == penta_alternans_least(m.found.result.valid_pixels));
    for (size_t i = 24; i < (size_t)30 * 24; i++)
        m.found.alternans[i] = NAN;
    m.found.alternans[12] = 6;
    assert_int_equal(penta_findings_summarise(&m.found, &map, 0, 1, &s), PENTA_OK);
    assert_true(s.refused && s.count > 0 && s.count <= 24);
    m.found.velocity = NULL;
    assert_true(penta_findings_map_named(&m.found, "cv", &map) && map.count == 0);
    assert_false(penta_findings_map_named(&m.found, "nonesuch", &map));
    drop_findings(&m);
}

typedef struct {
    size_t pieces;
    double least, most;
} line_check;

static void check_piece(void *user, double x0, double y0, double x1, double y1)
{
    line_check *c = user;

    c->pieces++;
    c->least = fmin(c->least, fmin(2 * x0 + y0, 2 * x1 + y1));
    c->most = fmax(c->most, fmax(2 * x0 + y0, 2 * x1 + y1));
}

TEST(isolines_lie_on_their_level)
{
    enum { SIDE = 10 };
    float map[SIDE * SIDE];
    line_check c = {0, INFINITY, -INFINITY};

    for (int i = 0; i < SIDE * SIDE; i++)
        map[i] = (float)(2 * (i % SIDE) + i / SIDE);
    figure_isoline(map, SIDE, SIDE, 11.25, check_piece, &c);
    expect_near(c.least, 11.25, 1e-6);
    expect_near(c.most, 11.25, 1e-6);
    assert_in_range(c.pieces, 9, 18);
    map[5 * SIDE + 5] = NAN; /* four squares are unknown */
    c = (line_check){0, INFINITY, -INFINITY};
    figure_isoline(map, SIDE, SIDE, 14.5, check_piece, &c);
    assert_true(c.pieces > 0 && c.pieces < 13);
    for (int i = 0; i < SIDE * SIDE; i++)
        map[i] = NAN;
    c.pieces = 0;
    figure_isoline(map, SIDE, SIDE, 14.5, check_piece, &c);
    assert_int_equal(c.pieces, 0);
}

RUN_WITH_PICTURES;
