/* penta sample WORKLOAD: small inputs with known answers. Each workload's generator is tools/WORKLOAD/sample.c. */
#include "commands/commands.h"

#define PENTACL_WORKLOAD(name) extern const cli_command penta_sample_##name;
#include "pentacl_samples.def"
#undef PENTACL_WORKLOAD

static const cli_command *const samples[] = {
#define PENTACL_WORKLOAD(name) &penta_sample_##name,
#include "pentacl_samples.def"
#undef PENTACL_WORKLOAD
    NULL,
};

const cli_command penta_command_sample = {.name = "sample",
                                          .summary = "make small inputs with known answers",
                                          .usage = "WORKLOAD -o DIR [flags]",
                                          .commands = samples};
