/* Flags that stand before the command. */
#include <stdlib.h>
#include <string.h>

#include "shared/cli.h"
#include "shared/terminal.h"

/* The common flag that the word is, with "=" or without; or NULL. */
static const penta_option *find_flag(const char *word, const char **value)
{
    for (const penta_option *row = cli_common_table; row->type != PENTA_OPTION_END; row++) {
        size_t length = strlen(row->name);
        bool is_long = strncmp(word, "--", 2) == 0 && strncmp(word + 2, row->name, length) == 0 &&
                       (word[2 + length] == 0 || word[2 + length] == '=');
        bool is_short = row->letter && word[0] == '-' && word[1] == row->letter;

        *value = is_long && word[2 + length] ? word + 3 + length : is_short && word[2] ? word + 2 : NULL;
        if (is_long || is_short)
            return row;
    }
    return NULL;
}

static bool is_help(const char *word)
{
    static const char *const words[] = {"-h", "--help", "-V", "--version"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static bool is_color(const penta_option *row)
{
    return strcmp(row->name, "color") == 0;
}

/* The words of the flag at argv[i]: 1 or 2; 0 after a line on stderr. *moves: it goes behind the command. */
static int take_flag(int argc, char **argv, int i, bool *moves)
{
    const char *value;
    const penta_option *row = find_flag(argv[i], &value);
    bool alone = row && (row->type == PENTA_OPTION_FLAG || value);

    *moves = row && !is_color(row);
    if (!row || (!alone && i + 1 >= argc)) {
        cli_fail(NULL, CLI_USAGE, row ? "%s needs a value" : "unknown flag %s; flags of a command stand behind it",
                 argv[i]);
        return 0;
    }
    value = value || alone ? value : argv[i + 1];
    if (is_color(row) && !terminal_is_color(value)) {
        cli_fail(NULL, CLI_USAGE, "--color needs one of auto,always,never, not '%s'", value);
        return 0;
    }
    return alone ? 1 : 2;
}

/* Words that name a command: 2 of "sample pca". */
static int words_of(const cli_command *const *commands, int argc, char **argv)
{
    if (argc < 2)
        return argc;
    for (const cli_command *const *c = commands; *c; c++)
        if ((*c)->commands && strcmp((*c)->name, argv[0]) == 0 && argv[1][0] != '-')
            return 2;
    return 1;
}

int cli_take_front(const cli_command *const *commands, int *argc, char **argv)
{
    char **moved = calloc((size_t)*argc + 1, sizeof *moved);
    int n = 0, i = 1, words;

    if (!moved)
        return cli_fail(NULL, CLI_ERROR, "out of memory");
    while (i < *argc && argv[i][0] == '-' && !is_help(argv[i])) {
        bool moves;
        int taken = take_flag(*argc, argv, i, &moves);

        if (taken == 0) {
            free(moved);
            return CLI_USAGE;
        }
        for (; taken > 0; taken--, i++)
            if (moves)
                moved[n++] = argv[i];
    }
    words = words_of(commands, *argc - i, argv + i);
    n = words > 0 ? n : 0;
    memmove(argv + 1, argv + i, (size_t)words * sizeof *argv);
    memcpy(argv + 1 + words, moved, (size_t)n * sizeof *argv);
    memmove(argv + 1 + words + n, argv + i + words, (size_t)(*argc - i - words + 1) * sizeof *argv);
    *argc -= i - 1 - n;
    free(moved);
    return CLI_OK;
}
