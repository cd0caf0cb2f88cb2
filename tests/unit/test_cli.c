/* Flags of commands: which table was used, -o under a command's own name, operands that are none, and the help. */
#include "cli.c"

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/expect.h"

typedef struct {
    int count;
    bool quick;
} method_flags;

typedef struct {
    const char *title;
} label_flags;

static const penta_option method_table[] = {PENTA_INT_OPTION(method_flags, count, 'c', 7, 0, 100, "px", "how many"),
                                            PENTA_FLAG_OPTION(method_flags, quick, 0, "whether"), PENTA_OPTIONS_END};
static const penta_option label_table[] = {PENTA_TEXT_OPTION(label_flags, title, 't', "NAME", "what it is called"),
                                           PENTA_OPTIONS_END};

static method_flags method;
static label_flags label;
static cli_common common;
static bool method_given, label_given;

static const cli_table tables[] = {{"Method", method_table, &method, &method_given},
                                   {"Labels", label_table, &label, &label_given},
                                   {"Common", cli_common_table, &common, NULL},
                                   {0}};

/* What went to a stream of the program while it was caught. */
static char caught[8192];
static FILE *caught_file;
static int caught_fd, kept_fd;

static void catch_begin(FILE *stream)
{
    fflush(stream);
    caught_fd = fileno(stream);
    kept_fd = dup(caught_fd);
    caught_file = tmpfile();
    assert_true(kept_fd >= 0 && caught_file);
    assert_true(dup2(fileno(caught_file), caught_fd) >= 0);
}

static void catch_end(FILE *stream)
{
    size_t length;

    fflush(stream);
    assert_true(dup2(kept_fd, caught_fd) >= 0);
    close(kept_fd);
    rewind(caught_file);
    length = fread(caught, 1, sizeof caught - 1, caught_file);
    caught[length] = 0;
    fclose(caught_file);
}

typedef int parser(const cli_spec *spec, int argc, char **argv, int *first);

/* Parses "penta test LINE" and catches stderr, or stdout where help is asked for. */
static int parse(parser *by, const char *output_name, const char *line, int *first)
{
    const cli_spec spec = {.command = "test",
                           .operands = "FILE...",
                           .about = "Tests.",
                           .tables = tables,
                           .output_name = output_name,
                           .output_help = output_name ? "the file of the frame" : NULL};
    FILE *stream = strstr(line, "--help") ? stdout : stderr;
    char words[200], *argv[16] = {(char[]){"test"}};
    int argc = 1, code;

    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word && argc < 15; word = strtok(NULL, " "))
        argv[argc++] = word;
    catch_begin(stream);
    code = by(&spec, argc, argv, first);
    if (code == CLI_OK && *first >= 0)
        code = cli_need_output(&spec, &common);
    catch_end(stream);
    return code;
}

static void test_given(void **state)
{
    static const struct {
        const char *line;
        bool method, label;
    } cases[] = {{"-o x", false, false},       {"-o x -c 7", true, false},          {"-o x --quick a", true, false},
                 {"-o x a -t b", false, true}, {"-o x --ti=y --cou 3", true, true}, {"-o x -- -c 7", false, false}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int first;

        method_given = label_given = true; /* of the parse before */
        assert_int_equal(parse(cli_parse, NULL, cases[i].line, &first), CLI_OK);
        assert_int_equal(method_given, cases[i].method);
        assert_int_equal(label_given, cases[i].label);
    }
}

/* A flag that is refused does not count, and its line says why. */
static void test_refused(void **state)
{
    int first;

    (void)state;
    assert_int_equal(parse(cli_parse, NULL, "-o x -c 101", &first), CLI_USAGE);
    assert_false(method_given);
    expect_text(caught, "penta test: ");
    expect_text(caught, "--count");
    assert_int_equal(parse(cli_parse, NULL, "--colour x", &first), CLI_USAGE);
    assert_string_equal(caught, "penta test: unknown or ambiguous flag --colour; see penta test --help\n");
    assert_int_equal(parse(cli_parse, NULL, "-t", &first), CLI_USAGE);
    assert_string_equal(caught, "penta test: -t needs a value; see penta test --help\n");
}

static void test_operands(void **state)
{
    int first;

    (void)state;
    assert_int_equal(parse(cli_parse, NULL, "-o x a b", &first), CLI_OK);
    assert_int_equal(first, 3);
    assert_int_equal(parse(cli_parse_flags, NULL, "-o x", &first), CLI_OK);
    assert_int_equal(parse(cli_parse_flags, NULL, "-o x a b", &first), CLI_USAGE);
    assert_string_equal(caught, "penta test: takes no operand, but got 'a'\n");
    assert_int_equal(parse(cli_parse_flags, NULL, "a --help", &first), CLI_OK);
    assert_int_equal(first, -1);
}

static void test_output(void **state)
{
    int first;

    (void)state;
    assert_int_equal(parse(cli_parse, NULL, "-c 3", &first), CLI_USAGE);
    assert_string_equal(caught, "penta test: -o DIR is missing: where should the results go?\n");
    assert_int_equal(parse(cli_parse, "FILE", "-c 3", &first), CLI_USAGE);
    assert_string_equal(caught, "penta test: -o FILE is missing: where should the results go?\n");
    assert_int_equal(parse(cli_parse, "FILE", "-o a.png", &first), CLI_OK);
    assert_string_equal(common.output, "a.png");
    assert_int_equal(parse(cli_parse, NULL, "--help", &first), CLI_OK);
    expect_text(caught, "\n  -o, --output DIR              where results are written; made if it does not exist\n");
    assert_int_equal(parse(cli_parse, "FILE", "--help", &first), CLI_OK);
    expect_text(caught, "\n  -o, --output FILE             the file of the frame\n");
    expect_text(caught, "\n  -c, --count px                how many (default 7)\n");
    assert_null(strstr(caught, "DIR"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_given), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_operands), cmocka_unit_test(test_output)};

    return cmocka_run_group_tests_name("flags of commands", tests, NULL, NULL);
}
