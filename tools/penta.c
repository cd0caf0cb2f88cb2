/* penta: the command. Each subcommand is a file cmd_*.c; workloads add themselves by their registration. */
#include <stdio.h>
#include <string.h>

#include "shared/cli.h"
#include "commands/commands.h"

#define PENTACL_WORKLOAD(name) extern const cli_command penta_command_##name;
#include "pentacl_workloads.def"
#undef PENTACL_WORKLOAD

static const cli_command *const commands[] = {
#define PENTACL_WORKLOAD(name) &penta_command_##name,
#include "pentacl_workloads.def"
#undef PENTACL_WORKLOAD
    &penta_command_devices, &penta_command_selftest, &penta_command_sample, &penta_command_bench,
    &penta_command_options, &penta_command_version,  &penta_command_help,
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int print_help(FILE *stream)
{
    fprintf(stream, "usage: penta COMMAND [flags] [operands]\n\nScientific workloads on any OpenCL device.\n\n");
    for (int i = 0; i < COMMANDS; i++)
        fprintf(stream, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(stream, "\n`penta COMMAND --help` tells more. `penta sample autocorr -o frames` makes images to try.\n");
    return CLI_OK;
}

static int run_help(int argc, char **argv)
{
    static const cli_table none[] = {{0}};
    const cli_spec spec = {.command = "help", .operands = "", .about = "Lists the commands.", .tables = none};
    int first, code = cli_parse_flags(&spec, argc, argv, &first);

    return code != CLI_OK || first < 0 ? code : print_help(stdout);
}

const cli_command penta_command_help = {"help", "this text", run_help};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;

    cli_begin();
    if (!name) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return cli_end(name, commands[i]->run(argc - 1, argv + 1));
    fprintf(stderr, "penta: unknown command '%s'; see penta --help\n", name);
    return CLI_USAGE;
}
