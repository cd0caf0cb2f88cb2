/* penta bench: runs penta-bench, a program of its own so that penta links no peer library. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"

static int run(int argc, char **argv)
{
    char path[PATH_MAX + 16];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    char *slash;

    (void)argc;
    path[length > 0 ? length : 0] = 0;
    slash = strrchr(path, '/');
    argv[0] = (char[]){"penta-bench"};
    if (slash) {
        strcpy(slash + 1, "penta-bench");
        execv(path, argv);
    }
    execvp("penta-bench", argv);
    return cli_fail("bench", CLI_ERROR, "cannot run penta-bench (%s); build with -DPENTACL_BUILD_BENCH=ON",
                    strerror(errno));
}

const cli_command penta_command_bench = {"bench", "time a workload beside its peers", run};
