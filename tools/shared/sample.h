/* What the makers of samples (tools/WORKLOAD/sample.c) share: flags, a directory, files in it. */
#ifndef PENTA_TOOLS_SAMPLE_H
#define PENTA_TOOLS_SAMPLE_H

#include <stdio.h>

#include "shared/cli.h"
#include <pentacl/io/error.h>
#include "shared/sample_field.h"

/* Flags of every sample: the first member of a maker's own. */
typedef struct sample_common {
    const char *output;
    int seed;
    bool quiet;
} sample_common;

/* Their rows in its table. */
#define SAMPLE_OUTPUT                                                                                                  \
    PENTA_TEXT_OPTION(sample_common, output, 'o', "DIR", "directory for the files; created if it does not exist")
#define SAMPLE_SEED(of) PENTA_INT_OPTION(sample_common, seed, 's', 1, 0, 2147483647, "", "seed of " of)
#define SAMPLE_QUIET    PENTA_FLAG_OPTION(sample_common, quiet, 'q', "print nothing")

/* How `penta sample WORKLOAD` goes from its flags to its files. */
typedef struct sample_maker {
    /* The facts of a run (cli_rule.when) in which flags have no effect; or NULL. */
    unsigned (*facts)(const void *flags);
    const char *optional; /* patterns (leftovers_look) of files that not every run writes, noted where an earlier one
                             left them; NULL: there are none */
    /* Writes the files, the directory being there, and unless quiet prints what they are. */
    bool (*make)(const void *flags, penta_io_error *err);
} sample_maker;

/* Runs the command, whose values begin with a sample_common: returns its exit code. */
int sample_run(const cli_line *line, const void *flags, const sample_maker *maker);

/* DIR/name + suffix, to be freed; NULL when out of memory, with err. */
char *sample_path(const sample_common *flags, const char *name, const char *suffix, penta_io_error *err);

/* A file of what `put` prints. */
bool sample_write(const sample_common *flags, const char *name, const char *suffix,
                  void (*put)(const void *data, FILE *out), const void *data, penta_io_error *err);

#endif
