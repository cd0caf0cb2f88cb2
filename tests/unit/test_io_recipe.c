/* Recipes: read into tables as flags are, flags before them, errors that name file and key, and written so that reading
 * gives the same values back. */
#include "support/test.h"

#include <pentacl/io/recipe.h>
#include "io_files.h"

static const char *file;

static void write_recipe(const char *text)
{
    file = write_file("recipe.json", text, strlen(text));
}

/* ---- tables with every type of option ---- */

typedef struct {
    int count, kind;
    double width;
    bool quick;
    const char *title;
} values;

static const penta_option rows[] = {PENTA_INT_OPTION(values, count, 0, 7, 0, 100, "px", "how many"),
                                    PENTA_CHOICE_OPTION(values, kind, 0, "plain,round|circular,square", "which"),
                                    PENTA_REAL_OPTION(values, width, 0, 0.2, 0, 10, "px", "how wide"),
                                    PENTA_FLAG_OPTION(values, quick, 0, "whether"),
                                    PENTA_TEXT_OPTION(values, title, 0, "NAME", "what it is called"),
                                    PENTA_OPTIONS_END};

static const penta_io_recipe_table *tables_of(values *v, bool *given)
{
    static penta_io_recipe_table tables[2];

    tables[0] = (penta_io_recipe_table){rows, v, given};
    tables[1] = (penta_io_recipe_table){0};
    penta_options_init(rows, v);
    return tables;
}

static void expect_values(const values *v, int count, int kind, double width, bool quick, const char *title)
{
    assert_int_equal(v->count, count);
    assert_int_equal(v->kind, kind);
    expect_near(v->width, width, 0);
    assert_int_equal(v->quick, quick);
    if (title)
        assert_string_equal(v->title, title);
    else
        assert_null(v->title);
}

TEST(every_type)
{
    values v;
    penta_io_recipe_strings *text;
    penta_io_error error = {""};

    write_recipe("{\"count\": 12, \"kind\": \"circular\", \"width\": 3, \"quick\": true, \"title\": \"a b\"}");
    assert_true(penta_io_recipe_read_tables(file, tables_of(&v, NULL), &text, &error));
    expect_values(&v, 12, 1, 3, true, "a b");
    penta_io_recipe_strings_free(text);
    write_recipe("{\"count\": 4.0, \"width\": 1e-3, \"quick\": false, \"title\": null}");
    assert_true(penta_io_recipe_read_tables(file, tables_of(&v, NULL), &text, &error));
    expect_values(&v, 4, 0, 1e-3, false, NULL);
    penta_io_recipe_strings_free(text);
    write_recipe("{}");
    assert_true(penta_io_recipe_read_tables(file, tables_of(&v, NULL), &text, &error));
    expect_values(&v, 7, 0, 0.2, false, NULL);
    penta_io_recipe_strings_free(text);
}

TEST(flags_go_before)
{
    values v;
    bool given[COUNT(rows)] = {[0] = true, [4] = true};
    const penta_io_recipe_table *tables = tables_of(&v, given);
    penta_io_recipe_strings *text;
    penta_io_error error = {""};

    v.count = 55;
    v.title = "flag";
    write_recipe("{\"count\": 12, \"kind\": \"square\", \"title\": null}");
    assert_true(penta_io_recipe_read_tables(file, tables, &text, &error));
    expect_values(&v, 55, 2, 0.2, false, "flag");
    penta_io_recipe_strings_free(text);
}

TEST(written_and_read)
{
    static const values sent = {3, 2, 1.0 / 3, true, "quotes \" and \xC3\xA4"};
    values v = sent, back;
    const penta_io_recipe_table tables[] = {{rows, &v, NULL}, {0}};
    char *written = penta_io_recipe_text(tables, NULL);
    penta_io_recipe_strings *text;
    penta_io_error error = {""};

    assert_non_null(written);
    assert_string_equal(written, "{\n  \"count\": 3,\n  \"kind\": \"square\",\n  \"width\": 0.3333333333333333,\n"
                                 "  \"quick\": true,\n  \"title\": \"quotes \\\" and \xC3\xA4\"\n}");
    write_recipe(written);
    free(written);
    assert_true(penta_io_recipe_read_tables(file, tables_of(&back, NULL), &text, &error));
    expect_values(&back, sent.count, sent.kind, sent.width, sent.quick, sent.title);
    penta_io_recipe_strings_free(text);
}

TEST(errors_name_file_and_key)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "empty"},
        {"{\"count\": 3", "is no JSON (line 1"},
        {"{\"count\": 3} x", "is no JSON (line 1"},
        {"{\"count\": 3, \"count\": 4}", "duplicate"},
        {"[1, 2]", "is no recipe"},
        {"7", "is no recipe"},
        {"{\"cuont\": 3}", "there is no option 'cuont'; the nearest is count"},
        {"{\"colour_kind\": 3}", "there is no option 'colour_kind'; penta prepare --print-recipe"},
        {"{\"Kind\": 3}", "the nearest is kind"},
        {"{\"frame\": 3}", "there is no option 'frame'; penta prepare"},
        {"{\"output\": \"x\"}", "'output' is an option of the command, not of a recipe"},
        {"{\"keep-going\": true}", "'keep-going' is an option of the command"},
        {"{\"tilte\": \"a\"}", "the nearest is title"},
        {"{\"\": 1}", "there is no option ''"},
        {"{\"count\": \"3\"}", "count needs a whole number, not \"3\""},
        {"{\"count\": 3.5}", "count needs a whole number, not 3.5"},
        {"{\"count\": null}", "count needs a whole number, not null"},
        {"{\"count\": true}", "count needs a whole number, not true"},
        {"{\"count\": 101}", "count is 101 px; it must be between 0 and 100"},
        {"{\"count\": -1}", "count is -1 px"},
        {"{\"count\": 4294967299}", "count is 4294967299 px"},
        {"{\"width\": \"wide\"}", "width needs a number, not \"wide\""},
        {"{\"width\": [1]}", "width needs a number, not [1]"},
        {"{\"width\": 10.5}", "width is 10.5 px; it must be between 0 and 10"},
        {"{\"kind\": 1}", "kind needs a name in quotes, not 1"},
        {"{\"kind\": \"rond\"}", "kind needs one of plain,round|circular,square, not 'rond'"},
        {"{\"quick\": 1}", "quick needs true or false, not 1"},
        {"{\"quick\": \"yes\"}", "quick needs true or false"},
        {"{\"title\": 5}", "title needs text in quotes, or null, not 5"},
        {"{\"title\": \"a\\u0000b\"}", "is no JSON"},
        {"{\"count\": {\"a\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22]}}",
         "..."},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        values v;
        penta_io_error error = {""};
        penta_io_recipe_strings *text = (penta_io_recipe_strings *)&v;

        write_recipe(cases[i].text);
        assert_false(penta_io_recipe_read_tables(file, tables_of(&v, NULL), &text, &error));
        assert_null(text);
        expect_text(error.text, file);
        expect_text(error.text, cases[i].says);
    }
}

TEST(no_file)
{
    penta_io_recipe r;
    penta_io_error error = {""};

    assert_false(penta_io_recipe_read("/nowhere/recipe.json", &r, &error));
    expect_text(error.text, "/nowhere/recipe.json");
    penta_io_recipe_free(&r);
    error.text[0] = 0;
    assert_false(penta_io_recipe_read(test_directory, &r, &error));
    expect_text(error.text, test_directory);
    penta_io_recipe_free(&r);
}

/* ---- the recipe of penta prepare ---- */

TEST(prepare_options)
{
    penta_io_recipe r;
    penta_io_error error = {""};

    write_recipe("{\"crop\": \"1,2,30,40\", \"flatten\": \"poly\", \"register\": \"rigid\", \"dark\": \"d.tif\"}");
    assert_true(penta_io_recipe_read(file, &r, &error));
    assert_string_equal(r.options.crop, "1,2,30,40");
    assert_int_equal(r.options.flatten, PENTA_PREPARE_POLY);
    assert_int_equal(r.options.registration, PENTA_PREPARE_RIGID);
    assert_int_equal(r.options.dust_size, 16); /* the default */
    assert_string_equal(r.files.dark, "d.tif");
    assert_null(r.files.flat);
    penta_io_recipe_free(&r);
    write_recipe("{\"registration\": \"rigid\"}"); /* the field's name, but not the option's */
    assert_false(penta_io_recipe_read(file, &r, &error));
    expect_text(error.text, "there is no option 'registration'");
    penta_io_recipe_free(&r);
}

/* All defaults, written and read, are the defaults. */
TEST(default_recipe)
{
    HELD_BY(penta_io_recipe_free) penta_io_recipe r = {0};
    const penta_io_recipe_table tables[] = {
        {penta_prepare_option_table(), &r.options, NULL}, {penta_io_recipe_file_table(), &r.files, NULL}, {0}};
    penta_io_error error = {""};
    HELD char *written = NULL, *again = NULL;

    penta_prepare_options_init(&r.options);
    written = penta_io_recipe_text(tables, NULL);
    assert_non_null(written);
    write_recipe(written);
    assert_true(penta_io_recipe_read(file, &r, &error));
    again = penta_io_recipe_text(tables, NULL);
    assert_string_equal(written, again);
}

TEST(same)
{
    penta_io_recipe_difference d;
    values v = {0}, other;
    const penta_io_recipe_table tables[] = {{rows, &v, NULL}, {0}}, others[] = {{rows, &other, NULL}, {0}};
    HELD char *a = NULL, *b = NULL, *less = NULL;

    penta_options_init(rows, &v);
    other = v;
    other.width = 0.1 + 0.2; /* 0.3 but for its 17th digit */
    v.width = 0.3;
    a = penta_io_recipe_text(tables, NULL);
    b = penta_io_recipe_text(others, NULL);
    less = penta_io_recipe_text(tables, "kind");
    assert_true(a && b && less);
    assert_true(penta_io_recipe_same(a, a, NULL));
    assert_false(penta_io_recipe_same(a, b, &d));
    assert_string_equal(d.key, "width");
    assert_false(penta_io_recipe_same(less, a, &d));
    assert_string_equal(d.key, "kind");
    assert_string_equal(d.a, "unset");
    assert_string_equal(d.b, "\"plain\"");
    assert_false(penta_io_recipe_same(a, less, &d));
    assert_string_equal(d.key, "");
    assert_false(penta_io_recipe_same(a, "no recipe", &d));
    assert_string_equal(d.key, "");
}

IN_DIRECTORY;
