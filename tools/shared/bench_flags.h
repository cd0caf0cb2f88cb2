/* The flags of `penta bench`, which penta checks and penta-bench obeys. */
#ifndef PENTA_TOOLS_BENCH_FLAGS_H
#define PENTA_TOOLS_BENCH_FLAGS_H

#include "shared/cli.h"

typedef struct bench_flags {
    const char *only;   /* part of the names of the cases wanted; NULL: all */
    const char *device; /* or NULL */
    bool ladder, json, list;
    int color; /* enum terminal_color */
} bench_flags;

extern const char bench_about[];
extern const cli_operand bench_operands[];
extern const cli_section bench_sections[]; /* of a bench_flags */

/* The description of the command, which is the same in both. */
#define BENCH_COMMAND(function)                                                                                        \
    {                                                                                                                  \
        .name = "bench", .summary = "time a workload beside its peers", .usage = "WORKLOAD", .about = bench_about,     \
        .operands = bench_operands, .sections = bench_sections, .size = sizeof(bench_flags), .run = function           \
    }

#endif
