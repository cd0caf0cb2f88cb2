/* The description of a command, read: which rows a section takes, and how they are called and explained. */
#include <string.h>

#include "shared/cli.h"

enum { OUTPUT_ROW = 0 /* of cli_common_table */ };

const penta_option cli_common_table[] = {
    PENTA_TEXT_OPTION(cli_common, output, 'o', "DIR", "directory for the results; created if it does not exist"),
    PENTA_TEXT_OPTION(cli_common, device, 'd', "DEVICE",
                      "index of `penta devices`, cpu, gpu, or part of a name (default: PENTACL_DEVICE, then a GPU); "
                      "several as 0,1 or gpu* or all"),
    PENTA_FLAG_OPTION(cli_common, json, 0, "print one JSON object on stdout and nothing else there"),
    PENTA_FLAG_OPTION(cli_common, quiet, 'q', "print no notes and no progress; results and warnings are printed"),
    PENTA_FLAG_OPTION(cli_common, verbose, 'v',
                      "print what was chosen and why, where the time went, and whole error traces"),
    PENTA_FLAG_OPTION(cli_common, profile, 0, "print the time of each kernel and transfer on stderr"),
    PENTA_CHOICE_OPTION(cli_common, color, 0, "auto,always,never",
                        "colour of messages; auto: on a terminal, unless NO_COLOR is set or TERM is dumb"),
    PENTA_CHOICE_OPTION(cli_common, fp64, 0, "auto,never",
                        "double precision on the device; never: work as on a device without it"),
    PENTA_OPTIONS_END};

const penta_option cli_preset_row = {.name = "preset",
                                     .type = PENTA_OPTION_TEXT,
                                     .choices = "NAME",
                                     .unit = "",
                                     .help =
                                         "set several options at once; flags that are given win, whatever the order"};

/* Whether the list of words with blanks between holds this one. */
static bool lists(const char *words, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = words; (at = strstr(at, name)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

bool cli_takes(const cli_section *section, const penta_option *row)
{
    return (!section->only || lists(section->only, row->name)) &&
           (!section->except || !lists(section->except, row->name));
}

char *cli_flag_name(const char *name, char *out, size_t size)
{
    snprintf(out, size, "%s", name);
    for (char *p = out; *p; p++)
        if (*p == '_')
            *p = '-';
    return out;
}

penta_option cli_explained(const cli_command *command, const penta_option *row)
{
    const penta_option *common = &cli_common_table[OUTPUT_ROW];
    penta_option shown = *row;

    if (strcmp(row->name, common->name) == 0 && row->help == common->help) {
        shown.choices = command->output_name ? command->output_name : common->choices;
        shown.help = command->output_help ? command->output_help : common->help;
    }
    return shown;
}

char *cli_value_name(const penta_option *row, char *out, size_t size)
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
    return out;
}

/* Which name of the row its default has: of choices from 0 on, of integers with names from the least on. */
static double default_name(const penta_option *row)
{
    return row->type == PENTA_OPTION_CHOICE ? row->initial
           : row->type == PENTA_OPTION_INT  ? row->initial - row->min
                                            : -1;
}

char *cli_default_text(const penta_option *row, char *out, size_t size)
{
    double at = default_name(row);
    char name[64];

    *out = 0;
    if (at >= 0 && penta_option_choice(row, (size_t)at, name, sizeof name))
        snprintf(out, size, " (default %s)", name);
    else if (row->type == PENTA_OPTION_INT || row->type == PENTA_OPTION_REAL)
        snprintf(out, size, " (default %g)", row->initial);
    return out;
}
