/* Which flags of `penta stars` have a say in which run: one that has none is a mistake, and refused. */
#ifndef PENTA_TOOLS_STARS_USAGE_H
#define PENTA_TOOLS_STARS_USAGE_H

#include "stars/flags.h"

/* CLI_OK, or CLI_USAGE after one line on stderr: two flags say one thing, or a flag has no effect. */
int star_usage_check(const cli_line *line, const star_flags *flags, const penta_stars_options *options,
                     const char *output);

extern const cli_rule star_single[], star_together[], star_idle[];

#endif
