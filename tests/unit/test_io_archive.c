/* The state of a watched series: read as it was written, refused when damaged. */
#include "support/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "prepare/state.h"
#include <pentacl/io/run.h>
#include "io_files.h"

/* ---- the state ---- */

enum { W = 19, H = 17, NODES_X = 3, NODES_Y = 2 };

static float *make_array(size_t n, float first)
{
    float *out = must_calloc(n, sizeof *out);

    for (size_t i = 0; i < n; i++)
        out[i] = i % 7 == 3 ? NAN : first + 0.1F * (float)i;
    return out;
}

static penta_io_archive_frame *add_file(penta_io_archive *s, const char *file, const char *stem)
{
    penta_io_archive_frame *f = penta_io_archive_add(s);

    assert_non_null(f);
    f->file = strdup(file);
    f->stem = strdup(stem);
    f->time = 1.7e9 + 1.0 / 3;
    f->peak = (penta_peak){PENTA_PEAK_FLAT, 0, NAN, NAN, NAN, NAN, NAN};
    return f;
}

static penta_io_archive make_state(void)
{
    penta_io_archive s = {.recipe = strdup("{\n  \"dust_limit\": 0.3333333333333333,\n  \"grey\": \"mean\"\n}"),
                          .like = {.width = 40, .height = 30, .channels = 3, .type = PENTA_U16}};
    penta_io_archive_frame *f = add_file(&s, "a b,\"%.png", "a b,\"%");

    f->row = (penta_io_drift_row){.done = true, .drift = {0.1, -1.0 / 3, 1e-300, NAN}, .dust_pixels = 12};
    f->peak = (penta_peak){PENTA_PEAK_OK, 0, 12.1, NAN, 0.3, 5.5, -0.25};
    f = add_file(&s, "\xFF\x01-\xC3\xA4.tif", "\xFF\x01-\xC3\xA4-0003");
    f->paged = true;
    f->page = 3;
    f->row = (penta_io_drift_row){.skipped = true, .status = PENTA_PREPARED_LOST};
    f->bytes = (int64_t)5 << 32;
    f = add_file(&s, "c.png", "c");
    f->row = (penta_io_drift_row){.done = true, .drift = {2, 3, 0, 0.7}};
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

static void expect_same_file(const penta_io_archive_frame *a, const penta_io_archive_frame *b)
{
    assert_string_equal(a->file, b->file);
    assert_string_equal(a->stem, b->stem);
    assert_int_equal(a->paged, b->paged);
    assert_int_equal(a->page, b->page);
    expect_same_number(a->time, b->time);
    if (a->row.skipped)
        assert_true(a->bytes == b->bytes);
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

static void must_write(const penta_io_archive *s)
{
    penta_io_error error = {""};

    EXPECT_IO(penta_io_archive_write(test_directory, s, &error), error);
}

static penta_io_archive must_read(void)
{
    penta_io_archive s;
    penta_io_error error = {""};
    bool found;

    EXPECT_IO(penta_io_archive_read(test_directory, &found, &s, &error), error);
    assert_true(found);
    return s;
}

TEST(read_as_written)
{
    HELD_BY(penta_io_archive_free) penta_io_archive s = make_state(), back;

    must_write(&s);
    back = must_read();
    assert_string_equal(s.recipe, back.recipe);
    assert_int_equal(back.like.width, s.like.width);
    assert_int_equal(back.like.height, s.like.height);
    assert_int_equal(back.like.channels, s.like.channels);
    assert_int_equal(back.like.type, s.like.type);
    assert_null(back.like.data);
    assert_int_equal(back.count, s.count);
    for (size_t i = 0; i < s.count; i++)
        expect_same_file(&s.files[i], &back.files[i]);
    expect_same_series(&s.series, &back.series);
}

TEST(there_is_none)
{
    penta_io_archive s;
    penta_io_error error = {""};
    bool found = true;

    assert_true(penta_io_archive_read(in_directory("nowhere"), &found, &s, &error));
    assert_false(found);
}

/* The arrays of the state before are gone only when that of the next is whole. */
TEST(the_next_state)
{
    HELD_BY(penta_io_archive_free) penta_io_archive s = make_state(), back;

    must_write(&s);
    assert_int_equal(access(in_directory(".prepare/key-3.npy"), F_OK), 0);
    add_file(&s, "d.png", "d")->row = (penta_io_drift_row){.done = true};
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
}

/* Of an earlier version: no size, by which a frame that was left out has not changed. */
TEST(size_not_known)
{
    static const char there[] = "\"bytes\": 21474836480", other[] = "\"bites\": 21474836480";
    HELD_BY(penta_io_archive_free) penta_io_archive s = make_state(), back;
    char *text, *at;
    size_t size;

    must_write(&s);
    text = file_contents(in_directory(".prepare/state.json"), &size);
    at = strstr(text, there);
    assert_non_null(at);
    memcpy(at, other, sizeof other - 1);
    write_file(".prepare/state.json", text, size);
    back = must_read();
    assert_true(back.files[1].bytes == -1);
    free(text);
}

/* The names of the files, S for those left out, with blanks between them. */
static void expect_files(const penta_io_archive *s, const char *expected)
{
    char text[300] = "";

    for (size_t i = 0; i < s->count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s[%zu]%s", i > 0 ? " " : "", s->files[i].file,
                 s->files[i].page, s->files[i].row.skipped ? "S" : "");
    assert_string_equal(text, expected);
}

static void insert(penta_io_archive *s, const char *file, size_t page, bool skipped)
{
    penta_io_archive_frame *f = watch_state_insert(s, file, page);

    assert_non_null(f);
    assert_null(f->file);
    f->file = strdup(file);
    f->page = page;
    f->row.skipped = skipped;
}

TEST(places)
{
    HELD_BY(penta_io_archive_free) penta_io_archive s = {0};

    insert(&s, "f9", 0, false);
    insert(&s, "f10", 0, true);
    insert(&s, "f10", 2, false);
    insert(&s, "f100", 0, true);
    expect_files(&s, "f9[0] f10[0]S f10[2] f100[0]S");
    watch_state_drop(&s, "f10");
    watch_state_drop(&s, "f9");
    watch_state_drop(&s, "f8");
    expect_files(&s, "f9[0] f10[2] f100[0]S");
    insert(&s, "f10", 0, false);
    insert(&s, "f10", 1, true);
    insert(&s, "f10", 3, false);
    insert(&s, "f2", 0, false);
    insert(&s, "f100", 1, false);
    expect_files(&s, "f2[0] f9[0] f10[0] f10[1]S f10[2] f10[3] f100[0]S f100[1]");
}

static void expect_refused(const char *says)
{
    penta_io_archive s;
    penta_io_error error = {""};
    bool found;

    if (penta_io_archive_read(test_directory, &found, &s, &error))
        fail_msg("a state was read that should be refused because %s", says);
    expect_text(error.text, says);
    assert_null(s.files);
}

/* Each a change of one place in what make_state writes, and what is said of it. */
TEST(damage)
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
        {"\"bytes\": 21474836480", "\"bytes\": -2", "file 1"},
        {"\"bytes\": 21474836480", "\"bytes\": \"many\"", "file 1"},
        {"\"status\": \"at_edge\"", "\"status\": \"edge\"", "file 2"},
        {"\"dust_pixels\": 12", "\"dust_pixels\": 1.5", "file 0"},
        {"\"files\": [", "\"files\": {}, \"y\": [", "no files"},
        {"\"files\": [", "\"files\": [1, ", "file 0"},
        {"}\n}\n", "}\n", ""},
    };
    HELD_BY(penta_io_archive_free) penta_io_archive s = make_state();
    HELD char *whole = NULL;
    size_t size;

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
}

/* ---- in a run ---- */

static penta_io_run *must_open_run(void)
{
    penta_io_run *run;
    penta_io_error error = {""};

    EXPECT_IO(penta_io_run_open(test_directory, "prepare", &run, &error), error);
    return run;
}

static void must_commit(penta_io_run *run)
{
    penta_io_error error = {""};

    EXPECT_IO(penta_io_run_commit(run, &error), error);
}

/* A run that ends before it commits leaves the state before, with its arrays. */
TEST(not_committed)
{
    penta_io_archive s = make_state(), back;
    penta_io_run *run = must_open_run();

    must_write(&s);
    must_commit(run);
    add_file(&s, "d.png", "d")->row = (penta_io_drift_row){.done = true};
    s.series.frames = 3;
    must_write(&s);
    penta_io_run_close(run);
    back = must_read();
    assert_int_equal(back.count, 3);
    expect_same_series(&(penta_prepare_state){.frames = 2,
                                              .width = W,
                                              .height = H,
                                              .nodes_x = NODES_X,
                                              .nodes_y = NODES_Y,
                                              .key = s.series.key,
                                              .last = s.series.last,
                                              .low = NAN,
                                              .high = NAN,
                                              .key_image = s.series.key_image,
                                              .illumination = s.series.illumination},
                       &back.series);
    penta_io_archive_free(&back);

    run = must_open_run();
    must_write(&s);
    must_commit(run);
    penta_io_run_close(run);
    back = must_read();
    assert_int_equal(back.count, 4);
    expect_same_series(&s.series, &back.series);
    assert_int_not_equal(access(in_directory(".prepare/key-3.npy"), F_OK), 0);
    assert_int_not_equal(access(in_directory(".prepare/illumination-3.npy"), F_OK), 0);
    penta_io_archive_free(&back);
    penta_io_archive_free(&s);
}

IN_DIRECTORY;
