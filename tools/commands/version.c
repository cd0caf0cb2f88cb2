/* penta version */
#include <stdio.h>

#include "commands/commands.h"

static int run(int argc, char **argv)
{
    static const cli_table none[] = {{0}};
    const cli_spec spec = {.command = "version", .operands = "", .about = "Prints the version.", .tables = none};
    int first, code = cli_parse_flags(&spec, argc, argv, &first);

    if (code != CLI_OK || first < 0)
        return code;
    printf("pentacl %s\n", penta_version());
    return CLI_OK;
}

const cli_command penta_command_version = {"version", "print the version", run};
