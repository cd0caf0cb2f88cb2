/* Flags of commands: which table was used, -o under a command's own name, operands that are none, and the help. */
#include <errno.h>
#include "support/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "shared/job.h"
#include "shared/memory.h"
#include "support/files.h"

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

static struct {
    method_flags method;
    label_flags label;
    cli_common common;
} values;

static const cli_section sections[] = {
    {"Method", "method", method_table, NULL, 0, 0, NULL, NULL},
    {"Labels", "labels", label_table, NULL, sizeof(method_flags), 0, NULL, NULL},
    {"Common", "common", cli_common_table, NULL, sizeof(method_flags) + sizeof(label_flags), 0, NULL, NULL},
    CLI_SECTIONS_END};
static const cli_operand files[] = {{"FILE", "what to read", 0, 0, NULL}, {0}};

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

static cli_line line;

/* Parses "penta test WORDS" into line and values, and catches stderr, or stdout where help is asked for. */
static int parse(const cli_command *command, const char *text)
{
    FILE *stream = strstr(text, "--help") ? stdout : stderr;
    static char words[200], *argv[16];
    int argc = 1, code;

    argv[0] = (char[]){"test"};
    snprintf(words, sizeof words, "%s", text);
    for (char *word = strtok(words, " "); word && argc < 15; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    cli_line_free(&line);
    catch_begin(stream);
    code = cli_parse(command, &values, argc, argv, &line);
    catch_end(stream);
    return code;
}

static const cli_command plain = {
    .name = "test", .usage = "FILE...", .about = "Tests.", .operands = files, .sections = sections};

/* ---- presets ---- */

static const penta_preset *presets(void)
{
    static const penta_preset all[] = {{"few", "not many", {{"count", "3"}, {"quick", ""}}},
                                       {"named", "with a title", {{"title", "x"}}},
                                       PENTA_PRESETS_END};

    return all;
}

static const cli_command with_presets = {
    .name = "test", .usage = "", .about = "Tests.", .operands = files, .sections = sections, .presets = presets};

/* Flags that are given win before and behind --preset, even with their defaults; they alone count as given. */
TEST(presets)
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

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *title;

        assert_int_equal(parse(&with_presets, cases[i].line), CLI_OK);
        assert_true(cases[i].name ? line.preset && strcmp(line.preset, cases[i].name) == 0 : !line.preset);
        assert_int_equal(values.method.count, cases[i].count);
        assert_int_equal(values.method.quick, cases[i].quick);
        assert_int_equal(cli_given(line.tables, "count"), cases[i].count_given);
        assert_false(cli_given(line.tables, "quick"));
        title = values.label.title;
        assert_true(cases[i].title ? title && strcmp(title, cases[i].title) == 0 : !title);
    }
    assert_int_equal(parse(&with_presets, "--preset fe"), CLI_USAGE);
    assert_string_equal(caught, "penta test: error: --preset needs one of few,named, not 'fe'; did you mean few?\n");
    assert_int_equal(parse(&with_presets, "--preset"), CLI_USAGE);
    assert_int_equal(parse(&with_presets, "--help"), CLI_OK);
    expect_text(caught, "\nPresets:\n      --preset NAME");
    expect_text(caught, "\n      --preset few              not many: --count 3 --quick\n");
}

TEST(given)
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

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(parse(&plain, cases[i].line), CLI_OK);
        assert_int_equal(cli_given(line.tables, "count"), cases[i].count);
        assert_int_equal(cli_given(line.tables, "quick"), cases[i].quick);
        assert_int_equal(cli_given(line.tables, "title"), cases[i].title);
        assert_int_equal(cli_given_under(line.tables, "Method"), cases[i].count || cases[i].quick);
        assert_int_equal(cli_given_under(line.tables, "Labels"), cases[i].title);
        assert_true(cli_given(line.tables, "output"));
        assert_false(cli_given(line.tables, "colour"));
    }
}

/* What the rules of the command say of a line: "" for nothing. */
static const char *rules_on(const char *text, unsigned facts)
{
    static const cli_rule single[] = {{"title count", "how many", 0}, {"verbose count", "how", 0}, {0}};
    static const cli_rule together[] = {{"quick title", NULL, 0}, {0}};
    static const cli_rule idle[] = {{"quick", "it is night", 1}, {"count title", "it rains", 2 | 4}, {0}};
    cli_command command = plain;
    int code;

    command.single = single;
    command.together = together;
    command.idle = idle;
    assert_int_equal(parse(&command, text), CLI_OK);
    catch_begin(stderr);
    code = cli_check_single(&line);
    code = code != CLI_OK ? code : cli_check_effect(&line, facts);
    code = code != CLI_OK ? code : cli_check_together(&line);
    catch_end(stderr);
    assert_int_equal(code, *caught ? CLI_USAGE : CLI_OK);
    return caught;
}

/* The values are the defaults: it is the flags that count. */
TEST(rules)
{
    assert_string_equal(rules_on("-o x -c 7", 0), "");
    assert_string_equal(rules_on("-o x -t a --quick", 0), "");
    assert_string_equal(rules_on("-o x -c 7 -t a", 0),
                        "penta test: error: --title and --count both say how many; give one\n");
    assert_string_equal(rules_on("-o x -c 7 -v", 0),
                        "penta test: error: --verbose and --count both say how; give one\n");
    assert_string_equal(rules_on("-o x", 0), "");
    assert_string_equal(rules_on("-o x -t a", 0),
                        "penta test: error: --title does nothing without --quick; give both\n");
    assert_string_equal(rules_on("-o x --quick", 4),
                        "penta test: error: --quick does nothing without --title; give both\n");
    assert_string_equal(rules_on("-o x --quick -t a", 4),
                        "penta test: error: --title has no effect: it rains; leave it out\n");
    assert_string_equal(rules_on("-o x -c 3", 2), "penta test: error: --count has no effect: it rains; leave it out\n");
    assert_string_equal(rules_on("-o x -t a --quick", 1),
                        "penta test: error: --quick has no effect: it is night; leave it out\n");
}

/* A flag that is refused does not count, and its line says why. */
TEST(refused)
{
    assert_int_equal(parse(&plain, "-o x -c 101"), CLI_USAGE);
    assert_false(cli_given(line.tables, "count"));
    expect_text(caught, "penta test: error: ");
    expect_text(caught, "--count");
    assert_int_equal(parse(&plain, "--colour x"), CLI_USAGE);
    assert_string_equal(caught, "penta test: error: unknown flag --colour; did you mean --color?\n");
    assert_int_equal(parse(&plain, "-t"), CLI_USAGE);
    assert_string_equal(caught, "penta test: error: -t needs a value; see penta test --help\n");
}

/* What stands on the line is named, with what may have been meant. */
TEST(guesses)
{
    static const struct {
        const char *words, *error;
    } cases[] = {
        {"--qiuck", "unknown flag --qiuck; did you mean --quick?"},
        {"--cuont=3", "unknown flag --cuont; did you mean --count?"},
        {"--tilte x", "unknown flag --tilte; did you mean --title?"},
        {"--elephant", "unknown flag --elephant; see penta test --help"},
        {"-Z", "unknown flag -Z; see penta test --help"},
        {"--qui", "--qui is ambiguous: it may be --quick, --quiet"},
        {"--quick=yes", "--quick is a switch and takes no value; give --quick alone, or leave it out"},
        {"--verb=1", "--verbose is a switch and takes no value; give --verbose alone, or leave it out"},
        {"--color alwyas", "--color needs one of auto,always,never, not 'alwyas'; did you mean always?"},
        {"--color blue", "--color needs one of auto,always,never, not 'blue'"},
    };
    char wanted[256];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(parse(&plain, cases[i].words), CLI_USAGE);
        snprintf(wanted, sizeof wanted, "penta test: error: %s\n", cases[i].error);
        assert_string_equal(caught, wanted);
    }
}

TEST(choices_of_operands)
{
    static const cli_operand words[] = {{"WHAT", "one of them", 0, 2, "autocorr,nbody"}, {0}};
    cli_command command = plain;

    command.operands = words;
    assert_int_equal(parse(&command, "nbody autocorr"), CLI_OK);
    assert_int_equal(parse(&command, "nbody nobdy"), CLI_USAGE);
    assert_string_equal(caught, "penta test: error: 'nobdy' is none of autocorr,nbody; did you mean nbody?\n");
}

/* COLUMNS decides; a flag of any length and its help stay within them. */
TEST(width)
{
    static const char *const widths[] = {"40", "64", "80", "100"};

    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        size_t most = 0;

        setenv("COLUMNS", widths[i], 1);
        assert_int_equal(parse(&plain, "--help"), CLI_OK);
        for (const char *at = caught; *at; at += strcspn(at, "\n") + 1)
            most = strcspn(at, "\n") > most ? strcspn(at, "\n") : most;
        assert_true(most <= strtoul(widths[i], NULL, 10));
        assert_true(most + 16 > strtoul(widths[i], NULL, 10)); /* and use them */
    }
    unsetenv("COLUMNS");
}

/* Names of files may hold what a terminal obeys. */
TEST(controls)
{
    catch_begin(stderr);
    cli_fail("test", CLI_ERROR, "%s: a\nb", "x\033[31my\a");
    job_warn(&(job){.command = "test", .common.quiet = true}, "doubtful");
    job_note(&(job){.command = "test", .common.quiet = true}, "no");
    job_note(&(job){.command = "test"}, "also");
    cli_note(&(cli_common){.quiet = true}, "test", "no");
    cli_note(&(cli_common){0}, NULL, "yes");
    cli_explain(&(cli_common){0}, "test", "no");
    cli_explain(&(cli_common){.verbose = true}, "test", "since");
    catch_end(stderr);
    assert_string_equal(
        caught,
        "penta test: error: x?[31my?: a b\npenta test: warning: doubtful\npenta test: note: also\npenta: note: yes\n"
        "penta test: note: since\n");
}

/* Where there are too many files, other advice is none. */
TEST(files)
{
    char reason[128];

    catch_begin(stderr);
    cli_fail("test", CLI_ERROR, "out: cannot be locked: %s; choose another place", strerror(EMFILE));
    catch_end(stderr);
    snprintf(reason, sizeof reason, "locked: %s; the limit is ", strerror(EMFILE));
    assert_non_null(strstr(caught, reason));
    assert_non_null(strstr(caught, ": raise it (ulimit -n 1024)\n"));
}

/* ---- memory ---- */

static void put(const char *root, const char *path, const char *text)
{
    char whole[512];
    FILE *f;

    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = 0;
        (void)mkdir(whole, 0777);
        *at = '/';
    }
    f = fopen(whole, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void expect_room(const char *root, double most, double available, bool of_group)
{
    memory_room room = memory_look(root);

    assert_true(room.most <= most && room.most >= most);
    assert_true(room.available <= available && room.available >= available);
    assert_int_equal(room.of_group, of_group);
}

TEST(memory)
{
    char root[256];

    assert_true(make_scratch_directory("memory", root, sizeof root));
    expect_room(root, INFINITY, INFINITY, false);
    put(root, "/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable:  700 kB\nSwapTotal: 24 kB\n");
    expect_room(root, 1024 * 1024, 700 * 1024, false);
    put(root, "/proc/self/cgroup", "2:cpu:/a\n0::/a/b\n"); /* version 2: the group's own limit, and that above it */
    put(root, "/sys/fs/cgroup/a/b/memory.max", "max\n");
    expect_room(root, 1024 * 1024, 700 * 1024, false);
    put(root, "/sys/fs/cgroup/a/memory.max", "5000\n");
    expect_room(root, 5000, 700 * 1024, true);
    put(root, "/proc/self/cgroup", "4:memory:/\n0::/\n"); /* version 1 */
    put(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    expect_room(root, 1024 * 1024, 700 * 1024, false);
    put(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "6000\n");
    expect_room(root, 6000, 700 * 1024, true);
    assert_int_equal(remove_tree(root), 0);
}

TEST(operands)
{
    static const cli_operand one[] = {{"CUBE", "what to read", 1, 1, NULL}, {0}};
    cli_command command = plain;

    assert_int_equal(parse(&plain, "-o x a b"), CLI_OK);
    assert_int_equal(line.operand_count, 2);
    assert_string_equal(line.operands[1], "b");
    command.operands = NULL;
    assert_int_equal(parse(&command, "-o x"), CLI_OK);
    assert_int_equal(line.operand_count, 0);
    assert_int_equal(parse(&command, "-o x a b"), CLI_USAGE);
    assert_string_equal(caught, "penta test: error: takes no operand, but got 'a'\n");
    assert_int_equal(parse(&command, "a --help"), CLI_OK);
    assert_true(line.helped);
    assert_null(strstr(caught, "Operands:"));
    command.operands = one;
    assert_int_equal(parse(&command, "-o x"), CLI_USAGE);
    assert_string_equal(caught, "penta test: error: needs one cube, but got 0; see penta test --help\n");
    assert_int_equal(parse(&command, "a b c"), CLI_USAGE);
    assert_string_equal(caught, "penta test: error: needs one cube, but got 3; see penta test --help\n");
    assert_int_equal(parse(&command, "--help"), CLI_OK);
    expect_text(caught, "\nOperands:\n  CUBE                          what to read\n");
}

/* Words as they were typed, which getopt puts in another order. */
TEST(words)
{
    assert_int_equal(parse(&plain, "a -c 3 b"), CLI_OK);
    assert_int_equal(line.word_count, 5);
    assert_string_equal(line.words[1], "a");
    assert_string_equal(line.words[4], "b");
    assert_null(line.words[5]);
}

TEST(output)
{
    cli_command command = plain;

    command.output_name = "FILE";
    command.output_help = "the file of the frame";
    assert_int_equal(parse(&plain, "-c 3"), CLI_OK);
    catch_begin(stderr);
    assert_int_equal(cli_need_output(&line), CLI_USAGE);
    catch_end(stderr);
    assert_string_equal(caught, "penta test: error: -o DIR is missing: where should the results go?\n");
    assert_int_equal(parse(&command, "-c 3"), CLI_OK);
    catch_begin(stderr);
    assert_int_equal(cli_need_output(&line), CLI_USAGE);
    catch_end(stderr);
    assert_string_equal(caught, "penta test: error: -o FILE is missing: where should the results go?\n");
    assert_int_equal(parse(&command, "-o a.png"), CLI_OK);
    assert_int_equal(cli_need_output(&line), CLI_OK);
    assert_string_equal(values.common.output, "a.png");
    assert_int_equal(parse(&plain, "--help"), CLI_OK);
    expect_text(caught, "\n  -o, --output DIR              directory for the results; created if it does\n"
                        "                                not exist\n");
    assert_int_equal(parse(&command, "--help"), CLI_OK);
    expect_text(caught, "\n  -o, --output FILE             the file of the frame\n");
    expect_text(caught, "\n  -c, --count px                how many (default 7)\n");
    assert_null(strstr(caught, "DIR"));
}

/* A section may take some rows of a table, another one the rest; their values lie in one struct. */
TEST(parts_of_tables)
{
    static const cli_section parts[] = {{"First", "method", method_table, NULL, 0, 0, "quick", NULL},
                                        {NULL, "labels", label_table, NULL, sizeof(method_flags), 0, NULL, NULL},
                                        {"Second", "method", method_table, NULL, 0, 0, NULL, "quick"},
                                        CLI_SECTIONS_END};
    cli_command command = plain;

    command.sections = parts;
    assert_int_equal(parse(&command, "-c 3 -t a"), CLI_OK);
    assert_int_equal(values.method.count, 3);
    assert_false(values.method.quick);
    assert_string_equal(values.label.title, "a");
    assert_true(cli_given_under(line.tables, "First")); /* the labels go on under it */
    assert_true(cli_given_under(line.tables, "Second"));
    assert_int_equal(parse(&command, "--quick"), CLI_OK);
    assert_int_equal(values.method.count, 7);
    assert_true(values.method.quick);
    assert_false(cli_given_under(line.tables, "Second"));
    assert_int_equal(parse(&command, "--help"), CLI_OK);
    expect_text(caught, "\nFirst:\n      --quick");
    expect_text(caught, "whether\n  -t, --title NAME");
    expect_text(caught, "\nSecond:\n  -c, --count px");
}

/* However many flags there are. */
TEST(many_flags)
{
    enum { MANY = 300 };
    static penta_option rows[MANY + 1];
    static char names[MANY][32];
    static int numbers[MANY];
    const cli_section many[] = {{"Many", "many", rows, NULL, 0, 0, NULL, NULL}, CLI_SECTIONS_END};
    const cli_command command = {.name = "test", .usage = "", .sections = many};
    char *argv[] = {(char[]){"test"}, (char[]){"--flag-299=5"}, (char[]){"--flag-0=4"}, NULL};
    HELD_BY(cli_line_free) cli_line own;

    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "flag_%d", i);
        rows[i] = (penta_option){.name = names[i],
                                 .type = PENTA_OPTION_INT,
                                 .offset = (size_t)i * sizeof *numbers,
                                 .initial = i,
                                 .max = MANY,
                                 .unit = "",
                                 .help = ""};
    }
    assert_int_equal(cli_parse(&command, numbers, 3, argv, &own), CLI_OK);
    assert_int_equal(numbers[299], 5);
    assert_int_equal(numbers[0], 4);
    assert_int_equal(numbers[298], 298);
    assert_true(cli_given(own.tables, "flag_299"));
    assert_false(cli_given(own.tables, "flag_298"));
}

/* Names of rows in backquotes are flags; other words in backquotes stay. */
TEST(names_of_options)
{
    static const char *const cases[][2] = {
        {"`count` is 400 px; it must be below 256", "--count is 400 px; it must be below 256"},
        {"see `penta devices`, or `title`", "see `penta devices`, or --title"},
        {"`counts` `count", "`counts` `count"},
        {"`quick``quick`", "--quick--quick"},
        {"` `` `", "` `` `"},
        {"none", "none"},
        {"`json`", "--json"},
        {"", ""}};
    static const penta_option rows[] = {PENTA_FLAG_OPTION(method_flags, quick, 0, ""), PENTA_OPTIONS_END};
    const cli_section part[] = {{"Part", "part", rows, NULL, 0, 0, "count", NULL}, CLI_SECTIONS_END};
    const cli_command other = {.name = "other", .usage = "", .sections = part};
    char out[200];

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(cli_with_flags(&plain, cases[i][0], out, sizeof out), cases[i][1]);
    assert_int_equal(parse(&plain, ""), CLI_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        snprintf(out, sizeof out, "%s", cases[i][0]);
        assert_string_equal(cli_name_flags(out), cases[i][1]);
    }
    assert_string_equal(cli_with_flags(NULL, "`count`", out, sizeof out), "`count`");
    assert_string_equal(cli_with_flags(&other, "`quick`", out, sizeof out), "`quick`"); /* which it does not take */
    assert_string_equal(cli_with_flags(&plain, "ab `count`", out, 7), "ab --c");
}

static int run_values(const cli_line *parsed, void *own)
{
    const method_flags *m = own;

    return parsed->operand_count == 1 && m->quick
               ? 30 + m->count
               : cli_fail(parsed->command->name, 9, "`quick` is missing, or there is no `file`");
}

static int run_caught(const cli_command *command, int argc, const char *const *words)
{
    char text[4][32], *argv[5] = {NULL};
    int code;

    for (int i = 0; i < argc; i++) {
        snprintf(text[i], sizeof text[i], "%s", words[i]);
        argv[i] = text[i];
    }
    catch_begin(stderr);
    code = cli_run(command, argc, argv);
    catch_end(stderr);
    return code;
}

TEST(run)
{
    static const cli_section own[] = {{"Method", "method", method_table, NULL, 0, 0, NULL, NULL}, CLI_SECTIONS_END};
    static const cli_command part = {.name = "all part",
                                     .usage = "",
                                     .operands = files,
                                     .sections = own,
                                     .size = sizeof(method_flags),
                                     .run = run_values};
    static const cli_command *const parts[] = {&part, NULL};
    static const cli_command all = {.name = "all", .usage = "PART", .commands = parts};

    assert_int_equal(run_caught(&all, 4, (const char *[]){"all", "part", "--quick", "a"}), 37);
    assert_string_equal(caught, "");
    assert_int_equal(run_caught(&all, 3, (const char *[]){"all", "part", "a"}), 9);
    assert_string_equal(caught, "penta all part: error: --quick is missing, or there is no `file`\n");
    assert_ptr_equal(cli_running(), &part);
    assert_int_equal(run_caught(&all, 2, (const char *[]){"all", "some"}), CLI_USAGE);
    assert_string_equal(caught, "penta all: error: unknown command 'some'; see penta all --help\n");
    assert_int_equal(run_caught(&all, 1, (const char *[]){"all"}), CLI_USAGE);
    expect_text(caught, "usage: penta all PART\n");
}

static int free_line(void **state)
{
    (void)state;
    cli_line_free(&line);
    return 0;
}

RUN(EVERYWHERE, NULL, NULL, free_line);
