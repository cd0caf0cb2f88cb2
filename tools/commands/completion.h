/* Shell completion of all commands, from their descriptions. */
#pragma once

#include <stdio.h>

#include "shared/cli.h"

typedef enum { COMPLETION_NONE = 0, COMPLETION_BASH, COMPLETION_ZSH, COMPLETION_FISH } completion_shell;

/* The script for this shell: commands, flags, choices, and names of files where a flag or operand takes a file. */
void completion_print(const cli_command *const *commands, completion_shell shell, FILE *out);
