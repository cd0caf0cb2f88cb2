/*
 * penta options: every command with its flags and operands as JSON, for bindings, manuals and other programs. Of a
 * workload "options" is the table of its plan, "library" all of its tables; "tables" has all flags that the command
 * takes, as its help does.
 */
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/completion.h"
#include "commands/manual.h"
#include "shared/answer.h"
#include "shared/json.h"

static const char *type_name(penta_option_type type)
{
    static const char *const names[] = {"", "int", "real", "choice", "flag", "text"};

    return names[type];
}

static json_t *number(const penta_option *o, double value)
{
    return o->type == PENTA_OPTION_INT ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *describe(const penta_option *o)
{
    json_t *row = json_pack("{s:s, s:s, s:s, s:s}", "name", o->name, "type", type_name(o->type), "unit", o->unit,
                            "help", o->help);
    json_t *choices;
    char name[64];

    if (o->letter)
        json_object_set_new(row, "letter", json_stringn(&o->letter, 1));
    if (o->type == PENTA_OPTION_INT || o->type == PENTA_OPTION_REAL) {
        json_object_set_new(row, "default", number(o, o->initial));
        json_object_set_new(row, "min", number(o, o->min));
        json_object_set_new(row, "max", number(o, o->max));
        choices = o->type == PENTA_OPTION_INT && o->choices ? json_array() : NULL; /* of min, min + 1, .. */
        for (size_t i = 0; choices && penta_option_choice(o, i, name, sizeof name); i++)
            json_array_append_new(choices, json_string(name));
        if (choices)
            json_object_set_new(row, "names", choices);
    }
    if (o->type == PENTA_OPTION_TEXT)
        json_object_set_new(row, "value", json_string(o->choices));
    if (o->type == PENTA_OPTION_TEXT && (cli_value_is_file(o) || cli_value_is_directory(o)))
        json_object_set_new(row, "path", json_string(cli_value_is_file(o) ? "file" : "directory"));
    if (o->type == PENTA_OPTION_CHOICE) {
        choices = json_array();
        for (size_t i = 0; penta_option_choice(o, i, name, sizeof name); i++)
            json_array_append_new(choices, json_string(name));
        json_object_set_new(row, "choices", choices);
        if (penta_option_choice(o, (size_t)o->initial, name, sizeof name))
            json_object_set_new(row, "default", json_string(name));
    }
    return row;
}

static json_t *describe_presets(const penta_preset *presets)
{
    json_t *all = json_array();

    for (const penta_preset *p = presets; p && p->name; p++) {
        json_t *values = json_object();

        for (size_t i = 0; i < PENTA_PRESET_VALUES && p->values[i].option; i++)
            json_object_set_new(values, p->values[i].option, json_string(p->values[i].value));
        json_array_append_new(all, json_pack("{s:s, s:s, s:o}", "name", p->name, "help", p->help, "values", values));
    }
    return all;
}

static json_t *describe_table(const cli_command *command, const cli_section *s, const char *title)
{
    json_t *list = json_array();

    for (const penta_option *row = cli_section_rows(s); row->type != PENTA_OPTION_END; row++) {
        penta_option shown = cli_explained(command, row);

        if (cli_takes(s, row))
            json_array_append_new(list, describe(&shown));
    }
    return json_pack("{s:s, s:s, s:o}", "title", title, "name", s->name, "options", list);
}

static json_t *describe_tables(const cli_command *command)
{
    json_t *tables = json_array();
    const char *title = "";

    for (const cli_section *s = command->sections; s && cli_section_rows(s); s++) {
        title = s->title ? s->title : title;
        json_array_append_new(tables, describe_table(command, s, title));
    }
    if (command->presets)
        json_array_append_new(tables, json_pack("{s:s, s:s, s:[o]}", "title", "Presets", "name", "presets", "options",
                                                describe(&cli_preset_row)));
    return tables;
}

static json_t *split_names(const char *names, char between)
{
    json_t *list = json_array();

    for (const char *at = names; *at;) {
        const char *end = strchr(at, between);
        size_t length = end ? (size_t)(end - at) : strlen(at);

        if (length > 0)
            json_array_append_new(list, json_stringn(at, length));
        at += length + (end ? 1 : 0);
    }
    return list;
}

static json_t *describe_operands(const cli_command *command)
{
    json_t *list = json_array();

    for (const cli_operand *o = command->operands; o && o->name; o++) {
        json_t *row = json_pack("{s:s, s:s, s:i, s:o}", "name", o->name, "help", o->help, "least", o->least, "most",
                                o->most > 0 ? json_integer(o->most) : json_null());

        if (o->choices)
            json_object_set_new(row, "choices", split_names(o->choices, ','));
        json_array_append_new(list, row);
    }
    return list;
}

static void describe_rules(json_t *list, const char *kind, const cli_rule *rules)
{
    for (; rules && rules->flags; rules++)
        json_array_append_new(list, json_pack("{s:s, s:o, s:s?}", "kind", kind, "options",
                                              split_names(rules->flags, ' '), "text", rules->text));
}

static json_t *describe_command(const cli_command *command)
{
    json_t *rules = json_array(), *out, *parts;

    describe_rules(rules, "single", command->single);
    describe_rules(rules, "together", command->together);
    describe_rules(rules, "idle", command->idle);
    out = json_pack("{s:s, s:s, s:o, s:o, s:o}", "summary", command->summary, "usage", command->usage, "operands",
                    describe_operands(command), "tables", describe_tables(command), "rules", rules);
    if (!command->commands)
        return out;
    parts = json_object();
    for (const cli_command *const *c = command->commands; *c; c++)
        json_object_set_new(parts, (*c)->name + strlen(command->name) + 1, describe_command(*c));
    json_object_set_new(out, "commands", parts);
    return out;
}

/* All tables of the library for this workload, also those that its commands have rows of their own for. */
static json_t *describe_library(const penta_workload *w)
{
    json_t *tables = json_array();
    const penta_option *rows;
    const char *name;

    for (size_t i = 0; (rows = penta_workload_table(w, i, &name, NULL)); i++) {
        json_t *list = json_array();

        for (; rows->type != PENTA_OPTION_END; rows++)
            json_array_append_new(list, describe(rows));
        json_array_append_new(tables, json_pack("{s:s, s:o}", "name", name, "options", list));
    }
    return tables;
}

/* The library's own table and presets, beside the command's. */
static void add_workload(json_t *out, const penta_workload *w)
{
    json_t *list = json_array();

    for (const penta_option *o = penta_workload_table(w, 0, NULL, NULL); o->type != PENTA_OPTION_END; o++)
        json_array_append_new(list, describe(o));
    json_object_set_new(out, "options", list);
    json_object_set_new(out, "library", describe_library(w));
    json_object_set_new(out, "presets", describe_presets(penta_workload_presets(w)));
}

static json_t *describe_all(void)
{
    json_t *all = json_object();

    for (const cli_command *const *c = cli_commands(); *c; c++)
        json_object_set_new(all, (*c)->name, describe_command(*c));
    for (size_t i = 0; penta_workload_at(i); i++) {
        const penta_workload *w = penta_workload_at(i);
        json_t *command = json_object_get(all, penta_workload_name(w));

        if (command)
            add_workload(command, w);
    }
    return all;
}

/* The commands stand in "commands", and at the top beside the members that every answer has. */
static void answer_all(void)
{
    json_t *all = describe_all();

    answer_add(json_incref(all));
    answer_add(json_pack("{s:o}", "commands", all));
}

typedef struct {
    bool json;
    int completion; /* completion_shell */
    const char *manual;
} options_flags;

static int run(const cli_line *line, void *values)
{
    const options_flags *f = values;

    int code = cli_check_single(line);

    if (code != CLI_OK)
        return code;
    if (f->json) {
        answer_all();
        return CLI_OK;
    }
    if (f->manual)
        return manual_print(cli_commands(), f->manual, stdout)
                   ? CLI_OK
                   : cli_fail("options", CLI_USAGE, "--manual: there is no command '%s'; see penta --help", f->manual);
    if (f->completion == COMPLETION_NONE)
        return json_print("options", describe_all());
    completion_print(cli_commands(), (completion_shell)f->completion, stdout);
    return CLI_OK;
}

static const penta_option rows[] = {
    PENTA_FLAG_OPTION(options_flags, json, 0,
                      "print the answer that all commands have, with \"commands\"; without it these alone"),
    PENTA_CHOICE_OPTION(options_flags, completion, 0, "none,bash,zsh,fish",
                        "print a script for completion by this shell instead"),
    PENTA_TEXT_OPTION(
        options_flags, manual, 0, "COMMAND",
        "print the manual's page of this command, such as autocorr, 'sample autocorr' or penta, as man(7) "
        "source instead"),
    PENTA_OPTIONS_END};
static const cli_rule single[] = {{"json completion manual", "what to print", 0}, {0}};
static const cli_section sections[] = {{"Flags", "options", rows, NULL, 0, 0, NULL, NULL}, CLI_SECTIONS_END};

const cli_command penta_command_options = {
    .name = "options",
    .summary = "print all flags and operands, as JSON or for completion",
    .usage = "",
    .about =
        "Prints every command with its operands, option tables, presets and rules as JSON; or a script for shell\n"
        "completion; or a page of the manual. In the JSON of a workload \"options\" is the table of its plan,\n"
        "\"library\" has all tables that a program fills to call the library, and \"tables\" has all flags of the\n"
        "command.",
    .sections = sections,
    .single = single,
    .size = sizeof(options_flags),
    .run = run,
    .ranks = CLI_RANKS_FIRST};
