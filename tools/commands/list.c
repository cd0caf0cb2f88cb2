/* The list of all commands; workloads add themselves by their registration. */
#include "commands/commands.h"
#include "shared/answer.h"

#define PENTACL_WORKLOAD(name) extern const cli_command penta_command_##name;
#include "pentacl_workloads.def"
#undef PENTACL_WORKLOAD

const cli_command *const penta_commands[] = {
#define PENTACL_WORKLOAD(name) &penta_command_##name,
#include "pentacl_workloads.def"
#undef PENTACL_WORKLOAD
    &penta_command_devices, &penta_command_selftest, &penta_command_sample,
    &penta_command_bench,   &penta_command_options,  &penta_command_cache,
    &penta_command_version, &penta_command_help,     NULL,
};

void penta_print_commands(FILE *out)
{
    fprintf(out, "usage: penta COMMAND [flags] [operands]\n\nScientific workloads on any OpenCL device.\n\n");
    for (const cli_command *const *c = penta_commands; *c; c++)
        cli_print_command((*c)->name, (*c)->summary, out);
    fprintf(out, "\n`penta help COMMAND` tells more.\n`penta sample autocorr -o frames` makes images to try.\n");
}

typedef struct {
    bool json;
} help_flags;

static json_t *list_commands(void)
{
    json_t *list = json_array();

    for (const cli_command *const *c = penta_commands; *c; c++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "name", (*c)->name, "summary", (*c)->summary));
    return list;
}

/* The command that the words name; NULL after one line on stderr. */
static const cli_command *named(const cli_line *line)
{
    const cli_command *const *among = penta_commands;
    const cli_command *command = NULL;

    for (int i = 0; i < line->operand_count; i++) {
        if (!among) {
            cli_fail("help", CLI_USAGE, "penta %s has no commands of its own, such as '%s'", command->name,
                     line->operands[i]);
            return NULL;
        }
        command = cli_find_command(among, command, line->operands[i]);
        if (!command)
            return NULL;
        among = command->commands;
    }
    return command;
}

/* `penta help autocorr` is `penta autocorr --help`. */
static int run_help(const cli_line *line, void *values)
{
    const help_flags *f = values;
    const cli_command *command = line->operand_count > 0 ? named(line) : NULL;

    if (line->operand_count > 0 && !command)
        return CLI_USAGE;
    if (f->json && command)
        return cli_fail("help", CLI_USAGE, "--json lists the commands; penta options --json has all of %s",
                        command->name);
    if (f->json)
        answer_add(json_pack("{s:o}", "commands", list_commands()));
    else if (command)
        cli_print_help(command, stdout);
    else
        penta_print_commands(stdout);
    return CLI_OK;
}

static const penta_option help_rows[] = {
    PENTA_FLAG_OPTION(help_flags, json, 0, "print one JSON object on stdout instead of text"), PENTA_OPTIONS_END};
static const cli_section help_sections[] = {{"Flags", "help", help_rows, NULL, 0, 0, NULL, NULL}, CLI_SECTIONS_END};

#define PENTACL_WORKLOAD(name) #name ","
static const cli_operand operands[] = {{"COMMAND", "its help; \"sample autocorr\" are two words", 0, 2,
#include "pentacl_workloads.def"
                                        "devices,selftest,sample,bench,options,cache,version,help"},
                                       {0}};
#undef PENTACL_WORKLOAD

const cli_command penta_command_help = {.name = "help",
                                        .summary = "list the commands, or explain one",
                                        .usage = "[COMMAND]",
                                        .about = "Lists the commands, or prints the help of one.",
                                        .operands = operands,
                                        .sections = help_sections,
                                        .size = sizeof(help_flags),
                                        .run = run_help,
                                        .ranks = CLI_RANKS_FIRST};
