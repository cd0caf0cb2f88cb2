/* penta version */
#include <stdio.h>

#include "commands/commands.h"

static int run(const cli_line *line, void *values)
{
    (void)line, (void)values;
    printf("pentacl %s\n", penta_version());
    return CLI_OK;
}

const cli_command penta_command_version = {
    .name = "version", .summary = "print the version", .usage = "", .about = "Prints the version.", .run = run};
