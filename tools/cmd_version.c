/* penta version */
#include <stdio.h>

#include "commands.h"

static int run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    printf("pentacl %s\n", penta_version());
    return CLI_OK;
}

const cli_command penta_command_version = {"version", "print the version", run};
