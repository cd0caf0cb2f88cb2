/* What the makers of samples (tools/WORKLOAD/sample.c) share: flags, a directory, files in it. */
#pragma once

#include <stdio.h>

#include "shared/cli.h"
#include <pentacl/io/error.h>
#include "shared/sample_field.h"

/* Flags of every sample: the first member of a maker's own. */
typedef struct sample_common {
    const char *output;
    int seed;
    bool quiet, json;
    int color; /* enum terminal_color */
} sample_common;

/* Their rows in its table. */
#define SAMPLE_OUTPUT                                                                                                  \
    PENTA_TEXT_OPTION(sample_common, output, 'o', "DIR", "directory for the files; created if it does not exist")
#define SAMPLE_SEED(of) PENTA_INT_OPTION(sample_common, seed, 's', 1, 0, 2147483647, "", "seed of " of)
#define SAMPLE_WORDS                                                                                                   \
    PENTA_FLAG_OPTION(sample_common, quiet, 'q', "print nothing but errors and warnings"),                             \
        PENTA_FLAG_OPTION(sample_common, json, 0, "print one JSON object on stdout instead of text"),                  \
        PENTA_CHOICE_OPTION(sample_common, color, 0, "auto,always,never", "colour of messages")

/* How `penta sample WORKLOAD` goes from its flags to its files. */
typedef struct sample_maker {
    /* The facts of a run (cli_rule.when) in which flags have no effect; or NULL. */
    unsigned (*facts)(const void *flags);
    const char *optional; /* patterns (leftovers_look) of files that not every run writes, noted where an earlier one
                             left them; NULL: there are none */
    /* Whether the flags, each in its range, make sense together: wrong usage else. Or NULL. */
    bool (*check)(const void *flags, penta_io_error *err);
    /* Whether it computes on a device, the one of this selector. NULL: it does not. */
    bool (*device)(const void *flags, const char **selector);
    /* Writes the files, the directory being there, and tells what they are (sample_tell). */
    bool (*make)(const void *flags, penta_io_error *err);
} sample_maker;

/* Runs the command, whose values begin with a sample_common and which has a sample_maker as `more`. */
int sample_run(const cli_line *line, void *values);

/* Prints what was made, unless quiet; under --json it is the "description" of the answer. */
void sample_tell(const sample_common *flags, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* DIR/name + suffix, to be freed; NULL when out of memory, with err. */
char *sample_path(const sample_common *flags, const char *name, const char *suffix, penta_io_error *err);

/* A file of what `put` prints. */
bool sample_write(const sample_common *flags, const char *name, const char *suffix,
                  void (*put)(const void *data, FILE *out), const void *data, penta_io_error *err);
