/* penta sample WORKLOAD: small inputs with known answers. Each workload's generator is tools/samples/WORKLOAD.c. */
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"

#define PENTACL_WORKLOAD(name) extern const cli_command penta_sample_##name;
#include "pentacl_samples.def"
#undef PENTACL_WORKLOAD

static const cli_command *const samples[] = {
#define PENTACL_WORKLOAD(name) &penta_sample_##name,
#include "pentacl_samples.def"
#undef PENTACL_WORKLOAD
};

enum { SAMPLES = sizeof samples / sizeof *samples };

static int run(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        FILE *stream = argc < 2 ? stderr : stdout;

        fprintf(stream, "usage: penta sample WORKLOAD -o DIR [flags]\n\n");
        for (int i = 0; i < SAMPLES; i++)
            fprintf(stream, "  %-10s %s\n", samples[i]->name, samples[i]->summary);
        return argc < 2 ? CLI_USAGE : CLI_OK;
    }
    for (int i = 0; i < SAMPLES; i++)
        if (strcmp(samples[i]->name, argv[1]) == 0)
            return samples[i]->run(argc - 1, argv + 1);
    return cli_fail("sample", CLI_USAGE, "there are no samples for '%s'; see penta sample --help", argv[1]);
}

const cli_command penta_command_sample = {"sample", "make small inputs with known answers", run};
