/* penta options: the option tables, for bindings, manuals and shell completion. */
#include <stdio.h>

#include "commands/commands.h"
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

static int run(int argc, char **argv)
{
    static const penta_option rows[] = {PENTA_FLAG_OPTION(cli_common, json, 0, "print JSON (the only form there is)"),
                                        PENTA_OPTIONS_END};
    cli_common common;
    const cli_table tables[] = {{"Flags", rows, &common, NULL}, {0}};
    const cli_spec spec = {.command = "options",
                           .operands = "",
                           .about = "Prints the option table of every workload as JSON.",
                           .tables = tables};
    json_t *all;
    int first, code = cli_parse_flags(&spec, argc, argv, &first);

    if (code != CLI_OK || first < 0)
        return code;
    all = json_object();
    for (size_t i = 0; penta_workload_at(i); i++) {
        const penta_workload *w = penta_workload_at(i);
        json_t *list = json_array();

        for (const penta_option *o = w->options; o->type != PENTA_OPTION_END; o++)
            json_array_append_new(list, describe(o));
        json_object_set_new(all, w->name,
                            json_pack("{s:s, s:o, s:o}", "summary", w->summary, "options", list, "presets",
                                      describe_presets(w->presets)));
    }
    return json_print("options", all);
}

const cli_command penta_command_options = {"options", "the option tables as JSON", run};
