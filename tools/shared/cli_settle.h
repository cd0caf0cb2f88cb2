/* Inputs that an earlier run wrote, before a command reads them. */
#ifndef PENTA_TOOLS_CLI_SETTLE_H
#define PENTA_TOOLS_CLI_SETTLE_H

#include "shared/cli.h"

/* Completes the results of runs that were ended within their commit, in all directories of files that the line names:
 * CLI_OK, or CLI_ERROR after one line on stderr. */
int cli_settle_inputs(const cli_line *line);

#endif
