/* Lists of stars on the image: columns, names, motion, and every error. */

#include "io_files.h"

#include <pentacl/io/array.h>
#include <pentacl/io/catalog.h>

static penta_io_star_list open_list(const char *text)
{
    penta_io_star_list list;
    penta_io_error err = {""};

    EXPECT_IO(penta_io_star_list_read(write_file("a.csv", text, strlen(text)), &list, &err), err);
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

TEST(columns)
{
    penta_io_star_list list = open_list("x,y,mag\n7.25,8.60,3\n-1.2,1e5,-1.5\n");

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

TEST(any_order_and_extra_columns)
{
    /* the columns of --truth, then motion; lines that are not records */
    HELD_BY(penta_io_star_list_free)
    penta_io_star_list list = open_list("# from a run\n\nid;ra;dec;MAG;X;y;flux;saturated;MY;mx\n"
                                        "HR 2491;101.3;-16.7;-1.46;3;4;;no;-2;1.5\n"
                                        "4295806720000000001;;;5;6;7;x;nan;0;0\n;;;8;9;10;;;1e-3;-1\n");

    assert_int_equal(list.n, 3);
    assert_true(list.x[0] == 3 && list.y[0] == 4 && list.mag[0] == -1.46);
    assert_true(list.motion_x[0] == 1.5 && list.motion_y[0] == -2);
    assert_true(list.motion_x[2] == -1 && list.motion_y[2] == 1e-3);
    expect_name(&list, 0, "HR 2491");
    expect_name(&list, 1, "4295806720000000001");
    expect_name(&list, 2, "3");
}

TEST(no_stars)
{
    HELD_BY(penta_io_star_list_free) penta_io_star_list list = open_list("x,y,mag,mx,my\n");

    assert_int_equal(list.n, 0);
    assert_non_null(list.x);
    assert_non_null(list.motion_y);
}

IO_TEST(missing_columns)
{
    penta_io_star_list list;

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

TEST(bad_values)
{
    static const char *const bad[] = {"nan", "-inf", "1e999", "", "1,5x", "--"};
    static const char *const names[] = {"x", "y", "mag", "mx", "my"};
    char text[256], what[128];

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

/* ---- arrays ---- */

/* The header of an NPY array, then the bytes. */
static const char *write_array(const char *descr, const char *shape, bool fortran, const void *data, size_t bytes)
{
    unsigned char text[128 + 4096];

    assert_true(bytes <= 4096);
    memcpy(text, "\x93NUMPY\x01\x00\x76\x00", 10);
    memset(text + 10, ' ', 118);
    snprintf((char *)text + 10, 118, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr,
             fortran ? "True" : "False", shape);
    text[10 + strlen((char *)text + 10)] = ' ';
    text[127] = '\n';
    if (bytes > 0)
        memcpy(text + 128, data, bytes);
    return write_file("a.npy", text, 128 + bytes);
}

/* Star i of the arrays below: exact in float, too. */
static double number_of(size_t i, size_t column)
{
    return (double)i * 3 - 4 + 0.25 * (double)column;
}

static void expect_stars(const penta_io_star_list *list, size_t first, size_t n, size_t columns)
{
    const double *arrays[] = {list->x, list->y, list->mag, list->motion_x, list->motion_y};

    assert_int_equal(list->n, n);
    for (size_t c = 0; c < 5; c++) {
        assert_int_equal(arrays[c] != NULL, c < columns);
        for (size_t i = 0; c < columns && i < n; i++)
            assert_true(arrays[c][i] == number_of(first + i, c));
    }
}

enum { STARS = 21 };

/* Every order of numbers and of bytes, whole and in parts. */
static void check_array_of(size_t size, bool big, bool fortran, size_t columns)
{
    unsigned char data[STARS * 5 * 8];
    char descr[8], shape[32];
    const char *path;
    size_t n, found;
    bool is_array;
    penta_io_star_list list;
    penta_io_error err = {""};

    for (size_t i = 0; i < STARS; i++)
        for (size_t c = 0; c < columns; c++) {
            double d = number_of(i, c);
            float f = (float)d;
            unsigned char bytes[8], *to = data + (fortran ? c * STARS + i : i * columns + c) * size;

            memcpy(bytes, size == 8 ? (void *)&d : (void *)&f, size);
            for (size_t k = 0; k < size; k++)
                to[k] = bytes[big ? size - 1 - k : k];
        }
    snprintf(descr, sizeof descr, "%cf%zu", big ? '>' : '<', size);
    snprintf(shape, sizeof shape, "%d, %zu", STARS, columns);
    path = write_array(descr, shape, fortran, data, STARS * columns * size);
    assert_true(penta_io_star_array_look(path, &is_array, &n, &found, &err));
    assert_true(is_array && n == STARS && found == columns);
    assert_true(penta_io_star_list_read(path, &list, &err));
    expect_stars(&list, 0, STARS, columns);
    expect_name(&list, STARS - 1, "21");
    penta_io_star_list_free(&list);
    for (size_t first = 0; first <= STARS; first += 7) {
        assert_true(penta_io_star_array_read(path, first, STARS - first < 5 ? STARS - first : 5, &list, &err));
        expect_stars(&list, first, STARS - first < 5 ? STARS - first : 5, columns);
        assert_int_equal(list.ids.n, 0);
        penta_io_star_list_free(&list);
    }
    assert_false(penta_io_star_array_read(path, STARS - 1, 2, &list, &err));
    assert_true(strstr(err.text, "has 21 stars, not 2 from star 21 on") && !list.x);
}

TEST(arrays)
{
    for (int k = 0; k < 16; k++)
        check_array_of(k & 1 ? 8 : 4, k & 2, k & 4, k & 8 ? 3 : 5);
}

/* More stars than are read at a time. */
IO_TEST(long_array)
{
    enum { MANY = 70001 };
    HELD float *rows = malloc(MANY * 3 * sizeof *rows);
    const char *path = in_directory("long.npy");
    const size_t shape[] = {MANY, 3};
    HELD_BY(penta_io_star_list_free) penta_io_star_list list;

    assert_non_null(rows);
    for (size_t i = 0; i < MANY; i++)
        for (size_t c = 0; c < 3; c++)
            rows[3 * i + c] = (float)number_of(i, c);
    assert_true(penta_io_npy_write(path, PENTA_F32, 2, shape, rows, &err));
    assert_true(penta_io_star_array_read(path, 3, MANY - 3, &list, &err));
    expect_stars(&list, 3, MANY - 3, 3);
}

static void expect_array_error(const char *path, const char *what)
{
    penta_io_star_list list;
    penta_io_error err = {""};

    memset(&list, 1, sizeof list);
    assert_false(penta_io_star_list_read(path, &list, &err));
    assert_true(list.n == 0 && !list.x && !list.motion_x && !list.ids.kind);
    expect_line(&err, path, what);
}

IO_TEST(bad_arrays)
{
    double values[15] = {1, 2, 3, 4, 5, 6};
    penta_io_star_list list;
    size_t n = 1, columns = 1;
    bool is_array = true;

    expect_array_error(write_array("<f8", "6,", false, values, 48), "the array has 1 dimension;");
    expect_array_error(write_array("<f8", "3, 2", false, values, 48), "the array is 3 x 2; stars are n x 3");
    expect_array_error(write_array("<i4", "2, 3", false, values, 24), "elements of type '<i4'; stars are float64");
    expect_array_error(write_array("<f8", "2, 3", false, values, 47), "truncated or damaged");
    expect_array_error(write_array("<f8", "2, 3", false, values, 49), "save one array per file");
    expect_array_error(write_array("<f8", "6148914691236517205, 3", false, values, 48), "truncated or damaged");
    values[4] = NAN;
    expect_array_error(write_array("<f8", "2, 3", false, values, 48), "star 2: its y is not a finite number");
    values[4] = 5;
    values[2] = -51;
    expect_array_error(write_array("<f8", "2, 3", false, values, 48), "star 1: a star of magnitude -51");
    assert_true(penta_io_star_list_read(write_array("<f8", "0, 3", false, values, 0), &list, &err));
    assert_true(list.n == 0 && list.x && !list.motion_x);
    penta_io_star_list_free(&list);
    assert_true(penta_io_star_array_look(write_file("t.csv", "x,y,mag\n", 8), &is_array, &n, &columns, &err));
    assert_true(!is_array && n == 0 && columns == 0);
}

IN_DIRECTORY;
