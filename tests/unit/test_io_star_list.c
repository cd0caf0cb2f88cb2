/* Lists of stars on the image: columns, names, motion, and every error. */
#define _POSIX_C_SOURCE 200809L

#include "io_files.h"

#include <pentacl/io/catalog.h>

static penta_io_star_list open_list(const char *text)
{
    penta_io_star_list list;
    penta_io_error err = {""};

    if (!penta_io_star_list_read(write_file("a.csv", text, strlen(text)), &list, &err))
        fail_msg("%s", err.text);
    assert_int_equal(list.ids.n, list.n);
    return list;
}

static void expect_list_error(const char *text, const char *what)
{
    const char *path = write_file("bad.csv", text, strlen(text));
    penta_io_star_list list;
    penta_io_error err = {""};

    memset(&list, 1, sizeof list);
    assert_false(penta_io_star_list_read(path, &list, &err));
    assert_true(list.n == 0 && !list.x && !list.motion_x && !list.ids.kind);
    if (strncmp(err.text, path, strlen(path)) != 0 || !strstr(err.text, what) || strchr(err.text, '\n'))
        fail_msg("'%s' should name the file and say '%s' in one line", err.text, what);
}

static void expect_name(const penta_io_star_list *list, size_t i, const char *name)
{
    char buffer[PENTA_IO_STAR_NAME_BYTES];

    assert_string_equal(penta_io_star_name(&list->ids, i, buffer), name);
}

static void test_columns(void **state)
{
    penta_io_star_list list = open_list("x,y,mag\n7.25,8.60,3\n-1.2,1e5,-1.5\n");

    (void)state;
    assert_int_equal(list.n, 2);
    assert_true(list.x[0] == 7.25 && list.y[0] == 8.6 && list.mag[0] == 3);
    assert_true(list.x[1] == -1.2 && list.y[1] == 1e5 && list.mag[1] == -1.5);
    assert_null(list.motion_x);
    assert_null(list.motion_y);
    expect_name(&list, 0, "1");
    expect_name(&list, 1, "2");
    penta_io_star_list_free(&list);
    penta_io_star_list_free(&list); /* zeroed */
}

static void test_any_order_and_extra_columns(void **state)
{
    /* the columns of --truth, then motion; lines that are not records */
    penta_io_star_list list = open_list("# from a run\n\nid;ra;dec;MAG;X;y;flux;saturated;MY;mx\n"
                                        "HR 2491;101.3;-16.7;-1.46;3;4;;no;-2;1.5\n"
                                        "4295806720000000001;;;5;6;7;x;nan;0;0\n;;;8;9;10;;;1e-3;-1\n");

    (void)state;
    assert_int_equal(list.n, 3);
    assert_true(list.x[0] == 3 && list.y[0] == 4 && list.mag[0] == -1.46);
    assert_true(list.motion_x[0] == 1.5 && list.motion_y[0] == -2);
    assert_true(list.motion_x[2] == -1 && list.motion_y[2] == 1e-3);
    expect_name(&list, 0, "HR 2491");
    expect_name(&list, 1, "4295806720000000001");
    expect_name(&list, 2, "3");
    penta_io_star_list_free(&list);
}

static void test_no_stars(void **state)
{
    penta_io_star_list list = open_list("x,y,mag,mx,my\n");

    (void)state;
    assert_int_equal(list.n, 0);
    assert_non_null(list.x);
    assert_non_null(list.motion_y);
    penta_io_star_list_free(&list);
}

static void test_missing_columns(void **state)
{
    penta_io_star_list list;
    penta_io_error err = {""};

    (void)state;
    expect_list_error("x,y,magnitude\n1,2,3\n",
                      "has no column mag; the first line must name x, y and mag, but its columns are: x, y, magnitude");
    expect_list_error("1,2,3\n4,5,6\n",
                      "has no column x, y, mag; the first line must name x, y and mag, but its columns "
                      "are: 1, 2, 3");
    expect_list_error("col,y,mag\n", "has no column x;");
    expect_list_error("x,y,mag,mx\n1,2,3,4\n", "has a column mx but no my; a motion needs both");
    expect_list_error("x,y,mag,my\n1,2,3,4\n", "has a column my but no mx; a motion needs both");
    expect_list_error("", "empty (0 bytes)");
    expect_list_error("# x,y,mag\n", "holds no records");
    assert_false(penta_io_star_list_read(in_directory("none.csv"), &list, &err));
    assert_non_null(strstr(err.text, "no such file"));
}

static void test_bad_values(void **state)
{
    static const char *const bad[] = {"nan", "-inf", "1e999", "", "1,5x", "--"};
    static const char *const names[] = {"x", "y", "mag", "mx", "my"};
    char text[256], what[128];

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++)
        for (int column = 0; column < 5; column++) {
            int used = snprintf(text, sizeof text, "x;y;mag;mx;my\n1;2;3;4;5\n# note\n");

            for (int k = 0; k < 5; k++)
                used += snprintf(text + used, sizeof text - used, "%s%s", k ? ";" : "", k == column ? bad[i] : "1");
            snprintf(what, sizeof what, "line 4, column %d (%s): '%s' is not a finite number", column + 1,
                     names[column], bad[i]);
            expect_list_error(text, what);
        }
    expect_list_error("x,y,mag\n1,2,nan\nnan,2,3\n", "line 2, column 3"); /* the first in the file */
    expect_list_error("x,y,mag\n1,2\n", "line 2 has 2 fields");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),    cmocka_unit_test(test_any_order_and_extra_columns),
        cmocka_unit_test(test_no_stars),   cmocka_unit_test(test_missing_columns),
        cmocka_unit_test(test_bad_values),
    };

    return cmocka_run_group_tests_name("stars_list", tests, make_test_directory, remove_test_directory);
}
