/* penta: the command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "shared/answer.h"
#include "shared/ranks.h"
#include "shared/stages.h"

/* Of the words behind the program's name; the exit code. *name: the command's, or NULL. */
static int run(int argc, char **argv, const char **name)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    const cli_command *command;

    if (!word && cli_wants_json())
        return cli_fail(NULL, CLI_USAGE, "no command given; see penta --help");
    if (!word) {
        penta_print_commands(stderr);
        return CLI_USAGE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        word = "help";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        word = "version";
    command = cli_find_command(penta_commands, NULL, word);
    *name = command ? command->name : NULL;
    return command ? cli_run(command, argc - 1, argv + 1) : CLI_USAGE;
}

/* So that compiled programs of PoCL can be kept as binaries, which open in 1 ms instead of 20 to 70
 * (src/core/program_cache.c). prepare has one program, and its kernels take 1.5 times as long to compile in this form;
 * bench starts it, and hands its environment on. */
static void make_pocl_general(const char *command)
{
    if (!command || (strcmp(command, "prepare") != 0 && strcmp(command, "bench") != 0))
        setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 0);
}

int main(int argc, char **argv)
{
    const char *name = NULL;
    int code;

    make_pocl_general(argc > 1 ? argv[1] : NULL);
    stages_begin();
    cli_begin(penta_commands, argc, argv);
    answer_begin(argc, argv);
    code = cli_take_front(penta_commands, &argc, argv);
    code = code != CLI_OK ? code : run(argc, argv, &name);
    return cli_end(name, ranks_end(answer_end(name, code)));
}
