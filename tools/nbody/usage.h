/* Which flags of `penta nbody` have a say in which run: one that has none is a mistake, and refused. */
#ifndef PENTA_TOOLS_NBODY_USAGE_H
#define PENTA_TOOLS_NBODY_USAGE_H

#include "nbody/flags.h"

extern const cli_rule gravity_single[], gravity_idle[];

/*
 * CLI_OK, or CLI_USAGE after one line on stderr: nothing says which bodies, two flags do, or a flag has no effect. What
 * --restart leaves open is checked by gravity_usage_check_steps.
 */
int gravity_usage_check(const cli_line *line, const gravity_flags *flags);

/* The same of the flags that count in steps that adapt, once it is known whether they do. */
int gravity_usage_check_steps(const cli_line *line, const gravity_flags *flags, const penta_nbody_options *options);

#endif
