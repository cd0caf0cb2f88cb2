/* CSV tables: quoting, delimiters, comments, headers, numbers, and every error. */

#include "io_files.h"

#include <pentacl/io/table.h>

static penta_io_table *open_csv(const char *text, int header)
{
    penta_io_table *csv = NULL;
    penta_io_error err = {""};

    EXPECT_IO(penta_io_table_open(write_file("a.csv", text, strlen(text)), header, &csv, &err), err);
    return csv;
}

/* Every field of the table, records divided by '|' and fields by '~'. */
static void expect_table(const char *text, int header, const char *expected)
{
    HELD_BY(penta_io_table_held) penta_io_table *csv = open_csv(text, header);
    char all[1024] = "";

    for (size_t row = 0; row < penta_io_table_rows(csv); row++)
        for (size_t column = 0; column < penta_io_table_columns(csv); column++) {
            strcat(all, column ? "~" : row ? "|" : "");
            strcat(all, penta_io_table_text(csv, row, column));
        }
    assert_string_equal(all, expected);
}

static void expect_csv_error(const void *data, size_t size, const char *what)
{
    const char *path = write_file("bad.csv", data, size);
    penta_io_table *csv = (penta_io_table *)&csv;
    penta_io_error err = {""};

    assert_false(penta_io_table_open(path, PENTA_IO_TABLE_AUTO, &csv, &err));
    assert_null(csv);
    expect_line(&err, path, what);
}

TEST(delimiters)
{
    expect_table("1,2\n3,4\n", PENTA_IO_TABLE_NO_HEADER, "1~2|3~4");
    expect_table("1;2\n3;4", PENTA_IO_TABLE_NO_HEADER, "1~2|3~4");
    expect_table("1\t2\n3\t4\n", PENTA_IO_TABLE_NO_HEADER, "1~2|3~4");
    expect_table("0,5;1\n2,5;3\n", PENTA_IO_TABLE_NO_HEADER, "0,5~1|2,5~3");
    expect_table("\"a;b;c\",d\n1,2\n", PENTA_IO_TABLE_NO_HEADER, "a;b;c~d|1~2");
    expect_table("1\n2\n", PENTA_IO_TABLE_NO_HEADER, "1|2");
    expect_table("\ta\t\n1\t2\t3\n", PENTA_IO_TABLE_NO_HEADER, "~a~|1~2~3");
}

TEST(lines_and_comments)
{
    expect_table("\xef\xbb\xbf# note, with a comma\r\n\r\n1,2\r\n  \n #x\n3,4\r\n# end", PENTA_IO_TABLE_NO_HEADER,
                 "1~2|3~4");
    expect_table("1,2\r3,4\r", PENTA_IO_TABLE_NO_HEADER, "1~2|3~4");
    expect_table(",\n,5\n", PENTA_IO_TABLE_NO_HEADER, "~|~5");
    expect_table("a#b,\"#c\"\n", PENTA_IO_TABLE_NO_HEADER, "a#b~#c");
}

TEST(quotes_and_blanks)
{
    expect_table("\"a,b\",\"say \"\"hi\"\"\"\n\"x\r\ny\",\"\"\n", PENTA_IO_TABLE_NO_HEADER, "a,b~say \"hi\"|x\r\ny~");
    expect_table("  a b , \" c \" ,d\t\n", PENTA_IO_TABLE_NO_HEADER, "a b~ c ~d");
    expect_table("5\" disk,1\n6,2\n", PENTA_IO_TABLE_HEADER, "6~2");
}

TEST(header)
{
    penta_io_table *csv = open_csv("Name,RA\nVega,279.2\n", PENTA_IO_TABLE_AUTO);

    assert_int_equal(penta_io_table_rows(csv), 1);
    assert_int_equal(penta_io_table_columns(csv), 2);
    assert_int_equal(penta_io_table_column(csv, "ra"), 1);
    assert_int_equal(penta_io_table_column(csv, "NAME"), 0);
    assert_int_equal(penta_io_table_column(csv, "nam"), -1);
    assert_int_equal(penta_io_table_column(csv, "names"), -1);
    assert_string_equal(penta_io_table_text(csv, 0, 0), "Vega");
    assert_string_equal(penta_io_table_text(csv, 1, 0), "");
    assert_string_equal(penta_io_table_text(csv, 0, 2), "");
    penta_io_table_close(csv);

    csv = open_csv("1, ,-2e3\n4,5,6\n", PENTA_IO_TABLE_AUTO); /* numbers and a missing value: data */
    assert_int_equal(penta_io_table_rows(csv), 2);
    assert_int_equal(penta_io_table_column(csv, "1"), -1);
    penta_io_table_close(csv);
    csv = open_csv("a,b\n", PENTA_IO_TABLE_AUTO);
    assert_int_equal(penta_io_table_rows(csv), 0);
    penta_io_table_close(csv);
    csv = open_csv("a,b\n", PENTA_IO_TABLE_NO_HEADER);
    assert_int_equal(penta_io_table_rows(csv), 1);
    penta_io_table_close(csv);
    csv = open_csv("1,2\n3,4\n", PENTA_IO_TABLE_HEADER);
    assert_int_equal(penta_io_table_rows(csv), 1);
    assert_int_equal(penta_io_table_column(csv, "2"), 1);
    penta_io_table_close(csv);
    penta_io_table_close(NULL);
}

static void expect_number_error(const penta_io_table *csv, size_t row, size_t column, const char *what)
{
    penta_io_error err = {""};
    double value;

    assert_false(penta_io_table_number(csv, row, column, &value, &err));
    expect_text(err.text, what);
}

IO_TEST(numbers)
{
    HELD_BY(penta_io_table_held)
    penta_io_table *csv =
        open_csv("# c\nt,\"v\"\n-1.5e-3,\" 7 \"\n\"two\nlines\",nan\n1e999,\n12x,inf\n", PENTA_IO_TABLE_AUTO);
    double value = 0;

    assert_true(penta_io_table_number(csv, 0, 0, &value, &err));
    assert_true(value == -1.5e-3);
    assert_true(penta_io_table_number(csv, 0, 1, &value, &err));
    assert_true(value == 7);
    expect_number_error(csv, 1, 0, "line 4, column 1 (t): 'two?lines' is not a finite number");
    expect_number_error(csv, 1, 1, "line 4, column 2 (v): 'nan'");
    expect_number_error(csv, 2, 0, "line 6, column 1 (t): '1e999'");
    expect_number_error(csv, 2, 1, "line 6, column 2 (v): ''");
    expect_number_error(csv, 3, 0, "line 7, column 1 (t): '12x'");
    expect_number_error(csv, 3, 1, "'inf'");
    expect_number_error(csv, 4, 0, "no row 5");
    expect_number_error(csv, 0, 2, "no column 3");
}

/* What C takes for numbers, but nobody writes into a table as one. */
IO_TEST(other_numbers)
{
    static const char *const bad[] = {"0x10", "0X1p3", "-0x1", "inf", "-Infinity", "nan", "NaN(7)", "1e",   "1e+",
                                      "+",    "--1",   "1 2",  ".",   "1,5",       "e5",  "1.2.3",  "1e5e5"};
    static const char *const good[] = {"10", "+10", "1e1", "1.E+1", "100e-1", " 10 ", "010", "10."};
    char text[64];
    penta_io_table *csv;
    double value;

    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(text, sizeof text, "a\n\"%s\"\n", bad[i]);
        csv = open_csv(text, PENTA_IO_TABLE_HEADER);
        expect_number_error(csv, 0, 0, "is not a finite number; correct it");
        penta_io_table_close(csv);
    }
    for (size_t i = 0; i < COUNT(good); i++) {
        snprintf(text, sizeof text, "a\n\"%s\"\n", good[i]);
        csv = open_csv(text, PENTA_IO_TABLE_HEADER);
        assert_true(penta_io_table_number(csv, 0, 0, &value, &err));
        assert_true(value == 10);
        penta_io_table_close(csv);
    }
    csv = open_csv("1,nan\n3,4\n", PENTA_IO_TABLE_AUTO); /* a bad value, not the name of a column */
    assert_int_equal(penta_io_table_rows(csv), 2);
    expect_number_error(csv, 0, 1, "line 1, column 2: 'nan' is not a finite number");
    penta_io_table_close(csv);
}

IO_TEST(errors)
{
    penta_io_table *csv;

    expect_csv_error("", 0, "empty (0 bytes)");
    expect_csv_error("# only\n\n", 8, "no records");
    expect_csv_error("a,b\n\n1,2,3\n", 11,
                     "line 3 has 3 fields, but the first record (line 1) has 2, separated by ','");
    expect_csv_error("a;b\n1\n", 6, "line 2 has 1 field, but");
    expect_csv_error("a,b\n1,\"2\n3,4\n", 13, "opened on line 2 is never closed");
    expect_csv_error("a,b\n\"1\"x,2\n", 11, "line 2: text follows a closing quote");
    expect_csv_error("a,\0b\n", 5, "byte 2 is zero");
    expect_csv_error("\xff\xfe"
                     "a\0",
                     4, "UTF-16");
    stretch_file(write_file("long.csv", "a,b\n", 4), (256ll << 20) + 1);
    assert_false(penta_io_table_open(in_directory("long.csv"), PENTA_IO_TABLE_AUTO, &csv, &err));
    assert_non_null(strstr(err.text, "over the limit of 268435456 for tables"));
    assert_false(penta_io_table_open(test_directory, PENTA_IO_TABLE_AUTO, &csv, &err));
    assert_non_null(strstr(err.text, "is a directory"));
    assert_false(penta_io_table_open(in_directory("none.csv"), PENTA_IO_TABLE_AUTO, &csv, &err));
    assert_non_null(strstr(err.text, "no such file"));
}

IO_TEST(put_reads_back)
{
    static const char *const fields[] = {"plain", "a,b", "a;b",   "tab\there", "say \"hi\"", "two\nlines",
                                         "cr\r",  "#x",  " lead", "trail ",    "",           "in#side"};
    const char *path = in_directory("put.csv");
    FILE *f = fopen(path, "wb");
    HELD_BY(penta_io_table_held) penta_io_table *csv = NULL;

    assert_non_null(f);
    for (int record = 0; record < 2; record++) {
        for (size_t i = 0; i < COUNT(fields); i++) {
            penta_io_table_put(f, fields[(i + 7 * record) % COUNT(fields)]);
            putc(i + 1 < COUNT(fields) ? ',' : '\n', f);
        }
    }
    fclose(f);
    assert_true(penta_io_table_open(path, PENTA_IO_TABLE_NO_HEADER, &csv, &err));
    assert_int_equal(penta_io_table_columns(csv), COUNT(fields));
    assert_int_equal(penta_io_table_rows(csv), 2);
    for (size_t i = 0; i < COUNT(fields); i++) {
        assert_string_equal(penta_io_table_text(csv, 0, i), fields[i]);
        assert_string_equal(penta_io_table_text(csv, 1, i), fields[(i + 7) % COUNT(fields)]);
    }
}

/* What spreadsheets run as formulas is no longer one, numbers stay numbers, and all of it reads back. */
IO_TEST(formulas)
{
    static const struct {
        const char *field, *written;
    } cases[] = {
        {"=1+2", "\"'=1+2\""}, {"+a", "\"'+a\""},     {"-x-1", "\"'-x-1\""},    {"@SUM(A1)", "\"'@SUM(A1)\""},
        {"\t=1", "\"'\t=1\""}, {"\r=1", "\"'\r=1\""}, {"-", "\"'-\""},          {"=\"a\"", "\"'=\"\"a\"\"\""},
        {"-1.5", "-1.5"},      {"+3e4", "+3e4"},      {"-1.5x", "\"'-1.5x\""},  {"-inf", "\"'-inf\""},
        {"'=1", "\"''=1\""},   {"''-2", "\"'''-2\""}, {"'quoted'", "'quoted'"}, {"a=b", "a=b"},
    };
    const char *path = in_directory("formulas.csv");
    penta_io_table *csv = NULL;
    char *text = NULL;

    for (size_t i = 0; i < COUNT(cases); i++) {
        FILE *f = fopen(path, "wb");

        assert_non_null(f);
        penta_io_table_put(f, cases[i].field);
        fclose(f);
        assert_true(penta_io_text_read(path, &text, &err));
        assert_string_equal(text, cases[i].written);
        free(text);
        assert_true(penta_io_table_open(path, PENTA_IO_TABLE_NO_HEADER, &csv, &err));
        assert_string_equal(penta_io_table_text(csv, 0, 0), cases[i].field);
        penta_io_table_close(csv);
    }
}

IO_TEST(no_controls)
{
    const char *path = in_directory("controls.csv");
    FILE *f = fopen(path, "wb");
    HELD char *text = NULL;

    assert_non_null(f);
    penta_io_table_put(f, "\x1b[31m\xc3\xa4\x07");
    penta_io_table_put(f, "a,\xc2\x9b"
                          "2J\x7f\n");
    fclose(f);
    assert_true(penta_io_text_read(path, &text, &err));
    assert_string_equal(text, "?[31m\xc3\xa4?\"a,?2J?\n\"");
}

IO_TEST(many_rows)
{
    const char *path = in_directory("many.csv");
    FILE *f = fopen(path, "wb");
    HELD_BY(penta_io_table_held) penta_io_table *csv = NULL;
    double value;

    assert_non_null(f);
    for (int i = 0; i < 5000; i++)
        fprintf(f, "%d,%d\n", i, i * i);
    fclose(f);
    assert_true(penta_io_table_open(path, PENTA_IO_TABLE_AUTO, &csv, &err));
    assert_int_equal(penta_io_table_rows(csv), 5000);
    for (size_t i = 0; i < 5000; i++) {
        assert_true(penta_io_table_number(csv, i, 1, &value, &err));
        assert_true(value == (double)(i * i));
    }
}

/* Whatever the bytes are, a table or an error: never a fault. Run under the sanitizers this is worth something. */
TEST(damaged_tables)
{
    static const char seed[] = "\xef\xbb\xbf# c\r\nname;\"x \"\"q\"\"\";y\n\"a\nb\";1;2\r\n c ; 3 ;\"4\" \n";
    static const char bytes[] = {'"', '\n', '\r', ';', ',', '#', 0, '\t', (char)0xff};
    char text[sizeof seed];
    penta_io_table *csv;
    penta_io_error err;

    for (size_t i = 0; i < sizeof seed - 1; i++)
        for (size_t k = 0; k <= sizeof bytes; k++) {
            memcpy(text, seed, sizeof seed);
            if (k < sizeof bytes)
                text[i] = bytes[k];
            err.text[0] = 0;
            if (penta_io_table_open(write_file("fuzz.csv", text, k < sizeof bytes ? sizeof seed - 1 : i),
                                    PENTA_IO_TABLE_AUTO, &csv, &err))
                penta_io_table_close(csv);
            else
                assert_true(err.text[0] != 0);
        }
}

IN_DIRECTORY;
