/* Frames that arrive in a directory. */
#include "support/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "prepare/arrivals.h"
#include "io_files.h"

/* ---- names ---- */

TEST(order_of_names)
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
    penta_io_error error = {""};

    EXPECT_IO(arrivals_look(a, &list, &count, &late, &error), error);
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(list[i].path, test_directory, strlen(test_directory));
        assert_true(list[i].time > 1e9);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i > 0 ? " " : "",
                 list[i].path + strlen(test_directory) + 1);
    }
    if (late)
        snprintf(text + strlen(text), sizeof text - strlen(text), "|%s", late);
    assert_string_equal(text, expected);
    arrivals_free(list, count);
    free(late);
}

TEST(whole_after_two_looks)
{
    arrivals *a = arrivals_open(test_directory);

    empty_directory(test_directory);
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

static void failed(arrivals *a, const char *name, double later, int64_t more)
{
    struct stat about;

    assert_int_equal(stat(in_directory(name), &about), 0);
    assert_true(arrivals_failed(a, name, (double)about.st_mtim.tv_sec + 1e-9 * (double)about.st_mtim.tv_nsec + later,
                                more < 0 ? -1 : about.st_size + more));
}

/* What could not be used is given out again, before what is new, once its size or time is another. */
TEST(given_out_again)
{
    arrivals *a = arrivals_open(test_directory);

    empty_directory(test_directory);
    write_file("f1.png", "1", 1);
    write_file("f2.png", "1", 1);
    write_file("f3.png", "1", 1);
    expect_look(a, "");
    expect_look(a, "f1.png f2.png f3.png");
    failed(a, "f2.png", 0, 0);
    expect_look(a, "");
    expect_look(a, "");
    write_file("f2.png", "12", 2);
    write_file("f1.png", "12", 2); /* was fine */
    expect_look(a, "");
    write_file("f2.png", "123", 3); /* still grows */
    write_file("f4.png", "1", 1);
    expect_look(a, "");
    expect_look(a, "f2.png f4.png");
    expect_look(a, "");
    write_file("f2.png", "1234", 4); /* it was fine this time */
    expect_look(a, "");
    expect_look(a, "");
    failed(a, "f4.png", 0, 0);
    assert_int_equal(unlink(in_directory("f4.png")), 0);
    expect_look(a, "");
    expect_look(a, "");
    write_file("f4.png", "12", 2);
    expect_look(a, "");
    expect_look(a, "f4.png");
    arrivals_close(a);

    a = arrivals_open(test_directory); /* after a restart */
    failed(a, "f1.png", 0, 0);
    failed(a, "f2.png", 0, -1);
    failed(a, "f3.png", -1, 0);
    failed(a, "f4.png", 0, 1);
    expect_look(a, "");
    expect_look(a, "f3.png f4.png");
    expect_look(a, "");
    arrivals_close(a);
}

TEST(late_names)
{
    arrivals *a = arrivals_open(test_directory);

    empty_directory(test_directory);
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

TEST(empty_files)
{
    arrivals *a = arrivals_open(test_directory);

    empty_directory(test_directory);
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

TEST(no_directory)
{
    arrivals *a = arrivals_open(in_directory("nowhere"));
    arrival *list;
    size_t count;
    char *late;
    penta_io_error error = {""};

    assert_false(arrivals_look(a, &list, &count, &late, &error));
    expect_text(error.text, "nowhere: cannot be read");
    assert_null(list);
    arrivals_close(a);
}

IN_DIRECTORY;
