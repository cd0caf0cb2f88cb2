/* The flags of `penta bench`, which penta checks and penta-bench obeys. */
#ifndef PENTA_TOOLS_BENCH_FLAGS_H
#define PENTA_TOOLS_BENCH_FLAGS_H

#include "shared/cli.h"

typedef struct bench_flags {
    const char *only;   /* part of the names of the cases wanted; NULL: all */
    const char *device; /* or NULL */
    bool ladder, json, list;
} bench_flags;

#define BENCH_USAGE "WORKLOAD"
extern const char bench_about[];
extern const cli_operand bench_operands[];
extern const cli_section bench_sections[]; /* of a bench_flags */

#endif
