/* The help of a command, from its description. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cli.h"
#include "shared/fill.h"
#include "shared/terminal.h"

/* Columns of flags; on a narrow terminal their help stands below them. */
enum { LEFT = 32, LEFT_IF_NARROW = 8, NARROW = 64 };

static fill filler(FILE *out, int indent)
{
    return (fill){.out = out, .width = terminal_columns(fileno(out)), .indent = indent};
}

/* A flag and its value in the left column; what is put into the filler next is its help. */
static fill print_left(const char *flag, const char *value, FILE *out)
{
    size_t length = strlen("  ") + strlen(flag) + strlen(value);
    fill f = filler(out, LEFT_IF_NARROW);
    bool below = length > LEFT - 2 || f.width < NARROW;

    fprintf(out, "  %s", flag);
    f.column = 2 + (int)strlen(flag);
    fill_text(&f, value);
    f.indent = f.width < NARROW ? LEFT_IF_NARROW : LEFT;
    if (below)
        fprintf(out, "\n%*s", f.indent, "");
    else
        fprintf(out, "%*s", LEFT - (int)length, "");
    f.column = f.indent;
    return f;
}

static void print_flag(const penta_option *row, FILE *out)
{
    char name[96], flag[128], value[256], text[96];
    fill f;

    cli_flag_name(row->name, name, sizeof name);
    cli_value_name(row, value, sizeof value);
    if (row->letter)
        snprintf(flag, sizeof flag, "-%c, --%s", row->letter, name);
    else
        snprintf(flag, sizeof flag, "    --%s", name);
    f = print_left(flag, value, out);
    fill_text(&f, row->help);
    fill_text(&f, cli_default_text(row, text, sizeof text));
    fill_end(&f);
}

static void print_presets(const penta_preset *presets, FILE *out)
{
    char value[128], text[512], name[96];

    fprintf(out, "\nPresets:\n");
    print_flag(&cli_preset_row, out);
    for (const penta_preset *p = presets; p->name; p++) {
        fill f;

        snprintf(value, sizeof value, " %s", p->name);
        f = print_left("    --preset", value, out);
        snprintf(text, sizeof text, "%s:", p->help);
        fill_text(&f, text);
        for (size_t i = 0; i < PENTA_PRESET_VALUES && p->values[i].option; i++) {
            snprintf(text, sizeof text, " --%s %s", cli_flag_name(p->values[i].option, name, sizeof name),
                     p->values[i].value);
            fill_text(&f, text);
        }
        fill_end(&f);
    }
}

static void print_operands(const cli_operand *operands, FILE *out)
{
    fprintf(out, "\nOperands:\n");
    for (; operands->name; operands++) {
        fill f = print_left(operands->name, operands->most == 1 ? "" : "...", out);

        fill_text(&f, operands->help);
        fill_end(&f);
    }
}

void cli_print_command(const char *name, const char *summary, FILE *out)
{
    fill f = filler(out, 13);

    fprintf(out, "  %-10s ", name);
    f.column = f.indent;
    fill_text(&f, summary ? summary : "");
    fill_end(&f);
}

static void print_commands(const cli_command *command, FILE *out)
{
    size_t length = strlen(command->name);

    putc('\n', out);
    for (const cli_command *const *c = command->commands; *c; c++)
        cli_print_command((*c)->name + length + 1, (*c)->summary, out);
    fprintf(out, "\n'penta %s %.*s --help' lists the flags of one of them.\n", command->name,
            (int)strcspn(command->usage, " "), command->usage);
}

/* A line each; what is too long for the terminal goes on, as a shell takes it. */
static void print_examples(const char *examples, FILE *out)
{
    char line[1024];

    fprintf(out, "\nExamples:\n");
    for (size_t length; *examples; examples += length + (examples[length] == '\n')) {
        fill f = filler(out, 6);

        length = strcspn(examples, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, examples);
        fprintf(out, "  ");
        f.column = 2;
        f.shell = true;
        fill_text(&f, line + strspn(line, " "));
        fill_end(&f);
    }
}

static void print_usage(const cli_command *command, FILE *out)
{
    fill f = filler(out, 7);
    char text[512];

    snprintf(text, sizeof text, "usage: penta %s%s %s", command->name, command->sections ? " [flags]" : "",
             command->usage);
    fill_text(&f, text);
    fill_end(&f);
}

void cli_print_help(const cli_command *command, FILE *out)
{
    print_usage(command, out);
    if (command->about) {
        fill f = filler(out, 0);
        char *about = cli_with_formats(command->about);

        putc('\n', out);
        fill_text(&f, about ? about : command->about);
        fill_end(&f);
        free(about);
    }
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
        print_examples(command->examples, out);
}
