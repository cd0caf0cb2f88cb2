/* man(7) source of the pages: names, flags, examples and neighbours of each command. */
#include "commands/manual.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/formats.h>

/* ---- text ---- */

/* As text of a line: no request at its begin, and `x` in bold. */
static void put_text(const char *text, FILE *out)
{
    bool bold = false, first = true;

    for (; *text; text++) {
        if (first && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        first = *text == '\n';
        if (*text == '`') {
            bold = !bold;
            fputs(bold ? "\\fB" : "\\fP", out);
        } else if (*text == '\\') {
            fputs("\\e", out);
        } else if (*text == '-') {
            fputs("\\-", out);
        } else {
            putc(*text, out);
        }
    }
}

static void put_bold(const char *text, FILE *out)
{
    fputs("\\fB", out);
    put_text(text, out);
    fputs("\\fP", out);
}

/* Paragraphs have empty lines between them. */
static void put_paragraphs(const char *text, FILE *out)
{
    for (const char *gap; (gap = strstr(text, "\n\n")); text = gap + 2) {
        char part[4096];

        snprintf(part, sizeof part, "%.*s", (int)(gap - text), text);
        put_text(part, out);
        fputs("\n.PP\n", out);
    }
    put_text(text, out);
    putc('\n', out);
}

/* ---- flags ---- */

static void put_row(const penta_option *row, FILE *out)
{
    char name[96], flag[128], value[256], initial[96];

    cli_flag_name(row->name, name, sizeof name);
    cli_value_name(row, value, sizeof value);
    fputs(".TP\n", out);
    if (row->letter) {
        snprintf(flag, sizeof flag, "-%c", row->letter);
        put_bold(flag, out);
        fputs(", ", out);
    }
    snprintf(flag, sizeof flag, "--%s", name);
    put_bold(flag, out);
    if (*value) {
        fputs(" \\fI", out);
        put_text(value + 1, out);
        fputs("\\fP", out);
    }
    putc('\n', out);
    put_text(row->help, out);
    put_text(cli_default_text(row, initial, sizeof initial), out);
    putc('\n', out);
}

static void put_presets(const penta_preset *presets, FILE *out)
{
    char name[96];

    fputs(".SS Presets\n", out);
    put_row(&cli_preset_row, out);
    for (const penta_preset *p = presets; p->name; p++) {
        fputs(".TP\n", out);
        put_bold("--preset", out);
        fprintf(out, " %s\n", p->name);
        put_text(p->help, out);
        putc(':', out);
        for (size_t i = 0; i < PENTA_PRESET_VALUES && p->values[i].option; i++) {
            fputs(" \\-\\-", out);
            put_text(cli_flag_name(p->values[i].option, name, sizeof name), out);
            fputs(*p->values[i].value ? " " : "", out);
            put_text(p->values[i].value, out);
        }
        putc('\n', out);
    }
}

static void put_options(const cli_command *command, FILE *out)
{
    if (command->commands)
        return;
    fputs(".SH OPTIONS\n", out);
    for (const cli_operand *o = command->operands; o && o->name; o++) {
        fputs(".TP\n\\fI", out);
        put_text(o->name, out);
        fprintf(out, "\\fP%s\n", o->most == 1 ? "" : " ...");
        put_text(o->help, out);
        putc('\n', out);
    }
    for (const cli_section *s = command->sections; s && cli_section_rows(s); s++) {
        if (s->title)
            fprintf(out, ".SS %s\n", s->title);
        for (const penta_option *row = cli_section_rows(s); row->type != PENTA_OPTION_END; row++) {
            penta_option shown = cli_explained(command, row);

            if (cli_takes(s, row))
                put_row(&shown, out);
        }
    }
    if (command->presets)
        put_presets(command->presets(), out);
    fputs(".SS Help\n.TP\n\\fB\\-h\\fP, \\fB\\-\\-help\\fP\nprint usage, flags and examples\n", out);
}

/* ---- the parts of a page ---- */

/* "penta-sample-autocorr" */
static const char *page_of(const cli_command *command, char *out, size_t size)
{
    snprintf(out, size, "penta-%s", command->name);
    for (char *p = out; *p; p++)
        if (*p == ' ')
            *p = '-';
    return out;
}

static void put_name(const char *page, const char *summary, FILE *out)
{
    fputs(".SH NAME\n", out);
    put_text(page, out);
    fputs(" \\- ", out);
    put_text(summary, out);
    putc('\n', out);
}

static void put_commands(const cli_command *const *commands, FILE *out)
{
    char page[128];

    fputs(".SH COMMANDS\n", out);
    for (; *commands; commands++) {
        fputs(".TP\n.BR ", out);
        put_text(page_of(*commands, page, sizeof page), out);
        fputs(" (1)\n", out);
        put_text((*commands)->summary, out);
        putc('\n', out);
    }
}

static void put_examples(const char *examples, FILE *out)
{
    fputs(".SH EXAMPLES\n.nf\n", out);
    while (*examples) {
        size_t length = strcspn(examples, "\n");
        char line[512];

        snprintf(line, sizeof line, "%.*s", (int)length, examples);
        put_text(strncmp(line, "  ", 2) == 0 ? line + 2 : line, out);
        putc('\n', out);
        examples += length + (examples[length] == '\n');
    }
    fputs(".fi\n", out);
}

/* References to pages, one after another. */
typedef struct {
    FILE *out;
    bool any;
} references;

static void refer(references *r, const char *page)
{
    fputs(r->any ? ",\n.BR " : "", r->out);
    put_text(page, r->out);
    fputs(" (1)", r->out);
    r->any = true;
}

/* Whether the help of the command speaks of `penta NAME`. */
static bool mentions(const cli_command *command, const char *name)
{
    const char *const texts[] = {command->about, command->examples};
    char words[96];
    size_t length = (size_t)snprintf(words, sizeof words, "penta %s", name);

    for (int i = 0; i < 2; i++)
        for (const char *at = texts[i]; at && (at = strstr(at, words)); at += length)
            if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_", at[length]) || !at[length])
                return true;
    return false;
}

static bool is_own_command(const cli_command *parent, const cli_command *command)
{
    for (const cli_command *const *own = parent->commands; own && *own; own++)
        if (*own == command)
            return true;
    return false;
}

/* penta(1), the command that it is one of, its own commands, the sample of its name, and what its help speaks of. */
static void put_neighbours(const cli_command *const *commands, const cli_command *command, FILE *out)
{
    references r = {.out = out};
    const char *blank = command ? strchr(command->name, ' ') : NULL;
    const char *word = blank ? blank + 1 : command ? command->name : "";
    char page[128];

    fputs(".SH SEE ALSO\n.BR ", out);
    if (command)
        refer(&r, "penta");
    for (const cli_command *const *c = commands; *c; c++) {
        if (!command || (*c != command && (is_own_command(*c, command) || mentions(command, (*c)->name) ||
                                           strcmp((*c)->name, word) == 0)))
            refer(&r, page_of(*c, page, sizeof page));
        for (const cli_command *const *own = command ? (*c)->commands : NULL; own && *own; own++)
            if (*own != command && (*c == command || strcmp(strchr((*own)->name, ' ') + 1, word) == 0))
                refer(&r, page_of(*own, page, sizeof page));
    }
    putc('\n', out);
}

static const cli_command *find(const cli_command *const *commands, const char *name)
{
    for (; *commands; commands++) {
        const cli_command *own = (*commands)->commands ? find((*commands)->commands, name) : NULL;

        if (strcmp((*commands)->name, name) == 0)
            return *commands;
        if (own)
            return own;
    }
    return NULL;
}

static void print_penta(const cli_command *const *commands, FILE *out)
{
    put_name("penta", "scientific workloads on any OpenCL device", out);
    fputs(".SH SYNOPSIS\n.nh\n.B penta\n\\fICOMMAND\\fP [flags] [operands]\n.hy\n.SH DESCRIPTION\n", out);
    put_text(
        "Scientific workloads on any OpenCL device, each a command with a page of its own. `penta COMMAND --help` has "
        "the flags of a command, `penta sample` makes inputs to try.\n",
        out);
    put_commands(commands, out);
}

/* What this build reads; kinds: "images cubes", as a line of the page names them. */
static void print_formats(const char *kinds, FILE *out)
{
    fputs(".SH FORMATS\n", out);
    for (int kind = 0; kind < PENTA_IO_KINDS; kind++) {
        const char *name = penta_io_kind_name((enum penta_io_kind)kind);
        char known[512], line[600];

        if (!strstr(kinds, name))
            continue;
        penta_io_format_names((enum penta_io_kind)kind, known, sizeof known);
        snprintf(line, sizeof line, "%c%s that this build reads: %s.", toupper((unsigned char)*name), name + 1, known);
        put_text(line, out);
        fputs("\n.PP\n", out);
    }
    fputs(".B penta version \\-\\-formats\nnames what it could read besides.\n", out);
}

bool manual_print(const cli_command *const *commands, const char *name, FILE *out)
{
    const cli_command *command = find(commands, name);
    char page[128], *about;

    if (strncmp(name, "formats ", strlen("formats ")) == 0) {
        print_formats(name + strlen("formats "), out);
        return true;
    }
    if (!command && strcmp(name, "penta") != 0)
        return false;
    if (command) {
        put_name(page_of(command, page, sizeof page), command->summary, out);
        fputs(".SH SYNOPSIS\n.nh\n.B penta ", out);
        put_text(command->name, out);
        fputs(command->sections ? "\n[flags] " : "\n", out);
        put_text(command->usage, out);
        fputs("\n.hy\n.SH DESCRIPTION\n", out);
        about = command->about ? cli_with_formats(command->about) : NULL;
        put_paragraphs(about ? about : command->summary, out);
        free(about);
        if (command->commands)
            put_commands(command->commands, out);
        put_options(command, out);
    } else {
        print_penta(commands, out);
    }
    fputs(".\\\" MORE\n", out);
    if (command && command->examples)
        put_examples(command->examples, out);
    put_neighbours(commands, command, out);
    return true;
}
