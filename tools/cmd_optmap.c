/* penta optmap: a camera movie of a heart in, its activation maps out. */
#include "cli.h"

static int run_optmap(int argc, char **argv)
{
    (void)argc;
    return cli_fail(argv[0], CLI_ERROR, "to be written");
}

const cli_command penta_command_optmap = {"optmap", "cardiac optical mapping: activation maps from camera movies",
                                          run_optmap};
