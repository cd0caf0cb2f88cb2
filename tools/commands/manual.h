/* Pages of the manual, from the descriptions of the commands. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "shared/cli.h"

/*
 * The page of the command with this name ("autocorr", "sample autocorr"), or of penta itself ("penta"), or the section
 * on formats of these kinds
 * ("formats images movies"), as man(7) source from .SH NAME on: what help has, and its neighbours. A line .\" MORE is
 * where tools/make-man puts sections that it has from docs/man. False: there is no such command.
 */
bool manual_print(const cli_command *const *commands, const char *name, FILE *out);
