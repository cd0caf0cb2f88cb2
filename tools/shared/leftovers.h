/* Files of an earlier run, which a new one into the same directory leaves as they are beside its own. */
#pragma once

#include "shared/cli.h"

typedef struct leftovers leftovers;

/*
 * Before anything is written: the files that are there under names of the command. names: shell patterns with blanks
 * between them, "components.* model.json". NULL: none, or no memory for them.
 */
leftovers *leftovers_look(const char *directory, const char *names);

/* After everything was written: a note that names one of those which are still there, if there are. */
void leftovers_note(const leftovers *before, const cli_common *common, const char *command);

void leftovers_free(leftovers *before); /* NULL is fine */
