#define _POSIX_C_SOURCE 200809L
#include "nbody/place.h"

#include <dirent.h>
#include <string.h>

#include "shared/inputs.h"

/* Whether the run would write a file of this name into its directory. */
static bool is_output(const nbody_run *run, const char *name)
{
    static const char *const forces[] = {"acc.npy", "pot.npy", NULL};
    static const char *const steps[] = {"final.npy", "checkpoint.bin", "diagnostics.csv", "lagrangian.csv", NULL};

    if (!run->flags.forces_only && strncmp(name, "final.", 6) == 0 &&
        strcmp(name + 5, nbody_formats[run->flags.format]) == 0)
        return true;
    for (const char *const *n = run->flags.forces_only ? forces : steps; *n; n++)
        if (strcmp(*n, name) == 0)
            return true;
    if (run->flags.frames && strncmp(name, "frame_", strlen("frame_")) == 0)
        return true;
    return run->flags.snapshot_every > 0 && strncmp(name, "snapshot_", strlen("snapshot_")) == 0;
}

/* What is there already is looked at, since there may be any number of snapshots. */
int nbody_check_place(const nbody_run *run)
{
    const char *directory = run->job.common.output;
    input_files *inputs = inputs_open(2);
    DIR *there = opendir(directory);
    struct dirent *entry;
    int code = inputs ? CLI_OK : cli_fail(run->job.command, CLI_ERROR, "out of memory");

    if (inputs) {
        inputs_add(inputs, run->flags.input);
        inputs_add(inputs, run->flags.points);
    }
    while (code == CLI_OK && there && (entry = readdir(there)) != NULL)
        if (is_output(run, entry->d_name))
            code = inputs_check(inputs, run->job.command, directory, entry->d_name, "");
    if (there)
        closedir(there);
    inputs_close(inputs);
    return code;
}
