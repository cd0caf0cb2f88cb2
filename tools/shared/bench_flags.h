/* The flags of `penta bench`, which penta checks and penta-bench obeys. */
#pragma once

#include "shared/cli.h"

/* The smaller cases, for the help too: workload and case, with a * those of a run of all workloads. A workload that is
 * not named here has all of its cases. */
#define BENCH_SMALLER_CASES                                                                                            \
    "autocorr 640x480-r16*, prepare 750x1500*, prepare 750x1500-register, stars test1-2^13*, "                         \
    "stars test1-2^17, nbody 1024*, nbody 16384, pca 256x256x224-f32-covariance, pca 256x256x224-f32-scores*, "        \
    "pca 256x256x224-f32-job, pca syrk-64-f64, optmap 50x50x256*"

typedef struct bench_flags {
    const char *only;   /* part of the names of the cases wanted, or "=" and a whole name; NULL: all */
    const char *device; /* or NULL */
    const char *output; /* directory, or NULL */
    const char *python; /* the program that runs the scripts of --job, or NULL */
    double seconds;     /* that a row is timed for */
    bool all, thorough, compare, ladder, scaling, job, json, list, quiet;
    int color; /* enum terminal_color */
} bench_flags;

extern const char bench_about[];
extern const cli_operand bench_operands[];
extern const cli_section bench_sections[]; /* of a bench_flags */
extern const cli_rule bench_single[];
extern const cli_output bench_outputs[];

/* The description of the command, which is the same in both. */
#define BENCH_COMMAND(function)                                                                                        \
    {                                                                                                                  \
        .name = "bench", .summary = "time workloads beside their peers, and compare machines",                         \
        .usage = "[WORKLOAD] | --all --output DIR | --compare REPORT... | --scaling [WORKLOAD] | --job [WORKLOAD]",    \
        .about = bench_about, .operands = bench_operands, .files_with = "compare", .sections = bench_sections,         \
        .single = bench_single, .outputs = bench_outputs, .size = sizeof(bench_flags), .run = function,                \
        .ranks = CLI_RANKS_LATER                                                                                       \
    }
