#include "stars/track_frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/output.h>

char *stars_frame_name(const char *directory, size_t number, const char *suffix)
{
    char name[32];

    snprintf(name, sizeof name, "frame-%04zu", number);
    return penta_io_join_path(directory, name, suffix);
}

int stars_frame_draw(stars_run *run, size_t number, stars_shot *shot)
{
    const stars_request *r = &run->request;
    penta_attitude_path path = {0};
    int code;

    if (penta_attitude_path_turn(&run->track.attitude[number], r->rate, r->detector.exposure, &path) != PENTA_OK)
        return cli_fail_library(run->job.command, NULL, run->job.common.verbose);
    code = stars_shot_take(run, number, &path, shot);
    penta_attitude_path_free(&path);
    return code;
}

bool stars_frame_write(const stars_run *run, const stars_shot *shot, penta_io_error *err)
{
    const stars_request *r = &run->request;
    char *path = stars_frame_name(r->output, shot->number, r->suffix);
    char *truth = r->truth ? stars_frame_name(r->truth, shot->number, ".truth.csv") : NULL;
    bool ok = path && (truth || !r->truth) ? stars_shot_write(run, shot, path, truth, err)
                                           : penta_io_fail(err, "out of memory for a file name");

    free(path);
    free(truth);
    return ok;
}
