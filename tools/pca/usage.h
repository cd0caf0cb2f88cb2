/* Which flags of `penta pca` have a say in which run: one that has none is a mistake, and refused. */
#pragma once

#include "pca/flags.h"

extern const cli_rule pca_single[], pca_idle[];

/* CLI_OK, or CLI_USAGE after one line on stderr: a flag has no effect, contradicts another one or says nothing. */
int pca_usage_check(const cli_line *line, const pca_flags *flags, const penta_pca_options *options);

/* The same of the flags that count for certain formats only. format: as penta_io_cube_info has it. */
int pca_usage_of_format(const cli_line *line, const char *format);
