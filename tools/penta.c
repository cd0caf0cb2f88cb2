/* penta: the command. */
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;

    cli_begin(penta_commands);
    if (!name) {
        penta_print_commands(stderr);
        return CLI_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    for (const cli_command *const *c = penta_commands; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return cli_end(name, cli_run(*c, argc - 1, argv + 1));
    fprintf(stderr, "penta: unknown command '%s'; see penta --help\n", name);
    return CLI_USAGE;
}
