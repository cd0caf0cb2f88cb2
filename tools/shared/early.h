/* What is said when a signal ends the program before it looks for signals, from the signal's handler. */
#pragma once

#include <stdbool.h>

/* From now on: a line on stderr and, with json, an answer on stdout. command: NULL while there is none. */
void early_prepare(const char *command, bool json);

/* Nothing any more: an answer is on its way. */
void early_forget(void);

/* May be called by a signal handler. */
void early_say(void);
