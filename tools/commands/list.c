/* The list of all commands; workloads add themselves by their registration. */
#include "commands/commands.h"

#define PENTACL_WORKLOAD(name) extern const cli_command penta_command_##name;
#include "pentacl_workloads.def"
#undef PENTACL_WORKLOAD

const cli_command *const penta_commands[] = {
#define PENTACL_WORKLOAD(name) &penta_command_##name,
#include "pentacl_workloads.def"
#undef PENTACL_WORKLOAD
    &penta_command_devices, &penta_command_selftest, &penta_command_sample, &penta_command_bench,
    &penta_command_options, &penta_command_version,  &penta_command_help,   NULL,
};

void penta_print_commands(FILE *out)
{
    fprintf(out, "usage: penta COMMAND [flags] [operands]\n\nScientific workloads on any OpenCL device.\n\n");
    for (const cli_command *const *c = penta_commands; *c; c++)
        fprintf(out, "  %-10s %s\n", (*c)->name, (*c)->summary);
    fprintf(out, "\n`penta COMMAND --help` tells more. `penta sample autocorr -o frames` makes images to try.\n");
}

static int run_help(const cli_line *line, void *values)
{
    (void)line, (void)values;
    penta_print_commands(stdout);
    return CLI_OK;
}

const cli_command penta_command_help = {
    .name = "help", .summary = "list the commands", .usage = "", .about = "Lists the commands.", .run = run_help};
