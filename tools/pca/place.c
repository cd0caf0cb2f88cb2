/* The directory for results: what of it is read, and must not be overwritten. */
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/output.h>
#include "pca/run.h"

enum { NAMES = 8 };
typedef char name_list[NAMES][32];

/* What the run writes into its directory; how many. */
static size_t list_outputs(const pca_run *run, name_list names)
{
    static const char *const others[] = {"model.json", "rgb.png", "scree.png", "scree.svg"};
    static const char *const stems[] = {"components", "reconstructed"};
    const bool written[] = {!run->flags.inverse, run->flags.inverse || run->flags.filter};
    size_t n = 0;

    for (size_t i = 0; i < 2; i++) {
        if (!written[i])
            continue;
        if (run->flags.format == PENTA_IO_CUBE_ENVI)
            snprintf(names[n++], sizeof names[0], "%s.hdr", stems[i]);
        penta_io_cube_name(run->flags.format, stems[i], names[n++], sizeof names[0]);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others && !run->flags.inverse; i++)
        snprintf(names[n++], sizeof names[0], "%s", others[i]);
    return n;
}

/* What the user calls the input that the path leads to, if it does; NULL: to none. */
static const char *input_at(const pca_run *run, const char *path)
{
    const char *const inputs[] = {run->path, run->flags.mask, run->flags.transform, run->flags.inverse};

    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i] && penta_io_same_file(inputs[i], path))
            return inputs[i];
    return penta_io_cube_has_file(run->cube, path) ? path : NULL;
}

static int check_path(const pca_run *run, const char *path)
{
    const char *input = input_at(run, path), *special = penta_io_special(path);

    if (!input && special)
        return cli_fail(run->job.command, CLI_ERROR,
                        "%s: is %s in the place of a file; remove it or choose another directory", path, special);
    return input ? cli_fail(run->job.command, CLI_USAGE,
                            "%s is an input, and would be overwritten; choose another directory", input)
                 : CLI_OK;
}

/* A link to ENVI data stays, and the header goes beside what it leads to. */
static int check_header(const pca_run *run, const char *path)
{
    char *target = run->flags.format == PENTA_IO_CUBE_ENVI ? realpath(path, NULL) : NULL;
    char *header = target ? penta_io_cube_header_name(target) : NULL;
    int code = header ? check_path(run, header) : CLI_OK;

    free(header);
    free(target);
    return code;
}

int pca_check_place(const pca_run *run)
{
    name_list names;
    size_t n = list_outputs(run, names);
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < n; i++) {
        char *path = penta_io_join_path(run->job.common.output, names[i], "");

        if (!path)
            return cli_fail(run->job.command, CLI_ERROR, "out of memory");
        code = check_path(run, path);
        code = code != CLI_OK ? code : check_header(run, path);
        free(path);
    }
    return code;
}

int pca_make_place(pca_run *run)
{
    /* With --inverse the others are what is transformed back, or nothing to do with it. */
    return job_make_directory(
        &run->job, run->flags.inverse ? "reconstructed.*" : "components.* reconstructed.* model.json rgb.png scree.*");
}
