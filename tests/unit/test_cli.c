/* Flags of commands: which table was used, -o under a command's own name, operands that are none, and the help. */
#include "shared/cli.c"

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
static bool method_given[3], label_given[2];

static const cli_table tables[] = {{"Method", method_table, &method, method_given},
                                   {"Labels", label_table, &label, label_given},
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

/* ---- presets ---- */

static const penta_preset presets[] = {{"few", "not many", {{"count", "3"}, {"quick", ""}}},
                                       {"named", "with a title", {{"title", "x"}}},
                                       PENTA_PRESETS_END};

/* Parses words with presets. */
static int parse_preset(const char *line, const char **name)
{
    const cli_spec spec = {
        .command = "test", .operands = "", .about = "Tests.", .tables = tables, .presets = presets, .preset = name};
    FILE *stream = strstr(line, "--help") ? stdout : stderr;
    char words[200], *argv[16] = {(char[]){"test"}};
    int argc = 1, code, first;

    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word && argc < 15; word = strtok(NULL, " "))
        argv[argc++] = word;
    catch_begin(stream);
    code = cli_parse(&spec, argc, argv, &first);
    catch_end(stream);
    return code;
}

/* Flags that are given win before and behind --preset, even with their defaults; they alone count as given. */
static void test_presets(void **state)
{
    static const struct {
        const char *line, *name;
        int count;
        bool quick, count_given;
        const char *title;
    } cases[] = {{"", NULL, 7, false, false, NULL},
                 {"--preset few", "few", 3, true, false, NULL},
                 {"--preset few -c 9", "few", 9, true, true, NULL},
                 {"-c 9 --preset few", "few", 9, true, true, NULL},
                 {"--count=7 --preset=few a b", "few", 7, true, true, NULL},
                 {"-c 9", NULL, 9, false, true, NULL},
                 {"a --preset few b -c 7", "few", 7, true, true, NULL},
                 {"--preset few --preset named", "named", 7, false, false, "x"},
                 {"--preset named -t y", "named", 7, false, false, "y"}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *name = "left over";

        assert_int_equal(parse_preset(cases[i].line, &name), CLI_OK);
        assert_true(cases[i].name ? name && strcmp(name, cases[i].name) == 0 : !name);
        assert_int_equal(method.count, cases[i].count);
        assert_int_equal(method.quick, cases[i].quick);
        assert_int_equal(cli_given(tables, "count"), cases[i].count_given);
        assert_false(cli_given(tables, "quick"));
        assert_true(cases[i].title ? label.title && strcmp(label.title, cases[i].title) == 0 : !label.title);
    }
    assert_int_equal(parse_preset("--preset fe", NULL), CLI_USAGE);
    assert_string_equal(caught, "penta test: --preset needs one of few,named, not 'fe'\n");
    assert_int_equal(parse_preset("--preset", NULL), CLI_USAGE);
    assert_int_equal(parse_preset("--help", NULL), CLI_OK);
    expect_text(caught, "\nPresets:\n      --preset NAME");
    expect_text(caught, "\n      --preset few              not many: --count 3 --quick\n");
}

static void test_given(void **state)
{
    static const struct {
        const char *line;
        bool count, quick, title;
    } cases[] = {{"-o x", false, false, false},
                 {"-o x -c 7", true, false, false},
                 {"-o x --quick a", false, true, false},
                 {"-o x a -t b", false, false, true},
                 {"-o x --ti=y --cou 3", true, false, true},
                 {"-o x -- -c 7", false, false, false}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int first;

        method_given[0] = method_given[1] = label_given[0] = true; /* of the parse before */
        assert_int_equal(parse(cli_parse, NULL, cases[i].line, &first), CLI_OK);
        assert_int_equal(cli_given(tables, "count"), cases[i].count);
        assert_int_equal(cli_given(tables, "quick"), cases[i].quick);
        assert_int_equal(cli_given(tables, "title"), cases[i].title);
        assert_false(cli_given(tables, "output")); /* whose table does not want to know */
        assert_false(cli_given(tables, "colour"));
    }
}

/* What a rule says of a command line: "" for nothing. */
typedef int checker(const cli_spec *spec, const cli_rule *rules);

static const char *rule_on(checker *check, const cli_rule *rules, const char *line)
{
    const cli_spec spec = {.command = "test", .tables = tables};
    int first, code;

    assert_int_equal(parse(cli_parse, NULL, line, &first), CLI_OK);
    catch_begin(stderr);
    code = check(&spec, rules);
    catch_end(stderr);
    assert_int_equal(code, *caught ? CLI_USAGE : CLI_OK);
    return caught;
}

static unsigned facts;

static int check_effect(const cli_spec *spec, const cli_rule *rules)
{
    return cli_check_effect(spec, rules, facts);
}

/* The values are the defaults: it is the flags that count. */
static void test_rules(void **state)
{
    static const cli_rule single[] = {{"title count", "how many", 0}, {"quick count", "how", 0}, {0}};
    static const cli_rule together[] = {{"quick title", NULL, 0}, {0}};
    static const cli_rule idle[] = {{"quick", "it is night", 1}, {"count title", "it rains", 2 | 4}, {0}};

    (void)state;
    assert_string_equal(rule_on(cli_check_single, single, "-o x -c 7"), "");
    assert_string_equal(rule_on(cli_check_single, single, "-o x -t a --quick"), "");
    assert_string_equal(rule_on(cli_check_single, single, "-o x -c 7 -t a"),
                        "penta test: --title and --count both say how many; give one\n");
    assert_string_equal(rule_on(cli_check_single, single, "-o x -c 7 --quick"),
                        "penta test: --quick and --count both say how; give one\n");
    assert_string_equal(rule_on(cli_check_together, together, "-o x"), "");
    assert_string_equal(rule_on(cli_check_together, together, "-o x -t a --quick"), "");
    assert_string_equal(rule_on(cli_check_together, together, "-o x -t a"),
                        "penta test: --title does nothing without --quick; give both\n");
    assert_string_equal(rule_on(check_effect, idle, "-o x -t a --quick -c 7"), "");
    facts = 4;
    assert_string_equal(rule_on(check_effect, idle, "-o x --quick"), "");
    assert_string_equal(rule_on(check_effect, idle, "-o x --quick -t a"),
                        "penta test: --title has no effect: it rains; leave it out\n");
    facts = 1;
    assert_string_equal(rule_on(check_effect, idle, "-o x -t a --quick"),
                        "penta test: --quick has no effect: it is night; leave it out\n");
    facts = 0;
}

/* A flag that is refused does not count, and its line says why. */
static void test_refused(void **state)
{
    int first;

    (void)state;
    assert_int_equal(parse(cli_parse, NULL, "-o x -c 101", &first), CLI_USAGE);
    assert_false(cli_given(tables, "count"));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_presets),  cmocka_unit_test(test_given),
                                       cmocka_unit_test(test_rules),    cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_operands), cmocka_unit_test(test_output)};

    return cmocka_run_group_tests_name("flags of commands", tests, NULL, NULL);
}
