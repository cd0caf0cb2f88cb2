/* Which flags of `penta nbody` have a say in which run: one that has none is a mistake, and refused. */
#ifndef PENTA_TOOLS_NBODY_USAGE_H
#define PENTA_TOOLS_NBODY_USAGE_H

#include "nbody/flags.h"

extern const cli_rule nbody_single[], nbody_idle[];

/*
 * CLI_OK, or CLI_USAGE after one line on stderr: nothing says which bodies, two flags do, or a flag has no effect. What
 * --restart leaves open is checked by nbody_usage_check_steps.
 */
int nbody_usage_check(const cli_line *line, const nbody_flags *flags);

/* The same of the flags that count in steps that adapt, once it is known whether they do. */
int nbody_usage_check_steps(const cli_line *line, const nbody_flags *flags, const penta_nbody_options *options);

#endif
