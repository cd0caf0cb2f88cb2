/* The state of a watched series: read as it was written, refused when damaged; and frames that arrive in a directory.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "prepare/arrivals.h"
#include "prepare/state.h"
#include "support/device.h"
#include "support/expect.h"
#include "support/files.h"

static char directory[200];

static int make_directory(void **state)
{
    (void)state;
    return make_scratch_directory("state", directory, sizeof directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    return remove_tree(directory);
}

static const char *in_directory(const char *name)
{
    static char path[400];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void write_file(const char *name, const char *text, size_t size)
{
    FILE *f = fopen(in_directory(name), "w");

    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* ---- the state ---- */

enum { W = 19, H = 17, NODES_X = 3, NODES_Y = 2 };

static float *make_array(size_t n, float first)
{
    float *out = must_calloc(n, sizeof *out);

    for (size_t i = 0; i < n; i++)
        out[i] = i % 7 == 3 ? NAN : first + 0.1F * (float)i;
    return out;
}

static watch_file *add_file(watch_state *s, const char *file, const char *stem)
{
    watch_file *f = watch_state_add(s);

    assert_non_null(f);
    f->file = strdup(file);
    f->stem = strdup(stem);
    f->time = 1.7e9 + 1.0 / 3;
    f->peak = (penta_peak){PENTA_PEAK_FLAT, NAN, NAN, NAN, NAN, NAN};
    return f;
}

static watch_state make_state(void)
{
    watch_state s = {.recipe = json_pack("{s:f, s:s}", "dust_limit", 1.0 / 3, "grey", "mean"),
                     .like = {.width = 40, .height = 30, .channels = 3, .type = PENTA_U16}};
    watch_file *f = add_file(&s, "a b,\"%.png", "a b,\"%");

    f->row = (drift_row){.done = true, .drift = {0.1, -1.0 / 3, 1e-300, NAN}, .dust_pixels = 12};
    f->peak = (penta_peak){PENTA_PEAK_OK, 12.1, NAN, 0.3, 5.5, -0.25};
    f = add_file(&s, "\xFF\x01-\xC3\xA4.tif", "\xFF\x01-\xC3\xA4-0003");
    f->paged = true;
    f->page = 3;
    f->row = (drift_row){.skipped = true, .status = PENTA_PREPARED_LOST};
    f = add_file(&s, "c.png", "c");
    f->row = (drift_row){.done = true, .drift = {2, 3, 0, 0.7}};
    f->peak.status = PENTA_PEAK_AT_EDGE;
    s.series = (penta_prepare_state){.frames = 2,
                                     .width = W,
                                     .height = H,
                                     .nodes_x = NODES_X,
                                     .nodes_y = NODES_Y,
                                     .key = {1.0 / 7, 2, 3, 0.75},
                                     .last = {4, -5, 1.0 / 9, NAN},
                                     .low = NAN,
                                     .high = NAN,
                                     .key_image = make_array((size_t)W * H, 1),
                                     .illumination = make_array((size_t)NODES_X * NODES_Y, 0.5F)};
    return s;
}

static void expect_same_number(double a, double b)
{
    assert_true(isnan(a) ? isnan(b) : a == b);
}

static void expect_same_drift(const penta_drift *a, const penta_drift *b)
{
    expect_same_number(a->dx, b->dx);
    expect_same_number(a->dy, b->dy);
    expect_same_number(a->angle, b->angle);
    expect_same_number(a->score, b->score);
}

static void expect_same_array(const float *a, const float *b, size_t n)
{
    assert_int_equal(!a, !b);
    if (a)
        assert_memory_equal(a, b, n * sizeof *a);
}

static void expect_same_file(const watch_file *a, const watch_file *b)
{
    assert_string_equal(a->file, b->file);
    assert_string_equal(a->stem, b->stem);
    assert_int_equal(a->paged, b->paged);
    assert_int_equal(a->page, b->page);
    expect_same_number(a->time, b->time);
    assert_int_equal(a->row.done, b->row.done);
    assert_int_equal(a->row.skipped, b->row.skipped);
    assert_int_equal(a->row.status, b->row.status);
    assert_int_equal(a->row.dust_pixels, b->row.dust_pixels);
    expect_same_drift(&a->row.drift, &b->row.drift);
    assert_int_equal(a->peak.status, b->peak.status);
    expect_same_number(a->peak.r_max, b->peak.r_max);
    expect_same_number(a->peak.r_max_se, b->peak.r_max_se);
    expect_same_number(a->peak.c_max, b->peak.c_max);
    expect_same_number(a->peak.r_min, b->peak.r_min);
    expect_same_number(a->peak.c_min, b->peak.c_min);
}

static void expect_same_series(const penta_prepare_state *a, const penta_prepare_state *b)
{
    assert_int_equal(a->frames, b->frames);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->nodes_x, b->nodes_x);
    assert_int_equal(a->nodes_y, b->nodes_y);
    expect_same_drift(&a->key, &b->key);
    expect_same_drift(&a->last, &b->last);
    expect_same_number(a->low, b->low);
    expect_same_number(a->high, b->high);
    expect_same_array(a->key_image, b->key_image, (size_t)W * H);
    expect_same_array(a->last_image, b->last_image, (size_t)W * H);
    expect_same_array(a->illumination, b->illumination, (size_t)NODES_X * NODES_Y);
}

static void must_write(const watch_state *s)
{
    io_error error = {""};

    if (!watch_state_write(directory, s, &error))
        fail_msg("%s", error.text);
}

static watch_state must_read(void)
{
    watch_state s;
    io_error error = {""};
    bool found;

    if (!watch_state_read(directory, &found, &s, &error))
        fail_msg("%s", error.text);
    assert_true(found);
    return s;
}

static void test_read_as_written(void **state)
{
    watch_state s = make_state(), back;

    (void)state;
    must_write(&s);
    back = must_read();
    assert_true(json_equal(s.recipe, back.recipe));
    assert_int_equal(back.like.width, s.like.width);
    assert_int_equal(back.like.height, s.like.height);
    assert_int_equal(back.like.channels, s.like.channels);
    assert_int_equal(back.like.type, s.like.type);
    assert_null(back.like.data);
    assert_int_equal(back.count, s.count);
    for (size_t i = 0; i < s.count; i++)
        expect_same_file(&s.files[i], &back.files[i]);
    expect_same_series(&s.series, &back.series);
    watch_state_free(&s);
    watch_state_free(&back);
}

static void test_there_is_none(void **state)
{
    watch_state s;
    io_error error = {""};
    bool found = true;

    (void)state;
    assert_true(watch_state_read(in_directory("nowhere"), &found, &s, &error));
    assert_false(found);
}

/* The arrays of the state before are gone only when that of the next is whole. */
static void test_the_next_state(void **state)
{
    watch_state s = make_state(), back;

    (void)state;
    must_write(&s);
    assert_int_equal(access(in_directory(".prepare/key-3.npy"), F_OK), 0);
    add_file(&s, "d.png", "d")->row = (drift_row){.done = true};
    s.series.frames = 3;
    s.series.low = 0.25;
    s.series.high = 1e5;
    s.series.last_image = make_array((size_t)W * H, 2);
    free(s.series.illumination);
    s.series.illumination = NULL;
    must_write(&s);
    assert_int_not_equal(access(in_directory(".prepare/key-3.npy"), F_OK), 0);
    assert_int_not_equal(access(in_directory(".prepare/illumination-3.npy"), F_OK), 0);
    assert_int_equal(entries_in(in_directory(".prepare")), 3); /* state.json, key-4.npy, last-4.npy */
    back = must_read();
    expect_same_series(&s.series, &back.series);
    watch_state_free(&s);
    watch_state_free(&back);
}

static void expect_refused(const char *says)
{
    watch_state s;
    io_error error = {""};
    bool found;

    if (watch_state_read(directory, &found, &s, &error))
        fail_msg("a state was read that should be refused because %s", says);
    expect_text(error.text, says);
    assert_null(s.files);
}

/* Each a change of one place in what make_state writes, and what is said of it. */
static void test_damage(void **state)
{
    static const struct {
        const char *from, *to, *says;
    } cases[] = {
        {"\"version\": 1", "\"version\": 2", "newer version"},
        {"\"version\": 1", "\"version\": \"1\"", "no version"},
        {"\"recipe\": {", "\"recipe\": 1, \"x\": {", "no recipe"},
        {"\"width\": 40", "\"width\": -40", "no size"},
        {"\"width\": 40", "\"width\": 2000000000", "no size"},
        {"\"width\": 40", "\"width\": 0", "no size"},
        {"\"width\": 40", "\"width\": 18", "contradict"},
        {"\"channels\": 3", "\"channels\": 2", "no size"},
        {"\"type\": \"u16\"", "\"type\": \"u17\"", "no size or type"},
        {"\"width\": 19", "\"width\": 18", "not an array of 17 x 18"},
        {"\"height\": 17", "\"height\": 1700000", "contradict"},
        {"\"nodes_x\": 3", "\"nodes_x\": 4", "not an array of 2 x 4"},
        {"\"frames\": 2", "\"frames\": 3", "its frames are not its files"},
        {"\"frames\": 2", "\"frames\": 1e99", "lacks a number"},
        {"\"low\": null", "\"low\": \"x\"", "lacks a number"},
        {"\"key_image\": \"key-3.npy\"", "\"key_image\": \"../key-3.npy\"", "name of an array"},
        {"\"key_image\": \"key-3.npy\"", "\"key_image\": \"nothere.npy\"", "nothere.npy"},
        {"\"key_image\": \"key-3.npy\"", "\"key_image\": 3", "name of an array"},
        {"\"file\": \"c.png\"", "\"file\": \"../c.png\"", "file 2"},
        {"\"file\": \"c.png\"", "\"file\": \"..\"", "file 2"},
        {"\"file\": \"c.png\"", "\"file\": \"\"", "file 2"},
        {"\"file\": \"c.png\"", "\"file\": \"c%2Fd.png\"", "file 2"},
        {"\"file\": \"c.png\"", "\"file\": \"c%00.png\"", "file 2"},
        {"\"file\": \"c.png\"", "\"file\": \"c%4\"", "file 2"},
        {"\"stem\": \"c\"", "\"stem\": null", "file 2"},
        {"\"page\": 3", "\"page\": -3", "file 1"},
        {"\"status\": \"lost\"", "\"status\": \"found\"", "file 1"},
        {"\"skipped\": true", "\"skipped\": false", "file 1"},
        {"\"status\": \"at_edge\"", "\"status\": \"edge\"", "file 2"},
        {"\"dust_pixels\": 12", "\"dust_pixels\": 1.5", "file 0"},
        {"\"files\": [", "\"files\": {}, \"y\": [", "no files"},
        {"\"files\": [", "\"files\": [1, ", "file 0"},
        {"}\n}\n", "}\n", ""},
    };
    watch_state s = make_state();
    char *whole;
    size_t size;

    (void)state;
    must_write(&s);
    whole = file_contents(in_directory(".prepare/state.json"), &size);
    assert_non_null(whole);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *at = strstr(whole, cases[i].from), *text = must_calloc(size + 100, 1);

        if (!at && i + 1 == COUNT(cases))
            at = whole + size - 2;
        if (!at)
            fail_msg("the state has no %s", cases[i].from);
        snprintf(text, size + 100, "%.*s%s%s", (int)(at - whole), whole, cases[i].to,
                 i + 1 == COUNT(cases) ? "x" : at + strlen(cases[i].from));
        write_file(".prepare/state.json", text, strlen(text));
        expect_refused(cases[i].says);
        free(text);
    }
    free(whole);
    watch_state_free(&s);
}

/* ---- names ---- */

static void test_order_of_names(void **state)
{
    static const char *const sorted[] = {"",
                                         "-1",
                                         "a",
                                         "a.png",
                                         "a0.png",
                                         "a00.png",
                                         "a1-2",
                                         "a1.png",
                                         "a1b",
                                         "a002",
                                         "a2",
                                         "a9.png",
                                         "a010",
                                         "a10.png",
                                         "a10a",
                                         "a10a2",
                                         "a10a10",
                                         "a99999999999999999999",
                                         "a100000000000000000000",
                                         "b",
                                         "\xC3\xA4"};

    (void)state;
    for (size_t i = 0; i < COUNT(sorted); i++)
        for (size_t j = 0; j < COUNT(sorted); j++) {
            int order = arrivals_compare(sorted[i], sorted[j]);

            if ((order > 0) - (order < 0) != (i > j) - (i < j))
                fail_msg("%s and %s: %d", sorted[i], sorted[j], order);
        }
}

/* ---- arrivals ---- */

/* The names that a look gives, with blanks between them, and the late one behind a |. */
static void expect_look(arrivals *a, const char *expected)
{
    arrival *list;
    size_t count;
    char *late, text[500] = "";
    io_error error = {""};

    if (!arrivals_look(a, &list, &count, &late, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(list[i].path, directory, strlen(directory));
        assert_true(list[i].time > 1e9);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i > 0 ? " " : "",
                 list[i].path + strlen(directory) + 1);
    }
    if (late)
        snprintf(text + strlen(text), sizeof text - strlen(text), "|%s", late);
    assert_string_equal(text, expected);
    arrivals_free(list, count);
    free(late);
}

static void test_whole_after_two_looks(void **state)
{
    arrivals *a = arrivals_open(directory);

    (void)state;
    empty_directory(directory);
    write_file("f9.png", "1", 1);
    write_file("f10.PNG", "1", 1);
    write_file("f11.txt", "1", 1);
    write_file(".f12.png", "1", 1);
    write_file("f9.mask.png", "1", 1);
    write_file(".mask.png", "1", 1);
    assert_int_equal(mkdir(in_directory("f13.png"), 0777), 0);
    expect_look(a, "");
    expect_look(a, "f9.png f10.PNG");
    expect_look(a, "");
    write_file("f20.tif", "1", 1);
    expect_look(a, "");
    write_file("f20.tif", "12", 2); /* it still grows */
    write_file("f21.tif", "1", 1);
    expect_look(a, "");
    write_file("f20.tif", "123", 3);
    expect_look(a, ""); /* f21 is whole, and waits for it */
    expect_look(a, "f20.tif f21.tif");
    write_file("f22.png", "1", 1);
    expect_look(a, "");
    assert_int_equal(unlink(in_directory("f22.png")), 0);
    expect_look(a, "");
    write_file("f22.png", "1", 1);
    expect_look(a, "");
    expect_look(a, "f22.png");
    arrivals_close(a);
}

static void test_late_names(void **state)
{
    arrivals *a = arrivals_open(directory);

    (void)state;
    empty_directory(directory);
    assert_true(arrivals_done(a, "f3.png"));
    assert_true(arrivals_done(a, "f1.png")); /* is not there any more */
    write_file("f3.png", "1", 1);
    expect_look(a, "");
    expect_look(a, "");
    write_file("f2.png", "1", 1);
    write_file("f2.tif", "1", 1);
    write_file("f4.png", "1", 1);
    expect_look(a, "|f2.png");
    expect_look(a, "f4.png|f2.tif");
    expect_look(a, "");
    arrivals_close(a);
}

static void test_empty_files(void **state)
{
    arrivals *a = arrivals_open(directory);

    (void)state;
    empty_directory(directory);
    write_file("f1.png", "", 0);
    write_file("f2.png", "1", 1);
    for (int i = 0; i < 10; i++)
        expect_look(a, "");
    write_file("f1.png", "1", 1);
    expect_look(a, "");
    expect_look(a, "f1.png f2.png");
    write_file("f3.png", "", 0);
    for (int i = 0; i < 30; i++)
        expect_look(a, "");
    expect_look(a, "f3.png");
    arrivals_close(a);
}

static void test_no_directory(void **state)
{
    arrivals *a = arrivals_open(in_directory("nowhere"));
    arrival *list;
    size_t count;
    char *late;
    io_error error = {""};

    (void)state;
    assert_false(arrivals_look(a, &list, &count, &late, &error));
    expect_text(error.text, "nowhere: cannot be read");
    assert_null(list);
    arrivals_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_as_written), cmocka_unit_test(test_there_is_none),
        cmocka_unit_test(test_the_next_state),  cmocka_unit_test(test_damage),
        cmocka_unit_test(test_order_of_names),  cmocka_unit_test(test_whole_after_two_looks),
        cmocka_unit_test(test_late_names),      cmocka_unit_test(test_empty_files),
        cmocka_unit_test(test_no_directory),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
