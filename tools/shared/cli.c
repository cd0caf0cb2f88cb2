/* Flags, help and messages. The flags come from option tables, so that help and checks cannot differ from the library.
 */
#define _POSIX_C_SOURCE 200809L
#include "shared/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pentacl/io/traces.h>

enum { MOST_FLAGS = 96, FIRST_CODE = 256, OUTPUT_ROW = 0 /* of cli_common_table */ };

const penta_option cli_common_table[] = {
    PENTA_TEXT_OPTION(cli_common, output, 'o', "DIR", "where results are written; made if it does not exist"),
    PENTA_TEXT_OPTION(cli_common, device, 'd', "DEVICE",
                      "index of `penta devices`, cpu, gpu, or part of a name (default: PENTACL_DEVICE, then a GPU)"),
    PENTA_FLAG_OPTION(cli_common, json, 0, "print one JSON object on stdout and nothing else there"),
    PENTA_FLAG_OPTION(cli_common, quiet, 'q', "no notes and no progress"),
    PENTA_FLAG_OPTION(cli_common, verbose, 'v', "whole error traces"),
    PENTA_FLAG_OPTION(cli_common, profile, 0, "time per kernel and transfer on stderr"),
    PENTA_OPTIONS_END};

static const penta_option preset_row = {.name = "preset",
                                        .type = PENTA_OPTION_TEXT,
                                        .choices = "NAME",
                                        .unit = "",
                                        .help =
                                            "several options at once; a flag that is given wins, whatever the order"};

/* ---- messages ---- */

static void print_line(const char *command, const char *kind, const char *format, va_list args)
{
    char text[4096];

    vsnprintf(text, sizeof text, format, args);
    for (char *p = text; *p; p++)
        if (*p == '\n' || *p == '\r')
            *p = ' ';
    fprintf(stderr, "penta %s: %s%s\n", command, kind, text);
}

void cli_warn(const char *command, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_line(command, "warning: ", format, args);
    va_end(args);
}

int cli_fail(const char *command, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_line(command, "", format, args);
    va_end(args);
    return code;
}

void cli_note(const cli_common *common, const char *command, const char *format, ...)
{
    va_list args;

    if (common->quiet)
        return;
    va_start(args, format);
    print_line(command, "", format, args);
    va_end(args);
}

int cli_fail_library(const char *command, const penta_context *ctx, bool verbose)
{
    const char *text = penta_last_error(ctx);

    if (verbose)
        fprintf(stderr, "penta %s: %s\n", command, text);
    else
        cli_fail(command, CLI_ERROR, "%.*s", (int)strcspn(text, "\n"), text);
    return CLI_ERROR;
}

/* ---- around a command ---- */

static volatile sig_atomic_t signal_caught, interrupted;

/* The second one ends the program, as does the first where nobody looks for it; temporary files go. */
static void on_interrupt(int signal_number)
{
    if (signal_caught && !interrupted) {
        interrupted = 1;
        return;
    }
    penta_io_traces_remove();
    signal(signal_number, SIG_DFL);
    raise(signal_number); /* comes when this handler is left */
}

static void handle(int signal_number, bool even_if_ignored)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART}, before;

    sigemptyset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &before) == 0 && (even_if_ignored || before.sa_handler != SIG_IGN))
        sigaction(signal_number, &action, NULL);
}

void cli_catch_interrupts(void)
{
    signal_caught = 1;
    handle(SIGINT, true);
    handle(SIGTERM, true);
}

void cli_begin(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* the lowest free number is fd */
    signal(SIGXFSZ, SIG_IGN); /* a file over the limit of sizes is an error of its writer like a full disk */
    handle(SIGINT, false);
    handle(SIGTERM, false);
    handle(SIGHUP, false);
}

static int flush_streams(const char *command, int code)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code != CLI_OK)
        return code;
    return cli_fail(command, CLI_ERROR, "cannot write to stdout: %s", strerror(errno ? errno : EIO));
}

int cli_end(const char *command, int code)
{
    code = flush_streams(command, code);
    if (code != CLI_OK)
        penta_io_traces_remove();
    return code;
}

bool cli_interrupted(void)
{
    return interrupted;
}

/* ---- time ---- */

double cli_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_print_profile(penta_context *ctx)
{
    const penta_profile_entry *entries;
    size_t count = penta_profile(ctx, &entries);

    fprintf(stderr, "%-26s %9s %12s %12s %9s\n", "on the device", "calls", "total ms", "ms a call", "GB/s");
    for (size_t i = 0; i < count; i++) {
        const penta_profile_entry *e = &entries[i];

        if (e->calls == 0)
            continue;
        fprintf(stderr, "%-26s %9llu %12.3f %12.4f", e->name, (unsigned long long)e->calls, 1e3 * e->seconds,
                1e3 * e->seconds / (double)e->calls);
        if (e->transfer && e->seconds > 0)
            fprintf(stderr, " %9.2f", 1e-9 * (double)e->bytes / e->seconds);
        fputc('\n', stderr);
    }
}

/* ---- flags ---- */

typedef struct {
    struct option longs[MOST_FLAGS + 2];
    const penta_option *rows[MOST_FLAGS];
    const cli_table *tables[MOST_FLAGS];
    bool given[MOST_FLAGS];
    char names[MOST_FLAGS][48];
    char shorts[2 * MOST_FLAGS + 8];
    size_t count;
} flag_list;

static void add_flag(flag_list *list, const penta_option *row, const cli_table *table)
{
    size_t i = list->count++;
    bool value = row->type != PENTA_OPTION_FLAG;
    char letter[3] = {row->letter, value ? ':' : 0, 0};

    snprintf(list->names[i], sizeof list->names[i], "%s", row->name);
    for (char *p = list->names[i]; *p; p++)
        if (*p == '_')
            *p = '-';
    list->rows[i] = row;
    list->tables[i] = table;
    list->longs[i] =
        (struct option){list->names[i], value ? required_argument : no_argument, NULL, FIRST_CODE + (int)i};
    if (row->letter)
        strcat(list->shorts, letter);
}

static void forget_given(const cli_table *table)
{
    for (size_t i = 0; table->given && table->rows[i].type != PENTA_OPTION_END; i++)
        table->given[i] = false;
}

static void list_flags(const cli_spec *spec, flag_list *list)
{
    memset(list, 0, sizeof *list);
    strcpy(list->shorts, ":h");
    for (const cli_table *t = spec->tables; t->rows; t++)
        for (const penta_option *row = t->rows; row->type != PENTA_OPTION_END && list->count < MOST_FLAGS; row++)
            add_flag(list, row, t);
    if (spec->presets && list->count < MOST_FLAGS)
        add_flag(list, &preset_row, NULL);
    list->longs[list->count] = (struct option){"help", no_argument, NULL, 'h'};
}

static int find_flag(const flag_list *list, int code)
{
    if (code >= FIRST_CODE && code < FIRST_CODE + (int)list->count)
        return code - FIRST_CODE;
    for (size_t i = 0; i < list->count; i++)
        if (list->rows[i]->letter && list->rows[i]->letter == code)
            return (int)i;
    return -1;
}

/* ---- help ---- */

static const char *output_name(const cli_spec *spec)
{
    return spec->output_name ? spec->output_name : cli_common_table[OUTPUT_ROW].choices;
}

static void value_name(const penta_option *row, char *out, size_t size)
{
    switch (row->type) {
    case PENTA_OPTION_CHOICE:
    case PENTA_OPTION_TEXT:
        snprintf(out, size, " %s", row->choices);
        break;
    case PENTA_OPTION_INT:
    case PENTA_OPTION_REAL:
        snprintf(out, size, " %s%s%s", row->choices ? row->choices : "", row->choices ? "," : "",
                 *row->unit ? row->unit : "N");
        break;
    default:
        *out = 0;
    }
    for (char *p = out; row->type != PENTA_OPTION_TEXT && *p; p++)
        if (*p == ',')
            *p = '|';
}

/* Which name of the row its default has: of choices from 0 on, of integers with names from the least on. */
static double default_name(const penta_option *row)
{
    return row->type == PENTA_OPTION_CHOICE ? row->initial
           : row->type == PENTA_OPTION_INT  ? row->initial - row->min
                                            : -1;
}

static void print_default(const penta_option *row)
{
    double at = default_name(row);
    char name[64];

    if (at >= 0 && penta_option_choice(row, (size_t)at, name, sizeof name))
        printf(" (default %s)", name);
    else if (row->type == PENTA_OPTION_INT || row->type == PENTA_OPTION_REAL)
        printf(" (default %g)", row->initial);
}

/* A row as this command explains it: -o of the common flags may be its own. */
static penta_option explained(const cli_spec *spec, const penta_option *row)
{
    penta_option shown = *row;

    if (row == &cli_common_table[OUTPUT_ROW]) {
        shown.choices = output_name(spec);
        shown.help = spec->output_help ? spec->output_help : row->help;
    }
    return shown;
}

/* A flag and its value in the left column; what is printed next is its help. */
static void print_left(const char *flag, const char *value)
{
    char left[400];

    snprintf(left, sizeof left, "  %s%s", flag, value);
    if (strlen(left) > 30)
        printf("%s\n%32s", left, "");
    else
        printf("%-32s", left);
}

static void print_flag(const penta_option *row, const char *name)
{
    char flag[128], value[256];

    value_name(row, value, sizeof value);
    if (row->letter)
        snprintf(flag, sizeof flag, "-%c, --%s", row->letter, name);
    else
        snprintf(flag, sizeof flag, "    --%s", name);
    print_left(flag, value);
    printf("%s", row->help);
    print_default(row);
    putchar('\n');
}

static void print_presets(const penta_preset *presets)
{
    char value[128];

    printf("\nPresets:\n");
    print_flag(&preset_row, preset_row.name);
    for (const penta_preset *p = presets; p->name; p++) {
        snprintf(value, sizeof value, " %s", p->name);
        print_left("    --preset", value);
        printf("%s:", p->help);
        for (size_t i = 0; i < PENTA_PRESET_VALUES && p->values[i].option; i++) {
            printf(" --");
            for (const char *c = p->values[i].option; *c; c++)
                putchar(*c == '_' ? '-' : *c);
            if (*p->values[i].value)
                printf(" %s", p->values[i].value);
        }
        putchar('\n');
    }
}

static void print_help(const cli_spec *spec, const flag_list *list)
{
    size_t i = 0;

    printf("usage: penta %s [flags] %s\n\n%s\n", spec->command, spec->operands, spec->about);
    for (const cli_table *t = spec->tables; t->rows; t++) {
        printf("\n%s:\n", t->title);
        for (const penta_option *row = t->rows; row->type != PENTA_OPTION_END; row++, i++) {
            penta_option shown = explained(spec, row);

            print_flag(&shown, list->names[i]);
        }
    }
    if (spec->presets)
        print_presets(spec->presets);
    if (spec->examples)
        printf("\nExamples:\n%s", spec->examples);
}

/* Writes one value of a preset to the rows of its name whose flags were not given. */
static int set_by_preset(const cli_spec *spec, const flag_list *list, const char *option, const char *value)
{
    char message[512];
    bool known = false;

    for (size_t i = 0; i < list->count; i++) {
        if (!list->tables[i] || strcmp(list->rows[i]->name, option) != 0)
            continue;
        known = true;
        if (!list->given[i] &&
            penta_option_parse(list->rows[i], list->tables[i]->values, value, message, sizeof message) != PENTA_OK)
            return cli_fail(spec->command, CLI_ERROR, "%s", message);
    }
    return known ? CLI_OK : cli_fail(spec->command, CLI_ERROR, "a preset sets %s, which no flag is called", option);
}

static int apply_preset(const cli_spec *spec, const flag_list *list, const char *name)
{
    const penta_preset *preset = penta_preset_find(spec->presets, name);
    char message[512];
    int code = CLI_OK;

    if (!preset) {
        penta_preset_apply(spec->presets, name, cli_common_table, NULL, message, sizeof message);
        return cli_fail(spec->command, CLI_USAGE, "%s", message);
    }
    for (size_t i = 0; code == CLI_OK && i < PENTA_PRESET_VALUES && preset->values[i].option; i++)
        code = set_by_preset(spec, list, preset->values[i].option, preset->values[i].value);
    return code;
}

/* Sets the value of flag i; *preset: the name after --preset. */
static int take_flag(const cli_spec *spec, flag_list *list, int i, const char *text, const char **preset)
{
    const cli_table *table = list->tables[i];
    char message[512];

    list->given[i] = true;
    if (!table) {
        *preset = text;
        return CLI_OK;
    }
    if (penta_option_parse(list->rows[i], table->values, text, message, sizeof message) != PENTA_OK)
        return cli_fail(spec->command, CLI_USAGE, "%s", message);
    if (table->given)
        table->given[list->rows[i] - table->rows] = true;
    return CLI_OK;
}

static int check_flag(const cli_spec *spec, int code, int i, const char *word)
{
    if (code == ':')
        return cli_fail(spec->command, CLI_USAGE, "%s needs a value; see penta %s --help", word, spec->command);
    if (i < 0)
        return cli_fail(spec->command, CLI_USAGE, "unknown or ambiguous flag %s; see penta %s --help",
                        optopt > 0 && optopt < FIRST_CODE ? (char[]){'-', (char)optopt, 0} : word, spec->command);
    return CLI_OK;
}

int cli_parse(const cli_spec *spec, int argc, char **argv, int *first)
{
    flag_list list;
    const char *preset = NULL;
    int code, failed = CLI_OK;

    list_flags(spec, &list);
    for (const cli_table *t = spec->tables; t->rows; t++) {
        penta_options_init(t->rows, t->values);
        forget_given(t);
    }
    optind = 1;
    opterr = 0;
    while ((code = getopt_long(argc, argv, list.shorts, list.longs, NULL)) != -1) {
        int i = find_flag(&list, code);

        if (code == 'h') {
            print_help(spec, &list);
            *first = -1;
            return CLI_OK;
        }
        failed = check_flag(spec, code, i, argv[optind - 1]);
        failed = failed != CLI_OK ? failed : take_flag(spec, &list, i, optarg ? optarg : "", &preset);
        if (failed != CLI_OK)
            return failed;
    }
    if (preset)
        failed = apply_preset(spec, &list, preset);
    if (spec->preset)
        *spec->preset = preset;
    *first = optind;
    return failed;
}

int cli_parse_flags(const cli_spec *spec, int argc, char **argv, int *first)
{
    int code = cli_parse(spec, argc, argv, first);

    if (code == CLI_OK && *first >= 0 && *first < argc)
        return cli_fail(spec->command, CLI_USAGE, "takes no operand, but got '%s'", argv[*first]);
    return code;
}

/* ---- rules about flags ---- */

enum { FLAG_BYTES = 48 };

bool cli_given(const cli_table *tables, const char *name)
{
    for (const cli_table *t = tables; t->rows; t++)
        for (size_t i = 0; t->given && t->rows[i].type != PENTA_OPTION_END; i++)
            if (t->given[i] && strcmp(t->rows[i].name, name) == 0)
                return true;
    return false;
}

/* Steps to the next name of a rule, which goes to row; flag is how it is typed. False behind the last. */
static bool next_flag(const char **at, char row[FLAG_BYTES], char flag[FLAG_BYTES])
{
    int length;

    *at += strspn(*at, " ");
    length = (int)strcspn(*at, " ");
    snprintf(row, FLAG_BYTES, "%.*s", length, *at);
    snprintf(flag, FLAG_BYTES, "--%.*s", length, *at);
    for (char *p = flag; *p; p++)
        if (*p == '_')
            *p = '-';
    *at += length;
    return length > 0;
}

int cli_check_single(const cli_spec *spec, const cli_rule *rules)
{
    char row[FLAG_BYTES], flag[FLAG_BYTES], found[FLAG_BYTES];

    for (; rules->flags; rules++) {
        *found = 0;
        for (const char *at = rules->flags; next_flag(&at, row, flag);) {
            if (!cli_given(spec->tables, row))
                continue;
            if (*found)
                return cli_fail(spec->command, CLI_USAGE, "%s and %s both say %s; give one", found, flag, rules->text);
            memcpy(found, flag, sizeof found);
        }
    }
    return CLI_OK;
}

int cli_check_together(const cli_spec *spec, const cli_rule *rules)
{
    char row[FLAG_BYTES], flag[FLAG_BYTES], has[FLAG_BYTES], lacks[FLAG_BYTES];

    for (; rules->flags; rules++) {
        *has = *lacks = 0;
        for (const char *at = rules->flags; next_flag(&at, row, flag);)
            memcpy(cli_given(spec->tables, row) ? has : lacks, flag, sizeof flag);
        if (*has && *lacks)
            return cli_fail(spec->command, CLI_USAGE, "%s does nothing without %s; give both", has, lacks);
    }
    return CLI_OK;
}

int cli_check_effect(const cli_spec *spec, const cli_rule *rules, unsigned facts)
{
    char row[FLAG_BYTES], flag[FLAG_BYTES];

    for (; rules->flags; rules++)
        for (const char *at = rules->flags; (rules->when & facts) && next_flag(&at, row, flag);)
            if (cli_given(spec->tables, row))
                return cli_fail(spec->command, CLI_USAGE, "%s has no effect: %s; leave it out", flag, rules->text);
    return CLI_OK;
}

int cli_need_output(const cli_spec *spec, const cli_common *common)
{
    if (!common->output)
        return cli_fail(spec->command, CLI_USAGE, "-o %s is missing: where should the results go?", output_name(spec));
    return CLI_OK;
}
