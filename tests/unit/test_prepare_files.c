/* What penta prepare writes besides images: drift.csv, which is read again, and the contact sheet. */

#include "io_files.h"

#include "figures/figure.h"
#include <pentacl/io/archive.h>
#include "prepare/sheet.h"

/* ---- drift.csv ---- */

static void expect_same(double a, double b)
{
    if (!(isnan(a) && isnan(b)))
        assert_true(a <= b && a >= b);
}

static void expect_start(const char *text, const char *start)
{
    assert_memory_equal(text, start, strlen(start));
}

IO_TEST(drifts_come_back)
{
    char names[][12] = {"a, \"b\".png", "left out", "c.png[3]", "not reached", "d.png"};
    penta_io_drift_row rows[] = {
        {.file = names[0], .done = true, .drift = {.score = 1}},
        {.file = names[1],
         .skipped = true,
         .status = PENTA_PREPARED_LOST,
         .drift = {.dx = 9, .dy = 9, .angle = 9, .score = 0.1}},
        {.file = names[2],
         .done = true,
         .drift = {.dx = -1.0 / 3, .dy = 1e-17, .angle = 2.5000000000000004, .score = (double)NAN}},
        {.file = names[3]},
        {.file = names[4],
         .done = true,
         .drift = {.dx = 12345.678901234567,
                   .dy = -0.05,
                   .angle = 359,
                   .score = 0.30000000000000004,
                   .others = 2,
                   .other_dx = {1.5, -2},
                   .other_dy = {0.25, 3}}},
    };
    const size_t kept[] = {0, 2, 4};
    const char *path = in_directory("drift.csv"), *end = ",0.30000000000000004,3,1.5 0.25;-2 3\n";
    penta_io_drift_row *back;
    size_t n;
    char *text;

    assert_true(penta_io_drift_write(path, 5, rows, &err));
    text = (char *)read_file(path, &n);
    expect_start(text, "index,file,dx,dy,angle,score,places,others\n0,\"a, \"\"b\"\".png\",0,0,0,1,1,\n1,c.png[3],");
    assert_memory_equal(text + n - strlen(end), end, strlen(end));
    free(text);
    EXPECT_IO(penta_io_drift_read(path, &back, &n, &err), err);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(back[i].file, rows[kept[i]].file);
        assert_true(back[i].done && !back[i].skipped);
        expect_same(back[i].drift.dx, rows[kept[i]].drift.dx);
        expect_same(back[i].drift.dy, rows[kept[i]].drift.dy);
        expect_same(back[i].drift.angle, rows[kept[i]].drift.angle);
        expect_same(back[i].drift.score, rows[kept[i]].drift.score);
    }
    penta_io_drift_free(back, n);
    assert_true(penta_io_drift_write(path, 0, rows, &err) && penta_io_drift_read(path, &back, &n, &err));
    assert_int_equal(n, 0);
    penta_io_drift_free(back, n);
}

static void refuses(const char *text, const char *what)
{
    const char *path = write_file("bad.csv", text, strlen(text));
    penta_io_drift_row *rows = (penta_io_drift_row *)&rows;
    penta_io_error err = {""};
    size_t n = 7;

    if (penta_io_drift_read(path, &rows, &n, &err))
        fail_msg("'%s' was read", text);
    assert_null(rows);
    assert_int_equal(n, 0);
    expect_line(&err, path, what);
}

IO_TEST(other_tables_are_refused)
{
    penta_io_drift_row *rows;
    size_t n;

    refuses("index,file,dx,dy,angle\n0,a,1,2,3\n", "no column score");
    refuses("index,file,dx,dy,angle,score\n0,a,1,2,3,x\n", "line 2, column 6 (score)");
    refuses("index,file,dx,dy,angle,score\n0,a,1,,3,1\n", "line 2, column 4 (dy)");
    refuses("index,file,dx,dy,angle,score\n0,a,1,2,3,1\n2,b,1,2,3,1\n", "not in order");
    refuses("index,file,dx,dy,angle,score\n0,a,1,2\n", "line 2");
    assert_false(penta_io_drift_read(in_directory("none.csv"), &rows, &n, &err));
    assert_false(penta_io_drift_write(in_directory("no/drift.csv"), 0, NULL, &err));
}

/* ---- the sheet ---- */

enum { W = 480, H = 300 };

static void keep(sheet *s, size_t number, bool colour)
{
    HELD uint8_t *before = calloc((size_t)W * H, colour ? 3 : 1), *mask = malloc((size_t)W * H);
    HELD float *after = malloc((size_t)W * H * sizeof *after);
    const penta_io_image first = {W, H, PENTA_U8, before, colour ? 3 : 1}, last = {W, H, PENTA_F32, after, 1};

    assert_true(before && mask && after);
    for (size_t i = 0; i < (size_t)W * H; i++) { /* left dark, right light; the mask's upper half does not count */
        for (size_t c = 0; c < first.channels; c++)
            before[first.channels * i + c] = i % W < W / 2 ? 10 : 90;
        after[i] = i % W < W / 2 ? -1 : 3;
        mask[i] = i >= (size_t)W * (H / 2);
        if (!mask[i])
            after[i] = NAN;
    }
    assert_true(sheet_keep(s, number, "frame", &first, &last, mask));
}

static void expect_colour(const sheet_cell *cell, const uint8_t *rgb, size_t x, size_t y, int r, int g, int b)
{
    const uint8_t *p = rgb + 3 * (y * cell->width[0] + x);

    if (abs(p[0] - r) > 2 || abs(p[1] - g) > 2 || abs(p[2] - b) > 2)
        fail_msg("(%zu, %zu) is %d %d %d instead of %d %d %d", x, y, p[0], p[1], p[2], r, g, b);
}

static void check_cell(bool colour)
{
    HELD_BY(sheet_close) sheet s;
    const sheet_cell *cell = &s.cells[0];

    sheet_open(&s, 1);
    keep(&s, 0, colour);
    assert_int_equal(cell->width[0], 240);
    assert_int_equal(cell->height[0], 150);
    expect_colour(cell, cell->before, 10, 10, 0, 0, 0);
    expect_colour(cell, cell->before, 200, 140, 255, 255, 255);
    expect_colour(cell, cell->after, 10, 10, 220, 30, 30);
    expect_colour(cell, cell->after, 10, 140, 0, 0, 0);
    expect_colour(cell, cell->after, 200, 140, 255, 255, 255);
}

TEST(pictures)
{
    check_cell(false);
    check_cell(true);
}

/* Of a long series eight, the first and the last among them; frames that were left out leave no gap in the file. */
IO_TEST(frames_kept)
{
    const char *path = in_directory("sheet.png");
    size_t kept = 0;
    penta_io_image image;
    HELD_BY(sheet_close) sheet s;

    sheet_open(&s, 50);
    assert_true(sheet_write(&s, path, &err));
    assert_int_not_equal(access(path, F_OK), 0);
    for (size_t i = 0; i < 49; i++)
        keep(&s, i, false);
    for (size_t k = 0; k < SHEET_FRAMES; k++)
        kept += s.cells[k].label != NULL;
    assert_int_equal(kept, SHEET_FRAMES - 1);
    assert_non_null(s.cells[0].label);
    assert_null(s.cells[SHEET_FRAMES - 1].label);
    EXPECT_IO(sheet_write(&s, path, &err) && penta_io_image_read(path, &image, &err), err);
    assert_in_range(image.width, 7 * 240, 7 * 260 + 20);
    assert_in_range(image.height, 2 * 150, 2 * 150 + 60);
    penta_io_image_free(&image);
    keep(&s, 49, false);
    assert_non_null(s.cells[SHEET_FRAMES - 1].label);
}

TEST(titles)
{
    static const char *const whole[] = {"frame-0001.png", "photos/2026/frame-0001.png", "/frame-0001.png", "", "a/"};
    static const char *const titles[] = {"frame-0001.png", "frame-0001.png", "frame-0001.png", "", ""};
    char title[SHEET_TITLE], longest[400] = "folder/";

    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        assert_false(sheet_title(whole[i], title));
        assert_string_equal(title, titles[i]);
    }
    assert_true(sheet_title("a/a-long-name-of-a-camera-on-a-microscope-of-2026-frame-000123.png", title));
    assert_memory_equal(title, "a-long-name", 11);
    assert_non_null(strstr(title, "..."));
    assert_string_equal(title + strlen(title) - 10, "000123.png");
    assert_in_range(figure_text_width(9, true, title), 240 - 20, 240);
    memset(longest + 7, 'i', 380);
    longest[386] = 'z';
    assert_true(sheet_title(longest, title));
    assert_in_range(strlen(title), 20, SHEET_TITLE - 1);
    assert_int_equal(title[strlen(title) - 1], 'z');
}

/* Nothing but a mask, and nothing but one level. */
IO_TEST(flat_pictures)
{
    uint8_t grey[16] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, none[16] = {0};
    const penta_io_image image = {4, 4, PENTA_U8, grey, 1};
    const char *path = in_directory("flat.png");
    HELD_BY(sheet_close) sheet s;

    sheet_open(&s, 1);
    assert_true(sheet_keep(&s, 0, "", &image, &image, none));
    assert_int_equal(s.cells[0].before[0], 128);
    assert_int_equal(s.cells[0].after[0], 220);
    assert_true(sheet_write(&s, path, &err));
}

IN_DIRECTORY;
