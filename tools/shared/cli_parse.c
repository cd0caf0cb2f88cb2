/* From a command's description and the words on the line to its values. */
#define _GNU_SOURCE /* getopt_long */
#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/run.h>
#include "shared/cli.h"
#include "shared/drivers.h"
#include "shared/ranks.h"

enum { FIRST_CODE = 256 };

/* ---- sections and the tables made of them ---- */

static size_t count_sections(const cli_command *command)
{
    size_t n = 0;

    while (command->sections && cli_section_rows(&command->sections[n]))
        n++;
    return n;
}

static size_t count_rows(const penta_option *rows)
{
    size_t n = 0;

    while (rows[n].type != PENTA_OPTION_END)
        n++;
    return n;
}

/* The rows that the section takes: its table, or *copy where it takes some of them. NULL: out of memory. */
static const penta_option *choose_rows(const cli_section *section, penta_option **copy)
{
    const penta_option *rows = cli_section_rows(section);
    size_t n = 0;

    if (!section->only && !section->except)
        return rows;
    *copy = malloc((count_rows(rows) + 1) * sizeof **copy);
    for (const penta_option *row = rows; *copy && row->type != PENTA_OPTION_END; row++)
        if (cli_takes(section, row))
            (*copy)[n++] = *row;
    if (*copy)
        (*copy)[n] = (penta_option)PENTA_OPTIONS_END;
    return *copy;
}

static bool make_table(const cli_section *section, void *values, cli_table *t, penta_option **copy)
{
    t->values = (char *)values + section->offset;
    t->rows = choose_rows(section, copy);
    t->given = t->rows ? calloc(count_rows(t->rows) + 1, sizeof *t->given) : NULL;
    if (!t->given)
        return false;
    if (t->rows->sized)
        memcpy(t->values, &section->size, sizeof section->size);
    penta_options_init(t->rows, t->values);
    return true;
}

/* line->tables, one a section; false when out of memory. */
static bool make_tables(cli_line *line, void *values)
{
    const cli_section *sections = line->command->sections;
    size_t n = count_sections(line->command);
    const char *title = "";
    bool ok;

    line->tables = calloc(n + 1, sizeof *line->tables);
    line->copies = calloc(n + 1, sizeof *line->copies);
    ok = line->tables && line->copies;
    for (size_t i = 0; ok && i < n; i++) {
        title = sections[i].title ? sections[i].title : title;
        line->tables[i].title = title;
        ok = make_table(&sections[i], values, &line->tables[i], &line->copies[i]);
    }
    return ok;
}

void cli_line_free(cli_line *line)
{
    for (size_t i = 0; line->tables && line->copies && line->tables[i].rows; i++) {
        free(line->copies[i]);
        free(line->tables[i].given);
    }
    free(line->tables);
    free(line->copies);
    free(line->words);
    *line = (cli_line){0};
}

bool cli_given(const cli_table *tables, const char *name)
{
    for (const cli_table *t = tables; t->rows; t++)
        for (size_t i = 0; t->given && t->rows[i].type != PENTA_OPTION_END; i++)
            if (t->given[i] && strcmp(t->rows[i].name, name) == 0)
                return true;
    return false;
}

bool cli_given_under(const cli_table *tables, const char *title)
{
    for (const cli_table *t = tables; t->rows; t++)
        for (size_t i = 0; strcmp(t->title, title) == 0 && t->given && t->rows[i].type != PENTA_OPTION_END; i++)
            if (t->given[i])
                return true;
    return false;
}

/* ---- flags, as getopt wants them ---- */

typedef struct {
    const penta_option *row;
    const cli_table *table; /* NULL: --preset */
} flag;

typedef struct {
    flag *flags;
    size_t count;
    struct option *longs; /* one a flag, then --help */
    char *names, *shorts; /* texts of longs; letters */
} flag_list;

static void free_flags(flag_list *list)
{
    free(list->flags);
    free(list->longs);
    free(list->names);
    free(list->shorts);
}

/* How many flags there are, and bytes of their names. */
static void measure(const cli_line *line, size_t *count, size_t *bytes)
{
    *count = 1;
    *bytes = strlen(cli_preset_row.name) + 1;
    for (const cli_table *t = line->tables; t->rows; t++)
        for (const penta_option *row = t->rows; row->type != PENTA_OPTION_END; row++) {
            ++*count;
            *bytes += strlen(row->name) + 1;
        }
}

static void add_flag(flag_list *list, const penta_option *row, const cli_table *table, char **name, char **letter)
{
    int value = row->type == PENTA_OPTION_FLAG ? no_argument : required_argument;
    size_t i = list->count++, size = strlen(row->name) + 1;

    list->flags[i] = (flag){row, table};
    list->longs[i] = (struct option){cli_flag_name(row->name, *name, size), value, NULL, FIRST_CODE + (int)i};
    *name += size;
    if (!row->letter)
        return;
    *(*letter)++ = row->letter;
    if (value == required_argument)
        *(*letter)++ = ':';
}

static bool list_flags(const cli_line *line, flag_list *list)
{
    size_t most, bytes;
    char *name, *letter;

    measure(line, &most, &bytes);
    *list = (flag_list){.flags = calloc(most, sizeof *list->flags),
                        .longs = calloc(most + 2, sizeof *list->longs),
                        .names = malloc(bytes),
                        .shorts = calloc(2 * most + 3, 1)};
    if (!list->flags || !list->longs || !list->names || !list->shorts)
        return false;
    name = list->names;
    letter = list->shorts;
    *letter++ = ':';
    *letter++ = 'h';
    for (const cli_table *t = line->tables; t->rows; t++)
        for (const penta_option *row = t->rows; row->type != PENTA_OPTION_END; row++)
            add_flag(list, row, t, &name, &letter);
    if (line->command->presets)
        add_flag(list, &cli_preset_row, NULL, &name, &letter);
    list->longs[list->count] = (struct option){"help", no_argument, NULL, 'h'};
    return true;
}

/* The flag of getopt's code; NULL: there is none. */
static const flag *find_flag(const flag_list *list, int code)
{
    if (code >= FIRST_CODE && code < FIRST_CODE + (int)list->count)
        return &list->flags[code - FIRST_CODE];
    for (size_t i = 0; i < list->count; i++)
        if (list->flags[i].row->letter && list->flags[i].row->letter == code)
            return &list->flags[i];
    return NULL;
}

/* ---- presets ---- */

/* Writes one value of a preset to the rows of its name whose flags were not given. */
static int set_by_preset(const cli_line *line, const char *option, const char *value)
{
    char message[512];
    bool known = false;

    for (const cli_table *t = line->tables; t->rows; t++)
        for (const penta_option *row = t->rows; row->type != PENTA_OPTION_END; row++) {
            if (strcmp(row->name, option) != 0)
                continue;
            known = true;
            if (!t->given[row - t->rows] &&
                penta_option_parse(row, t->values, value, message, sizeof message) != PENTA_OK)
                return cli_fail(line->command->name, CLI_ERROR, "%s", message);
        }
    return known
               ? CLI_OK
               : cli_fail(line->command->name, CLI_ERROR, "a preset sets %s, which is not the name of a flag", option);
}

static int apply_preset(const cli_line *line)
{
    const penta_preset *presets = line->command->presets(), *preset = penta_preset_find(presets, line->preset);
    char message[512];
    cli_guess guess;
    int code = CLI_OK;

    if (!preset) {
        penta_preset_apply(presets, line->preset, cli_common_table, NULL, message, sizeof message);
        cli_guess_begin(&guess, line->preset);
        cli_guess_try_values(&guess, line->command, &cli_preset_row);
        return cli_fail(line->command->name, CLI_USAGE, "%s%s", message, cli_guess_text(&guess, ""));
    }
    for (size_t i = 0; code == CLI_OK && i < PENTA_PRESET_VALUES && preset->values[i].option; i++)
        code = set_by_preset(line, preset->values[i].option, preset->values[i].value);
    return code;
}

/* ---- the line ---- */

static int take_flag(cli_line *line, const flag *f, const char *text)
{
    char message[512];
    cli_guess guess;

    if (!f->table) {
        line->preset = text;
        return CLI_OK;
    }
    if (penta_option_parse(f->row, f->table->values, text, message, sizeof message) != PENTA_OK) {
        cli_guess_begin(&guess, text);
        cli_guess_try_values(&guess, line->command, f->row);
        return cli_fail(line->command->name, CLI_USAGE, "%s%s", message, cli_guess_text(&guess, ""));
    }
    f->table->given[f->row - f->table->rows] = true;
    return CLI_OK;
}

/* "--m" begins several flags. */
static int fail_ambiguous(const char *command, const flag_list *list, const char *word, size_t length)
{
    char names[512] = "";
    size_t used = 0, count = 0;

    for (size_t i = 0; i <= list->count; i++) {
        if (strncmp(list->longs[i].name, word + 2, length - 2) != 0 || used >= sizeof names)
            continue;
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s--%s", count++ > 0 ? ", " : "", list->longs[i].name);
    }
    return cli_fail(command, CLI_USAGE, "%.*s is ambiguous: it may be %s", (int)length, word, names);
}

/* How many flags begin like the word, which has two dashes. */
static size_t count_beginnings(const flag_list *list, const char *word, size_t length)
{
    size_t n = 0;

    for (size_t i = 0; length > 2 && i <= list->count; i++)
        n += strncmp(list->longs[i].name, word + 2, length - 2) == 0;
    return n;
}

static int fail_unknown(const char *command, const flag_list *list, const char *word)
{
    size_t length = strcspn(word, "=");
    char name[64];
    cli_guess guess;

    if (optopt > 0 && optopt < FIRST_CODE)
        return cli_fail(command, CLI_USAGE, "unknown flag -%c; see penta %s --help", optopt, command);
    if (count_beginnings(list, word, length) > 1)
        return fail_ambiguous(command, list, word, length);
    snprintf(name, sizeof name, "%.*s", (int)(length - 2), word + 2);
    cli_guess_begin(&guess, name);
    for (size_t i = 0; i <= list->count; i++)
        cli_guess_try(&guess, list->longs[i].name);
    if (guess.best[0])
        return cli_fail(command, CLI_USAGE, "unknown flag %.*s%s", (int)length, word, cli_guess_text(&guess, "--"));
    return cli_fail(command, CLI_USAGE, "unknown flag %.*s; see penta %s --help", (int)length, word, command);
}

static int check_flag(const char *command, int code, const flag_list *list, const flag *f, const char *word)
{
    const flag *taken = code == '?' ? find_flag(list, optopt) : NULL;
    char name[96];

    if (code == ':')
        return cli_fail(command, CLI_USAGE, "%s needs a value; see penta %s --help", word, command);
    if (optopt >= FIRST_CODE && taken) {
        cli_flag_name(taken->row->name, name, sizeof name);
        return cli_fail(command, CLI_USAGE, "--%s is a switch and takes no value; give --%s alone, or leave it out",
                        name, name);
    }
    return f ? CLI_OK : fail_unknown(command, list, word);
}

static int take_flags(cli_line *line, const flag_list *list, int argc, char **argv)
{
    int code, failed = CLI_OK;

    optind = 0; /* 1 would go on amid the letters of a line parsed before */
    opterr = 0;
    while (failed == CLI_OK && (optopt = 0, code = getopt_long(argc, argv, list->shorts, list->longs, NULL)) != -1) {
        const flag *f = code == '?' ? NULL : find_flag(list, code);

        if (code == 'h') {
            cli_print_help(line->command, stdout);
            line->helped = true;
            return CLI_OK;
        }
        failed = check_flag(line->command->name, code, list, f, argv[optind - 1]);
        failed = failed != CLI_OK ? failed : take_flag(line, f, optarg ? optarg : "");
    }
    line->operands = argv + optind;
    line->operand_count = argc - optind;
    return failed;
}

/* Words of "a,b,c". */
static bool lists_word(const char *words, const char *word, cli_guess *guess)
{
    char name[64];

    for (size_t length; *words; words += length + (words[length] == ',')) {
        length = strcspn(words, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, words);
        if (*name && strcmp(name, word) == 0)
            return true;
        cli_guess_try(guess, name);
    }
    return false;
}

/* Operands that are words of a list are its words. */
static int check_choices(const cli_line *line)
{
    const char *choices = line->command->operands ? line->command->operands[0].choices : NULL;
    cli_guess guess;

    for (int i = 0; choices && i < line->operand_count; i++) {
        cli_guess_begin(&guess, line->operands[i]);
        if (!lists_word(choices, line->operands[i], &guess))
            return cli_fail(line->command->name, CLI_USAGE, "'%s' is none of %s%s", line->operands[i],
                            choices + (*choices == ','), cli_guess_text(&guess, ""));
    }
    return CLI_OK;
}

static int check_operands(const cli_line *line)
{
    const char *command = line->command->name;
    int least = 0, most = 0, last = 0;
    char name[32] = "operand";

    if (line->command->files_with && cli_given(line->tables, line->command->files_with))
        return CLI_OK;
    for (const cli_operand *o = line->command->operands; o && o->name; o++) {
        least += o->least;
        most = o->most > 0 ? most + o->most : line->operand_count;
        snprintf(name, sizeof name, "%s", o->name);
        last++;
    }
    for (char *p = name; *p && last > 0; p++)
        *p = (char)tolower(*p);
    if (last == 0 && line->operand_count > 0)
        return cli_fail(command, CLI_USAGE, "takes no operand, but got '%s'", line->operands[0]);
    if (line->operand_count > most || (line->operand_count < least && least == most))
        return cli_fail(command, CLI_USAGE, "needs one %s, but got %d; see penta %s --help", name, line->operand_count,
                        command);
    if (line->operand_count < least)
        return cli_fail(command, CLI_USAGE, "no %s given; see penta %s --help", name, command);
    return check_choices(line);
}

static bool copy_words(cli_line *line, int argc, char **argv)
{
    line->words = calloc((size_t)argc + 1, sizeof *line->words);
    if (line->words)
        memcpy(line->words, argv, (size_t)argc * sizeof *argv);
    line->word_count = argc;
    return line->words != NULL;
}

int cli_parse(const cli_command *command, void *values, int argc, char **argv, cli_line *line)
{
    flag_list list = {0};
    int code;

    *line = (cli_line){.command = command};
    cli_set_running(command);
    if (copy_words(line, argc, argv) && make_tables(line, values) && list_flags(line, &list))
        code = take_flags(line, &list, argc, argv);
    else
        code = cli_fail(command->name, CLI_ERROR, "out of memory");
    free_flags(&list);
    if (code == CLI_OK && !line->helped && line->preset)
        code = apply_preset(line);
    if (code == CLI_OK)
        cli_want_json(!line->helped && cli_given(line->tables, "json"));
    return code == CLI_OK && !line->helped ? check_operands(line) : code;
}

/* ---- inputs that an earlier run wrote, before a command reads them ---- */

/* The directory that was settled last: files of a series share theirs. */
typedef struct {
    const cli_line *line;
    char *last;
} settler;

static int settle(settler *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory = slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
    penta_io_error error = {""};
    int code = CLI_OK;

    if (!directory)
        return cli_fail(s->line->command->name, CLI_ERROR, "out of memory");
    if (!s->last || strcmp(s->last, directory) != 0)
        code = penta_io_run_settle(directory, &error) ? CLI_OK
                                                      : cli_fail(s->line->command->name, CLI_ERROR, "%s", error.text);
    free(s->last);
    s->last = directory;
    return code;
}

static int settle_table(settler *s, const cli_table *table)
{
    int code = CLI_OK;

    for (const penta_option *row = table->rows; code == CLI_OK && row->type != PENTA_OPTION_END; row++) {
        const char *value = NULL;

        if (row->type == PENTA_OPTION_TEXT && cli_value_is_file(row))
            memcpy(&value, (const char *)table->values + row->offset, sizeof value);
        if (value)
            code = settle(s, value);
    }
    return code;
}

/* Completes the results of runs that were ended within their commit, in all directories of files that the line names:
 * CLI_OK, or CLI_ERROR after one line on stderr. */
static int settle_inputs(const cli_line *line)
{
    settler s = {.line = line};
    int code = CLI_OK;

    for (int i = 0; code == CLI_OK && i < line->operand_count; i++)
        code = settle(&s, line->operands[i]);
    for (const cli_table *t = line->tables; code == CLI_OK && t && t->rows; t++)
        code = settle_table(&s, t);
    free(s.last);
    return code;
}

/* ---- running ---- */

/* Of a command that opens a device, which has -d. */
static void choose_drivers(const cli_line *line)
{
    for (const cli_table *t = line->tables; t && t->rows; t++)
        for (const penta_option *row = t->rows; row->type != PENTA_OPTION_END; row++)
            if (row->type == PENTA_OPTION_TEXT && strcmp(row->name, "device") == 0) {
                const char *value = NULL;

                memcpy(&value, (const char *)t->values + row->offset, sizeof value);
                drivers_choose(value);
                return;
            }
}

static int run_with(const cli_command *command, void *values, int argc, char **argv)
{
    cli_line line;
    int code = cli_parse(command, values, argc, argv, &line);

    bool runs = !line.helped;

    if (code == CLI_OK && runs)
        choose_drivers(&line);
    if (code == CLI_OK && runs)
        code = ranks_begin(command, &runs);
    if (code == CLI_OK && runs)
        code = ranks_agree(ranks_rank() == 0 ? settle_inputs(&line) : CLI_OK);
    if (code == CLI_OK && runs)
        code = command->run(&line, values);
    cli_line_free(&line);
    return code;
}

static int run_alone(const cli_command *command, int argc, char **argv)
{
    void *values = calloc(1, command->size + 1);
    int code;

    code = values ? run_with(command, values, argc, argv) : cli_fail(command->name, CLI_ERROR, "out of memory");
    free(values);
    return code;
}

const cli_command *cli_find_command(const cli_command *const *commands, const cli_command *of, const char *word)
{
    size_t before = of ? strlen(of->name) + 1 : 0;
    cli_guess guess;

    cli_guess_begin(&guess, word);
    for (const cli_command *const *c = commands; *c; c++) {
        if (strcmp((*c)->name + before, word) == 0)
            return *c;
        cli_guess_try(&guess, (*c)->name + before);
    }
    if (guess.best[0])
        cli_fail(of ? of->name : NULL, CLI_USAGE, "unknown command '%s'%s", word, cli_guess_text(&guess, ""));
    else
        cli_fail(of ? of->name : NULL, CLI_USAGE, "unknown command '%s'; see penta %s%s--help", word,
                 of ? of->name : "", of ? " " : "");
    return NULL;
}

int cli_run(const cli_command *command, int argc, char **argv)
{
    const cli_command *part;

    if (!command->commands)
        return run_alone(command, argc, argv);
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        cli_print_help(command, argc < 2 ? stderr : stdout);
        return argc < 2 ? CLI_USAGE : CLI_OK;
    }
    if (argv[1][0] == '-')
        return cli_fail(command->name, CLI_USAGE, "no command before %s, which stands behind it; see penta %s --help",
                        argv[1], command->name);
    part = cli_find_command(command->commands, command, argv[1]);
    return part ? cli_run(part, argc - 1, argv + 1) : CLI_USAGE;
}
