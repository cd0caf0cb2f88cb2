/* penta bench: checks the flags and runs penta-bench, a program of its own so that penta links no peer library. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "shared/bench_flags.h"

static int run(const cli_line *line, void *values)
{
    char path[PATH_MAX + 16];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    char **words = line->words, *slash;

    (void)values;
    path[length > 0 ? length : 0] = 0;
    slash = strrchr(path, '/');
    words[0] = (char[]){"penta-bench"};
    if (slash) {
        strcpy(slash + 1, "penta-bench");
        execv(path, words);
    }
    execvp("penta-bench", words);
    return cli_fail("bench", CLI_ERROR, "cannot run penta-bench (%s); build with -DPENTACL_BUILD_BENCH=ON",
                    strerror(errno));
}

const cli_command penta_command_bench = BENCH_COMMAND(run);
