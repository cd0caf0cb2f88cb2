/* The help of a command, from its description. */
#include <string.h>

#include "shared/cli.h"

enum { LEFT = 32 /* columns */ };

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

static void print_default(const penta_option *row, FILE *out)
{
    double at = default_name(row);
    char name[64];

    if (at >= 0 && penta_option_choice(row, (size_t)at, name, sizeof name))
        fprintf(out, " (default %s)", name);
    else if (row->type == PENTA_OPTION_INT || row->type == PENTA_OPTION_REAL)
        fprintf(out, " (default %g)", row->initial);
}

/* A flag and its value in the left column; what is printed next is its help. */
static void print_left(const char *flag, const char *value, FILE *out)
{
    size_t length = strlen("  ") + strlen(flag) + strlen(value);

    fprintf(out, "  %s%s", flag, value);
    if (length > LEFT - 2)
        fprintf(out, "\n%*s", LEFT, "");
    else
        fprintf(out, "%*s", LEFT - (int)length, "");
}

static void print_flag(const penta_option *row, FILE *out)
{
    char name[96], flag[128], value[256];

    cli_flag_name(row->name, name, sizeof name);
    value_name(row, value, sizeof value);
    if (row->letter)
        snprintf(flag, sizeof flag, "-%c, --%s", row->letter, name);
    else
        snprintf(flag, sizeof flag, "    --%s", name);
    print_left(flag, value, out);
    fputs(row->help, out);
    print_default(row, out);
    putc('\n', out);
}

static void print_presets(const penta_preset *presets, FILE *out)
{
    char value[128];

    fprintf(out, "\nPresets:\n");
    print_flag(&cli_preset_row, out);
    for (const penta_preset *p = presets; p->name; p++) {
        snprintf(value, sizeof value, " %s", p->name);
        print_left("    --preset", value, out);
        fprintf(out, "%s:", p->help);
        for (size_t i = 0; i < PENTA_PRESET_VALUES && p->values[i].option; i++) {
            fprintf(out, " --");
            for (const char *c = p->values[i].option; *c; c++)
                putc(*c == '_' ? '-' : *c, out);
            if (*p->values[i].value)
                fprintf(out, " %s", p->values[i].value);
        }
        putc('\n', out);
    }
}

static void print_operands(const cli_operand *operands, FILE *out)
{
    fprintf(out, "\nOperands:\n");
    for (; operands->name; operands++) {
        print_left(operands->name, operands->most == 1 ? "" : "...", out);
        fprintf(out, "%s\n", operands->help);
    }
}

static void print_commands(const cli_command *command, FILE *out)
{
    size_t length = strlen(command->name);

    putc('\n', out);
    for (const cli_command *const *c = command->commands; *c; c++)
        fprintf(out, "  %-10s %s\n", (*c)->name + length + 1, (*c)->summary);
}

void cli_print_help(const cli_command *command, FILE *out)
{
    fprintf(out, "usage: penta %s", command->name);
    if (command->sections)
        fprintf(out, " [flags]");
    fprintf(out, "%s%s\n", *command->usage ? " " : "", command->usage);
    if (command->about)
        fprintf(out, "\n%s\n", command->about);
    if (command->commands)
        print_commands(command, out);
    if (command->operands && command->operands->name)
        print_operands(command->operands, out);
    for (const cli_section *s = command->sections; s && cli_section_rows(s); s++) {
        if (s->title)
            fprintf(out, "\n%s:\n", s->title);
        for (const penta_option *row = cli_section_rows(s); row->type != PENTA_OPTION_END; row++) {
            penta_option shown = cli_explained(command, row);

            if (cli_takes(s, row))
                print_flag(&shown, out);
        }
    }
    if (command->presets)
        print_presets(command->presets(), out);
    if (command->examples)
        fprintf(out, "\nExamples:\n%s", command->examples);
}
