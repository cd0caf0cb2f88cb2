/* All commands: those of the workloads and the others. */
#pragma once

#include "shared/cli.h"

extern const cli_command *const penta_commands[]; /* in the order of the help; NULL behind the last */

extern const cli_command penta_command_bench, penta_command_cache, penta_command_devices, penta_command_help,
    penta_command_options, penta_command_sample, penta_command_selftest, penta_command_version;

/* The list of commands. */
void penta_print_commands(FILE *out);
