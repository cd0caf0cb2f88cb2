#include "stars/place.h"

#include <stdlib.h>
#include <string.h>

#include <pentacl/io/output.h>

#include "shared/inputs.h"
#include "stars/track_frame.h"

enum { INPUTS = 3 };

static void list_inputs(const stars_request *r, const char *inputs[INPUTS])
{
    inputs[0] = r->source_path;
    inputs[1] = r->pointing_path;
    inputs[2] = r->psf_image;
}

static int check_image(const stars_run *run)
{
    const stars_request *r = &run->request;
    const char *inputs[INPUTS];

    list_inputs(r, inputs);
    for (size_t i = 0; i < INPUTS; i++)
        if (penta_io_same_file(inputs[i], r->output) || penta_io_same_file(inputs[i], r->truth))
            return cli_fail(run->job.command, CLI_USAGE,
                            "%s is an input, and would be overwritten; choose another name", inputs[i]);
    if (r->truth && (strcmp(r->truth, r->output) == 0 || penta_io_same_file(r->truth, r->output)))
        return cli_fail(run->job.command, CLI_USAGE, "-o and --truth are the same file, %s", r->truth);
    return CLI_OK;
}

static int check_name(const stars_run *run, input_files *inputs, const char *directory, size_t number,
                      const char *suffix)
{
    char *path = stars_frame_name(directory, number, suffix);
    int code = path ? inputs_check_path(inputs, run->job.command, path)
                    : cli_fail(run->job.command, CLI_ERROR, "out of memory");

    free(path);
    return code;
}

static int check_frames(const stars_run *run)
{
    const stars_request *r = &run->request;
    const char *paths[INPUTS];
    input_files *inputs = inputs_open(INPUTS);
    int code = inputs ? CLI_OK : cli_fail(run->job.command, CLI_ERROR, "out of memory");

    list_inputs(r, paths);
    for (size_t i = 0; inputs && i < INPUTS; i++)
        inputs_add(inputs, paths[i]);
    for (size_t i = 0; code == CLI_OK && i < run->track.n; i++) {
        code = check_name(run, inputs, r->output, i, r->suffix);
        if (code == CLI_OK && r->truth)
            code = check_name(run, inputs, r->truth, i, ".truth.csv");
    }
    inputs_close(inputs);
    return code;
}

int stars_check_place(const stars_run *run)
{
    return run->request.pointing == STARS_POINTS_TRACK ? check_frames(run) : check_image(run);
}
