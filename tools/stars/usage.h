/* Which flags of `penta stars` have an effect in which run. A flag without one is a mistake, and is refused. */
#pragma once

#include "stars/flags.h"

/* CLI_OK, or CLI_USAGE after one line on stderr: two flags say one thing, or a flag has no effect. */
int stars_usage_check(const cli_line *line, const stars_flags *flags, const penta_stars_options *options,
                      const char *output);

extern const cli_rule stars_single[], stars_together[], stars_idle[];
